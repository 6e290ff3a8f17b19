{-# LANGUAGE BangPatterns, ForeignFunctionInterface #-}
-- The same calls from Haskell: unsafe ones, during which the whole program stands still; safe ones, of which another OS
-- thread takes over what waits; and a function of Haskell that C calls back.
module Main (main) where

import Data.Int (Int64)
import Foreign.Ptr (FunPtr)
import GHC.Clock (getMonotonicTimeNSec)
import System.Environment (getArgs)
import Text.Printf (printf)

foreign import ccall unsafe "same" direct :: Int64 -> IO Int64
foreign import ccall safe "same" plain :: Int64 -> IO Int64
foreign import ccall safe "apply" apply :: FunPtr (Int64 -> IO Int64) -> Int64 -> IO Int64
foreign import ccall safe "nap" nap :: Int64 -> IO Int64
foreign import ccall "wrapper" callback :: (Int64 -> IO Int64) -> IO (FunPtr (Int64 -> IO Int64))

timed :: String -> Int64 -> (Int64 -> IO Int64) -> IO ()
timed name count f = do
  start <- getMonotonicTimeNSec
  let loop 0 !total = return total
      loop i !total = f i >>= loop (i - 1) . (total +)
  total <- loop count 0
  end <- getMonotonicTimeNSec
  if total == 0 then fail "the sum" else return ()
  printf "%s %.1f\n" name (fromIntegral (end - start) / fromIntegral count :: Double)
{-# INLINE timed #-}

main :: IO ()
main = do
  [size] <- getArgs
  let n = read size
  timed "direct" n direct
  timed "plain" n plain
  address <- callback (return . (+ 1))
  timed "callback" (n `div` 10) (apply address)
  timed "blocked" (n `div` 10000) (const (nap 50))
