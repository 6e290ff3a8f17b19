//! Bytes of standard input -> messages of the client; answers and notices -> bytes of standard output. JSON-RPC 2.0 in
//! the frames of the Language Server Protocol.
//!
//! Each direction has a thread of its own, so that the server sees whether something waits. What is no message is one,
//! too ([`Message::Bad`]): the client is told so, and the next frame is read. Only an end of the input, and a frame
//! whose length nobody knows, end the conversation.
//!
//! Own, because the crate of the field (`lsp-server`) ends without a word at the first frame that is not JSON, and
//! cannot answer a message whose number is not known.

use std::io::{self, BufRead, Read, Write};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use serde_json::{Value, json};

/// The numbers of errors.
pub mod code {
    pub const PARSE_ERROR: i32 = -32700;
    pub const INVALID_REQUEST: i32 = -32600;
    pub const METHOD_NOT_FOUND: i32 = -32601;
    pub const INVALID_PARAMS: i32 = -32602;
    pub const INTERNAL_ERROR: i32 = -32603;
    /// Nothing but `initialize` may come first.
    pub const NOT_INITIALIZED: i32 = -32002;
    /// The request is right, and cannot be fulfilled.
    pub const REQUEST_FAILED: i32 = -32803;
}

/// The longest message that is read: a text of the most that Leat compiles, with every character escaped, is shorter.
const LONGEST: u64 = 1 << 30;

/// What comes.
#[derive(PartialEq, Debug)]
pub enum Message {
    Request {
        /// A number or a string; the answer has the same.
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// The client's answer to a request of the server's.
    Response,
    /// No message. `id` is null where it is not known.
    Bad {
        id: Value,
        code: i32,
        why: String,
    },
}

impl Message {
    /// What a frame holds.
    fn of(bytes: &[u8]) -> Message {
        let bad = |id: &Value, code, why: String| Message::Bad { id: id.clone(), code, why };
        // The text with half a character is understood in the second attempt: see `whole_characters`.
        let read = serde_json::from_slice(bytes);
        let mut value: Value = match read.or_else(|error| whole_characters(bytes).ok_or(error)) {
            Ok(value) => value,
            Err(error) => return bad(&Value::Null, code::PARSE_ERROR, format!("the message is not JSON: {error}")),
        };
        let Some(fields) = value.as_object_mut() else {
            return bad(&Value::Null, code::INVALID_REQUEST, "the message is no JSON object".to_string());
        };
        let id = fields.remove("id");
        let params = fields.remove("params").unwrap_or_default();
        match (id, fields.remove("method")) {
            (Some(id), _) if !(id.is_number() || id.is_string() || id.is_null()) => {
                bad(&Value::Null, code::INVALID_REQUEST, "the `id` is no number and no string".to_string())
            }
            (Some(id), Some(Value::String(method))) if !id.is_null() => Message::Request { id, method, params },
            (_, Some(Value::String(method))) => Message::Notification { method, params },
            (id, Some(_)) => {
                bad(&id.unwrap_or_default(), code::INVALID_REQUEST, "the `method` is no string".to_string())
            }
            (Some(_), None) if fields.contains_key("result") || fields.contains_key("error") => Message::Response,
            (id, None) => bad(&id.unwrap_or_default(), code::INVALID_REQUEST, "there is no `method`".to_string()),
        }
    }
}

/// Both directions.
pub struct Wire {
    pub receiver: Receiver<Message>,
    sender: Sender<Value>,
    writer: JoinHandle<()>,
}

impl Wire {
    /// Over standard input and output. The error: the system gives no thread for one of them.
    pub fn standard() -> io::Result<Wire> {
        // The server looks whether the next message has come; more than a few need not wait here.
        let (incoming, receiver) = bounded(16);
        let (sender, outgoing) = unbounded::<Value>();
        let thread = || std::thread::Builder::new();
        thread().name("reader".to_string()).spawn(move || read_all(&mut io::stdin().lock(), &incoming))?;
        let writer = thread().name("writer".to_string()).spawn(move || {
            let mut out = io::stdout().lock();
            for message in outgoing {
                let text = message.to_string();
                // A client that is gone is noticed where its messages end.
                let _ = write!(out, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| out.flush());
            }
        })?;
        Ok(Wire { receiver, sender, writer })
    }

