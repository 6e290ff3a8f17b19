//! `examples/httpd` in front of good, slow, silent and killed clients: the good ones get all their answers, slow and silent
//! ones are cut by their time-out while the others are served, and SIGTERM ends the server cleanly. And what it answers
//! to requests of every kind, well-formed and not (`ANSWERS`), and that clients who always have bytes are cut too, and
//! make it take no more than so much memory (`pressed`); and requests with words and bytes changed at random, after
//! which every answer is whole (`mutants`; `HTTPD=n` runs more of them, `SEED=n` others). Besides, the page about what
//! HTTP asks has the tables that `libs/http-rfc.sml` prints.
//!
//! `bench/programs/io/crowd.go` is the same with ten thousand connections, for minutes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use leat_random::{Random, setting};
use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
/// What the server is told to wait for each phase of a request.
const PATIENCE: Duration = Duration::from_secs(2);
/// Far more than that: who is not cut by then is not cut at all.
const LONG: Duration = Duration::from_secs(60);
/// Clients of each kind, and requests that a good one sends on each of its connections.
const GOOD: usize = 6;
const REQUESTS: usize = 20;
const BAD: usize = 10;
const KILLED: usize = 100;

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn one_worker() {
    crowd("--workers=1");
}

#[test]
fn two_workers() {
    crowd("--workers=2");
}

/// A server of a folder of its own, with its address.
struct Started {
    server: Server,
    output: BufReader<std::process::ChildStdout>,
    address: String,
    root: TempDir,
}

fn start(options: &[&str]) -> Started {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = TempDir::new().expect("a folder");
    let folder = root.path();
    std::fs::create_dir(folder.join("folder")).expect("a folder");
    std::fs::write(folder.join("page.txt"), "some text\n".repeat(500)).expect("a page");
    std::fs::write(folder.join("index.html"), "home").expect("a page");
    std::fs::write(folder.join("large"), vec![b'x'; LARGE]).expect("a page");
    let mut command = Command::new(LEAT);
    command.arg("run").arg(tests.join("examples/httpd/httpd.mlb"));
    command.args(["--port=0", "--patience=2"]).args(options).arg(format!("--root={}", folder.display()));
    let mut server = Server(command.stdout(Stdio::piped()).spawn().expect("a server"));
    let mut output = BufReader::new(server.0.stdout.take().expect("piped"));
    let mut line = String::new();
    output.read_line(&mut line).expect("its address");
    let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_string();
    Started { server, output, address, root }
}

impl Started {
    fn end(mut self) {
        assert!(Command::new("kill").arg(self.server.0.id().to_string()).status().expect("kill").success());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("its end");
        assert_eq!(rest, "ended\n");
        assert!(self.server.0.wait().expect("its status").success());
    }
}

fn crowd(workers: &str) {
    let started = start(&[workers]);
    let address = &started.address;
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let good: Vec<_> = (0..GOOD).map(|_| scope.spawn(|| be_good(address, &over))).collect();
        let bad: Vec<_> = (0..2 * BAD).map(|i| scope.spawn(move || be_cut(address, i < BAD))).collect();
        let killed = scope.spawn(|| (0..KILLED).for_each(|_| be_killed(address)));
        bad.into_iter().for_each(|client| client.join().expect("it was cut"));
        killed.join().expect("it ran");
        over.store(true, Ordering::Relaxed);
        for client in good {
            assert!(client.join().expect("all its answers") >= REQUESTS);
        }
    });
    started.end();
}

const LARGE: usize = 3_000_000;

