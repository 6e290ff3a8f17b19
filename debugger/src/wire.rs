//! Bytes of an editor -> requests; answers and events -> bytes, in the frames of the Debug Adapter Protocol.
//!
//! What is no request is told so, and the next frame is read. Only the end of the input, a frame whose length nobody
//! knows, and a line that is no header of the protocol end the conversation. The last is what a browser sends for a web
//! page: a page may send requests of HTTP to any port of this machine, with any content.

use std::io::{BufRead, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::Sender;
use serde_json::{Value, json};

/// The longest message that is read.
const LONGEST: u64 = 64 << 20;

/// What comes.
#[derive(PartialEq, Debug)]
pub enum Message {
    Request {
        seq: i64,
        command: String,
        arguments: Value,
    },
    /// No request. `seq` is 0 where it is not known.
    Bad {
        seq: i64,
        why: String,
    },
}

impl Message {
    fn of(bytes: &[u8]) -> Option<Message> {
        let bad = |seq, why: &str| Some(Message::Bad { seq, why: why.to_string() });
        let mut value: Value = match serde_json::from_slice(bytes) {
            Ok(value) => value,
            Err(error) => return bad(0, &format!("the message is not JSON: {error}")),
        };
        let Some(fields) = value.as_object_mut() else { return bad(0, "the message is no JSON object") };
        let seq = fields.get("seq").and_then(Value::as_i64).unwrap_or(0);
        match fields.get("type").and_then(Value::as_str) {
            Some("request") => {}
            // Answers to requests of ours, of which there are none, and events.
            Some("response" | "event") => return None,
            _ => return bad(seq, "the message has no `type` that is known"),
        }
        let arguments = fields.remove("arguments").unwrap_or_default();
        match fields.get("command").and_then(Value::as_str) {
            Some(command) => Some(Message::Request { seq, command: command.to_string(), arguments }),
            None => bad(seq, "the request has no `command`"),
        }
    }
}

/// Whether what is being done is to be given up: a request to interrupt it has been read, and is not handled yet. The
/// end of the input is one that nobody handles.
#[derive(Clone, Default)]
pub struct Interrupts {
    waiting: Arc<Mutex<usize>>,
    /// There is one.
    pub cancel: Arc<AtomicBool>,
}

impl Interrupts {
    /// Is it for a request of this name?
    pub fn is_for(command: &str) -> bool {
        ["disconnect", "terminate", "restart", "pause"].contains(&command)
    }

    fn is_read(&self) {
        self.change(|waiting| waiting + 1);
    }

    pub fn is_handled(&self) {
        self.change(|waiting| waiting - 1);
    }

    fn change(&self, change: impl FnOnce(usize) -> usize) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = change(*waiting);
        self.cancel.store(*waiting > 0, Ordering::Relaxed);
    }
}

/// Reads until the input ends.
pub fn read_all(input: &mut impl BufRead, to: &Sender<Message>, interrupts: &Interrupts) {
    loop {
        let message = match read_frame(input) {
            Ok(Some(bytes)) => Message::of(&bytes),
            Ok(None) => break,
            Err(why) => {
                let _ = to.send(Message::Bad { seq: 0, why });
                break;
            }
        };
        let Some(message) = message else { continue };
        if let Message::Request { command, .. } = &message
            && Interrupts::is_for(command)
        {
            interrupts.is_read();
        }
        if to.send(message).is_err() {
            return;
        }
    }
    interrupts.is_read();
}

/// The longest line before a message's content.
const LONGEST_LINE: u64 = 4096;

/// The content of the next frame; nothing at the end of the input.
fn read_frame(input: &mut impl BufRead) -> Result<Option<Vec<u8>>, String> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.take(LONGEST_LINE).read_until(b'\n', &mut line).unwrap_or(0) == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            if length.is_some() {
                break;
            }
            continue;
        }
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                let number = value.trim().parse::<u64>().ok().filter(|&n| n <= LONGEST);
                length = Some(number.ok_or_else(|| format!("`{line}` is no length of a message"))?);
            }
            // Of the Language Server Protocol, whose frames these are.
            Some((name, _)) if name.eq_ignore_ascii_case("content-type") => {}
            _ => return Err("this is no header of the Debug Adapter Protocol".to_string()),
        }
    }
    let mut bytes = vec![0; length.unwrap_or(0) as usize];
    Ok(input.read_exact(&mut bytes).is_ok().then_some(bytes))
}

