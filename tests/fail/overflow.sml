fun grow n = grow (n * 2 + 1)
val _ = grow 1
