//! The wheel against a sorted map, by hand-written cases and by random ones.

use std::collections::BTreeMap;

use leat_random::Random;

use super::*;

const MS: Nanos = 1_000_000;

/// How often something is done: under Miri, which is some hundred times slower, less often.
const fn often(usually: u64, under_miri: u64) -> u64 {
    if cfg!(miri) { under_miri } else { usually }
}

fn drain(timers: &mut Timers<u64>, now: Nanos) -> Vec<u64> {
    std::iter::from_fn(|| timers.pop(now).map(|(token, _, _)| token)).collect()
}

#[test]
fn an_entry_is_half_a_cache_line_and_more_only_by_its_token() {
    assert_eq!((size_of::<Entry<u64>>(), size_of::<Entry<[u64; 3]>>()), (32, 48));
}

#[test]
fn memory_that_was_prepared_is_used_and_kept() {
    let mut timers = Timers::new(0);
    timers.prepare();
    let (heads, room) = (timers.heads.as_ptr(), timers.entries.capacity());
    assert!(timers.is_empty() && !timers.heads.is_empty() && room > 0);
    timers.start(5, 7);
    timers.prepare();
    assert_eq!((timers.heads.as_ptr(), timers.entries.capacity()), (heads, room));
    assert_eq!(drain(&mut timers, 5), [7]);
}

#[test]
fn order_is_deadline_then_start_and_never_early() {
    // (deadlines in order of start, time asked for, tokens given out = positions in the first list)
    let cases: &[(&[Nanos], Nanos, &[u64])] = &[
        (&[5, 3, 4], 5, &[1, 2, 0]),
        (&[5, 5, 5], 5, &[0, 1, 2]),
        (&[5, 6, 5], 5, &[0, 2]),
        (&[10 * MS, 9 * MS, 10 * MS - 1], 10 * MS - 1, &[1, 2]),
        (&[1000 * MS, 2000 * MS, 1000 * MS], 3000 * MS, &[0, 2, 1]),
        (&[u64::MAX, 1 << 63, 7], u64::MAX, &[2, 1, 0]),
        (&[u64::MAX, 1 << 63, 7], u64::MAX - 1, &[2, 1]),
        (&[0, 0, 0], 0, &[0, 1, 2]),
    ];
    for (deadlines, now, expected) in cases {
        let mut timers = Timers::new(0);
        for (i, deadline) in deadlines.iter().enumerate() {
            timers.start(*deadline, i as u64);
        }
        assert_eq!(drain(&mut timers, *now), *expected, "{deadlines:?} at {now}");
        assert_eq!(timers.len(), deadlines.len() - expected.len());
    }
}

#[test]
fn late_starters_are_merged_with_the_due() {
    let mut timers = Timers::new(0);
    let base = 100 * MS;
    for k in [30, 10, 20] {
        timers.start(base + k, k);
    }
    assert_eq!(timers.pop(base + 10).map(|(token, at, _)| (token, at)), Some((10, base + 10)));
    // The tick of these is already reached: they go to the late heap.
    timers.start(base + 15, 15);
    timers.start(base + 30, 31);
    timers.start(3, 3);
    assert_eq!(drain(&mut timers, base + 29), [3, 15, 20]);
    assert_eq!(drain(&mut timers, base + 30), [30, 31]);
}

#[test]
fn cancelled_ids_mean_nothing_any_more() {
    let mut timers = Timers::new(0);
    let a = timers.start(5 * MS, 1);
    assert_eq!(timers.cancel(a), Some(1));
    assert_eq!(timers.cancel(a), None);
    let b = timers.start(5 * MS, 2);
    assert_eq!(a.index(), b.index(), "the place is used again");
    assert_eq!(timers.cancel(a), None);
    assert!(timers.is_waiting(b) && !timers.is_waiting(a));
    assert_eq!(timers.token_mut(b).copied(), Some(2));
    assert_eq!(timers.pop(5 * MS).map(|(token, at, _)| (token, at)), Some((2, 5 * MS)));
    assert_eq!(timers.cancel(b), None);
    for nonsense in [0, 1, 511, u64::MAX, u64::MAX >> 1, 1 << 40] {
        assert_eq!(timers.cancel(TimerId(nonsense)), None);
    }
    assert!(timers.is_empty() && timers.next_deadline().is_none());
}

