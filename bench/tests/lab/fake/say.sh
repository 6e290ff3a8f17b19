# sh say.sh TEXT: with + for a space
echo "$1" | tr + ' '
