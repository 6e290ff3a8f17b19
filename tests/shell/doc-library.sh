# A page of `leat doc --library` stands alone: no comment on it speaks of signatures or structures that only the source
# has above it. (The page of CML began "The four signatures above, and:".)
"$LEAT" doc --library -o pages > /dev/null
[ -s pages/signature-CML.html ] || echo 'no page of CML'
grep -hoE '(signature|structure|functor)s? (above|below)[^<]*' pages/*.html
echo looked
# What a functor has made, too, has its members, with their comments.
grep -A1 '"find"' pages/structure-IntRedBlackMap.html | sed 's/<[^>]*>//g'
grep -A1 '"hex"' pages/structure-HMACSHA256.html | sed 's/<[^>]*>//g'
# Modules whose names end in a prime are the library's own.
ls pages | grep "'\.html$" || echo 'none of its own'
