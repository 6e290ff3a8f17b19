package main

import (
	"fmt"
	"os"
	"strconv"
)

func step(old [][]int, n int) [][]int {
	at := func(i, j int) int { return old[(i+n)%n][(j+n)%n] }
	board := make([][]int, n)
	for i := range board {
		board[i] = make([]int, n)
		for j := range board[i] {
			around := at(i-1, j-1) + at(i-1, j) + at(i-1, j+1) + at(i, j-1) + at(i, j+1) +
				at(i+1, j-1) + at(i+1, j) + at(i+1, j+1)
			if around == 3 || around == 2 && at(i, j) == 1 {
				board[i][j] = 1
			}
		}
	}
	return board
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	x := 1
	board := make([][]int, n)
	for i := range board {
		board[i] = make([]int, n)
		for j := range board[i] {
			x = x * 16807 % 2147483647
			if x%3 == 0 {
				board[i][j] = 1
			}
		}
	}
	for k := 0; k < 100; k++ {
		board = step(board, n)
	}
	sum := 0
	for _, row := range board {
		for _, c := range row {
			sum += c
		}
	}
	fmt.Println(sum, "cells live")
}
