print_string "hello\n"