/// A loop of start and cancel within one tick must not pile anything up, though time stands still.
#[test]
fn start_and_cancel_leave_nothing_behind() {
    let mut timers = Timers::new(0);
    for deadline in [3, 50 * MS] {
        for i in 0..often(100_000, 1000) {
            let id = timers.start(deadline, i);
            timers.cancel(id);
        }
    }
    assert!(timers.late.len() <= 128 && timers.entries.len() <= 2);
    assert_eq!(timers.occupied, [0; LEVELS]);
}

/// After each burst of a thousand the whole table was given back, and its pages were asked for anew by the next.
#[test]
fn memory_is_given_back_after_many_only() {
    let mut timers = Timers::new(0);
    let mut burst = |count| {
        (0..count).for_each(|i| _ = timers.start(i, i));
        assert_eq!(drain(&mut timers, MS).len() as u64, count);
        assert_eq!(timers.pop(MS), None);
        timers.entries.len()
    };
    assert_eq!(burst(1000), 1000);
    assert_eq!(burst(500), 1000);
    // Many are more than Miri does in a minute.
    if !cfg!(miri) {
        assert_eq!(burst(100_000), 0);
    }
}

#[test]
fn next_deadline_is_exact_for_few_and_never_late_for_many() {
    let mut timers = Timers::new(0);
    timers.start(7_123_456_789, 0);
    timers.start(9_000_000_001, 1);
    assert_eq!(timers.next_deadline(), Some(7_123_456_789));
    for i in 0..1000 {
        timers.start(7_123_456_789 + i, i);
    }
    let mut steps = 0;
    let mut now = timers.next_deadline().unwrap();
    while timers.pop(now).is_none() {
        assert!(now <= 7_123_456_789);
        now = timers.next_deadline().unwrap();
        steps += 1;
        assert!(steps < 2 * LEVELS, "waking up too often");
    }
    assert_eq!(now, 7_123_456_789);
}

/// Random starts, cancels and clock steps of every size, against a sorted map.
#[test]
fn wheel_and_sorted_map_agree() {
    for seed in 1..=often(60, 2) {
        let mut random = Random::new(seed);
        let mut now = random.below64(1 << 40);
        let mut timers = Timers::new(now);
        let mut model: BTreeMap<(Nanos, u64), (TimerId, u64)> = BTreeMap::new();
        let mut past: Vec<TimerId> = Vec::new();
        for step in 0..often(2000, 300) {
            match random.below64(10) {
                0..=5 => {
                    let spread = 1 << random.below64(50);
                    let deadline = match random.below64(8) {
                        0 => now.saturating_sub(random.below64(1 << 20)),
                        1 => (now >> 20 << 20) + (1 << 20),
                        _ => now + random.below64(spread),
                    };
                    let id = timers.start(deadline, step);
                    model.insert((deadline, step), (id, step));
                }
                6..=7 => {
                    let at = random.below(model.len());
                    if let Some(key) = model.keys().nth(at).copied() {
                        let (id, token) = model.remove(&key).unwrap();
                        assert_eq!(timers.cancel(id), Some(token));
                        past.push(id);
                    }
                    if let Some(id) = past.get(random.below(past.len())) {
                        assert_eq!(timers.cancel(*id), None);
                    }
                }
                _ => {
                    let spread = 1 << random.below64(46);
                    now += random.below64(spread);
                    if random.below64(3) == 0 {
                        now = timers.next_deadline().map_or(now, |d| d.max(now));
                    }
                    // Sometimes only some of the due are taken.
                    let most = if random.below64(2) == 0 { random.below64(5) } else { u64::MAX };
                    for _ in 0..most {
                        let expected = model.first_key_value().filter(|(k, _)| k.0 <= now).map(|(k, v)| (*k, *v));
                        let got = timers.pop(now).map(|(token, at, _)| (token, at));
                        assert_eq!(got, expected.map(|(key, (_, token))| (token, key.0)), "seed {seed} step {step}");
                        let Some((key, (id, _))) = expected else { break };
                        model.remove(&key);
                        past.push(id);
                    }
                }
            }
            assert_eq!(timers.len(), model.len());
            if let Some(((deadline, _), _)) = model.first_key_value() {
                assert!(timers.next_deadline().unwrap() <= *deadline, "seed {seed} step {step}");
            }
            // All at once, and in portions.
            let (tokens, left) = timers.tokens_from(0, usize::MAX);
            assert_eq!((tokens.count(), left), (model.len(), 0));
            let (mut from, mut count) = (0, 0);
            loop {
                let (tokens, left) = timers.tokens_from(from, 3);
                (from, count) = (from + 3, count + tokens.count());
                if left == 0 {
                    break;
                }
            }
            assert_eq!(count, model.len());
        }
    }
}
