# The workflow that `leat new` writes: its steps, one after the other, as a runner does them. It said `cargo install leat`,
# which no registry has. Here the tarball is one with a program that calls this Leat, and `curl` is one that reads a file.
mkdir -p leat-0-here/bin tools runner
printf '#!/bin/sh\nexec "%s" "$@"\n' "$LEAT" > leat-0-here/bin/leat
printf '#!/bin/sh\nexec cat "$2"\n' > tools/curl
chmod +x leat-0-here/bin/leat tools/curl
tar -czf leat.tar.gz leat-0-here
here=$PWD
"$LEAT" new tea > /dev/null
cd tea
awk '/run: \|/ { on = 1; next } on && /^          / { print substr($0, 11); next } { on = 0 }' .github/workflows/ci.yml > ../install
sed -n 's/^ *- run: //p' .github/workflows/ci.yml > ../steps
export RUNNER_TEMP="$here/runner" GITHUB_PATH="$here/path" PATH="$here/tools:$PATH"
(LEAT_URL='' sh -e ../install); echo "exit $?"
LEAT_URL="$here/leat.tar.gz" sh -e ../install; echo "exit $?"
PATH="$(cat ../path):$PATH"
cat ../steps
while read -r step; do
  sh -ec "$step" > ../said 2>&1 < /dev/null || { echo "$step"; cat ../said; }
done < ../steps
grep -c '<testcase' results.xml
