//! Row A7: the cost of starting and cancelling a timer while a million are live. `cargo bench -p leat-io`.

use std::time::Instant;

use leat_io::Timers;
use leat_random::Random;

const LIVE: usize = 1_000_000;
const ROUNDS: usize = 4_000_000;

fn main() {
    let mut random = Random::new(1);
    let mut timers = Timers::new(0);
    let begin = Instant::now();
    let mut ids: Vec<_> = (0..LIVE).map(|i| timers.start(30_000_000_000 + i as u64 * 1000, i as u64)).collect();
    println!("start of the first million    {:6.1} ns each", begin.elapsed().as_nanos() as f64 / LIVE as f64);

    let places: Vec<usize> = (0..ROUNDS).map(|_| random.below(LIVE)).collect();
    let begin = Instant::now();
    for (i, place) in places.iter().enumerate() {
        timers.cancel(ids[*place]);
        ids[*place] = timers.start(30_000_000_000 + i as u64 * 300, i as u64);
    }
    let ns = begin.elapsed().as_nanos() as f64 / ROUNDS as f64;
    println!("cancel at random and start    {ns:6.1} ns together (bar 100)");

    let begin = Instant::now();
    for i in 0..ROUNDS {
        let place = i % LIVE;
        timers.cancel(ids[place]);
        ids[place] = timers.start(60_000_000_000 + i as u64 * 300, i as u64);
    }
    let ns = begin.elapsed().as_nanos() as f64 / ROUNDS as f64;
    println!("cancel the oldest and start   {ns:6.1} ns together (bar 100)");

    let begin = Instant::now();
    let mut count = 0;
    while timers.pop(120_000_000_000).is_some() {
        count += 1;
    }
    println!("expiry of {count}          {:6.1} ns each", begin.elapsed().as_nanos() as f64 / count as f64);
}
