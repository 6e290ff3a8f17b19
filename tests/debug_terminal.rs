//! `leat debug` in a terminal, and from a failing test into it.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

mod foreground;
use foreground::foreground;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

const ACCOUNT: &str = include_str!("debug/account.sml");

/// Runs a command of `leat` in a folder; and whether it has taken its input.
fn run(folder: &Path, words: &[&str], input: &str) -> (io::Result<()>, Output) {
    let mut child = Command::new(LEAT)
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let taken = child.stdin.take().unwrap().write_all(input.as_bytes());
    (taken, child.wait_with_output().unwrap())
}

/// What a session prints; the prompts stay, the commands are not echoed.
fn console(folder: &Path, words: &[&str], commands: &str) -> String {
    let (taken, output) = run(folder, &[&["debug", "--console"], words].concat(), commands);
    taken.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What a command writes to both streams. It may have ended without reading.
fn leat(folder: &Path, words: &[&str], input: &str) -> String {
    let (_, output) = run(folder, words, input);
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The pieces come one after the other.
fn in_order(text: &str, pieces: &[&str]) {
    let mut rest = text;
    for piece in pieces {
        rest = rest.split_once(piece).unwrap_or_else(|| panic!("no {piece} in\n{text}")).1;
    }
}

/// What somebody else has sent is not there again, and it is said why.
#[test]
fn a_program_with_a_client_outside_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let program = "val port = valOf (Int.fromString (hd (CommandLine.arguments ())))\n\
        val s : Socket.active INetSock.stream_sock = INetSock.TCP.socket ()\n\
        val () = Socket.connect (s, INetSock.toAddr (valOf (NetHostDB.fromString \"127.0.0.1\"), port))\n\
        val text = Byte.bytesToString (Socket.recvVec (s, 5))\nval n = size text\nval () = print text\n";
    std::fs::write(folder.path().join("client.sml"), program).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    // It answers once, and is gone.
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        drop(listener);
        stream.write_all(b"hello").unwrap();
        stream
    });
    let text = console(folder.path(), &["client.sml", &port], "break 5\ncontinue\nprint text\nback\nprint text\n");
    drop(server.join().unwrap());
    let why = "the run could not be repeated: the program has used sockets, and what came through them from outside is not \
               there again";
    assert!(text.contains(why), "{text}");
    // It stays where it was.
    assert_eq!(text.matches("\"hello\" : string").count(), 2, "{text}");
}

/// Ctrl-C stops the program and ends an evaluation, where it had ended the debugger; and that leaves no files behind
/// when it is killed.
#[test]
fn an_interrupt_is_for_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let temporary = folder.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    std::fs::write(folder.path().join("loop.sml"), "val m = 1\nfun f n = f (n + 1)\nval y = f m\n").unwrap();
    let mut command = Command::new(LEAT);
    command.args(["debug", "--console", "loop.sml"]).current_dir(folder.path()).env("TMPDIR", &temporary);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = foreground(&mut command).spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut text = String::new();
    // A signal that comes before the command is under way says nothing: it is sent until something is heard.
    let mut until = |input: &mut dyn Write, typed: &str, piece: &str, pid: u32| {
        let from = text.len();
        input.write_all(typed.as_bytes()).unwrap();
        let (heard, is_heard) = channel::<()>();
        std::thread::scope(|scope| {
            if pid != 0 {
                scope.spawn(move || {
                    while is_heard.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                        // SAFETY: a plain system call; the process is a child that nobody has waited for.
                        unsafe { libc::kill(pid as libc::pid_t, libc::SIGINT) };
                    }
                });
            }
            let mut bytes = [0; 4096];
            while !text[from..].contains(piece) {
                let n = output.read(&mut bytes).unwrap();
                assert!(n > 0, "no {piece} in\n{text}");
                text.push_str(&String::from_utf8_lossy(&bytes[..n]));
            }
            drop(heard);
        });
    };
    let pid = child.id();
    until(&mut input, "", "(leat) ", 0);
    until(&mut input, "continue\n", "in f at loop.sml:2", pid);
    // The evaluation itself ends, and not only who waits for it: the program's process alone is left.
    let processes = || {
        let path = format!("/proc/{pid}/task/{pid}/children");
        std::fs::read_to_string(path).map(|all| all.split_whitespace().count())
    };
    let before = processes();
    until(&mut input, "print f 1\n", "cancelled", pid);
    assert_eq!(processes().ok(), before.ok());
    // One that was on its way is for this command, and says nothing.
    until(&mut input, "help\n", "quit", 0);
    until(&mut input, "print m\n", "1 : int", 0);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

