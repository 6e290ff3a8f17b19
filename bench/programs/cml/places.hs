{-# LANGUAGE BangPatterns #-}
-- Row W2 with GHC, as places.sml: threads that hand each other numbers, pools whose jobs take from 0.3 to 100 us, a
-- parallel map. GHC has no channels of rendezvous: an MVar stands for one, and a Chan for a mailbox.
-- usage: places +RTS -N2
module Main (main) where

import Control.Concurrent
import Control.Monad
import Data.Word (Word64)
import GHC.Clock (getMonotonicTimeNSec)
import System.CPUTime (getCPUTime)
import Text.Printf (printf)

row :: String -> Int -> (Int -> IO ()) -> IO ()
row name n f = do
  start <- getMonotonicTimeNSec
  before <- getCPUTime
  f n
  end <- getMonotonicTimeNSec
  after <- getCPUTime
  let each :: Double -> Double
      each t = t / fromIntegral n
  printf "%s %.1f\n" name (each (fromIntegral (end - start)))
  printf "%s-cpu %.1f\n" name (each (fromIntegral (after - before) / 1000))

join' :: [IO ()] -> IO ()
join' threads = do
  over <- forM threads $ \thread -> do
    done <- newEmptyMVar
    _ <- forkIO (thread >> putMVar done ())
    pure done
  mapM_ takeMVar over

-- so many times
times :: Int -> IO () -> IO ()
times 0 _ = pure ()
times k act = act >> times (k - 1) act

pass :: MVar Int -> MVar Int -> Int -> IO ()
pass input output k = takeMVar input >>= \x -> let !y = x + k in putMVar output y

chain :: Int -> Int -> MVar Int -> IO (MVar Int)
chain 0 _ input = pure input
chain stages k input = do
  output <- newEmptyMVar
  _ <- forkIO (forever (pass input output k))
  chain (stages - 1) k output

pipeline :: Int -> IO ()
pipeline n = do
  first <- newEmptyMVar
  final <- chain 3 1 first
  join' [mapM_ (putMVar first) [1 .. n], times n (void (takeMVar final))]

work :: Int -> Word64 -> Word64
work 0 !x = x
work n !x = work (n - 1) (x * 6364136223846793005 + 1442695040888963407)

pool :: Int -> Int -> IO ()
pool rounds jobs = do
  todo <- newChan
  results <- newChan
  let worker = do
        x <- readChan todo
        unless (x == 0) (let !y = work rounds x in writeChan results y >> worker)
  workers <- forM [1 .. 100 :: Int] $ \_ -> do
    done <- newEmptyMVar
    _ <- forkIO (worker >> putMVar done ())
    pure done
  forM_ [1 .. jobs] (writeChan todo . fromIntegral)
  times jobs (void (readChan results))
  times 100 (writeChan todo 0)
  mapM_ takeMVar workers

parallelMap :: Int -> IO ()
parallelMap n = join' [part (1 + c * size) ((c + 1) * size) 0 | c <- [0 .. 63]]
  where
    size = n `div` 64
    part :: Int -> Int -> Int -> IO ()
    part i end !best
      | i > end = when (best < 0) (fail "no chain")
      | otherwise = part (i + 1) end (max best (steps i 0))
    steps :: Int -> Int -> Int
    steps 1 !k = k
    steps i k = steps (if even i then i `quot` 2 else 3 * i + 1) (k + 1)

ring :: Int -> IO ()
ring n = do
  first <- newEmptyMVar
  final <- chain 999 0 first
  over <- newEmptyMVar
  _ <- forkIO (times (n `div` 1000) (putMVar first 1 >> void (takeMVar final)) >> putMVar over ())
  takeMVar over

mvar :: Int -> IO ()
mvar n = do
  v <- newMVar (0 :: Int)
  join' (replicate 1000 (times (n `div` 1000) (takeMVar v >>= \x -> let !y = x + 1 in putMVar v y)))

rpc :: Int -> IO ()
rpc n = do
  calls <- newEmptyMVar
  _ <- forkIO (forever (takeMVar calls >>= \(x, reply) -> let !y = x + 1 in putMVar reply (y :: Int)))
  join' (replicate 1000 (client calls))
  where
    client calls = do
      reply <- newEmptyMVar
      times (n `div` 1000) (putMVar calls (1, reply) >> void (takeMVar reply))

sieve :: Int -> IO ()
sieve n = do
  numbers <- newEmptyMVar
  _ <- forkIO (mapM_ (putMVar numbers) [2 ..])
  primes n numbers
  where
    primes :: Int -> MVar Int -> IO ()
    primes 0 _ = pure ()
    primes k input = do
      p <- takeMVar input
      output <- newEmptyMVar
      _ <- forkIO (forever (takeMVar input >>= \i -> when (i `rem` p /= 0) (putMVar output i)))
      primes (k - 1) output

kpn :: Int -> IO ()
kpn n = do
  [a, b, c, d, e, f, out] <- replicateM 7 newEmptyMVar
  let split from one other = forkIO (forever (takeMVar from >>= \x -> putMVar one x >> putMVar other x))
      cons first from to = forkIO (putMVar to first >> forever (pass from to 0))
  _ <- forkIO (forever (takeMVar a >>= \x -> takeMVar b >>= \y -> let !z = (x + y) `mod` 1000003 in putMVar c (z :: Int)))
  _ <- cons 1 c d
  _ <- split d e b
  _ <- cons 0 e f
  _ <- split f a out
  times n (void (takeMVar out))

main :: IO ()
main = do
  row "pipeline" 1000000 pipeline
  row "job-0" 500000 (pool 200)
  row "job-5us" 40000 (pool 5000)
  row "job-20us" 10000 (pool 20000)
  row "job-100us" 3000 (pool 100000)
  row "map" 3000000 parallelMap
  row "ring" 2000000 ring
  row "mvar" 3000000 mvar
  row "rpc" 1000000 rpc
  row "sieve" 1500 sieve
  row "kpn" 200000 kpn