/// What is sent, with `~` for the end of a line and `^` for `Host: x` and its end; and what the answers begin with:
/// their codes, or pieces of text that they contain. The client has sent all that it will, or waits for the server to
/// close.
const ANSWERS: &[(&str, &[&str])] = &[
    ("GET /page.txt HTTP/1.1~^Connection: close~~", &["200", "Last-Modified: ", "Content-Length: 5000~"]),
    ("GET / HTTP/1.1~^Connection: x, Close~~", &["200", "Connection: close", "home"]),
    ("GET /large HTTP/1.1~^Connection: close~~", &["200", "Content-Length: 3000000", "xxxxx"]),
    ("GET /page.txt HTTP/1.0~~", &["200", "Connection: close"]),
    ("GET /page.txt HTTP/1.0~Connection: Keep-Alive~~", &["200", "Connection: keep-alive"]),
    ("GET /page.txt HTTP/1.7~^Connection: close~~", &["200"]),
    // One after the other, an empty line before one.
    ("GET / HTTP/1.1~^~HEAD / HTTP/1.1~^~~~GET /none HTTP/1.1~^Connection: close~~", &["200", "200", "404"]),
    // A whole address, as to a proxy.
    ("GET http://localhost/page.txt HTTP/1.1~^Connection: close~~", &["200"]),
    ("GET HTTP://localhost?q HTTP/1.1~^Connection: close~~", &["200", "home"]),
    // One host, said once.
    ("GET / HTTP/1.1~~", &["400"]),
    ("GET / HTTP/1.1~^^~", &["400"]),
    // What two servers might take differently.
    ("GET / HTTP/1.1~Host : x~~", &["400"]),
    ("GET / HTTP/1.1~^A: b~ c~~", &["400"]),
    ("GET / HTTP/1.1~^A: b\rc~~", &["400"]),
    ("GET  / HTTP/1.1~^~", &["400"]),
    ("G(T / HTTP/1.1~^~", &["400"]),
    ("GET / HTTP/2.0~^~", &["505"]),
    ("GET / HTTP/1.10~^~", &["400"]),
    ("GET /~~", &["400"]),
    ("POST / HTTP/1.1~^Content-Length: 1~Content-Length: 2~~ab", &["400"]),
    ("POST / HTTP/1.1~^Content-Length: +1~~a", &["400"]),
    ("POST / HTTP/1.1~^Content-Length: 1~Transfer-Encoding: chunked~~0~~", &["400"]),
    ("POST / HTTP/1.0~Transfer-Encoding: chunked~~0~~", &["400"]),
    ("POST / HTTP/1.1~^Transfer-Encoding: gzip, chunked~~0~~", &["501"]),
    // A line end is CR LF. A line of a bare LF in a header was dropped, and one in a chunk's extension was taken for
    // text: something in front of the server may see another request there.
    ("GET / HTTP/1.1~^\nA: b~~", &["400"]),
    ("GET / HTTP/1.1~^A: b\nC: d~~", &["400"]),
    ("GET / HTTP/1.1\nHost: x\n\n", &["400"]),
    ("GET / HTTP/1.1~^\r~~", &["400"]),
    ("PUT / HTTP/1.1~^Transfer-Encoding: chunked~~1;a\nb~x~0~~", &["400"]),
    ("PUT / HTTP/1.1~^Transfer-Encoding: chunked~~1;a\u{7f}~x~0~~", &["400"]),
    ("PUT / HTTP/1.1~^Transfer-Encoding: chunked~~1\nx~0~~", &["400"]),
    ("PUT / HTTP/1.1~^Transfer-Encoding: chunked~~0~T: a\nb~~", &["400"]),
    ("PUT / HTTP/1.1~^Transfer-Encoding: chunked~~0~T a~~", &["400"]),
    // A few empty lines before a request, and no more.
    ("~~~~~~~~GET / HTTP/1.1~^Connection: close~~", &["200"]),
    ("~~~~~~~~~GET / HTTP/1.1~^Connection: close~~", &["400"]),
    // However a path is spelled.
    ("GET /./folder//.././page.txt HTTP/1.1~^Connection: close~~", &["404"]),
    ("GET //.//./page.txt HTTP/1.1~^Connection: close~~", &["200", "Content-Length: 5000~"]),
    ("GET /. HTTP/1.1~^Connection: close~~", &["200", "home"]),
    ("GET /page.txt/ HTTP/1.1~^Connection: close~~", &["404"]),
    // Bodies are passed over.
    ("POST / HTTP/1.1~^Content-Length: 3~~abcGET / HTTP/1.1~^Connection: close~~", &["405", "Allow: GET, HEAD", "200"]),
    (
        "PUT / HTTP/1.1~^Transfer-Encoding: Chunked~~2;a=b~ab~1~c~00~T: x~~GET / HTTP/1.1~^Connection: close~~",
        &["405", "200"],
    ),
    ("PUT / HTTP/1.1~^Transfer-Encoding: chunked~~2~abc~0~~", &["400"]),
    ("PUT / HTTP/1.1~^Transfer-Encoding: chunked~~-2~ab~0~~", &["400"]),
    // A blank behind the size could be read in two ways.
    ("PUT / HTTP/1.1~^Transfer-Encoding: chunked~~1 ~a~0~~", &["400"]),
    ("PUT / HTTP/1.1~^Transfer-Encoding: chunked~~fffffffffffffffff~", &["413"]),
    ("PUT / HTTP/1.1~^Connection: close~Expect: 100-Continue~Content-Length: 1~~a", &["100", "405"]),
    ("PUT / HTTP/1.1~^Expect: more~Content-Length: 1~~a", &["417"]),
    ("BREW / HTTP/1.1~^Connection: close~~", &["501"]),
    ("OPTIONS * HTTP/1.1~^Connection: close~~", &["405"]),
    ("GET /folder?a HTTP/1.1~^Connection: close~~", &["301", "Location: /folder/?a~"]),
    // It would name a host.
    ("GET //folder HTTP/1.1~^Connection: close~~", &["301", "Location: /folder/~"]),
    ("GET /%70age.txt?q HTTP/1.1~^Connection: close~~", &["200"]),
    ("GET /%7 HTTP/1.1~^~", &["400"]),
    ("GET /folder/../../page.txt HTTP/1.1~^Connection: close~~", &["404"]),
    ("GET /%2e%2e%2fpage.txt HTTP/1.1~^Connection: close~~", &["404"]),
    ("GET /page.txt%00 HTTP/1.1~^Connection: close~~", &["404"]),
    // Slow ones are told so; who has not begun is not.
    ("GET / HTTP/1.1~", &["408"]),
    ("POST / HTTP/1.1~^Content-Length: 5~~ab", &["408"]),
    ("~~", &[]),
    ("", &[]),
];