/// A break point that was set twice was listed twice, and `a/x.sml` and `b/x.sml` were both called `x.sml`.
#[test]
fn break_points_have_one_name_and_one_number() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        let text = format!("structure {name} = struct\nfun f n =\n  n + 1\nend\n");
        std::fs::write(folder.path().join(name).join("x.sml"), text).unwrap();
    }
    std::fs::write(folder.path().join("m.sml"), "val n = a.f 1\nval m = b.f 2\n").unwrap();
    let files = "$(SML_LIB)/basis/basis.mlb a/x.sml b/x.sml m.sml\n";
    std::fs::write(folder.path().join("m.mlb"), files).unwrap();
    let commands =
        "break x.sml:3\nbreak a/x.sml:3\nbreak b/x.sml:3\nbreak b/x.sml:3\nbreak m.sml:2\nbreak\nc\nc\nc\nc\n";
    let text = console(folder.path(), &["m.mlb"], commands);
    let expected = [
        "(leat) x.sml may be a/x.sml or b/x.sml\n",
        "(leat) break point 1 at a/x.sml:3\n",
        "(leat) break point 2 at b/x.sml:3\n",
        "(leat) break point 2 at b/x.sml:3\n",
        "(leat) break point 3 at m.sml:2\n",
        "(leat) 1: a/x.sml:3\n2: b/x.sml:3\n3: m.sml:2\n(leat) ",
        "at a/x.sml:3\n",
        "at m.sml:2\n",
        "at b/x.sml:3\n",
    ];
    in_order(&text, &expected);
}

/// A condition stands between parentheses in the program: one that closed them itself was taken, and of one of another
/// type the message spoke of what had been put around it.
#[test]
fn what_is_no_expression_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let program = "fun f n = n + 1 (* ( *)\nval x = f 1 (* ) *)\nval y = f 2\n";
    std::fs::write(folder.path().join("a.sml"), program).unwrap();
    let commands = "break 1 if n\nbreak 1 if 1) val zz = (2\nprint 1) val zz = (2\nprint 1 (* a\n\
        break 1 if n = 2 andalso (n) > 0 (* ) *)\nc\nprint (n, \")\")\nprint f) 1\nc\n";
    let text = console(folder.path(), &["a.sml"], commands);
    let expected = [
        "(leat) a condition has the type bool, this one has int\n",
        "(leat) `)` closes nothing\n",
        "(leat) `)` closes nothing\n",
        "(leat) this comment is never closed\n",
        "(leat) break point",
        "in f at a.sml:1\n",
        "(leat) (2, \")\") : int * string\n",
        "(leat) `)` closes nothing\n",
        "the program has ended with exit code 0",
    ];
    in_order(&text, &expected);
}

/// A frame that is not there was refused, and chosen all the same.
#[test]
fn a_frame_that_is_not_there_is_not_chosen() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.sml"), "fun f n = n + 1\nval x = f 41\n").unwrap();
    let text = console(folder.path(), &["a.sml"], "break f\nc\nframe 9\nprint n\nframe 1\nwhere\n");
    let expected =
        ["(leat) there is no such frame\n", "(leat) 41 : int\n", "(leat) thread 1 in main at a.sml:2\n", "* 1 main at"];
    in_order(&text, &expected);
}

/// `run` begins with the sources as they are, and their places.
#[test]
fn run_takes_a_source_that_was_edited() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.sml");
    std::fs::write(&file, "val a = 1\nval b = a + 1\n").unwrap();
    let mut command = Command::new(LEAT);
    command.args(["debug", "--console", "a.sml"]).current_dir(folder.path());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut text = String::new();
    let mut until = |input: &mut dyn Write, typed: &str, piece: &str| {
        let from = text.len();
        input.write_all(typed.as_bytes()).unwrap();
        let mut bytes = [0; 4096];
        while !text[from..].contains(piece) {
            let n = output.read(&mut bytes).unwrap();
            assert!(n > 0, "no {piece} in\n{text}");
            text.push_str(&String::from_utf8_lossy(&bytes[..n]));
        }
    };
    until(&mut input, "break 2\ncontinue\n", "    2 | val b = a + 1\n");
    std::fs::write(&file, "val a = 5\nval b =\n  a * 2\nval c = b\n").unwrap();
    until(&mut input, "print a + 0\n", "1 : int\n");
    until(&mut input, "back\n", "a.sml has changed: the session goes on with the text that it began with");
    until(&mut input, "run\n", "    3 |   a * 2\n");
    until(&mut input, "print a + 0\n", "5 : int\n");
    until(&mut input, "quit\n", "");
    assert!(child.wait().unwrap().success());
}

