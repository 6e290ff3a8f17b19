fun number "one" = 1
