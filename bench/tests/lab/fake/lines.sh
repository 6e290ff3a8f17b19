# sh lines.sh TEXT ...: each a line, with + for a space
for text; do echo "$text" | tr + ' '; done
