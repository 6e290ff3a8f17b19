//! How large nurseries are, and whether they stay where they are when they are full.
//!
//! A larger nursery gives objects more time to die, and a smaller one is in the cache. So the size follows what
//! survives:
//!
//! ```text
//!   Fixed      the user has said a size; it stays
//!
//!   First      1 MiB, as long as next to nothing survives, and hardly anything where much is allocated; then 4 MiB (2,
//!              if it is one of several workers'), Home
//!
//!                 four fifths survive, and there is room: SETTLED bytes
//!   Home ---------------------------------------------------------------> Away
//!        <---------------------------------------------------------------
//!                 less survives the one that is traced: as at first, or what has stayed;
//!                 a major collection suggests a size
//!
//!   Home       a nursery in its own place. What survives makes it
//!                x4 (more than half, up to 16 MiB), x2 (more than an eighth, twice, up to 8 MiB), or, after a while, /2 (next
//!                to nothing, see `Calm`).
//!              From 16 MiB on it must be worth it:
//!                Worth::Yes --- three quarters survive ---> Unclear --- again ---> No: as at first, and does not grow
//!                    ^------ at most half survives: x4 -------'                     |
//!                    ^------ at most half survives -------------------------------'
//!   Away       nurseries lie among the blocks and become old where they are, until `trust` bytes have;
//!              then one of SAMPLE bytes is traced, to see whether nearly all still survives
//! ```
//!
//! Besides, a major collection may suggest a size: see [`NurserySize::suggest`].

use super::major::NEXT_TO_NOTHING;
use crate::config::Collection;

/// Where a program with one worker begins (the memory of rows F5, F9, F21, F22: 6.8 MB, 3.6 with it).
const FIRST: usize = 1 << 20;
/// So much may live when it is full for the first time, what every program has included; later, next to nothing: what
/// is needed just at that moment would become old four times as often (rows F17, F20).
pub(super) const LITTLE: usize = FIRST / 16;
/// A program that has allocated so much has small collections enough to pay for three megabytes, unless hardly anything
/// has survived them (row B1: what a network of threads takes does not grow with its messages).
const MOST_FIRST: usize = 256 << 20;
const HARDLY: usize = MOST_FIRST / 256;
/// As large as the second-level caches of some machines and the third-level cache of all: smaller ones gained nothing
/// (row C4, `streams`), and threads that are spawned by the hundred fit (row A4).
pub(crate) const NURSERY: usize = 4 << 20;
/// Of each of several workers: a collection of one is one of all, so together they are as large as one worker's. With
/// 4 MiB each nothing was faster (rows W2, W4), and the second worker took four megabytes.
const NURSERY_OF_SEVERAL: usize = 2 << 20;
/// More was no gain (rows A3, C3). So large it becomes only where what was promoted is known to have died.
const MOST: usize = 64 << 20;
/// Because much survives it is not made larger than this, and because more than an eighth does, than that: in programs
/// whose lists, maps, texts and trees live on the same part survives in a larger one, which takes more memory and no
/// less time (rows F6, F25, F30; F3, F13, F14, F31).
const MOST_QUADRUPLED: usize = 16 << 20;
const MOST_DOUBLED: usize = 8 << 20;
/// Where the heap is full or address space is short, and where the user says so.
pub(crate) const LEAST: usize = 64 << 10;
/// Where the heap is full: what the runtime needs, a piece of stack, say, has room.
pub(crate) const TIGHT: usize = 128 << 10;
/// So much of it a nursery takes of pages that would be given back (row A3, from 500,000 cells).
const MOST_ADOPTED: usize = 32 << 20;
/// A nursery of this size of which nearly all survives, twice in a row, is no better than a small one (rows A5, B4:
/// threads that block).
const LARGE: usize = 16 << 20;
/// A nursery that stays where it is. Small, so that its headers are still in the cache when they are written (row B4).
const SETTLED: usize = 2 << 20;
/// The least that is worth the collection, where free memory lies scattered (row B4).
const LEAST_SETTLED: usize = 256 << 10;
/// One that is traced in between.
pub(super) const SAMPLE: usize = 1 << 20;
/// Least and most bytes that stay before one is traced. More would be wasted where the program begins with something
/// else: the messages that follow the spawns of row A4.
pub(super) const LEAST_TRUST: usize = 8 << 20;
pub(super) const MOST_TRUST: usize = 16 << 20;
/// A nursery may become large enough for what has stayed and died, if that is no more.
const MOST_REGRET: usize = 32 << 20;
/// A grown nursery is halved when so many bytes have been allocated with next to no survivors (row C4, `streams`).
pub(super) const CALM: usize = 64 << 20;
/// Minor collections of such bytes that halve it in any case.
const MOST_CALM: usize = 64;
/// Most suggestions of major collections that go by.
const MOST_CAUTION: u32 = 63;

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Fixed,
    /// How many bytes may be allocated before it is looked whether it is over; how many have survived meanwhile (None:
    /// it was not full yet).
    First {
        left: usize,
        survived: Option<usize>,
    },
    Home,
    /// How many bytes stay between two nurseries that are traced; how many of these are still to come; how many have
    /// stayed in all since nurseries left their places.
    Away {
        trust: usize,
        unseen: usize,
        settled: usize,
    },
}

