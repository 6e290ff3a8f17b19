//! Row A5 with tokio: N tasks, each on a sleep of its own; as timeouts.sml. usage: timeouts N

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use threads_tokio::{Count, Spawns, argument, percentile, run};
use tokio::sync::Notify;

#[derive(Default)]
struct Woken {
    last: usize,
    early: usize,
    disorder: usize,
    late: Vec<u64>,
}

fn main() {
    run(async {
        let n = argument();
        let asleep = Arc::new(Count::default());
        let woken = Arc::new(Mutex::new(Woken { late: Vec::with_capacity(n), ..Woken::default() }));
        let done = Arc::new(Notify::new());
        let mut spawns = Spawns::new(n);
        let first = Instant::now() + Duration::from_millis(300) + Duration::from_micros(2) * n as u32;
        for i in 0..n {
            let (asleep, woken, done) = (asleep.clone(), woken.clone(), done.clone());
            let deadline = first + Duration::from_micros(i as u64);
            tokio::spawn(async move {
                asleep.add();
                tokio::time::sleep_until(deadline.into()).await;
                let now = Instant::now();
                let mut woken = woken.lock().expect("nobody panics");
                woken.early += usize::from(now < deadline);
                woken.disorder += usize::from(i < woken.last);
                woken.last = i;
                woken.late.push((now - deadline).as_nanos() as u64);
                if woken.late.len() == n {
                    done.notify_one();
                }
            });
            spawns.next();
        }
        asleep.reaches(n).await;
        spawns.print();
        done.notified().await;
        let mut woken = woken.lock().expect("nobody panics");
        println!("early {}", woken.early);
        println!("disorder {}", woken.disorder);
        println!("late-p99-us {:.1}", percentile(99, &mut woken.late) as f64 / 1000.0);
    });
}
