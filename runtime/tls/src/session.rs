//! One connection's side of TLS: bytes that came from the other side -> what it has said; what is to be said -> bytes
//! to send.
//!
//! ```text
//! feed --> came  --read-->   what the other side has said
//! seal --> going --take-->   bytes for the connection; `feed` makes some, too: the handshake, alerts
//! ```
//!
//! It does no input and output, and never waits.

use std::io::{BufRead, Write};

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, Connection, ServerConnection};

use crate::config::Side;
use crate::problem::{Problem, ProblemKind};

/// What stands in the word that says how things are, see [`Machine::status`].
pub mod status {
    pub const HANDSHAKING: u64 = 1;
    /// The other side has said that it sends no more.
    pub const CLOSED: u64 = 2;
    pub const FAILED: u64 = 4;
    /// How many bytes have come that were not read: from this bit on,
    pub const CAME: u32 = 8;
    /// and how many are to be sent.
    pub const GOING: u32 = 36;
}

pub struct Machine {
    connection: Option<Connection>,
    problem: Option<Problem>,
    came: Bytes,
    going: Bytes,
    is_closed: bool,
}

/// Bytes that are taken from the front.
#[derive(Default)]
struct Bytes {
    all: Vec<u8>,
    taken: usize,
}

impl Bytes {
    fn left(&self) -> usize {
        self.all.len() - self.taken
    }

    /// An idle connection has no memory of these.
    fn take(&mut self, out: &mut [u8]) -> usize {
        let n = out.len().min(self.left());
        out[..n].copy_from_slice(&self.all[self.taken..self.taken + n]);
        self.taken += n;
        if self.left() == 0 {
            *self = Bytes::default();
        }
        n
    }
}

impl Machine {
    /// `name`: the server's, as the client knows it.
    pub fn new(side: &Side, name: &str) -> Machine {
        let connection = match side {
            Side::Client(config) => match ServerName::try_from(name.to_string()) {
                Ok(name) => ClientConnection::new(config.clone(), name)
                    .map(Connection::Client)
                    .map_err(|error| Problem::setting(error.to_string())),
                Err(_) => Err(Problem::setting(format!("a host's name that is none: `{}`", name.escape_default()))),
            },
            Side::Server(config) => ServerConnection::new(config.clone())
                .map(Connection::Server)
                .map_err(|error| Problem::setting(error.to_string())),
        };
        let (connection, problem) = match connection {
            Ok(connection) => (Some(connection), None),
            Err(problem) => (None, Some(problem)),
        };
        let (came, going) = (Bytes::default(), Bytes::default());
        let mut machine = Machine { connection, problem, came, going, is_closed: false };
        if let Some(connection) = &mut machine.connection {
            // The library gives it pieces, and takes what becomes of each.
            connection.set_buffer_limit(None);
        }
        machine.collect();
        machine
    }

    /// What rustls wants to send.
    fn collect(&mut self) {
        let Some(connection) = &mut self.connection else { return };
        while connection.wants_write() {
            // Writing to a vector does not fail.
            if connection.write_tls(&mut self.going.all).is_err() {
                break;
            }
        }
    }

    fn fail(&mut self, problem: Problem) {
        self.problem.get_or_insert(problem);
    }