impl Phase {
    const FIRST: Phase = Phase::First { left: MOST_FIRST, survived: None };
}

/// Whether a large nursery is worth its size.
#[derive(Clone, Copy, PartialEq)]
enum Worth {
    Yes,
    Unclear,
    No,
}

pub(super) struct NurserySize {
    /// No more than `room`, by whatever rule: behind it lies the next worker's nursery.
    bytes: usize,
    /// The size that it has before it grows, and gets again.
    home: usize,
    /// Most bytes of a nursery that the reservation has room for.
    room: usize,
    phase: Phase,
    worth: Worth,
    /// More than an eighth survived the last time: once may be what the program builds at its beginning (row F31).
    was_eighth: bool,
    calm: Calm,
    suggestions: Suggestions,
    /// Nurseries may leave their places.
    pub may_settle: bool,
}

impl NurserySize {
    /// Of nurseries for which the reservation has `room` bytes each.
    pub fn new(room: usize) -> NurserySize {
        NurserySize {
            bytes: FIRST,
            home: NURSERY,
            room,
            phase: Phase::FIRST,
            worth: Worth::Yes,
            was_eighth: false,
            calm: Calm { bytes: 0, enough: CALM, known: usize::MAX },
            suggestions: Suggestions { is_followed: false, caution: 0, pass_by: 0 },
            may_settle: false,
        }
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The size that the user has said; None: it follows what survives, and begins as in a new program.
    pub fn fix(&mut self, bytes: Option<usize>) {
        self.phase = if bytes.is_some() { Phase::Fixed } else { Phase::FIRST };
        self.bytes = bytes.unwrap_or(FIRST).clamp(LEAST, self.room).next_multiple_of(4096);
    }

    /// The user has said the size.
    pub fn is_fixed(&self) -> bool {
        self.phase == Phase::Fixed
    }

    /// The nursery, if its size is not fixed, is that of a program that begins.
    pub fn begin_anew(&mut self) {
        if self.phase != Phase::Fixed {
            self.fix(None);
        }
    }

    /// It is as small as that of a program that begins.
    pub fn is_first(&self) -> bool {
        matches!(self.phase, Phase::First { .. })
    }

    /// It is known that the program needs more than at its beginning.
    pub fn end_first(&mut self) {
        if self.is_first() {
            self.phase = Phase::Home;
            self.bytes = self.home;
        }
    }

    /// It is one of several from now on.
    pub fn becomes_one_of_several(&mut self) {
        self.home = NURSERY_OF_SEVERAL;
        if self.phase == Phase::Home && self.bytes == NURSERY {
            self.bytes = self.home;
        }
        self.end_first();
    }

    /// There are fewer from now on: it has its usual size at least, if the limit allows that to so many.
    pub fn becomes_one_of_fewer(&mut self) {
        if self.phase == Phase::Home {
            self.bytes = self.bytes.max(self.home.min(self.room));
        }
    }

    /// All workers' nurseries together take a quarter of the heap's limit at most, and each one has room for its own.
    pub fn cap(&mut self, limit: Option<usize>, workers: usize) {
        self.bytes = capped(self.bytes.min(self.room), limit, workers);
    }

    /// The size of one that comes to others, so that there are so many.
    pub fn joining(&self, limit: Option<usize>, workers: usize) -> usize {
        capped(self.bytes, limit, workers)
    }

    /// So many bytes of a nursery of the present size may come from elsewhere: it has room for them in its slot.
    pub fn adopted(&self, limit: Option<usize>, workers: usize) -> usize {
        capped(self.bytes.min(MOST_ADOPTED), limit, workers)
    }

    /// The next nursery that is full stays where it is.
    pub fn stays(&self) -> bool {
        matches!(self.phase, Phase::Away { unseen, .. } if unseen > 0)
    }

    /// The nursery lies among the blocks.
    pub fn is_away(&self) -> bool {
        matches!(self.phase, Phase::Away { .. })
    }

    /// So large at least the next nursery must be. One that is traced must not be smaller, or it would tell less.
    pub fn least(&self) -> usize {
        if self.stays() { self.bytes.min(LEAST_SETTLED) } else { self.bytes }
    }

    /// After a minor collection in which a nursery of `young` bytes stayed where it was.
    pub fn after_settled(&mut self, young: usize) {
        if let Phase::Away { unseen, settled, .. } = &mut self.phase {
            *settled += young;
            *unseen = unseen.saturating_sub(young);
            self.bytes = if *unseen > 0 { SETTLED } else { SAMPLE };
        }
    }

    /// After a minor collection that traced a nursery of `young` bytes, of which `promoted` survived.
    pub fn after_traced(&mut self, young: usize, promoted: usize, kind: Collection) {
        // A collection that the program asked for says nothing of how full the nursery gets.
        let was_full = kind == Collection::Minor && young * 2 >= self.bytes;
        let nearly_all = promoted * 5 >= young * 4;
        match self.phase {
            Phase::Fixed => {}
            // It has just become so; what survives says nothing of a first nursery that was full.
            Phase::First { .. } if kind == Collection::Pack => {}
            Phase::First { left, survived } => {
                let little = if survived.is_none() { LITTLE } else { FIRST / NEXT_TO_NOTHING };
                let survived = survived.unwrap_or(0) + promoted;
                let left = left.saturating_sub(young);
                if promoted > little || (left == 0 && survived > HARDLY) {
                    self.end_first();
                } else if left == 0 {
                    self.phase = Phase::First { left: MOST_FIRST, survived: Some(0) };
                } else {
                    self.phase = Phase::First { left, survived: Some(survived) };
                }
            }
            _ if self.may_settle && was_full && nearly_all => self.go_away(),
            Phase::Away { settled, .. } => {
                // What has stayed may have died, too: then it would have died in a nursery that holds all of it.
                let may_have_died = was_full && promoted * 2 <= young && settled + self.home <= MOST_REGRET;
                let bytes = if may_have_died { (settled + self.home).next_power_of_two() } else { self.home };
                self.bytes = bytes.min(self.room);
                self.phase = Phase::Home;
            }
            Phase::Home => {
                self.follow(young, promoted, kind);
                self.bytes = self.bytes.min(MOST).min(self.room);
            }
        }
    }

    /// Nearly all survives: the next nurseries stay where they are, twice as many bytes as the last time.
    fn go_away(&mut self) {
        self.suggestions.was_no_use();
        let (trust, settled) = match self.phase {
            Phase::Away { trust, settled, .. } => (2 * trust, settled),
            _ => (0, 0),
        };
        let trust = trust.clamp(LEAST_TRUST, MOST_TRUST);
        self.phase = Phase::Away { trust, unseen: trust, settled };
        self.calm.bytes = 0;
        self.bytes = SETTLED;
    }

    /// A nursery in its own place follows what survives.
    ///
    /// When nearly everything survives in a large one (a million threads that block), it only costs: pages that were
    /// never touched, and objects that the cache does not hold any more. So a large one grows on only when less has
    /// survived the next time, and else becomes small until less survives.
    fn follow(&mut self, young: usize, promoted: usize, kind: Collection) {
        if self.worth != Worth::Yes && promoted * 2 <= young && young * 4 >= self.bytes {
            // What survived the last time would have died in a larger one.
            if self.worth == Worth::Unclear {
                self.bytes *= 4;
            }
            self.worth = Worth::Yes;
        }
        if kind != Collection::Minor || young * 2 < self.bytes {
            return;
        }
        if self.bytes >= LARGE && promoted * 4 > young * 3 {
            if self.worth == Worth::Yes {
                self.worth = Worth::Unclear;
            } else {
                self.worth = Worth::No;
                self.bytes = self.home;
                self.suggestions.was_no_use();
            }
        } else if promoted * 2 > young {
            if self.worth != Worth::No {
                self.bytes = self.bytes.max((4 * self.bytes).min(MOST_QUADRUPLED));
            }
        } else if promoted * 8 > young && self.was_eighth {
            self.bytes = self.bytes.max((2 * self.bytes).min(MOST_DOUBLED));
        }
        self.was_eighth = promoted * 8 > young;
        if self.was_eighth {
            self.calm.bytes = 0;
        } else if promoted * NEXT_TO_NOTHING < young {
            self.bytes = self.calm.after(young, self.bytes, self.home);
        }
    }

    /// A major collection has found that most of what was allocated since the last one was promoted, `promoted` bytes,
    /// and died all the same (a large list that is dropped): the minor collections copied it in vain, and it would have
    /// died in a nursery that holds all of it. So the nursery becomes that large, if it can. If it turns out that as
    /// much survives in it, the next suggestions go by, twice as many each time.
    ///
    /// While nurseries stay, they do so because nearly all survives at first: then only a nursery that holds all of it
    /// is worth a trial.
    pub fn suggest(&mut self, promoted: usize) {
        let may_hold = promoted <= MOST || !self.is_away();
        if self.phase != Phase::Fixed && may_hold && promoted > self.bytes && self.suggestions.take() {
            self.bytes = promoted.next_power_of_two().min(MOST).min(self.room);
            self.worth = Worth::Yes;
            self.phase = Phase::Home;
        }
    }
}

/// All workers' nurseries together take a quarter of the heap's limit at most.
fn capped(bytes: usize, limit: Option<usize>, workers: usize) -> usize {
    match limit {
        Some(limit) => bytes.min(limit / 4 / workers.max(1)).max(LEAST).next_multiple_of(4096),
        None => bytes,
    }
}

/// How long a grown nursery has had next to no survivors.
///
/// It is halved when that has been so for a while: a smaller one is in the cache. When it has to grow again, the next
/// time takes twice as long, so that a program with phases does not pay for both each time; once it has its first size
/// again, half as long.
struct Calm {
    /// Bytes allocated so since the last collection that had many survivors; how many halve the nursery.
    bytes: usize,
    enough: usize,
    /// The size after the last halving, or to which it has grown since: a larger nursery has grown anew.
    known: usize,
}

impl Calm {
    /// Next to nothing of `young` bytes has survived: the size of a nursery that had `size` bytes, and `home` at first.
    fn after(&mut self, young: usize, size: usize, home: usize) -> usize {
        if size <= home {
            self.bytes = 0;
            return size;
        }
        if size > self.known {
            self.enough = (2 * self.enough).min(MOST_CALM * MOST);
            self.known = size;
        }
        self.bytes += young;
        if self.bytes < self.enough.min(MOST_CALM * size) {
            return size;
        }
        self.known = size / 2;
        self.bytes = 0;
        if size / 2 <= home {
            self.enough = (self.enough / 2).max(CALM);
        }
        size / 2
    }
}

/// Which suggestions of major collections are followed.
struct Suggestions {
    /// The nursery has the size that was suggested last, as far as is known.
    is_followed: bool,
    /// How many go by after one that was wrong, and how many still do.
    caution: u32,
    pass_by: u32,
}

impl Suggestions {
    /// Whether this one is followed.
    fn take(&mut self) -> bool {
        if self.pass_by > 0 {
            self.pass_by -= 1;
            return false;
        }
        self.is_followed = true;
        true
    }

    /// Nearly all has survived. If the nursery had the size that was suggested, the next suggestions go by.
    fn was_no_use(&mut self) {
        if std::mem::take(&mut self.is_followed) {
            self.caution = (2 * self.caution + 1).min(MOST_CAUTION);
            self.pass_by = self.caution;
        }
    }
}
