"""What a user does in Helix with editors/helix/languages.toml, run by editors.rs in a project's folder: src/main.sml is
open in a terminal that this script plays. A line for each result."""

import fcntl, os, pty, re, select, struct, sys, termios, time

PATIENCE = 30

pid, terminal = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm-256color"
    os.execvp("hx", ["hx", "src/main.sml"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
written = b""


def read(seconds):
    global written
    if select.select([terminal], [], [], seconds)[0]:
        try:
            written += os.read(terminal, 65536)
        except OSError:
            # The editor has ended.
            return


def screen():
    """What was drawn since the last key, without what moves the cursor, and without blanks."""
    text = re.sub(rb"\x1b\[[0-9;?:>=$]*[ -/]*[@-~]", b"", written).decode(errors="replace")
    return re.sub(r"\s+", "", text)


def until(condition):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return True
        read(0.05)
    return False


def type_keys(keys):
    global written
    written = b""
    os.write(terminal, keys.encode())


def command(keys):
    """What is drawn after the last one must not be taken for an answer to the next one."""
    type_keys(keys)
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        read(0.05)


def file(name):
    with open("src/" + name) as opened:
        return opened.read()


def say(what, is_so):
    print(f"{what}: {'yes' if is_so else 'no: ' + screen()[-400:]}", flush=True)


say("message", until(lambda: "thestructure`Count`hasnovalue`wrods`" in screen()))
command("/wrods\r")
type_keys(" a")
say("action", until(lambda: "didyoumean`Count.words`?" in screen()))
command("\t\r")
command(":w\r")
say("mended", until(lambda: "Count.words" in file("main.sml")))
command("gg/ount.words\r")
type_keys(" k")
say("hover", until(lambda: "valwords:string->stringlist" in screen() and "Thewordsofatext." in screen()))
command("\x1b")
type_keys("gd")
say("definition", until(lambda: "structureCount:>COUNT" in screen()))
command(":open src/main.sml\r")
command("gg/ount.words\r")
type_keys(" r")
say("rename", until(lambda: "rename-to:words" in screen()))
# What stands there is taken out.
command("\x15pieces\r")
command(":write-all\r")
say("renamed", until(lambda: all("pieces" in file(name) for name in ["main.sml", "count.sig", "count.sml"])))
command("gg/ount\r")
command("ggOval   x=1\x1b")
command(":format\r")
command(":w\r")
say("formatted", until(lambda: file("main.sml").startswith("val x = 1\n")))
command(":open words.mlb\r")
type_keys("ggOcount\x1b")
say("message of words.mlb", until(lambda: "neitherakeywordnorthenameofafile" in screen()))
# The line is replaced.
command("ggxc   src/sum.sml\x1b")
command(":format\r")
command(":w\r")
say("formatted words.mlb", until(lambda: file("../words.mlb").startswith("src/sum.sml\n")))
command(":open src/sum.sml\r")
command("ggj")
command(" Gb\x1b")
type_keys(":debug-start source src/sum.sml\r")
say("stopped", until(lambda: "stoppedbecauseofbreakpoint" in screen()))
type_keys(" Gv")
say("variables", until(lambda: "rest:intlist=[2]" in screen() and "x:int=1" in screen()))
command("\x1b")
os.write(terminal, b":quit-all!\r")
until(lambda: os.waitpid(pid, os.WNOHANG)[0] == pid)
