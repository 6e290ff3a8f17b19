# The project of a folder may be described in a folder above, and its code is run. In a folder that all may write to, as /tmp
# is, that description was taken from anybody. It is taken only from the user, from root, or from the owner of the folder
# where the search begins; and the search ends at a repository and at the user's home. Only root can try that; others pass.
[ $(id -u) = 0 ] || { cat "$(dirname "$0")/project-above.ok"; exit; }
shown() { grep -vE '^[0-9]|^ok' | sed "s|$PWD|HERE|g; s/the user [a-z]*/the user NAME/; s/another user (number [0-9]*)/the user NAME/"; }
mkdir -p shared/mine
printf '$(SML_LIB)/basis/basis.mlb\nother.sml\n' > shared/p.mlb
echo 'val () = print "code of the folder above\n"' > shared/other.sml
echo 'val () = Test.test "one" (fn () => ())' > shared/mine/a_test.sml
chown 65534 shared/p.mlb shared/other.sml
echo '-- from below'; (cd shared/mine && "$LEAT" test --verbose a_test.sml 2>&1) | shown
echo '-- from above'; "$LEAT" test --verbose shared/mine/a_test.sml 2>&1 | shown
echo '-- by a link'; ln -s ../shared/mine shared/link; "$LEAT" test --verbose shared/link/a_test.sml 2>&1 | shown
echo '-- check'; (cd shared/mine && "$LEAT" check 2>&1) | shown
echo '-- one that is root'"'"'s, and leads to what is not'
mv shared/p.mlb shared/theirs.mlb && mv shared/theirs.mlb other.mlb && ln -s ../other.mlb shared/p.mlb
(cd shared/mine && "$LEAT" test --verbose a_test.sml 2>&1) | shown
echo '-- everything is theirs'; chown -R 65534 shared other.mlb; (cd shared/mine && "$LEAT" test --verbose a_test.sml 2>&1) | shown
rm shared/p.mlb
echo '-- all is mine'; chown -R 0 shared other.mlb; cp other.mlb shared/p.mlb; (cd shared/mine && "$LEAT" test --verbose a_test.sml 2>&1) | shown
echo '-- above the home folder'; (cd shared/mine && HOME=$PWD "$LEAT" test --verbose a_test.sml 2>&1) | shown
