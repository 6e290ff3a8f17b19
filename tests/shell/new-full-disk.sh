# `leat new` on a full disk left a half made folder behind, and the second attempt was told "is there already, and is
# not empty". A limit of the length of files does what a full disk does. What was there before stays.
trap '' XFSZ
mkdir -p there/.git
for folder in proj deep/er/proj there; do
  (ulimit -f 1; "$LEAT" new --server $folder) 2>&1
  echo "exit $?"
done
find . -mindepth 1 | sort
"$LEAT" new proj
echo "exit $?"
