//! `examples/httpd` in front of good, slow, silent and killed clients: the good ones get all their answers, slow and silent
//! ones are cut by their time-out while the others are served, and SIGTERM ends the server cleanly.
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

fn crowd(workers: &str) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = std::env::temp_dir().join(format!("leat-httpd-{}{}", std::process::id(), workers.replace('=', "")));
    std::fs::create_dir_all(&root).expect("a folder");
    std::fs::write(root.join("page.txt"), "some text\n".repeat(500)).expect("a page");
    let mut command = Command::new(LEAT);
    command.arg("run").arg(tests.join("examples/httpd/httpd.sml"));
    command.args(["--port=0", "--patience=2", workers]).arg(format!("--root={}", root.display()));
    let mut server = Server(command.stdout(Stdio::piped()).spawn().expect("a server"));
    let mut output = BufReader::new(server.0.stdout.take().expect("piped"));
    let mut line = String::new();
    output.read_line(&mut line).expect("its address");
    let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_string();

    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let good: Vec<_> = (0..GOOD).map(|_| scope.spawn(|| be_good(&address, &over))).collect();
        let bad: Vec<_> = (0..2 * BAD).map(|i| scope.spawn({ let a = &address; move || be_cut(a, i < BAD) })).collect();
        let killed = scope.spawn(|| (0..KILLED).for_each(|_| be_killed(&address)));
        bad.into_iter().for_each(|client| client.join().expect("it was cut"));
        killed.join().expect("it ran");
        over.store(true, Ordering::Relaxed);
        for client in good {
            assert!(client.join().expect("all its answers") >= REQUESTS);
        }
    });
    assert!(Command::new("kill").arg(server.0.id().to_string()).status().expect("kill").success());
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("its end");
    assert_eq!(rest, "ended\n");
    assert!(server.0.wait().expect("its status").success());
    let _ = std::fs::remove_dir_all(&root);
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