#[test]
fn answers() {
    let started = start(&["--workers=2"]);
    let address = &started.address;
    let spelt = |text: &str| text.replace('^', "Host: x~").replace('~', "\r\n");
    let long = |length| "x".repeat(length);
    let mut rows: Vec<(String, &[&str])> = ANSWERS.iter().map(|(sent, answer)| (spelt(sent), *answer)).collect();
    rows.push((format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", long(20_000)), &["414"]));
    rows.push((format!("GET / HTTP/1.1\r\nHost: x\r\nA: {}\r\n\r\n", long(20_000)), &["431"]));
    // The answer must not be lost in a reset because the server does not read all of this.
    rows.push((format!("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n{}", long(5_000_000)), &["413"]));
    std::thread::scope(|scope| {
        for (sent, expected) in &rows {
            scope.spawn(move || {
                let answer = exchange(address, sent.as_bytes());
                let mut rest = &*answer;
                for piece in *expected {
                    let piece = if piece.len() == 3 { format!("HTTP/1.1 {piece} ") } else { spelt(piece) };
                    let at = rest
                        .find(&piece)
                        .unwrap_or_else(|| panic!("no {piece:?} in {answer:.1000?}\nto {sent:.1000?}"));
                    rest = &rest[at + piece.len()..];
                }
                let codes = expected.iter().filter(|piece| piece.len() == 3).count();
                assert_eq!(answer.matches("HTTP/1.1 ").count(), codes, "{answer:.1000?}\nto {sent:.1000?}");
                if expected.contains(&"xxxxx") {
                    assert_eq!(answer.matches('x').count(), LARGE);
                }
            });
        }
    });
    // The date that it gives is the date that it takes.
    let page = exchange(address, spelt("HEAD /page.txt HTTP/1.1~^Connection: close~~").as_bytes());
    let date = page.split("Last-Modified: ").nth(1).and_then(|rest| rest.split("\r\n").next()).expect("a date");
    let again = format!("GET /page.txt HTTP/1.1~^Connection: close~If-Modified-Since: {date}~~");
    let again = exchange(address, spelt(&again).as_bytes());
    assert!(again.starts_with("HTTP/1.1 304 ") && again.ends_with("\r\n\r\n"), "{again}");
    started.end();
}

#[test]
fn mutants() {
    let (count, mut random) = (setting("HTTPD", 400), Random::new(setting("SEED", 1)));
    let started = start(&["--workers=2"]);
    let mut below = |n: usize| random.below(n);
    // Without large answers, and without HEAD, whose answers say a length that they have not.
    let rows: Vec<&str> = ANSWERS
        .iter()
        .map(|row| row.0)
        .filter(|sent| !sent.is_empty() && !["HEAD", "large"].iter().any(|w| sent.contains(w)))
        .collect();
    let pieces = |text: &str| -> Vec<String> {
        let text = text.replace('^', "Host: x~").replace('~', "\r\n");
        text.split_inclusive([' ', ':', '/', '\n', '\r', ';', ',']).map(str::to_string).collect()
    };
    const ODD: [&str; 14] = [
        "\r\n",
        "\n",
        "\r",
        "\0",
        " ",
        "\t",
        ":",
        "%00",
        "%2e",
        "/..",
        "Content-Length: 7\r\n",
        "0",
        "ffffffffffffffff",
        "\u{e9}",
    ];
    for case in 0..count {
        let mut sent = pieces(rows[below(rows.len())]);
        for _ in 0..1 + below(4) {
            let (i, j) = (below(sent.len()), below(sent.len()));
            match below(6) {
                0 => sent[i].clear(),
                1 => sent.swap(i, j),
                2 => sent.insert(i, sent[j].clone()),
                3 => sent.insert(i, ODD[below(ODD.len())].to_string()),
                4 => {
                    let other = pieces(rows[below(rows.len())]);
                    sent.splice(i..i, other);
                }
                _ => sent[i] = sent[i].repeat(1 + below(40)),
            }
        }
        let sent = sent.concat();
        let mut stream = TcpStream::connect(&started.address).expect("a connection");
        stream.set_read_timeout(Some(LONG)).expect("a socket");
        stream.write_all(sent.as_bytes()).expect("it is taken");
        stream.shutdown(std::net::Shutdown::Write).expect("a socket");
        let mut answer = Vec::new();
        let ended = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        assert!(ended.is_ok(), "case {case}: {ended:?} after {answer:.200?}\nto {sent:?}");
        if let Err(why) = whole(&answer) {
            panic!("case {case}: {why} in {answer:.1000?}\nto {sent:?}");
        }
    }
    started.end();
}

/// Are these answers, each with its whole body?
fn whole(mut rest: &str) -> Result<(), String> {
    const CODES: [&str; 15] =
        ["100", "200", "301", "304", "400", "403", "404", "405", "408", "413", "414", "417", "431", "501", "505"];
    while !rest.is_empty() {
        let (head, behind) = rest.split_once("\r\n\r\n").ok_or("no end of a header")?;
        let code = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).ok_or("no status line")?;
        if !CODES.contains(&code) {
            return Err(format!("the code {code}"));
        }
        let length = head.split("Content-Length: ").nth(1).and_then(|rest| rest.split('\r').next());
        let length = match (code, length) {
            ("100" | "304", _) => 0,
            (_, None) => return Err("no length".to_string()),
            (_, Some(length)) => length.parse().map_err(|_| format!("the length {length}"))?,
        };
        rest = behind.get(length..).ok_or("a part of a body")?;
    }
    Ok(())
}

/// Clients that never let the server wait, for which its deadlines were not looked at: empty lines were served for
/// ever, with quadratic work. And its cache was keyed by the path as it is spelled and kept everything: 32,000 requests
/// for an empty file took 100 MB.
#[test]
fn pressed() {
    const MOST_MB: u64 = 96;
    let started = start(&["--workers=2", "--cache=2"]);
    let address = &started.address;
    // Sixteen times what the cache may have.
    for i in 0..512 {
        std::fs::write(started.root.path().join(format!("{i}.bin")), vec![b'y'; 65_536]).expect("a file");
    }
    std::fs::write(started.root.path().join("e"), "").expect("a file");
    let before = memory(&started.server, "VmRSS");
    let over = AtomicBool::new(false);
    let start = "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    let extension = format!("1;{}\r\nx\r\n", "e".repeat(10_000));
    // Each with what it sends first and then for ever, and whether a time-out must end it, not what it says.
    let floods: &[(&str, &str, bool)] = &[
        ("", "\r\n\r\n\r\n\r\n", false),
        ("GET / HTTP/1.1\r\n", "A: b\r\n", false),
        ("", "xxxxxxxx", false),
        (start, &extension, true),
        (start, "0\r\nT: ", false),
        // It answers, and nobody reads that.
        ("", "GET /large HTTP/1.1\r\nHost: x\r\n\r\n", true),
        ("", "GET /page.txt HTTP/1.1\r\nHost: x\r\n\r\n", true),
        // Refused at once, and what comes then is read for a short while only.
        ("G\n", "x", false),
    ];
    std::thread::scope(|scope| {
        let good = scope.spawn(|| be_good(address, &over));
        let mut bad = vec![];
        for &(first, then, timed) in floods {
            bad.push(scope.spawn(move || be_flood(address, first, then, timed)));
        }
        bad.push(scope.spawn(|| be_cut(address, true)));
        bad.push(scope.spawn(|| (0..KILLED).for_each(|_| be_killed(address))));
        bad.push(scope.spawn(|| be_speller(address)));
        bad.push(scope.spawn(|| {
            for i in 0..512 {
                let sent = format!("GET /{i}.bin HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
                assert!(exchange(address, sent.as_bytes()).len() > 65_536);
            }
        }));
        for client in bad {
            client.join().expect("it was cut");
        }
        over.store(true, Ordering::Relaxed);
        assert!(good.join().expect("all its answers") >= REQUESTS);
    });
    let took = memory(&started.server, "VmHWM").saturating_sub(before) >> 10;
    assert!(took < MOST_MB, "{took} MB were taken");
    started.end();
}

/// A line of the server's `status`, in kB.
fn memory(server: &Server, line: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.0.id())).expect("it runs");
    let line = status.lines().find_map(|found| found.strip_prefix(line)).expect("its line");
    line.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("a number")
}

