//! Row E1, E2 with tokio, on one worker: a task for each end. usage: pipes-tokio P MESSAGES [DELAY in us [LIVE]]
//!
//! LIVE tasks besides sleep for an hour.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::sync::Notify;
use tokio::task;

fn main() {
    let words: Vec<u64> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let (pipes, messages) = (words[0], words[1]);
    let delay = Duration::from_micros(words.get(2).copied().unwrap_or(0));
    let live = words.get(3).copied().unwrap_or(0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    task::LocalSet::new().block_on(&runtime, async move {
        for _ in 0..live {
            task::spawn_local(tokio::time::sleep(Duration::from_secs(3600)));
        }
        task::yield_now().await;
        let (sent, got, done) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)), Rc::new(Notify::new()));
        let ends: Vec<_> = (0..pipes).map(|_| pipe::pipe().expect("a pipe")).collect();
        let begin = Instant::now();
        for (mut to, mut from) in ends {
            let (got, done) = (got.clone(), done.clone());
            task::spawn_local(async move {
                // After a delay one byte at a time.
                let mut buffer = vec![0u8; if delay.is_zero() { 64 } else { 1 }];
                while let Ok(n @ 1..) = from.read(&mut buffer).await {
                    if !delay.is_zero() {
                        tokio::time::sleep(delay).await;
                    }
                    got.set(got.get() + n as u64);
                    if got.get() >= messages {
                        done.notify_one();
                    }
                }
            });
            let sent = sent.clone();
            task::spawn_local(async move {
                while sent.get() < messages {
                    sent.set(sent.get() + 1);
                    to.write_all(b"x").await.expect("a byte is sent");
                    task::yield_now().await;
                }
                // The other end stays open until all is read.
                std::future::pending::<()>().await;
            });
        }
        done.notified().await;
        println!("message {}", begin.elapsed().as_nanos() as u64 / messages);
    });
}
