val wrong = number 1
