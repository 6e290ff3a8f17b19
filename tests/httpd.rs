//! `examples/httpd` in front of good, slow, silent and killed clients: the good ones get all their answers, slow and silent
//! ones are cut by their time-out while the others are served, and SIGTERM ends the server cleanly.
//! And what it answers to requests of every kind, well-formed and not (`ANSWERS`).
//!
//! `bench/programs/io/crowd.go` is the same with ten thousand connections, for minutes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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
    root: std::path::PathBuf,
}

fn start(name: &str, workers: &str) -> Started {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = std::env::temp_dir().join(format!("leat-httpd-{name}-{}", std::process::id()));
    std::fs::create_dir_all(root.join("folder")).expect("a folder");
    std::fs::write(root.join("page.txt"), "some text\n".repeat(500)).expect("a page");
    std::fs::write(root.join("index.html"), "home").expect("a page");
    std::fs::write(root.join("large"), vec![b'x'; LARGE]).expect("a page");
    let mut command = Command::new(LEAT);
    command.arg("run").arg(tests.join("examples/httpd/httpd.sml"));
    command.args(["--port=0", "--patience=2", workers]).arg(format!("--root={}", root.display()));
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
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

fn crowd(workers: &str) {
    let started = start(&workers.replace("--", ""), workers);
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

/// What is sent, with `~` for the end of a line and `^` for `Host: x` and its end; and what the answers begin with: their
/// codes, or pieces of text that they contain. The client has sent all that it will, or waits for the server to close.
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
    // Bodies are passed over.
    ("POST / HTTP/1.1~^Content-Length: 3~~abcGET / HTTP/1.1~^Connection: close~~", &["405", "Allow: GET, HEAD", "200"]),
    (
        "PUT / HTTP/1.1~^Transfer-Encoding: Chunked~~2;a=b~ab~1 ~c~00~T: x~~GET / HTTP/1.1~^Connection: close~~",
        &["405", "200"],
    ),
    ("PUT / HTTP/1.1~^Transfer-Encoding: chunked~~2~abc~0~~", &["400"]),
    ("PUT / HTTP/1.1~^Transfer-Encoding: chunked~~-2~ab~0~~", &["400"]),
    ("PUT / HTTP/1.1~^Transfer-Encoding: chunked~~fffffffffffffffff~", &["413"]),
    ("PUT / HTTP/1.1~^Connection: close~Expect: 100-Continue~Content-Length: 1~~a", &["100", "405"]),
    ("PUT / HTTP/1.1~^Expect: more~Content-Length: 1~~a", &["417"]),
    ("BREW / HTTP/1.1~^Connection: close~~", &["501"]),
    ("OPTIONS * HTTP/1.1~^Connection: close~~", &["405"]),
    ("GET /folder?a HTTP/1.1~^Connection: close~~", &["301", "Location: /folder/~"]),
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
    let started = start("answers", "--workers=2");
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
        let stream = TcpStream::connect(address).expect("a connection");
        let mut begin = Instant::now();
        let mut reader = BufReader::new(stream);
        for _ in 0..REQUESTS {
            match ask(&mut reader) {
                Ok(()) => answers += 1,
                // This machine was so slow that the server lost its patience, as it should.
                Err(_) if begin.elapsed() >= PATIENCE => break,
                Err(error) => panic!("no answer after {:?}: {error}", begin.elapsed()),
            }
            begin = Instant::now();
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
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_millis(100))).expect("a socket");
    let begin = Instant::now();
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
