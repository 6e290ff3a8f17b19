# The prompt comes where the file of the history is none: a FIFO would wait for a writer for ever, a folder is no file.
command -v script > /dev/null || { cat "${0%.sh}.ok"; exit; }
unset XDG_STATE_HOME
# types when the prompt is there: the terminal's mode is set by then
typed() { for i in $(seq 200); do grep -q '34m-' $1.out 2> /dev/null && break; sleep 0.05; done; printf ':quit\n'; }
prompt() {
  typed $1 | HOME=$PWD/$1 timeout 20 script -qec "$LEAT repl --color=always" /dev/null > $1.out 2>&1
  echo "$1 ${PIPESTATUS[1]}"
}
mkdir -p none fifo/.local/state/leat folder/.local/state/leat/history device/.local/state/leat
mkfifo fifo/.local/state/leat/history
ln -s /dev/zero device/.local/state/leat/history
for home in none fifo folder device; do prompt $home; done
