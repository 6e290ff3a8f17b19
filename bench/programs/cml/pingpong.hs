{-# LANGUAGE BangPatterns #-}
-- A8: a message to a thread and one back, by MVars; and a message in one of two, of eight variables that a thread chooses among
-- by transactions. GHC has no channels of rendezvous: a variable holds a message. Prints nanoseconds.
module Main (main) where

import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import GHC.Clock (getMonotonicTimeNSec)
import Text.Printf (printf)

rounds :: Int
rounds = 1000000

timed :: (Int -> IO Int) -> IO Double
timed loop = do
  _ <- loop 1000
  start <- getMonotonicTimeNSec
  x <- loop rounds
  end <- getMonotonicTimeNSec
  when (x /= rounds) (fail "a message was lost")
  pure (fromIntegral (end - start) / fromIntegral rounds)

pingpong :: IO Double
pingpong = do
  there <- newEmptyMVar
  back <- newEmptyMVar
  partner <- forkIO (forever (takeMVar there >>= \x -> let !y = x + 1 in putMVar back y))
  let loop :: Int -> IO Int
      loop k = go k 0
      go 0 !x = pure x
      go n x = putMVar there x >> takeMVar back >>= go (n - 1)
  took <- timed loop
  killThread partner
  pure took

choosing :: Int -> IO Double
choosing k = do
  variables <- replicateM k newEmptyTMVarIO
  sender <- forkIO (forever (forM_ variables (\v -> atomically (putTMVar v (1 :: Int)))))
  let next = foldr1 orElse (map takeTMVar variables)
      loop n = go n 0
      go :: Int -> Int -> IO Int
      go 0 !sum' = pure sum'
      go n sum' = atomically next >>= \x -> go (n - 1) (sum' + x)
  took <- timed loop
  killThread sender
  pure took

figure :: String -> IO Double -> IO ()
figure name f = do
  times <- replicateM 5 f
  printf "%s %.1f\n" name (minimum times)

main :: IO ()
main = do
  figure "pingpong" pingpong
  figure "select2" (choosing 2)
  figure "select8" (choosing 8)