/// Sends without end, until the server has had enough.
fn be_flood(address: &str, first: &str, then: &str, timed: bool) {
    let begin = Instant::now();
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_write_timeout(Some(Duration::from_millis(100))).expect("a socket");
    let mut result = stream.write_all(first.as_bytes());
    let many = then.repeat(1 + 65_536 / then.len());
    let mut rest = many.as_bytes();
    loop {
        match result {
            Err(error) if !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                break;
            }
            _ => assert!(begin.elapsed() < LONG, "never cut: {first:?} and {then:.20?}"),
        }
        result = stream.write(rest).map(|n| rest = if n < rest.len() { &rest[n..] } else { many.as_bytes() });
    }
    let least = if timed { PATIENCE - Duration::from_millis(100) } else { Duration::ZERO };
    assert!(begin.elapsed() >= least, "cut after {:?}: {first:?} and {then:.20?}", begin.elapsed());
}

/// Asks for one empty file by 8,000 names.
fn be_speller(address: &str) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(LONG)).expect("a socket");
    for batch in 0..500 {
        let mut sent = String::new();
        for i in 0..16 {
            let bits = format!("{:020b}", 16 * batch + i).replace('1', "/").replace('0', "./");
            sent += &format!("GET /{}{bits}e HTTP/1.1\r\nHost: x\r\n\r\n", "./".repeat(1500));
        }
        stream.write_all(sent.as_bytes()).expect("it is taken");
        let (mut answers, mut part) = (String::new(), [0; 65_536]);
        while answers.matches("\r\n\r\n").count() < 16 {
            let n = stream.read(&mut part).expect("answers");
            assert!(n > 0, "closed after {answers:.1000}");
            answers += &String::from_utf8_lossy(&part[..n]);
        }
        assert_eq!(answers.matches("HTTP/1.1 200 ").count(), 16, "{answers:.1000}");
    }
}