/// With its input from a file it served an editor that was not there: it said nothing, and succeeded.
#[test]
fn an_editor_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.sml"), "val x = 1\n").unwrap();
    for input in ["", "break 1\ncontinue\n"] {
        let (_, output) = run(folder.path(), &["debug", "a.sml"], input);
        let hint = "leat debug: an editor talks to it on standard input, by the Debug Adapter Protocol; with --console \
                    and a program, commands are read from there\n";
        assert_eq!((String::from_utf8_lossy(&output.stderr).as_ref(), output.status.code()), (hint, Some(1)));
    }
}

/// The session in docs/guide/debugging.md is what happens.
#[test]
fn the_session_of_the_guide_is_true() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/guide/debugging.md");
    let page = std::fs::read_to_string(page).unwrap();
    let block = |head: &str| -> String {
        let rest = page.split_once(head).unwrap_or_else(|| panic!("no {head}")).1;
        rest.split_once("\n```").unwrap().0.trim_start_matches('\n').to_string() + "\n"
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sums.sml"), block("```sml sums.sml")).unwrap();
    let session = block("$ leat debug sums.sml");
    let commands: String =
        session.lines().filter_map(|line| line.strip_prefix("(leat) ")).map(|c| c.to_string() + "\n").collect();
    let expected: String =
        session.split_inclusive('\n').map(|line| if line.starts_with("(leat) ") { "(leat) " } else { line }).collect();
    assert_eq!(console(folder.path(), &["sums.sml"], &commands), expected + "(leat) \n");
}

#[test]
fn a_failing_seed_is_looked_at_in_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("account.sml"), ACCOUNT).unwrap();
    let text = console(
        folder.path(),
        &["--explore=1000", "account.sml"],
        "print left\nbreak 5\nrcontinue\nthreads\nrc\nback\nnosuch\nframe 99\ndelete 1\nc\nc\nquit\n",
    );
    let expected = [
        "of 1000 fails\n",
        "uncaught exception Fail: the account has ~20\nthread 1 in main at account.sml:10\n",
        "(leat) ~20 : int\n",
        "(leat) break point 1 at account.sml:5\n",
        "in withdraw at account.sml:5\n",
        "thread 1 (main), ",
        "in withdraw at account.sml:4\n",
        "no command nosuch",
        "there is no such frame",
        "the program has ended with exit code 1",
    ];
    in_order(&text, &expected);
}

// ------------------------------------------------------- from `leat test` into the debugger

/// The command for the debugger that `leat test` prints for a test, without `leat`.
fn printed_command(text: &str) -> Vec<String> {
    let command = text.split("`leat ").nth(1).and_then(|rest| rest.split('`').next());
    let command = command.unwrap_or_else(|| panic!("no command in\n{text}"));
    command.split(' ').map(str::to_string).collect()
}

const ACCOUNTS: &str = r#"fun withdraw (account, n) =
  if SyncVar.mGet account >= n then
    SyncVar.mPut (account, SyncVar.mTake account - n)
  else ()
val () = Test.test "it passes" (fn () => print "a line\n")
val () = Test.test "two withdrawals" (fn () =>
  let
    val account = SyncVar.mVarInit 100
    val threads = List.tabulate (2, fn _ => CML.spawn (fn () => withdraw (account, 60)))
    val () = app (fn thread => CML.sync (CML.joinEvt thread)) threads
    val left = SyncVar.mGet account
  in
    Expect.that "enough is left" (left >= 0)
  end)
"#;

/// `leat test --explore` prints a command, and that goes to the failure of the same run: once the two had different code,
/// and the debugger looked for a seed of its own.
#[test]
fn a_test_that_fails_in_some_interleavings_is_looked_at_by_the_printed_command() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    std::fs::create_dir_all(project.join("src")).unwrap();
    std::fs::write(project.join("src/account_test.sml"), ACCOUNTS).unwrap();
    let told = leat(&project, &["test", "--explore=500"], "");
    let told_line = "    main.fn at src/account_test.sml:13\n";
    assert!(told.contains("it is not so that enough is left") && told.contains(told_line), "{told}");
    let words = printed_command(&told);
    assert!(words[..2] == ["test", "--debug"] && words.last().unwrap() == "src/account_test.sml", "{words:?}");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let shown =
        leat(&project, &words, "where\nlocals\nbreak 3\nrcontinue\nprint n\nrcontinue\nprint n\nback\nc\nc\nc\nquit\n");
    let expected = [
        "Failed: it is not so that enough is left\n",
        "thread 1 in main.fn at account_test.sml:13\n",
        "* 0 main.fn at account_test.sml:13\n",
        "val left = ~20 : int\n",
        // Both threads have looked before one of them takes anything.
        " in withdraw at account_test.sml:3\n",
        "60 : int\n",
        " in withdraw at account_test.sml:3\n",
        "60 : int\n",
        " in withdraw at account_test.sml:2\n",
        // And forwards to the same failure.
        " in withdraw at account_test.sml:3\n",
        " in withdraw at account_test.sml:3\n",
        "Failed: it is not so that enough is left\n",
    ];
    in_order(&shown, &expected);
}

