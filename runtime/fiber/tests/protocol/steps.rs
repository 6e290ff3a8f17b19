//! The steps of the model: what each worker can do next in a state, what must hold there, and the search.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use super::*;

/// A state is known by 64 bits.
struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte as u64));
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(n as u64);
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as u64);
    }

    fn write_u64(&mut self, n: u64) {
        let x = (self.0 ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = x ^ x >> 29;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

pub struct Explorer {
    allowed: Allowed,
    seen: HashSet<u64>,
    todo: Vec<State>,
    wrong: Option<String>,
}

impl Explorer {
    fn fail(&mut self, what: &str, state: &State) {
        self.wrong.get_or_insert_with(|| format!("{what}\n{state:?}"));
    }

    fn is(&self, mistake: Mistake) -> bool {
        self.allowed.mistake == mistake
    }

    fn add(&mut self, state: State) {
        let mut mix = Mix(1);
        state.hash(&mut mix);
        if self.seen.insert(mix.finish()) {
            self.check(&state);
            self.todo.push(state);
        }
    }

    /// Explores everything that can be reached; gives what is wrong, or the number of states.
    pub(super) fn run(allowed: Allowed, start: State) -> Result<usize, String> {
        let mut explorer = Explorer { allowed, seen: HashSet::new(), todo: Vec::new(), wrong: None };
        explorer.add(start);
        while let Some(state) = explorer.todo.pop() {
            let all = 0..state.workers.len();
            let mut goes_on = false;
            match all.clone().find(|&w| Self::is_private(&state, w)) {
                Some(w) => goes_on |= explorer.step(&state, w),
                None => {
                    all.for_each(|w| goes_on |= explorer.step(&state, w));
                    explorer.tick(&state);
                }
            }
            if !goes_on {
                if state.workers.iter().any(|w| w.pc != Pc::Over) {
                    explorer.fail("P4: nothing goes on, and nobody has seen a deadlock", &state);
                }
                if state.threads.iter().any(|t| t.queued) {
                    explorer.fail("P4: nothing goes on, and a thread is ready", &state);
                }
                if state.threads.iter().any(|t| t.woken) {
                    explorer.fail("P4: nothing goes on, and a thread that was woken is blocked", &state);
                }
            }
            if let Some(wrong) = explorer.wrong {
                return Err(wrong);
            }
        }
        Ok(explorer.seen.len())
    }

    /// Whether a worker's next step touches only what is its own, so that the other workers need not come in before.
    fn is_private(s: &State, w: usize) -> bool {
        let worker = &s.workers[w];
        let is_own = |t: u8| {
            let lane = s.threads[t as usize].lane;
            lane != NO && s.lanes[lane as usize].owner == w as u8
        };
        match worker.pc {
            Pc::Meet { t, .. } | Pc::Found { t } | Pc::Evict { t } | Pc::Put { t } | Pc::Resume { t } => is_own(t),
            Pc::Letters => worker.reading.first().is_some_and(|&(_, errand)| !matches!(errand, Errand::RunAt(_))),
            _ => false,
        }
    }

    fn check(&mut self, s: &State) {
        for (w, worker) in s.workers.iter().enumerate() {
            if worker.current != NO {
                let thread = s.threads[worker.current as usize];
                let lane = s.lanes[thread.lane as usize];
                if (thread.place, lane.owner, lane.resident) != (Frames::Running, w as u8, worker.current) {
                    self.fail("P1: a thread runs whose lane is not its own, or not its worker's", s);
                }
            }
        }
        let mut places = [0u8; 8];
        for worker in &s.workers {
            for &t in worker.queue.iter().chain(&worker.spent) {
                places[t as usize] += 1;
            }
            let is_spent = |t: &u8| s.threads[*t as usize].spent;
            if worker.queue.iter().any(is_spent) || !worker.spent.iter().all(is_spent) {
                self.fail("P5: a thread stands in the wrong queue of its worker", s);
            }
            for &(t, errand) in worker.inbox.iter().chain(&worker.reading) {
                places[t as usize] += u8::from(errand.holds());
            }
            match worker.pc {
                Pc::Meet { t, errand } | Pc::MeetAt { t, errand, .. } => places[t as usize] += u8::from(errand.holds()),
                Pc::Took { t, .. } | Pc::Deliver { t, .. } => places[t as usize] += 1,
                Pc::Found { t } | Pc::Evict { t } | Pc::Put { t } | Pc::Resume { t } => places[t as usize] += 1,
                _ => {}
            }
        }
        for (t, thread) in s.threads.iter().enumerate() {
            if places[t] != u8::from(thread.queued) {
                self.fail(&format!("P3: thread {t} is ready in {} places", places[t]), s);
            }
        }
    }

    /// Worker `me` changes the word of a thread; `v` is who it acts for.
    fn touch(&mut self, s: &State, t: u8, v: u8) {
        let lane = s.threads[t as usize].lane;
        if lane == NO || s.lanes[lane as usize].owner != v {
            self.fail("P2: a thread's word is changed by a worker that does not own its lane", s);
        }
    }

    /// Goes back from an operation to where it was called.
    fn done(&mut self, mut s: State, w: usize) -> bool {
        let worker = &mut s.workers[w];
        worker.pc = match (worker.serving, worker.current) {
            (Serving::Not, NO) => Pc::Next,
            (Serving::Not, _) => Pc::Run,
            _ if worker.sharing => Pc::Shares,
            _ => Pc::Letters,
        };
        self.goto(s)
    }

    fn goto(&mut self, s: State) -> bool {
        self.add(s);
        true
    }

    /// A letter was put into `v`'s inbox: asks it for a safepoint.
    fn write(&mut self, mut s: State, w: usize, v: u8, letter: Letter) -> bool {
        s.workers[v as usize].inbox.push(letter);
        s.workers[w].pc = Pc::Request { v };
        self.goto(s)
    }

    /// Something was queued at `v`, which is outside: wakes it if it is idle.
    fn wake(&mut self, mut s: State, w: usize, v: u8) -> bool {
        if s.workers[v as usize].busy != NO || self.is(Mistake::NoWake) {
            return self.done(s, w);
        }
        s.workers[w].pc = Pc::Wake { v };
        self.goto(s)
    }

    /// The last thing that is done here to a thread and its lane.
    fn hand_over(&mut self, mut s: State, w: usize, t: u8, v: u8, errand: Errand) -> bool {
        let lane = s.threads[t as usize].lane;
        if lane != NO {
            self.touch(&s, t, w as u8);
            s.lanes[lane as usize].owner = v;
        }
        s.workers[w].pc = Pc::Deliver { t, v, errand };
        self.goto(s)
    }

    /// `ready_own`.
    fn ready_own(&mut self, mut s: State, w: usize, t: u8) -> bool {
        self.touch(&s, t, w as u8);
        let thread = &mut s.threads[t as usize];
        if thread.place == Frames::Running || thread.queued && !thread.readied {
            thread.permit = true;
        } else if !thread.readied {
            (thread.queued, thread.readied) = (true, true);
            s.workers[w].queue.push(t);
        }
        self.done(s, w)
    }

    /// The running thread stops; its frames are on its lane.
    fn suspend(s: &mut State, w: usize) -> u8 {
        let t = std::mem::replace(&mut s.workers[w].current, NO);
        s.threads[t as usize].place = Frames::OnLane;
        t
    }

    fn block(&self, s: &mut State, w: usize) -> bool {
        let thread = &mut s.threads[s.workers[w].current as usize];
        thread.spent &= self.is(Mistake::BlocksSpent);
        if thread.permit {
            (thread.permit, thread.woken) = (false, false);
            return false;
        }
        Self::suspend(s, w);
        true
    }

    fn queue_current(s: &mut State, w: usize) {
        let t = Self::suspend(s, w);
        (s.threads[t as usize].queued, s.threads[t as usize].spent) = (true, false);
        s.workers[w].queue.push(t);
    }

    /// A ready thread goes to the end of the queue that it belongs to.
    fn enqueue(s: &mut State, v: u8, t: u8) {
        let worker = &mut s.workers[v as usize];
        if s.threads[t as usize].spent { worker.spent.push(t) } else { worker.queue.push(t) }
    }

    /// Takes out the first thread that may go elsewhere, of the second queue before the first.
    fn take(s: &mut State, v: usize, may: impl Fn(&State, u8) -> bool) -> Option<u8> {
        for spent in [true, false] {
            let queue = if spent { &s.workers[v].spent } else { &s.workers[v].queue };
            if let Some(at) = queue.iter().position(|&t| may(s, t)) {
                let worker = &mut s.workers[v];
                return Some(if spent { worker.spent.remove(at) } else { worker.queue.remove(at) });
            }
        }
        None
    }

    /// Everything that a running thread may begin, and what comes at a safepoint.
    fn run_thread(&mut self, s: &State, w: usize) -> bool {
        let t = s.workers[w].current;
        if s.workers[w].request {
            let mut p = s.clone();
            p.workers[w].request = false;
            p.workers[w].serving = Serving::Safepoint;
            p.workers[w].pc = Pc::Letters;
            self.add(p);
        }
        // When the operations are used up, the rest of the program only parks.
        let mut s = s.clone();
        let may = s.fuel > 0;
        s.fuel = s.fuel.saturating_sub(1);
        let mut p = s.clone();
        if self.block(&mut p, w) {
            p.workers[w].pc = Pc::Next;
        }
        self.add(p);
        if !may {
            return true;
        }
        let mut y = s.clone();
        Self::queue_current(&mut y, w);
        y.workers[w].pc = Pc::Next;
        self.add(y);
        if self.allowed.spent {
            // The ticker has asked for a safepoint, say.
            let mut y = s.clone();
            let t = Self::suspend(&mut y, w);
            (y.threads[t as usize].queued, y.threads[t as usize].spent) = (true, true);
            y.workers[w].spent.push(t);
            y.workers[w].pc = Pc::Next;
            self.add(y);
        }
        for other in (0..s.threads.len() as u8).filter(|&u| u != t) {
            let mut r = s.clone();
            r.threads[other as usize].woken = true;
            r.workers[w].pc = Pc::Meet { t: other, errand: Errand::Ready };
            self.add(r.clone());
            r.workers[w].pc = Pc::Meet { t: other, errand: Errand::RunAt(w as u8) };
            let mut h = r.clone();
            if !self.block(&mut h, w) {
                Self::queue_current(&mut h, w);
            }
            self.add(h);
            Self::queue_current(&mut r, w);
            self.add(r);
        }
        if self.allowed.blocking {
            let mut b = s.clone();
            b.workers[w].serving = Serving::Blocking;
            b.workers[w].pc = Pc::Letters;
            self.add(b);
        }
        let own = s.threads[t as usize].lane;
        for lane in 0..s.lanes.len() as u8 {
            if !self.allowed.throws || lane == own || s.lanes[lane as usize].owner == NO {
                continue;
            }
            let mut c = s.clone();
            c.lanes[own as usize].resident = NO;
            c.workers[w].current = NO;
            let thread = &mut c.threads[t as usize];
            (thread.place, thread.queued, thread.readied, thread.spent) = (Frames::InHeap, true, true, false);
            thread.lane = lane;
            c.workers[w].pc = Pc::Meet { t, errand: Errand::Queue };
            self.add(c);
        }
        true
    }

    /// The ticker finds a ready thread that waits, and an idle worker.
    fn tick(&mut self, state: &State) {
        let idle = state.workers.iter().position(|w| w.idle);
        let Some(idle) = idle.filter(|_| self.allowed.ticker) else { return };
        for (v, worker) in state.workers.iter().enumerate() {
            if worker.idle || worker.queue.is_empty() && worker.spent.is_empty() {
                continue;
            }
            let mut s = state.clone();
            s.workers[v].asked |= 1 << idle;
            s.workers[v].request = true;
            self.add(s);
            let mut s = state.clone();
            s.workers[idle].token = true;
            self.add(s);
        }
    }

    /// The owner of a thread's lane is `w` itself.
    fn met_own(&mut self, mut s: State, w: usize, t: u8, errand: Errand) -> bool {
        match errand {
            Errand::Ready => self.ready_own(s, w, t),
            Errand::RunAt(_) => {
                if !s.threads[t as usize].is_blocked() {
                    // It is ready, and will run in its turn: that is the wake-up.
                    return self.done(s, w);
                }
                if self.is(Mistake::WordBeforeOwner) {
                    s.workers[w].pc = Pc::SawBlocked { t };
                    return self.goto(s);
                }
                self.touch(&s, t, w as u8);
                (s.threads[t as usize].queued, s.threads[t as usize].readied) = (true, true);
                s.workers[w].pc = Pc::Found { t };
                self.goto(s)
            }
            _ if s.workers[w].serving == Serving::Not => {
                let goes_home = self.allowed.folds && !s.threads[t as usize].spent && self.is_free(&s, w, t);
                for home in (0..s.workers.len()).filter(|&home| goes_home && home != w) {
                    self.hand_over(s.clone(), w, t, home as u8, Errand::Spared);
                }
                s.workers[w].pc = Pc::Found { t };
                self.goto(s)
            }
            _ => {
                match errand {
                    Errand::Given => s.workers[w].queue.insert(0, t),
                    _ => Self::enqueue(&mut s, w as u8, t),
                }
                self.done(s, w)
            }
        }
    }

    /// All ways in which worker `w` can go on from here; false when it cannot.
    fn step(&mut self, state: &State, w: usize) -> bool {
        let me = w as u8;
        let pc = state.workers[w].pc;
        let mut s = state.clone();
        macro_rules! goto {
            ($pc:expr) => {{
                s.workers[w].pc = $pc;
                return self.goto(s);
            }};
        }
        match pc {
            Pc::Run => self.run_thread(state, w),
            Pc::Next => {
                let worker = &mut s.workers[w];
                if worker.request && !worker.idling {
                    worker.request = false;
                    worker.serving = Serving::Safepoint;
                    goto!(Pc::Letters)
                }
                if worker.queue.is_empty() && worker.spent.is_empty() {
                    goto!(Pc::Rob { v: 0 })
                }
                // Whose turn it is, is left open.
                if !worker.queue.is_empty() && !worker.spent.is_empty() {
                    let mut other = s.clone();
                    let t = other.workers[w].spent.remove(0);
                    other.workers[w].pc = Pc::Meet { t, errand: Errand::Queue };
                    self.add(other);
                }
                let worker = &mut s.workers[w];
                let t = if worker.queue.is_empty() { worker.spent.remove(0) } else { worker.queue.remove(0) };
                if s.threads[t as usize].lane == NO || self.is(Mistake::RunsWhatIsQueued) {
                    goto!(Pc::Found { t })
                }
                goto!(Pc::Meet { t, errand: Errand::Queue })
            }
            Pc::Meet { t, errand } => {
                let lane = s.threads[t as usize].lane;
                if lane == NO {
                    goto!(Pc::Win { t, errand, sure: false })
                }
                let v = s.lanes[lane as usize].owner;
                if v == me {
                    return self.met_own(s, w, t, errand);
                }
                if self.is(Mistake::WordBeforeOwner)
                    && matches!(errand, Errand::RunAt(_))
                    && s.threads[t as usize].is_blocked()
                {
                    let mut early = s.clone();
                    early.workers[w].pc = Pc::SawBlocked { t };
                    self.add(early);
                }
                goto!(Pc::MeetAt { t, errand, lane, v })
            }
            Pc::SawBlocked { t } => {
                let lane = s.threads[t as usize].lane;
                if s.lanes[lane as usize].owner != me {
                    goto!(Pc::Meet { t, errand: Errand::RunAt(me) })
                }
                (s.threads[t as usize].queued, s.threads[t as usize].readied) = (true, true);
                goto!(Pc::Found { t })
            }
            Pc::MeetAt { t, errand, lane, v } => {
                if s.workers[v as usize].lock != NO {
                    return false;
                }
                let again = s.threads[t as usize].lane != lane || s.lanes[lane as usize].owner != v;
                if again && !self.is(Mistake::LooksOnce) {
                    goto!(Pc::Meet { t, errand })
                }
                if !s.workers[v as usize].outside {
                    let errand =
                        if errand == Errand::Given || errand == Errand::Spared { Errand::Queue } else { errand };
                    return self.write(s, w, v, (t, errand));
                }
                self.touch(&s, t, v);
                let busy = s.workers[v as usize].busy;
                if !matches!(errand, Errand::Ready | Errand::RunAt(_)) {
                    Self::enqueue(&mut s, v, t);
                    return self.wake(s, w, v);
                }
                let thread = &mut s.threads[t as usize];
                if !thread.is_blocked() {
                    let yields = thread.queued && !thread.readied;
                    thread.permit |= thread.place == Frames::Running || yields && errand == Errand::Ready;
                    return self.done(s, w);
                }
                (thread.queued, thread.readied) = (true, true);
                let runs = matches!(errand, Errand::RunAt(_));
                if busy != lane && (runs || busy != NO) {
                    s.lanes[lane as usize].owner = me;
                    s.workers[v as usize].lock = me;
                    goto!(Pc::Took { t, v, runs })
                }
                if self.allowed.folds && busy == NO {
                    // It is not woken.
                    let mut taken = s.clone();
                    taken.lanes[lane as usize].owner = me;
                    taken.workers[v as usize].lock = me;
                    taken.workers[w].pc = Pc::Took { t, v, runs };
                    self.add(taken);
                }
                let queue = &mut s.workers[v as usize].queue;
                queue.insert(if runs { 0 } else { queue.len() }, t);
                self.wake(s, w, v)
            }
            Pc::Win { t, errand, sure } => {
                let thread = &mut s.threads[t as usize];
                if !sure && (thread.place != Frames::New || thread.queued) {
                    // It is ready; when somebody has placed it meanwhile, it may have run since.
                    if thread.lane == NO {
                        return self.done(s, w);
                    }
                    goto!(Pc::Meet { t, errand })
                }
                if !sure && self.is(Mistake::NewWithoutSwap) {
                    goto!(Pc::Win { t, errand, sure: true })
                }
                (thread.queued, thread.readied) = (true, true);
                if errand == Errand::Ready {
                    s.workers[w].queue.push(t);
                    return self.done(s, w);
                }
                goto!(Pc::Found { t })
            }
            Pc::Took { t, v, runs } => {
                s.workers[v as usize].lock = NO;
                if runs {
                    goto!(Pc::Found { t })
                }
                s.workers[w].queue.push(t);
                self.done(s, w)
            }
            Pc::Deliver { t, v, errand } => {
                if s.workers[v as usize].lock != NO {
                    return false;
                }
                if !s.workers[v as usize].outside {
                    return self.write(s, w, v, (t, errand));
                }
                if self.is(Mistake::ForgetsSpent) {
                    s.workers[v as usize].queue.push(t);
                } else {
                    Self::enqueue(&mut s, v, t);
                }
                self.wake(s, w, v)
            }
            Pc::Request { v } => {
                s.workers[v as usize].request = true;
                self.done(s, w)
            }
            Pc::Wake { v } => {
                s.workers[v as usize].token = true;
                self.done(s, w)
            }
            Pc::Found { t } => {
                let thread = s.threads[t as usize];
                if thread.lane != NO {
                    goto!(if thread.place == Frames::OnLane { Pc::Resume { t } } else { Pc::Evict { t } })
                }
                // A lane of its own, or a new one; lane 0 is the main thread's.
                let mut any = false;
                let grows = s.lanes.iter().position(|lane| lane.owner == NO && !self.is(Mistake::DoesNotGrow));
                for lane in 1..s.lanes.len() {
                    if s.lanes[lane].owner == me || grows == Some(lane) {
                        let mut p = s.clone();
                        p.lanes[lane].owner = me;
                        p.threads[t as usize].lane = lane as u8;
                        p.workers[w].pc = Pc::Evict { t };
                        self.add(p);
                        any = true;
                    }
                }
                if any {
                    return true;
                }
                for lane in 1..s.lanes.len() {
                    let owner = s.lanes[lane].owner;
                    if owner == NO {
                        self.fail("P6: a lane is looked at that was not made", &s);
                        return true;
                    }
                    self.hand_over(s.clone(), w, t, owner, Errand::Spared);
                }
                true
            }
            Pc::Evict { t } => {
                self.touch(&s, t, me);
                let lane = s.threads[t as usize].lane as usize;
                let resident = s.lanes[lane].resident;
                if resident != NO {
                    if s.threads[resident as usize].place != Frames::OnLane {
                        self.fail("P2: a thread is evicted that is not suspended", &s);
                    }
                    s.threads[resident as usize].place = Frames::InHeap;
                    s.lanes[lane].resident = NO;
                }
                goto!(Pc::Put { t })
            }
            Pc::Put { t } => {
                self.touch(&s, t, me);
                s.threads[t as usize].place = Frames::OnLane;
                let lane = s.threads[t as usize].lane as usize;
                s.lanes[lane].resident = t;
                goto!(Pc::Resume { t })
            }
            Pc::Resume { t } => {
                self.touch(&s, t, me);
                let thread = &mut s.threads[t as usize];
                let wrong = s.lanes[thread.lane as usize].resident != t || thread.place != Frames::OnLane;
                (thread.place, thread.queued, thread.readied, thread.woken) = (Frames::Running, false, false, false);
                if wrong {
                    self.fail("P2: a thread resumes that is not on its lane", &s);
                }
                (s.workers[w].current, s.workers[w].idling) = (t, false);
                goto!(Pc::Run)
            }
            Pc::Letters => self.read_letters(s, w),
            Pc::Shares => {
                let asked = s.workers[w].asked;
                if asked == 0 {
                    let worker = &mut s.workers[w];
                    (worker.serving, worker.sharing) = (Serving::Not, false);
                    goto!(if worker.current == NO { Pc::Next } else { Pc::Run })
                }
                let other = asked.trailing_zeros() as u8;
                s.workers[w].asked &= asked - 1;
                let grows = s.lanes.iter().any(|lane| lane.owner == NO);
                let spare = Self::take(&mut s, w, |s, t| {
                    let lane = s.threads[t as usize].lane;
                    if lane == NO { grows } else { s.lanes[lane as usize].owner == me && self.is_free(s, w, t) }
                });
                match spare {
                    None => goto!(Pc::Shares),
                    Some(t) => self.hand_over(s, w, t, other, Errand::Spared),
                }
            }
            Pc::Rob { v } => {
                if v as usize == s.workers.len() {
                    if s.workers[w].idling {
                        s.workers[w].pc = Pc::Ask;
                        return self.step(&s, w);
                    }
                    let worker = &mut s.workers[w];
                    (worker.idling, worker.request, worker.serving) = (true, false, Serving::Idle);
                    goto!(Pc::Letters)
                }
                let holder = &s.workers[v as usize];
                let none = holder.queue.is_empty() && (holder.spent.is_empty() || self.is(Mistake::SpentUnseen));
                if v == me || none || !holder.outside {
                    s.workers[w].pc = Pc::Rob { v: v + 1 };
                    return self.step(&s, w);
                }
                if s.workers[v as usize].lock != NO {
                    return false;
                }
                let grows = s.lanes.iter().any(|lane| lane.owner == NO);
                let busy = s.workers[v as usize].busy;
                let spare = Self::take(&mut s, v as usize, |s, t| {
                    let lane = s.threads[t as usize].lane;
                    if lane == NO { grows } else { lane != busy || self.is(Mistake::RobsBusyLane) }
                });
                let Some(t) = spare else { goto!(Pc::Rob { v: v + 1 }) };
                let lane = s.threads[t as usize].lane;
                if lane == NO {
                    goto!(Pc::Found { t })
                }
                if s.lanes[lane as usize].owner != v {
                    // Its lane went elsewhere: it follows.
                    goto!(Pc::Meet { t, errand: Errand::Queue })
                }
                s.lanes[lane as usize].owner = me;
                s.workers[v as usize].lock = me;
                goto!(Pc::Took { t, v, runs: true })
            }
            Pc::Ask => {
                let is_rich = |v: &Worker| v.queue.len() > 1 || !v.spent.is_empty();
                let rich = (0..s.workers.len()).find(|&v| v != w && is_rich(&s.workers[v]));
                let Some(v) = rich else { goto!(Pc::GoIdle) };
                s.workers[v].asked |= 1 << me;
                goto!(Pc::Asked { v: v as u8 })
            }
            Pc::Asked { v } => {
                s.workers[v as usize].request = true;
                goto!(Pc::GoIdle)
            }
            Pc::GoIdle => {
                if s.mutex != NO || s.workers[w].lock != NO {
                    return false;
                }
                if !s.workers[w].inbox.is_empty() && !self.is(Mistake::OutsideWithLetters) {
                    s.workers[w].idling = false;
                    goto!(Pc::Next)
                }
                (s.workers[w].outside, s.workers[w].busy) = (true, NO);
                s.mutex = me;
                goto!(Pc::Count)
            }
            Pc::Count => {
                s.mutex = NO;
                s.workers[w].idle = true;
                let quiet = |v: &Worker| v.queue.is_empty() && (v.spent.is_empty() || self.is(Mistake::SpentUnseen));
                let quiet = s.workers.iter().all(quiet) || self.is(Mistake::DeadlockUnseen);
                if quiet && s.workers.iter().all(|v| v.idle) {
                    s.workers.iter_mut().for_each(|v| v.pc = Pc::Over);
                    return self.goto(s);
                }
                goto!(Pc::Sleep)
            }
            Pc::Sleep => {
                if !s.workers[w].token {
                    return false;
                }
                s.workers[w].token = false;
                goto!(Pc::Wakes)
            }
            Pc::Wakes => {
                if s.mutex != NO {
                    return false;
                }
                s.workers[w].idle = false;
                goto!(Pc::ComeBack)
            }
            Pc::ComeBack => {
                if s.workers[w].lock != NO {
                    return false;
                }
                (s.workers[w].outside, s.workers[w].idling) = (false, false);
                goto!(Pc::Next)
            }
            Pc::Leave => {
                let idle = s.workers.iter().position(|v| v.idle);
                if let Some(idle) = idle.filter(|_| !s.workers[w].queue.is_empty() || !s.workers[w].spent.is_empty()) {
                    s.workers[idle].token = true;
                }
                goto!(Pc::InC)
            }
            Pc::InC => {
                if s.workers[w].lock != NO {
                    return false;
                }
                (s.workers[w].outside, s.workers[w].busy) = (false, NO);
                goto!(Pc::Run)
            }
            Pc::Over => false,
        }
    }

    fn is_free(&self, s: &State, w: usize, t: u8) -> bool {
        let current = s.workers[w].current;
        current == NO
            || s.threads[current as usize].lane != s.threads[t as usize].lane
            || self.is(Mistake::GivesBusyLane)
    }

    fn read_letters(&mut self, mut s: State, w: usize) -> bool {
        let me = w as u8;
        if !s.workers[w].reading.is_empty() {
            let (t, errand) = s.workers[w].reading.remove(0);
            if let Errand::RunAt(other) = errand {
                let thread = s.threads[t as usize];
                let own = s.lanes[thread.lane as usize].owner == me;
                if own && thread.is_blocked() && self.is_free(&s, w, t) {
                    (s.threads[t as usize].queued, s.threads[t as usize].readied) = (true, true);
                    return self.hand_over(s, w, t, other, Errand::Given);
                }
                s.workers[w].pc = Pc::Meet { t, errand: Errand::Ready };
                return self.goto(s);
            }
            if s.threads[t as usize].lane == NO {
                s.workers[w].queue.push(t);
                return self.done(s, w);
            }
            s.workers[w].pc = Pc::Meet { t, errand };
            return self.goto(s);
        }
        if s.workers[w].lock != NO {
            return false;
        }
        let blocking = s.workers[w].serving == Serving::Blocking;
        let worker = &mut s.workers[w];
        let unread = blocking && self.is(Mistake::OutsideWithLetters);
        if !worker.inbox.is_empty() && !unread {
            worker.reading = std::mem::take(&mut worker.inbox);
        } else if blocking {
            // Under the same lock.
            worker.serving = Serving::Not;
            (worker.outside, worker.busy) = (true, s.threads[worker.current as usize].lane);
            worker.pc = Pc::Leave;
        } else {
            worker.sharing = true;
            worker.pc = Pc::Shares;
            if worker.asked == 0 {
                return self.step(&s, w);
            }
        }
        self.goto(s)
    }
}
