# What a signature's `where type` says stood on no page, so that nobody learned what `t` is; and the page of a structure
# with such a signature was empty.
cat > w.sml <<'SML'
signature ORD = sig type t val compare : t * t -> order end
signature INT_ORD = ORD where type t = int
signature BOTH = sig include ORD val z : t end where type t = string
structure I : INT_ORD = struct type t = int val compare = Int.compare end
SML
"$LEAT" doc w.sml -o pages
for page in structure-I signature-INT_ORD signature-BOTH; do
  echo "-- $page"
  sed 's/<[^>]*>//g; /^ *$/d' "pages/$page.html" | sed 1,2d
done