/// All that comes back until the server closes.
fn exchange(address: &str, sent: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(LONG)).expect("a socket");
    stream.write_all(sent).expect("it is taken");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an end that is no reset");
    String::from_utf8(answer).expect("text")
}

const REQUEST: &[u8] = b"GET /page.txt HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Asks until it is over; gives the number of its answers.
fn be_good(address: &str, over: &AtomicBool) -> usize {
    let mut answers = 0;
    while !over.load(Ordering::Relaxed) || answers < REQUESTS {
        // The server's time begins when it has let the client in, or has answered, which the client may see later.
        let mut begin = Instant::now();
        let stream = TcpStream::connect(address).expect("a connection");
        let mut reader = BufReader::new(stream);
        for _ in 0..REQUESTS {
            let asked = Instant::now();
            match ask(&mut reader) {
                Ok(()) => answers += 1,
                // This machine was so slow that the server lost its patience, as it should.
                Err(_) if begin.elapsed() >= PATIENCE => break,
                Err(error) => panic!("no answer after {:?}: {error}", begin.elapsed()),
            }
            begin = asked;
        }
    }
    answers
}

fn ask(reader: &mut BufReader<TcpStream>) -> std::io::Result<()> {
    reader.get_mut().set_read_timeout(Some(LONG))?;
    reader.get_mut().write_all(REQUEST)?;
    let mut length = 0;
    let mut line = String::new();
    reader.read_line(&mut line)?;
    if !line.starts_with("HTTP/1.1 200") {
        return Err(std::io::Error::other(format!("the answer begins with {line:?}")));
    }
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line)?;
        if let Some(n) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = n.trim().parse().map_err(std::io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    assert_eq!(String::from_utf8_lossy(&body), "some text\n".repeat(500));
    Ok(())
}

/// Sends nothing, or a header byte by byte that never ends, until the server has had enough.
fn be_cut(address: &str, slow: bool) {
    let begin = Instant::now();
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_millis(100))).expect("a socket");
    loop {
        assert!(begin.elapsed() < LONG, "it was never cut");
        match stream.read(&mut [0; 1000]) {
            // It may say why.
            Ok(1..) => continue,
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Ok(0) | Err(_) => break,
        }
        if slow {
            let _ = stream.write_all(b"x");
        }
    }
    assert!(begin.elapsed() >= PATIENCE - Duration::from_millis(100), "cut after {:?}", begin.elapsed());
}

/// Asks, and is gone: with unread bytes on its side the end is a reset.
fn be_killed(address: &str) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let _ = stream.write_all(REQUEST);
    let _ = stream.read(&mut [0; 10]);
}

#[test]
fn the_page_has_the_tables() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).expect("a file");
    let page = read("docs/reference/http-rules.md");
    for table in read("tests/libs/http-rfc.ok").split("\n\n") {
        assert!(page.contains(table.trim_end()), "docs/reference/http-rules.md lacks this:\n{table}");
    }
}
