# Modules whose names end in a prime were left out of the pages, as if they were the library's own; where there were no others
# there were no pages.
cat > p.sml <<'SML'
(* a structure *)
structure S' = struct val x' = 1 end
signature T' = sig val x : int end
functor F' (X : T') = struct val y = X.x end
structure A = struct structure In' = struct val w = 1 end end
SML
"$LEAT" doc p.sml -o pages
ls pages | grep '^[fs][a-z]*-'
sed 's/<[^>]*>//g' "pages/structure-S'.html" | grep "val x'"
