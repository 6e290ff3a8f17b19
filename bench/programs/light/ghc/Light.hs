{-# LANGUAGE BangPatterns #-}
-- The networks by GHC's threads and MVars; ../direct.sml explains them.
--   ghc -O2 Light.hs -o light-ghc -with-rtsopts=-T
module Main (main) where

import Control.Concurrent
import Control.Monad
import Data.List (isPrefixOf)
import GHC.Stats
import System.CPUTime
import System.Mem (performMajorGC)
import System.Environment
import System.Exit
import System.IO

modulus :: Int
modulus = 536870909

spawn :: IO () -> IO ()
spawn = void . forkIO

put :: MVar Int -> Int -> IO ()
put m !x = putMVar m x

plus :: MVar Int -> MVar Int -> MVar Int -> IO ()
plus a b c = forever $ do
  x <- takeMVar a
  y <- takeMVar b
  put c ((x + y) `mod` modulus)

cons :: Int -> MVar Int -> MVar Int -> IO ()
cons x from to = put to x >> forever (takeMVar from >>= put to)

split :: MVar Int -> MVar Int -> MVar Int -> IO ()
split from one other = forever $ do
  x <- takeMVar from
  put one x
  put other x

kpn :: Int -> IO Int
kpn n = do
  [a, b, c, d, e, f, out] <- replicateM 7 newEmptyMVar
  spawn (plus a b c)
  spawn (cons 1 c d)
  spawn (split d e b)
  spawn (cons 0 e f)
  spawn (split f a out)
  replicateM_ n (takeMVar out)
  takeMVar out

count :: MVar Int -> IO ()
count to = go 2 where go !k = put to k >> go (k + 1)

sift :: Int -> MVar Int -> MVar Int -> IO ()
sift !p from to = forever $ do
  x <- takeMVar from
  when (x `mod` p /= 0) (put to x)

sieve :: Int -> IO Int
sieve n = do
  numbers <- newEmptyMVar
  spawn (count numbers)
  let next 1 from = takeMVar from
      next k from = do
        p <- takeMVar from
        to <- newEmptyMVar
        spawn (sift p from to)
        next (k - 1 :: Int) to
  next n numbers

comparator :: MVar Int -> MVar Int -> MVar Int -> MVar Int -> IO ()
comparator a b low high = do
  x <- takeMVar a
  y <- takeMVar b
  put low (min x y)
  put high (max x y)

row :: MVar Int -> [MVar Int] -> [MVar Int] -> IO (MVar Int, [MVar Int])
row least [] outs = return (least, reverse outs)
row least (from : others) outs = do
  low <- newEmptyMVar
  high <- newEmptyMVar
  spawn (comparator least from low high)
  row low others (high : outs)

network :: [MVar Int] -> [MVar Int] -> IO [MVar Int]
network [] outs = return (reverse outs)
network (first : others) outs = do
  (least, rest) <- row first others []
  network rest (least : outs)

random :: Int -> [Int]
random n = reverse (take n (tail (iterate (\seed -> (seed * 1366 + 150889) `mod` 714025) 42)))

sorter :: Int -> IO Int
sorter n = do
  ins <- replicateM n newEmptyMVar
  outs <- network ins []
  spawn (zipWithM_ put ins (random n))
  foldM (\ !s out -> do x <- takeMVar out; return ((s * 31 + x) `mod` 1000003)) 0 outs

setup :: Int -> IO Int
setup n = do
  ins <- replicateM n newEmptyMVar
  _ <- network ins []
  return (n * (n - 1) `div` 2)

resident :: IO Int
resident = do
  status <- readFile "/proc/self/status"
  return (head [read (words l !! 1) * 1024 | l <- lines status, "VmHWM:" `isPrefixOf` l])

main :: IO ()
main = do
  arguments <- getArgs
  (name, f, n) <- case arguments of
    ["kpn", n] -> return ("kpn", kpn, read n)
    ["sieve", n] -> return ("sieve", sieve, read n)
    ["sorter", n] -> return ("sorter", sorter, read n)
    ["sorter-d", n] -> return ("sorter-d", setup, read n)
    _ -> hPutStrLn stderr "usage: light-ghc kpn|sieve|sorter|sorter-d N" >> exitWith (ExitFailure 2)
  before <- getCPUTime
  !result <- f n
  after <- getCPUTime
  performMajorGC -- the statistics are those of the last collection
  stats <- getRTSStats
  hwm <- resident
  putStrLn $ unwords
    [ "style=ghc", "network=" ++ name, "n=" ++ show n, "result=" ++ show result
    , "cpu-us=" ++ show ((after - before) `div` 1000000), "peak-heap=" ++ show (max_mem_in_use_bytes stats)
    , "resident=" ++ show hwm ]
