//! TLS against OpenSSL, as server and as client, in every combination of versions, keys, certificates of clients and
//! protocols; what each side says of what it refuses; the service of `examples` over HTTPS; and what TLS adds to a
//! built program: nothing where it is not used.
//!
//! OpenSSL makes the certificates. Where there is no `openssl` that is said, and these tests are left out. Leat against
//! Leat is `tests/io/tls.sml`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/tls")
}

fn build(program: &Path, output: &Path) {
    let built = Command::new(LEAT).args(["build", "-o"]).arg(output).arg(program).output().expect("leat runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

fn openssl(folder: &Path, words: &str) -> String {
    let run =
        Command::new("openssl").current_dir(folder).args(words.split_whitespace()).output().expect("openssl runs");
    assert!(run.status.success(), "openssl {words}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8_lossy(&run.stdout).into_owned()
}

/// Certificates, keys and the program of this folder; None without OpenSSL.
fn prepared() -> Option<&'static Path> {
    static PREPARED: OnceLock<Option<TempDir>> = OnceLock::new();
    let prepared = PREPARED.get_or_init(|| {
        if Command::new("openssl").arg("version").output().is_err() {
            eprintln!("there is no openssl here: the tests against it are left out");
            return None;
        }
        let scratch = TempDir::new().expect("a folder");
        let at = scratch.path();
        build(&folder().join("peer.mlb"), &at.join("peer"));
        for (name, text) in [
            ("server.ext", "subjectAltName=DNS:localhost,IP:127.0.0.1\n"),
            ("client.ext", "extendedKeyUsage=clientAuth\n"),
            ("index.txt", ""),
            ("serial", "01\n"),
            (
                "ca.cnf",
                "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n\
                 x509_extensions=x\nunique_subject=no\n[p]\ncommonName=supplied\n[x]\nsubjectAltName=DNS:localhost\n",
            ),
        ] {
            fs::write(at.join(name), text).expect("a file");
        }
        let ec = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
        let rsa = "-newkey rsa:2048 -nodes";
        openssl(at, &format!("req -x509 {ec} -keyout ca.key -out ca.pem -subj /CN=ca -days 30"));
        openssl(at, &format!("req -x509 {ec} -keyout self.key -out self.pem -subj /CN=self -days 30"));
        for (name, kind, extensions) in
            [("ec", ec, "server.ext"), ("rsa", rsa, "server.ext"), ("client", ec, "client.ext"), ("expired", ec, "")]
        {
            openssl(at, &format!("req {kind} -keyout {name}.key -out {name}.csr -subj /CN={name}"));
            match extensions {
                "" => openssl(
                    at,
                    &format!(
                        "ca -batch -notext -config ca.cnf -cert ca.pem -keyfile ca.key -in {name}.csr -out {name}.pem \
                         -startdate 20200101000000Z -enddate 20210101000000Z"
                    ),
                ),
                file => openssl(
                    at,
                    &format!(
                        "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile {file} -out \
                         {name}.pem"
                    ),
                ),
            };
        }
        Some(scratch)
    });
    prepared.as_ref().map(TempDir::path)
}

/// A process that is ended when nobody wants it any more, and its lines.
struct Running(Child, BufReader<Box<dyn Read>>);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    fn new(command: &mut Command) -> Running {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
        let lines: Box<dyn Read> = Box::new(child.stdout.take().expect("a pipe"));
        Running(child, BufReader::new(lines))
    }

    /// Its lines are those of its log.
    fn logging(command: &mut Command) -> Running {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
        let lines: Box<dyn Read> = Box::new(child.stderr.take().expect("a pipe"));
        Running(child, BufReader::new(lines))
    }

    /// The next line that begins so, without its beginning.
    fn line(&mut self, beginning: &str) -> String {
        self.rest_of(|line| line.strip_prefix(beginning), beginning)
    }

    /// The next line that has this text: what is behind it.
    fn line_with(&mut self, text: &str) -> String {
        self.rest_of(|line| line.split_once(text).map(|(_, rest)| rest), text)
    }

    fn rest_of(&mut self, rest: impl Fn(&str) -> Option<&str>, what: &str) -> String {
        loop {
            let mut line = String::new();
            let n = self.1.read_line(&mut line).expect("a line");
            assert!(n > 0, "it ends before a line with `{what}`");
            if let Some(rest) = rest(&line) {
                return rest.trim_end().to_string();
            }
        }
    }
}

fn peer(at: &Path, words: &str) -> Command {
    let mut command = Command::new(at.join("peer"));
    command.current_dir(at).args(words.split_whitespace());
    command
}

fn text(command: &mut Command) -> String {
    String::from_utf8_lossy(&command.output().expect("it runs").stdout).into_owned()
}

/// `s_client`, which sends a line and waits for one: its output and that it has ended well.
fn s_client(at: &Path, port: &str, words: &str) -> (String, bool) {
    // `-quiet` alone would wait for the server to end the connection.
    let mut command = Command::new("timeout");
    command.current_dir(at).args([
        "60",
        "openssl",
        "s_client",
        "-quiet",
        "-no_ign_eof",
        "-verify_return_error",
        "-connect",
    ]);
    command.arg(format!("127.0.0.1:{port}")).args(words.split_whitespace()).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("openssl runs");
    let mut input = child.stdin.take().expect("a pipe");
    let _ = input.write_all(b"hello\n");
    let mut output = child.stdout.take().expect("a pipe");
    let mut got = Vec::new();
    let mut byte = [0];
    // The echo is there, or the connection is over.
    while !got.ends_with(b"\n") && output.read(&mut byte).is_ok_and(|n| n > 0) {
        got.push(byte[0]);
    }
    drop(input);
    let ended = child.wait_with_output().expect("it ends");
    let all = format!("{}{}", String::from_utf8_lossy(&got), String::from_utf8_lossy(&ended.stderr));
    (all, got == b"hello\n")
}

/// `s_server` on a free port, which turns each line around.
fn s_server(at: &Path, words: &str) -> (Running, String) {
    let mut command = Command::new("openssl");
    command.current_dir(at).args(["s_server", "-accept", "127.0.0.1:0", "-rev"]).args(words.split_whitespace());
    let mut running = Running::new(&mut command);
    let port = running.line("ACCEPT 127.0.0.1:");
    (running, port)
}

/// Versions, keys, whether clients have certificates, protocols.
fn combinations() -> Vec<(&'static str, &'static str, bool, bool)> {
    let mut all = Vec::new();
    for version in ["12", "13"] {
        for key in ["ec", "rsa"] {
            for client in [false, true] {
                for alpn in [false, true] {
                    all.push((version, key, client, alpn));
                }
            }
        }
    }
    all
}

fn agreement(version: &str, alpn: bool, name: &str, certificates: usize) -> String {
    format!("TLS 1.{} {} {name} {certificates}", &version[1..], if alpn { "h" } else { "-" })
}

#[test]
fn servers_for_openssl() {
    let Some(at) = prepared() else { return };
    for (version, key, client, alpn) in combinations() {
        let mut words = format!("server cert {key}.pem {key}.key trust ca.pem only {version}");
        let mut asked =
            format!("-CAfile ca.pem -servername localhost -verify_hostname localhost -tls1_{}", &version[1..]);
        if client {
            words += " require";
            asked += " -cert client.pem -key client.key";
        }
        if alpn {
            words += " alpn h";
            asked += " -alpn h";
        }
        let mut server = Running::new(&mut peer(at, &words));
        let port = server.line("");
        let (said, is_echo) = s_client(at, &port, &asked);
        assert!(is_echo, "{words}: {said}");
        // OpenSSL shows the certificate of who has signed its own, too.
        let shown = if client { 2 } else { 0 };
        assert_eq!(server.line("agreed: "), agreement(version, alpn, "localhost", shown), "{words}");
        server.line("ended");
        // Sessions are resumed: the second connection of one that keeps its session.
        if !client && !alpn {
            let session = format!("session-{version}-{key}");
            let first = s_client(at, &port, &format!("{asked} -sess_out {session}"));
            let second = s_client(at, &port, &format!("{asked} -sess_in {session}"));
            assert!(first.1 && second.1, "{words}: {first:?} {second:?}");
        }
    }
}

#[test]
fn clients_of_openssl() {
    let Some(at) = prepared() else { return };
    for (version, key, client, alpn) in combinations() {
        let mut offered = format!("-cert {key}.pem -key {key}.key -tls1_{}", &version[1..]);
        let mut words = format!("trust ca.pem only {version}");
        if client {
            offered += " -Verify 1 -verify_return_error -CAfile ca.pem";
            words += " cert client.pem client.key";
        }
        if alpn {
            offered += " -alpn h";
            words += " alpn h";
        }
        let (_server, port) = s_server(at, &offered);
        let got = text(&mut peer(at, &format!("client localhost {port} {words}")));
        let expected = format!("agreed: {}\nolleh\n", agreement(version, alpn, "-", if client { 2 } else { 1 }));
        assert_eq!(got, expected, "{offered}");
    }
}

#[test]
fn what_a_client_refuses_is_said() {
    let Some(at) = prepared() else { return };
    let certificate = "failed: TLS: the other side's certificate";
    for (offered, host, words, expected) in [
        ("ec", "elsewhere.example", "trust ca.pem", "is for localhost, 127.0.0.1, not for elsewhere.example"),
        ("expired", "localhost", "trust ca.pem", "has expired: it was valid until 2021-01-01"),
        ("ec", "localhost", "trust self.pem", "is signed by nobody who is trusted here"),
        ("self", "localhost", "trust ca.pem", "is signed by itself, and is not among the trusted ones"),
    ] {
        let (_server, port) = s_server(at, &format!("-cert {offered}.pem -key {offered}.key"));
        let got = text(&mut peer(at, &format!("client {host} {port} {words}")));
        assert_eq!(got, format!("{certificate} {expected}\n"));
    }
    // OpenSSL's own list is what SSL_CERT_FILE names.
    let (_server, port) = s_server(at, "-cert ec.pem -key ec.key");
    let system = |file: &str| {
        let mut command = peer(at, &format!("client localhost {port} system"));
        text(command.env("SSL_CERT_FILE", at.join(file)).env_remove("SSL_CERT_DIR"))
    };
    assert_eq!(system("ca.pem"), "agreed: TLS 1.3 - - 1\nolleh\n");
    let none = system("nothing.pem");
    assert!(none.starts_with("failed: TLS: this system has no trusted certificates"), "{none}");
}

#[test]
fn what_a_server_refuses_is_said() {
    let Some(at) = prepared() else { return };
    let mut server = Running::new(&mut peer(at, "server cert ec.pem ec.key trust ca.pem require"));
    let port = server.line("");
    for (words, ours, theirs) in [
        ("-tls1_2", "TLS: the other side has shown no certificate", "certificate required"),
        ("-tls1_2 -cert self.pem -key self.key", "TLS: the other side's certificate is signed by itself", "alert"),
        ("-tls1_2 -cipher AES128-SHA", "TLS: the two sides have nothing in common", "handshake failure"),
        ("-tls1_1 -cipher DEFAULT@SECLEVEL=0", "TLS: the two sides have nothing in common", "alert"),
    ] {
        let (said, is_echo) = s_client(at, &port, &format!("-CAfile ca.pem {words}"));
        let why = server.line("failed: ");
        assert!(!is_echo && why.starts_with(ours), "{words}: {why}");
        assert!(said.contains(theirs), "{words}: {said}");
    }
    // It goes on after all that.
    let (said, is_echo) = s_client(at, &port, "-CAfile ca.pem -cert client.pem -key client.key");
    assert!(is_echo, "{said}");
}

/// A request to the service of `examples`, on a connection of its own: the answer, and what OpenSSL says.
fn s_client_asks(at: &Path, port: &str, request: &str) -> (String, String) {
    let mut command = Command::new("timeout");
    command.current_dir(at).args(["60", "openssl", "s_client", "-quiet", "-verify_return_error", "-CAfile", "ca.pem"]);
    command.args(["-verify_hostname", "localhost", "-alpn", "http/1.1", "-connect", &format!("127.0.0.1:{port}")]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("openssl runs");
    // `-quiet` goes on behind the end of its input, until the server closes.
    let _ = child.stdin.take().expect("a pipe").write_all(request.as_bytes());
    let ended = child.wait_with_output().expect("it ends");
    (String::from_utf8_lossy(&ended.stdout).into_owned(), String::from_utf8_lossy(&ended.stderr).into_owned())
}

#[test]
fn the_service_speaks_https() {
    let Some(at) = prepared() else { return };
    let program = at.join("service");
    build(&folder().join("../../examples/service/service-tls.mlb"), &program);
    let mut command = Command::new(&program);
    let mut service = Running::logging(command.current_dir(at).args(["--port=0", "--cert=ec.pem", "--key=ec.key"]));
    let port = service.line_with("port=");
    let head = "Host: localhost\r\nConnection: close\r\n";
    let json = "{\"title\": \"milk\", \"text\": \"two litres\"}";
    let length = json.len();
    let added = format!("POST /notes HTTP/1.1\r\n{head}Content-Length: {length}\r\n\r\n{json}");
    for (request, begins, has) in [
        (added, "HTTP/1.1 201 ", "two litres"),
        (format!("GET /notes HTTP/1.1\r\n{head}\r\n"), "HTTP/1.1 200 ", "two litres"),
        (format!("GET /notes/none HTTP/1.1\r\n{head}\r\n"), "HTTP/1.1 404 ", "there is no such note"),
    ] {
        let (answer, said) = s_client_asks(at, &port, &request);
        assert!(answer.starts_with(begins) && answer.contains(has), "{request}: {answer}{said}");
    }
    // Who does not speak TLS gets no answer, and the log says why.
    let mut plain = TcpStream::connect(format!("127.0.0.1:{port}")).expect("a connection");
    plain.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it is sent");
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{}", String::from_utf8_lossy(&answer));
    assert_eq!(service.line_with("exception=Failed error="), "\"TLS: the other side does not speak TLS\"");
    // A graceful end.
    assert!(Command::new("kill").arg(service.0.id().to_string()).status().expect("kill").success());
    service.line_with("INFO  stopped");
    assert!(service.0.wait().expect("its status").success());
    // Without a certificate, or with the key of another one, it does not start.
    for (words, expected) in [
        (&["--key=ec.key"][..], "service: --cert is missing"),
        (&["--cert=ec.pem", "--key=rsa.key"], "the key is not the certificate's"),
    ] {
        let refused = Command::new(&program).current_dir(at).arg("--port=0").args(words).output().expect("it runs");
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && said.contains(expected), "{said}");
    }
}

/// Programs without TLS have nothing of it, and those with it little.
#[test]
fn only_who_uses_it_has_it() {
    let scratch = TempDir::new().expect("a folder");
    let size = |name: &str| {
        let output = scratch.path().join(name);
        build(&folder().join(format!("{name}.mlb")), &output);
        fs::read(&output).expect("a program")
    };
    let (plain, secure) = (size("plain"), size("secure"));
    // Parts of the names of functions.
    for name in [&b"leat_tls_new"[..], b"_ZN6rustls", b"ring_core_0", b"_ZN6webpki"] {
        let has = |program: &[u8]| program.windows(name.len()).any(|part| part == name);
        assert!(!has(&plain), "a program without TLS has {}", String::from_utf8_lossy(name));
        assert!(has(&secure), "a program with TLS has no {}", String::from_utf8_lossy(name));
    }
    let more = secure.len() - plain.len();
    assert!(more < 3_000_000, "TLS adds {more} bytes");
}

/// BoringSSL's tests of TLS (BoGo), if the variable BOGO names a folder with its sources; Go compiles their runner.
/// Each runs `bogo-shim.sml` with options that say what is to happen; it does not know most of them, and those tests
/// are left out. `bogo.json` names those that fail for a reason, with it.
///
/// `BOGO=boringssl cargo test --release -p leat --test tls runner_of_boringssl -- --nocapture`
#[test]
fn the_runner_of_boringssl() {
    let Some(sources) = std::env::var_os("BOGO").map(PathBuf::from) else {
        eprintln!("the variable BOGO names no folder of BoringSSL: its tests are left out");
        return;
    };
    let scratch = TempDir::new().expect("a folder");
    let at = |name: &str| scratch.path().join(name);
    build(&folder().join("bogo-shim.mlb"), &at("shim"));
    let tests = sources.join("ssl/test/runner");
    let made = Command::new("go")
        .args(["test", "-c", "-o"])
        .arg(at("runner"))
        .arg(".")
        .current_dir(&tests)
        .output()
        .expect("go compiles the runner");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let run = Command::new(at("runner"))
        .args(["-loose-errors", "-allow-unimplemented", "-num-workers=2", "-shim-path"])
        .arg(at("shim"))
        .arg("-shim-config")
        .arg(folder().join("bogo.json").canonicalize().expect("it is there"))
        .current_dir(&tests)
        .output()
        .expect("the runner runs");
    let said = String::from_utf8_lossy(&run.stdout);
    let count = |word: &str| said.lines().filter(|line| line.starts_with(word)).count();
    println!("{} passed, {} left out", count("PASSED ("), count("UNIMPLEMENTED ("));
    let failed: Vec<&str> = said.lines().filter(|line| line.starts_with("FAILED (")).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert!(count("PASSED (") > 500, "{}", String::from_utf8_lossy(&run.stderr));
}
