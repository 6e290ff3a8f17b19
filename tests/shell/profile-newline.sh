# A source whose name has a new line left a profile that could not be read: "line 6 of the profile is damaged".
file=$'a\nb%0A c.sml'
printf 'fun f 0 = 0 | f n = f (n - 1)\nval _ = f 100\n' > "$file"
"$LEAT" profile --calls -o callgrind.out "$file" 2> told
echo $?
grep '^fl=' callgrind.out | sort -u
"$LEAT" profile --calls --annotate="$file" "$file" 2>&1 | grep -c 'fun f 0 = 0'