    pub fn result(&self, id: Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    pub fn error(&self, id: Value, code: i32, message: &str) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }));
    }

    pub fn notify(&self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Asks the client for something; its answer is not waited for.
    pub fn request(&self, id: &str, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    fn send(&self, message: Value) {
        let _ = self.sender.send(message);
    }

    /// Waits until all is written.
    pub fn finish(self) {
        let Wire { sender, writer, receiver } = self;
        drop((sender, receiver));
        let _ = writer.join();
    }
}

/// A message in which each half of a character is one, U+FFFD, which is as long: an editor that is written in
/// JavaScript may send half of a pair when a user types or deletes the other half. Likewise bytes that are not UTF-8.
/// Nothing where it is no JSON for another reason.
fn whole_characters(bytes: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(bytes);
    let escape = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))
    };
    let (mut whole, mut done) = (String::with_capacity(text.len()), 0);
    while let Some(at) = text[done..].find('\\').map(|found| done + found) {
        whole.push_str(&text[done..at]);
        let length = match (escape(at), escape(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                whole.push('\u{FFFD}');
                done = at + 6;
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        };
        whole.push_str(&text[at..at + length]);
        done = at + length;
    }
    whole.push_str(&text[done..]);
    serde_json::from_str(&whole).ok()
}

/// Reads messages until the input or the conversation ends.
fn read_all(input: &mut impl BufRead, to: &Sender<Message>) {
    loop {
        let (message, is_last) = match read_frame(input) {
            Frame::Message(bytes) => {
                let message = Message::of(&bytes);
                let is_exit = matches!(&message, Message::Notification { method, .. } if method == "exit");
                (message, is_exit)
            }
            Frame::Bad(why) => (Message::Bad { id: Value::Null, code: code::PARSE_ERROR, why }, false),
            Frame::Lost(why) => (Message::Bad { id: Value::Null, code: code::PARSE_ERROR, why }, true),
            Frame::End => return,
        };
        if to.send(message).is_err() || is_last {
            return;
        }
    }
}

#[derive(PartialEq, Debug)]
enum Frame {
    Message(Vec<u8>),
    /// Something is wrong, and behind it the next frame may begin.
    Bad(String),
    /// Something is wrong, and where the next one begins nobody knows.
    Lost(String),
    End,
}

fn read_frame(input: &mut impl BufRead) -> Frame {
    let mut length: Option<u64> = None;
    let mut trouble: Option<String> = None;
    let mut begun = false;
    loop {
        let mut line = Vec::new();
        // A header is short; what goes on without a line's end is none.
        match input.take(1 << 16).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) if !begun => return Frame::End,
            Ok(0) | Err(_) => return Frame::Lost("the input ends in the middle of a message".to_string()),
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            // Blank lines before a message are nobody's fault.
            if !begun {
                continue;
            }
            break;
        }
        begun = true;
        match line.split_once(':') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("Content-Length") => match value.trim().parse() {
                Ok(n) => length = Some(n),
                Err(_) => trouble = Some(format!("a message's length is no number: `{}`", value.trim())),
            },
            Some((name, _)) if !name.contains(['{', '"']) => {}
            _ => trouble = Some(format!("a message begins by no header: `{}`", shortened(line))),
        }
    }
    let Some(length) = length else {
        return Frame::Bad(trouble.unwrap_or_else(|| "a message has no `Content-Length`".to_string()));
    };
    if length > LONGEST {
        return Frame::Lost(format!("a message of {length} bytes is too long"));
    }
    let mut bytes = Vec::new();
    match input.take(length).read_to_end(&mut bytes) {
        Ok(n) if n as u64 == length => Frame::Message(bytes),
        _ => Frame::Lost("the input ends in the middle of a message".to_string()),
    }
}