    /// What has come from the other side.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && self.problem.is_none() && !self.is_closed {
            let Some(connection) = &mut self.connection else { return };
            match connection.read_tls(&mut bytes) {
                Ok(0) => {
                    return self
                        .fail(Problem::new(ProblemKind::Other, "the other side has sent a record that is too long"));
                }
                Ok(_) => {}
                Err(error) => return self.fail(Problem::new(ProblemKind::Other, error.to_string())),
            }
            let is_first = connection.is_handshaking() && connection.protocol_version().is_none();
            let result = connection.process_new_packets();
            let n = result.as_ref().map_or(0, |state| state.plaintext_bytes_to_read());
            self.came.all.reserve(n.max(bytes.len()));
            let end = self.came.all.len() + n;
            // rustls keeps no more than a record of this, so it is taken from there; also what came before an error.
            let mut reader = connection.reader();
            while let Ok(chunk @ [_, ..]) = reader.fill_buf() {
                let n = chunk.len();
                self.came.all.extend_from_slice(chunk);
                reader.consume(n);
            }
            match result {
                Ok(state) => {
                    if self.came.all.len() < end {
                        return self.fail(Problem::new(ProblemKind::Other, "TLS has lost something"));
                    }
                    self.is_closed |= state.peer_has_closed();
                }
                Err(error) => self.fail(Problem::of(&error, is_first)),
            }
        }
        self.collect();
    }

    /// The connection has ended: no more bytes come.
    pub fn end(&mut self) {
        let Some(connection) = &self.connection else { return };
        if self.is_closed {
        } else if connection.is_handshaking() {
            self.fail(Problem::new(
                ProblemKind::Truncated,
                "the other side has ended the connection before the two had agreed (in the handshake)",
            ));
        } else {
            self.fail(Problem::new(
                ProblemKind::Truncated,
                "the connection has ended, but the other side had not said so: something may be missing",
            ));
        }
    }

    /// What is to be said to the other side.
    pub fn seal(&mut self, bytes: &[u8]) {
        if self.problem.is_none()
            && let Some(connection) = &mut self.connection
            && let Err(error) = connection.writer().write_all(bytes)
        {
            self.fail(Problem::new(ProblemKind::Other, error.to_string()));
        }
        self.collect();
    }

    /// It is said that no more comes.
    pub fn close(&mut self) {
        if let Some(connection) = &mut self.connection {
            connection.send_close_notify();
        }
        self.collect();
    }

    pub fn read(&mut self, out: &mut [u8]) -> usize {
        self.came.take(out)
    }

    pub fn take(&mut self, out: &mut [u8]) -> usize {
        self.going.take(out)
    }

    /// How things are, in one word.
    pub fn status(&self) -> u64 {
        let flag = |holds: bool, bit: u64| if holds { bit } else { 0 };
        flag(self.connection.as_ref().is_some_and(|c| c.is_handshaking()), status::HANDSHAKING)
            | flag(self.is_closed, status::CLOSED)
            | flag(self.problem.is_some(), status::FAILED)
            | (self.came.left() as u64) << status::CAME
            | (self.going.left() as u64) << status::GOING
    }

    pub fn problem(&self) -> Option<&Problem> {
        self.problem.as_ref()
    }

    pub fn panicked(&mut self) {
        self.connection = None;
        self.fail(Problem::new(ProblemKind::Other, "a mistake in Leat's TLS: the connection is given up"));
    }

    /// What is known of the connection: 0 what is wrong, 1 the version, 2 how it is encrypted, 3 the protocol (ALPN), 4
    /// the name that the client has asked for, 5 and on: the other side's certificates.
    pub fn about(&self, what: u64) -> Vec<u8> {
        let Some(connection) = &self.connection else {
            return self.problem.as_ref().filter(|_| what == 0).map_or(Vec::new(), |p| p.text.clone().into_bytes());
        };
        let text = |text: Option<String>| text.unwrap_or_default().into_bytes();
        match what {
            0 => text(self.problem.as_ref().map(|problem| problem.text.clone())),
            1 => text(connection.protocol_version().map(|version| match version {
                rustls::ProtocolVersion::TLSv1_2 => "TLS 1.2".to_string(),
                rustls::ProtocolVersion::TLSv1_3 => "TLS 1.3".to_string(),
                other => format!("{other:?}"),
            })),
            2 => text(connection.negotiated_cipher_suite().map(|suite| format!("{:?}", suite.suite()))),
            3 => connection.alpn_protocol().map_or(Vec::new(), <[u8]>::to_vec),
            4 => match connection {
                Connection::Server(server) => server.server_name().unwrap_or("").as_bytes().to_vec(),
                Connection::Client(_) => Vec::new(),
            },
            n => {
                let certificates = connection.peer_certificates().unwrap_or(&[]);
                certificates.get((n - 5) as usize).map_or(Vec::new(), |certificate| certificate.to_vec())
            }
        }
    }
}
