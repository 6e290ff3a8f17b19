//! Row A4 with tokio: N receivers, each on a channel of its own, and N senders that sleep until the same moment; as
//! senders.sml. A channel carries one message, so it is tokio's cheapest, `oneshot`. usage: senders N

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use threads_tokio::{Count, Spawns, argument, percentile, run};
use tokio::sync::{Notify, oneshot};

#[derive(Default)]
struct Arrived {
    first: Option<Instant>,
    delay: Vec<u64>,
    early: usize,
}

fn main() {
    run(async {
        let n = argument();
        let blocked = Arc::new(Count::default());
        let arrived = Arc::new(Mutex::new(Arrived { delay: Vec::with_capacity(n), ..Arrived::default() }));
        let done = Arc::new(Notify::new());
        let moment = Instant::now() + Duration::from_millis(300) + Duration::from_micros(3) * n as u32;
        let mut spawns = Spawns::new(2 * n);
        for _ in 0..n {
            let (output, input) = oneshot::channel::<Instant>();
            {
                let (blocked, arrived, done) = (blocked.clone(), arrived.clone(), done.clone());
                tokio::spawn(async move {
                    blocked.add();
                    let sent = input.await.expect("a message");
                    let now = Instant::now();
                    let mut arrived = arrived.lock().expect("nobody panics");
                    let first = *arrived.first.get_or_insert(now);
                    arrived.early += usize::from(sent < moment);
                    arrived.delay.push((now - sent).as_nanos() as u64);
                    if arrived.delay.len() == n {
                        println!("interval {:.1}", (now - first).as_nanos() as f64 / n as f64);
                        done.notify_one();
                    }
                });
            }
            spawns.next();
            {
                let blocked = blocked.clone();
                tokio::spawn(async move {
                    blocked.add();
                    tokio::time::sleep_until(moment.into()).await;
                    output.send(Instant::now()).expect("a receiver");
                });
            }
            spawns.next();
        }
        blocked.reaches(2 * n).await;
        spawns.print();
        done.notified().await;
        let mut arrived = arrived.lock().expect("nobody panics");
        println!("delay-p50 {}", percentile(50, &mut arrived.delay));
        println!("early {}", arrived.early);
    });
}
