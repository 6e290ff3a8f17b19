{-# LANGUAGE BangPatterns #-}
-- Row E1, E2 by GHC's event manager, the system of the document: callbacks on descriptors, and its timer manager.
-- usage: pipes-manager P MESSAGES [DELAY in us]
--
-- Told that a pipe is writable: a byte is sent. Told that it is readable: read, after the delay one byte at a time.
-- Without a delay a descriptor is registered once. With one it is registered anew after each, so that what waits is not told of
-- meanwhile.
module Main (main) where

import Control.Concurrent (MVar, newEmptyMVar, takeMVar, tryPutMVar)
import Control.Monad (forM, forM_, void, when)
import Data.IORef
import Foreign (Ptr, Word8, mallocBytes, poke)
import Foreign.C.Types (CInt (..), CSize (..))
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Event
import System.Environment (getArgs)
import System.Posix.IO (FdOption (NonBlockingRead), createPipe, setFdOption)
import System.Posix.Types (CSsize (..), Fd (..))

foreign import ccall unsafe "read" c_read :: CInt -> Ptr Word8 -> CSize -> IO CSsize
foreign import ccall unsafe "write" c_write :: CInt -> Ptr Word8 -> CSize -> IO CSsize

main :: IO ()
main = do
  words' <- map read <$> getArgs
  let (pipes, messages, delay) = case words' of
        [p, n] -> (p, n, 0)
        (p : n : d : _) -> (p, n, d)
        _ -> (100, 100000, 0) :: (Int, Int, Int)
  Just manager <- getSystemEventManager
  timers <- getSystemTimerManager
  sent <- newIORef (0 :: Int)
  got <- newIORef (0 :: Int)
  done <- newEmptyMVar :: IO (MVar ())
  buffer <- mallocBytes 64 :: IO (Ptr Word8)
  one <- mallocBytes 1 :: IO (Ptr Word8)
  poke one 120
  ends <- forM [1 .. pipes] $ \_ -> do
    (r, w) <- createPipe
    setFdOption r NonBlockingRead True
    setFdOption w NonBlockingRead True
    pure (r, w)
  start <- getMonotonicTimeNSec
  let room = if delay > 0 then 1 else 64
      receive (Fd fd) = do
        n <- c_read fd buffer room
        all' <- atomicModifyIORef' got (\k -> let !k' = k + fromIntegral (max 0 n) in (k', k'))
        when (all' >= messages) (void (tryPutMVar done ()))
      often = if delay == 0 then MultiShot else OneShot
      listen r = void (registerFd manager (readable r) r evtRead often)
      readable r _ _
        | delay == 0 = receive r
        | otherwise = void (registerTimeout timers delay (receive r >> listen r))
      offer w = void (registerFd manager (writable w) w evtWrite often)
      writable w@(Fd fd) key _ = do
        k <- atomicModifyIORef' sent (\k -> (k + 1, k))
        if k >= messages
          then unregisterFd manager key
          else do
            _ <- c_write fd one 1
            when (delay > 0) (offer w)
  forM_ ends $ \(r, w) -> listen r >> offer w
  takeMVar done
  end <- getMonotonicTimeNSec
  putStrLn ("message " ++ show (fromIntegral (end - start) `div` messages))