fn shortened(line: &str) -> String {
    line.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut input: &[u8]) -> Vec<Message> {
        let (sender, receiver) = unbounded();
        read_all(&mut input, &sender);
        drop(sender);
        receiver.into_iter().collect()
    }

    fn codes(messages: &[Message]) -> Vec<i32> {
        messages.iter().map(|message| if let Message::Bad { code, .. } = message { *code } else { 0 }).collect()
    }

    #[test]
    fn what_is_no_message_is_said_and_the_next_one_is_read() {
        let good = b"Content-Length: 14\r\n\r\n{\"method\":\"m\"}";
        for (bad, code) in [
            (&b"Content-Length: 5\r\n\r\n{bad}"[..], code::PARSE_ERROR),
            (b"Content-Length: 2\r\n\r\n\xff\xfe", code::PARSE_ERROR),
            (b"Content-Length: 2\r\n\r\n[]", code::INVALID_REQUEST),
            (b"Content-Length: 2\r\n\r\n{}", code::INVALID_REQUEST),
            (b"Content-Length: 12\r\n\r\n{\"method\":1}", code::INVALID_REQUEST),
            (b"Content-Length: x\r\n\r\n", code::PARSE_ERROR),
            (b"Content-Type: y\r\n\r\n", code::PARSE_ERROR),
            (b"\"quoted\"\r\n\r\n", code::PARSE_ERROR),
        ] {
            let messages = all(&[bad, &good[..]].concat());
            assert_eq!(codes(&messages), [code, 0], "{}", String::from_utf8_lossy(bad));
        }
        // What no reader can get behind is the last.
        for bad in [&b"Content-Length: 99999999999\r\n\r\n{}"[..], b"Content-Length: 9\r\n\r\n{}", b"Content-Le"] {
            assert_eq!(codes(&all(bad)), [code::PARSE_ERROR], "{}", String::from_utf8_lossy(bad));
        }
        assert_eq!(all(b""), []);
    }

    #[test]
    fn headers_in_every_spelling() {
        for head in [
            "Content-Length: 14\r\n\r\n",
            "content-length:14\n\n",
            "\r\nContent-Type: a; b=c\r\nContent-Length: 14\r\n\r\n",
        ] {
            let messages = all(format!("{head}{{\"method\":\"m\"}}").as_bytes());
            assert_eq!(messages, [Message::Notification { method: "m".to_string(), params: Value::Null }], "{head}");
        }
    }

    /// A message with half of a pair was no JSON: what was typed in it was lost, and all later edits went to wrong
    /// places.
    #[test]
    fn halves_of_characters() {
        let text = |json: &[u8]| {
            let frame = [b"{\"method\":\"m\",\"params\":\"", json, b"\"}"].concat();
            match Message::of(&frame) {
                Message::Notification { params, .. } => params.as_str().map(str::to_string),
                _ => None,
            }
        };
        assert_eq!(text(br"a\ud83dz").unwrap(), "a\u{FFFD}z");
        assert_eq!(text(br"\ude00\ud83d\ude00\ud83d").unwrap(), "\u{FFFD}😀\u{FFFD}");
        assert_eq!(text(br"\\ud83d\ud83d\n\u0041").unwrap(), "\\ud83d\u{FFFD}\nA");
        assert_eq!(text("é\\ud83d😀".as_bytes()).unwrap(), "é\u{FFFD}😀");
        assert_eq!(text(b"\xE9t").unwrap(), "\u{FFFD}t");
        assert_eq!(text(br"\ud83"), None);
        assert_eq!(text(br"\"), None);
    }

    #[test]
    fn kinds_of_messages() {
        let of = |text: &str| Message::of(text.as_bytes());
        let id = json!(9_000_000_000_u64);
        assert_eq!(
            of(r#"{"id":9000000000,"method":"m","params":[1]}"#),
            Message::Request { id, method: "m".to_string(), params: json!([1]) }
        );
        assert_eq!(of(r#"{"id":1,"result":null}"#), Message::Response);
        assert!(matches!(of(r#"{"id":"a","method":2}"#), Message::Bad { id, .. } if id == json!("a")));
        assert!(matches!(of(r#"{"id":[],"method":"m"}"#), Message::Bad { id: Value::Null, .. }));
    }
}
