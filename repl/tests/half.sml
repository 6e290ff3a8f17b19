val first = "is there";
val wrong = first + 1;
val second = "is not";
