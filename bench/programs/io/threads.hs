{-# LANGUAGE BangPatterns #-}
-- Row E1, E2 by GHC's threads: one for each end of each pipe, which block on their descriptors.
-- usage: pipes-ghc P MESSAGES [DELAY in us]
module Main (main) where

import Control.Concurrent
import Control.Monad (forM, forM_, replicateM_, when)
import Foreign (Ptr, Word8, mallocBytes, poke)
import Foreign.C.Error (eAGAIN, getErrno)
import Foreign.C.Types (CInt (..), CSize (..))
import GHC.Clock (getMonotonicTimeNSec)
import System.Environment (getArgs)
import System.Posix.IO (FdOption (NonBlockingRead), createPipe, setFdOption)
import System.Posix.Types (CSsize (..), Fd (..))

foreign import ccall unsafe "read" c_read :: CInt -> Ptr Word8 -> CSize -> IO CSsize
foreign import ccall unsafe "write" c_write :: CInt -> Ptr Word8 -> CSize -> IO CSsize

-- | Tries, and waits for the descriptor where it would block.
blocking :: (Fd -> IO ()) -> Fd -> IO CSsize -> IO Int
blocking wait fd action = do
  n <- action
  if n >= 0
    then pure (fromIntegral n)
    else do
      errno <- getErrno
      if errno == eAGAIN then wait fd >> blocking wait fd action else fail "read or write"

main :: IO ()
main = do
  words' <- map read <$> getArgs
  let (pipes, messages, delay) = case words' of
        [p, n] -> (p, n, 0)
        (p : n : d : _) -> (p, n, d)
        _ -> (100, 100000, 0) :: (Int, Int, Int)
  one <- mallocBytes 1 :: IO (Ptr Word8)
  poke one 120
  finished <- newQSemN 0
  go <- newEmptyMVar :: IO (MVar ())
  ends <- forM [1 .. pipes] $ \_ -> do
    (r, w) <- createPipe
    setFdOption r NonBlockingRead True
    setFdOption w NonBlockingRead True
    pure (r, w)
  start <- getMonotonicTimeNSec
  forM_ (zip [0 ..] ends) $ \(i, (r@(Fd rfd), w@(Fd wfd))) -> do
    let share = messages `div` pipes + (if i < messages `mod` pipes then 1 else 0) :: Int
    _ <- forkIO $ do
      buffer <- mallocBytes 64 :: IO (Ptr Word8)
      let loop !rest = when (rest > 0) $ do
            n <- blocking threadWaitRead r (c_read rfd buffer (if delay > 0 then 1 else 64))
            when (delay > 0) (threadDelay delay)
            loop (rest - n)
      loop share
      signalQSemN finished 1
    forkIO $ do
      readMVar go
      replicateM_ share (blocking threadWaitWrite w (c_write wfd one 1) >> yield)
  putMVar go ()
  waitQSemN finished pipes
  end <- getMonotonicTimeNSec
  putStrLn ("message " ++ show (fromIntegral (end - start) `div` messages))