/// A test whose failure says in which order its threads ran, behind others that fail, print, and lose a thread.
const ORDER: &str = r#"val () = Test.test "a thread is lost" (fn () =>
  (ignore (CML.spawn (fn () => raise Fail "lost")); CML.sync (CML.timeOutEvt (Time.fromMilliseconds 1)); print "x"))
val () = Test.property "no list has two parts" (Gen.list Gen.int, Show.list Show.int) (fn l => length l < 2)
val () = Test.test "the order" (fn () =>
  let
    val (done, log) = (CML.channel (), ref [])
    fun step (name, n) =
      if n = 0 then CML.send (done, ())
      else
        (log := name :: !log;
         if n mod 3 = 0 then CML.sync (CML.timeOutEvt (Time.fromMicroseconds (LargeInt.fromInt n))) else ();
         ignore (List.tabulate (n, fn i => i * n));
         step (name, n - 1))
    val names = [#"a", #"b", #"c"]
    val () = app (fn name => ignore (CML.spawn (fn () => step (name, 20)))) names
    val () = app (fn _ => CML.recv done) names
  in
    Expect.fail (implode (!log))
  end)
"#;

/// A seed means the same run for `leat test --explore`, for `leat test --sched-seed` and in the debugger: in none of
/// them does it matter which process it is, where its files are, or how much was printed.
#[test]
fn a_seed_means_the_same_run_for_tests_and_in_the_debugger() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("order_test.sml"), ORDER).unwrap();
    let order = |text: &str| {
        let is_order = |line: &&str| line.len() > 25 && line.bytes().all(|c| b"abc".contains(&c));
        let found = text.lines().map(|line| line.trim_start_matches("(leat) Failed: ").trim()).find(is_order);
        found.unwrap_or_else(|| panic!("no order in\n{text}")).to_string()
    };
    let explored = order(&leat(folder.path(), &["test", "--explore=3", "--seed=5"], ""));
    let mut orders = Vec::new();
    for seed in 1..=6 {
        let seed = format!("--sched-seed={seed}");
        let tested = order(&leat(folder.path(), &["test", &seed, "--seed=5", "order_test.sml"], ""));
        // It stops at each failure; the last one is told.
        let commands = "where\n".to_string() + &"continue\n".repeat(5) + "quit\n";
        let words = ["test", "--debug", &*seed, "--seed=5", "order_test.sml"];
        assert_eq!(order(&leat(folder.path(), &words, &commands)), tested, "{seed}");
        orders.push(tested);
    }
    assert_eq!(orders[0], explored);
    orders.sort();
    orders.dedup();
    assert!(orders.len() > 3, "{orders:?}");
}

/// The variables were those of the last value that was tried, one that passes.
#[test]
fn a_property_stops_at_its_counterexample() {
    let folder = tempfile::tempdir().unwrap();
    let text = "val () = Test.property \"small\" (Gen.list (Gen.range (0, 100)), Show.list Show.int) (fn l =>\n  let\n\
        \x20   val n = foldl op + 0 l\n  in\n    n < 50\n  end)\n";
    std::fs::write(folder.path().join("q_test.sml"), text).unwrap();
    let shown = leat(
        folder.path(),
        &["test", "--debug", "--sched-seed=3", "--seed=5", "q_test.sml"],
        "print n\nprint l\nback\nquit\n",
    );
    let expected = [
        " times: [50]\n",
        "thread 1 in main.fn at q_test.sml:5\n",
        "(leat) 50 : int\n",
        "(leat) [50] : int list\n",
        "at q_test.sml:3\n",
    ];
    let told = shown.lines().find(|line| line.contains("falsified by")).unwrap_or("nothing");
    assert!(told.contains("falsified by case"), "{shown}");
    in_order(&shown, &expected[1..]);
}

#[test]
fn the_debugger_of_tests_wants_one_file_and_one_seed() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a_test.sml", "b_test.sml"] {
        std::fs::write(folder.path().join(name), "val () = Test.test \"t\" (fn () => ())\n").unwrap();
    }
    let refused = leat(folder.path(), &["test", "--debug"], "");
    assert!(refused.contains("--debug is for one file of tests"), "{refused}");
    let refused = leat(folder.path(), &["test", "--debug", "--explore=3", "a_test.sml"], "");
    assert!(refused.contains("--debug is for one interleaving"), "{refused}");
    let fine = leat(folder.path(), &["test", "--debug", "a_test.sml"], "quit\n");
    assert!(fine.contains("the program has ended with exit code 0"), "{fine}");
}
