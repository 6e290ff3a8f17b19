package main

import (
	"encoding/json"
	"fmt"
	"os"
)

type item struct {
	ID    int      `json:"id"`
	Name  string   `json:"name"`
	Tags  []string `json:"tags"`
	Price float64  `json:"price"`
	Stock int      `json:"stock"`
	Sold  bool     `json:"sold"`
	Box   struct {
		W    int     `json:"w"`
		H    int     `json:"h"`
		Note *string `json:"note"`
	} `json:"box"`
}

func read(name string) []item {
	text, err := os.ReadFile(name)
	if err != nil {
		panic(err)
	}
	var items []item
	if err := json.Unmarshal(text, &items); err != nil {
		panic(err)
	}
	stock, worth, letters, tags := 0, 0.0, 0, 0
	for _, it := range items {
		stock += it.Stock
		worth += float64(it.Stock) * it.Price
		letters += len(it.Name)
		tags += len(it.Tags)
	}
	fmt.Printf("%d in stock, worth %.0f, names of %d letters, %d tags\n", stock, worth, letters, tags)
	return items
}

func main() {
	items := read(os.Args[1])
	f, err := os.CreateTemp("", "json")
	if err != nil {
		panic(err)
	}
	json.NewEncoder(f).Encode(items)
	f.Close()
	read(f.Name())
	os.Remove(f.Name())
}
