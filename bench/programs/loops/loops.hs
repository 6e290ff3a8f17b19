{-# LANGUAGE BangPatterns #-}
-- A1: counting down and up. usage: loops N. Prints the best of five, in nanoseconds.
module Main (main) where

import Control.Exception (ArithException, catch, evaluate)
import GHC.Clock (getMonotonicTimeNSec)
import System.Environment (getArgs)

countdown :: Int -> Int
countdown 0 = 0
countdown n = countdown (n - 1)
{-# NOINLINE countdown #-}

countup :: Int -> Int -> Int
countup !count n = if n == count then 0 else countup count (n + 1)
{-# NOINLINE countup #-}

best :: String -> (Int -> Int) -> Int -> IO ()
best name f = bestOf name (evaluate . f)

-- What an exception in f gives instead, as in a dispatcher.
handled :: (Int -> Int) -> Int -> IO Int
handled f n = evaluate (f n) `catch` \e -> const (pure (-1)) (e :: ArithException)

bestOf :: String -> (Int -> IO Int) -> Int -> IO ()
bestOf name f n = do
  times <- mapM once [n, n, n, n, n]
  putStrLn (name ++ " " ++ show (minimum times))
  where
    once k = do
      start <- getMonotonicTimeNSec
      _ <- f k
      end <- getMonotonicTimeNSec
      pure (end - start)

main :: IO ()
main = do
  [n] <- map read <$> getArgs
  best "countdown" countdown n
  best "countup" (`countup` 0) n
  bestOf "countdown-handled" (handled countdown) n
  bestOf "countup-handled" (handled (`countup` 0)) n