/// Writes frames.
pub struct Writer {
    out: Box<dyn Write + Send>,
    seq: i64,
}

impl Writer {
    pub fn new(out: Box<dyn Write + Send>) -> Writer {
        Writer { out, seq: 0 }
    }

    fn send(&mut self, mut message: Value) {
        self.seq += 1;
        message["seq"] = self.seq.into();
        let text = message.to_string();
        // An editor that is gone is noticed where its requests end.
        let _ = write!(self.out, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| self.out.flush());
    }

    pub fn answer(&mut self, seq: i64, command: &str, body: Value) {
        self.send(json!({ "type": "response", "request_seq": seq, "success": true, "command": command, "body": body }));
    }

    pub fn refuse(&mut self, seq: i64, command: &str, why: &str) {
        let error = json!({ "id": 1, "format": why, "showUser": true });
        self.send(json!({
            "type": "response", "request_seq": seq, "success": false, "command": command, "message": why,
            "body": { "error": error },
        }));
    }

    pub fn event(&mut self, event: &str, body: Value) {
        self.send(json!({ "type": "event", "event": event, "body": body }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Message> {
        let (sender, receiver) = crossbeam_channel::unbounded();
        read_all(&mut text.as_bytes(), &sender, &Interrupts::default());
        drop(sender);
        receiver.iter().collect()
    }

    fn framed(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    #[test]
    fn requests_and_what_is_none() {
        let good = framed(r#"{"seq":3,"type":"request","command":"threads"}"#);
        let bad: String =
            ["{", "[]", r#"{"seq":4,"type":"request"}"#, r#"{"seq":5}"#].iter().map(|text| framed(text)).collect();
        let messages = read(&(good.clone() + &bad + &framed(r#"{"type":"response"}"#) + &good));
        let request = Message::Request { seq: 3, command: "threads".to_string(), arguments: Value::Null };
        assert_eq!(messages.len(), 6);
        assert!(messages[0] == request && messages[5] == request);
        let seqs: Vec<i64> =
            messages[1..5].iter().map(|m| if let Message::Bad { seq, .. } = m { *seq } else { -1 }).collect();
        assert_eq!(seqs, [0, 0, 4, 5]);
    }

    #[test]
    fn a_frame_without_a_length_ends_the_conversation() {
        let good = framed(r#"{"seq":3,"type":"request","command":"threads"}"#);
        for header in ["Content-Length: x\r\n\r\n", "Content-Length: 99999999999\r\n\r\n"] {
            assert!(matches!(&read(&(header.to_string() + &good))[..], [Message::Bad { seq: 0, .. }]));
        }
        assert!(read("Content-Length: 10\r\n\r\n{}").is_empty());
    }

    /// A request of HTTP was a frame with some headers more: a web page could start programs.
    #[test]
    fn a_line_that_is_no_header_ends_the_conversation() {
        let good = framed(r#"{"seq":3,"type":"request","command":"threads"}"#);
        let with = |header: &str| header.to_string() + "\r\n" + &good;
        for header in ["POST / HTTP/1.1", "POST /content-length: HTTP/1.1", "Host: a", "Origin: null", "{", ": 3"] {
            assert!(matches!(&read(&with(header))[..], [Message::Bad { seq: 0, .. }]), "{header}");
        }
        for header in ["", "content-type: application/json", "CONTENT-LENGTH: 1"] {
            assert!(matches!(&read(&with(header))[..], [Message::Request { seq: 3, .. }]), "{header}");
        }
    }

    /// One flag stood for all of them: who handled a `pause` took the end of the input away.
    #[test]
    fn what_interrupts_does_so_until_it_is_handled() {
        let interrupts = Interrupts::default();
        let is_on = || interrupts.cancel.load(Ordering::Relaxed);
        let send = |command: &str, ends: bool| {
            let text = framed(&format!(r#"{{"seq":1,"type":"request","command":"{command}"}}"#));
            let (sender, _receiver) = crossbeam_channel::unbounded();
            read_all(&mut text.as_bytes(), &sender, &interrupts);
            // An input that goes on.
            if !ends {
                interrupts.is_handled();
            }
        };
        send("threads", false);
        assert!(!is_on());
        send("pause", false);
        send("disconnect", false);
        interrupts.is_handled();
        assert!(is_on(), "`disconnect` waits");
        interrupts.is_handled();
        assert!(!is_on());
        send("pause", true);
        interrupts.is_handled();
        assert!(is_on(), "the input has ended");
    }
}
