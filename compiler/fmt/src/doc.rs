//! Documents, and their layout: which of the places where a line may end become line ends.
//!
//! After Wadler, A prettier printer, 2003, in the strict form of Lindig, with nodes in one vector. The `pretty` crate
//! has the same algebra; this one is our own for three things that it lacks, and that a formatter of existing text
//! needs in its middle: comments that end their line wherever they stand (`Remark`, `owed` line ends), a choice that
//! looks at the first line only (`Choice`), and flat widths kept in the nodes, so that most groups are decided without
//! a walk.

/// A node's number.
pub(crate) type Id = u32;

/// Columns that a line should not pass.
pub(crate) const WIDTH: u32 = 100;

/// No line begins further to the right: what is nested hundreds of levels deep would be mostly blanks.
const DEEPEST: u32 = 80;

/// Wider than any line: the node cannot be on one line.
const NEVER: u32 = 1 << 24;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Nil,
    /// Bytes of the source: a token.
    Text {
        lo: u32,
        hi: u32,
    },
    /// A comment inside a line.
    Inline {
        lo: u32,
        hi: u32,
    },
    /// A comment behind what is on its line: the line ends after it.
    Remark {
        lo: u32,
        hi: u32,
    },
    /// Comments with a line of their own, `rows[first..first + count]`; an empty line may stand before and after it.
    Own {
        first: u32,
        count: u32,
        before: bool,
        after: bool,
    },
    Blank,
    /// A blank, or a line end if the group is broken; then with an empty line if `empty`.
    Line {
        empty: bool,
    },
    /// A line end always.
    Hard {
        empty: bool,
    },
    /// The parts are `parts[first..first + count]`.
    Cat {
        first: u32,
        count: u32,
    },
    Nest {
        by: u32,
        of: Id,
    },
    /// What is inside is indented to the column where it begins.
    Align {
        of: Id,
    },
    /// On one line if it fits there.
    Group {
        of: Id,
    },
    /// Never on one line.
    Broken {
        of: Id,
    },
    /// On one line; where `Choice` asks, it fits only so.
    Flat {
        of: Id,
    },
    /// `tight` if its first line fits, otherwise `loose`. If not `eager`, `loose` is taken when `last` fits on a line there.
    Choice {
        tight: Id,
        loose: Id,
        last: Id,
        eager: bool,
    },
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    /// Width on one line.
    width: u32,
    /// How much of that are comments and blanks at the end: they may stand beyond the margin if the line ends behind
    /// them.
    tail: u32,
    /// Ends in a remark, so a line end must follow.
    owes: bool,
}

/// All nodes of a document. Nodes may be used more than once.
pub(crate) struct Docs {
    nodes: Vec<Node>,
    parts: Vec<Id>,
    /// The beginnings and ends of comments with lines of their own.
    rows: Vec<(u32, u32)>,
}

pub(crate) const NIL: Id = 0;
pub(crate) const BLANK: Id = 1;
pub(crate) const LINE: Id = 2;
pub(crate) const HARD: Id = 3;
const LINE_EMPTY: Id = 4;
const HARD_EMPTY: Id = 5;

impl Docs {
    pub fn new(capacity: usize) -> Docs {
        let mut docs = Docs { nodes: Vec::with_capacity(capacity), parts: Vec::with_capacity(capacity), rows: vec![] };
        for (kind, width) in [
            (Kind::Nil, 0),
            (Kind::Blank, 1),
            (Kind::Line { empty: false }, 1),
            (Kind::Hard { empty: false }, NEVER),
            (Kind::Line { empty: true }, 1),
            (Kind::Hard { empty: true }, NEVER),
        ] {
            docs.push(kind, width, width, false);
        }
        docs
    }

    fn push(&mut self, kind: Kind, width: u32, tail: u32, owes: bool) -> Id {
        self.nodes.push(Node { kind, width: width.min(NEVER), tail, owes });
        self.nodes.len() as Id - 1
    }

    pub fn text(&mut self, lo: u32, hi: u32, width: u32) -> Id {
        self.push(Kind::Text { lo, hi }, width, 0, false)
    }

    pub fn inline(&mut self, lo: u32, hi: u32, width: u32) -> Id {
        self.push(Kind::Inline { lo, hi }, width + 1, width + 1, false)
    }

    pub fn remark(&mut self, lo: u32, hi: u32) -> Id {
        self.push(Kind::Remark { lo, hi }, 0, 0, true)
    }

    pub fn own(&mut self, comments: &[(u32, u32)], before: bool, after: bool) -> Id {
        let (first, count) = (self.rows.len() as u32, comments.len() as u32);
        self.rows.extend(comments);
        self.push(Kind::Own { first, count, before, after }, NEVER, 0, true)
    }

    pub fn line(&self, empty: bool) -> Id {
        if empty { LINE_EMPTY } else { LINE }
    }

    pub fn hard(&self, empty: bool) -> Id {
        if empty { HARD_EMPTY } else { HARD }
    }

    pub fn cat(&mut self, parts: &[Id]) -> Id {
        let (mut width, mut tail, mut owes) = (0u32, 0u32, false);
        let first = self.parts.len() as u32;
        for &part in parts {
            if part == NIL {
                continue;
            }
            let node = self.nodes[part as usize];
            // A line end stands in the middle.
            if owes && !matches!(node.kind, Kind::Remark { .. }) {
                width = NEVER;
            }
            width = (width + node.width).min(NEVER);
            tail = if node.tail == node.width { tail + node.tail } else { node.tail };
            owes = node.owes;
            self.parts.push(part);
        }
        let count = self.parts.len() as u32 - first;
        match count {
            0 => NIL,
            1 => {
                let only = self.parts[first as usize];
                self.parts.truncate(first as usize);
                only
            }
            _ => self.push(Kind::Cat { first, count }, width, tail, owes),
        }
    }

    fn wrap(&mut self, kind: Kind, of: Id) -> Id {
        if of == NIL {
            return NIL;
        }
        let Node { width, tail, owes, .. } = self.nodes[of as usize];
        self.push(kind, width, tail, owes)
    }

    pub fn nest(&mut self, by: u32, of: Id) -> Id {
        self.wrap(Kind::Nest { by, of }, of)
    }

    pub fn align(&mut self, of: Id) -> Id {
        self.wrap(Kind::Align { of }, of)
    }

    pub fn group(&mut self, of: Id) -> Id {
        self.wrap(Kind::Group { of }, of)
    }

    /// A group, which is broken in any case if `broken`.
    pub fn group_if(&mut self, broken: bool, of: Id) -> Id {
        if !broken || of == NIL {
            return self.group(of);
        }
        let owes = self.nodes[of as usize].owes;
        self.push(Kind::Broken { of }, NEVER, 0, owes)
    }

    pub fn flat(&mut self, of: Id) -> Id {
        self.wrap(Kind::Flat { of }, of)
    }

    /// The parts of the tight form. A remark before the last of them, whose line it ends, rules it out.
    pub fn choice(&mut self, tight: &[Id], loose: Id, last: Id, eager: bool) -> Id {
        let head = self.cat(&tight[..tight.len() - 1]);
        if self.nodes[head as usize].owes {
            return loose;
        }
        let tight = self.cat(&[head, tight[tight.len() - 1]]);
        let Node { width, tail, owes, .. } = self.nodes[tight as usize];
        self.push(Kind::Choice { tight, loose, last, eager }, width, tail, owes)
    }

    /// Can it not be on one line?
    pub fn is_tall(&self, of: Id) -> bool {
        self.nodes[of as usize].width >= NEVER
    }
}

/// How a node is laid out: on one line, or with its own line ends broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Flat,
    Broken,
}

/// What is still to be written: a node, its indentation and mode.
#[derive(Clone, Copy)]
struct Task {
    of: Id,
    indent: u32,
    mode: Mode,
}

/// What the document's bytes are, and how comments and tokens of several lines are written.
pub(crate) struct Layout<'a> {
    docs: &'a Docs,
    source: &'a str,
    out: String,
    column: u32,
    /// Line ends that wait for the next text: none, one, or two for an empty line.
    owed: u8,
    /// The indentation of the line that they begin.
    indent: u32,
    /// A remark or a comment of its own was written: text must not follow on its line.
    closed: bool,
    /// A comment was written last; text that follows it on its line stands behind a blank.
    commented: bool,
    /// The column behind the last token.
    token_end: u32,
    tasks: Vec<Task>,
    probe: Vec<(Id, Mode)>,
    /// The beginnings of what was written, one for each text and comment, in order, with where it stood in the source.
    pub places: Vec<(u32, u32)>,
}

/// Lays the document out. Answers the text, and for each token and comment where it stood and where it stands.
pub(crate) fn layout(docs: &Docs, root: Id, source: &str, head: &str) -> (String, Vec<(u32, u32)>) {
    let mut out = String::with_capacity(source.len() + source.len() / 8);
    out.push_str(head);
    let mut layout = Layout {
        docs,
        source,
        out,
        column: 0,
        owed: 0,
        indent: 0,
        closed: false,
        commented: false,
        token_end: 0,
        tasks: vec![Task { of: root, indent: 0, mode: Mode::Broken }],
        probe: vec![],
        places: Vec::with_capacity(docs.nodes.len() / 4),
    };
    layout.run();
    let Layout { mut out, places, .. } = layout;
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    (out, places)
}

impl Layout<'_> {
    fn run(&mut self) {
        while let Some(Task { of, indent, mode }) = self.tasks.pop() {
            let node = self.docs.nodes[of as usize];
            match node.kind {
                Kind::Nil => {}
                Kind::Text { lo, hi } => self.text(lo, hi, indent),
                Kind::Inline { lo, hi } => {
                    if self.closed {
                        self.newline(indent, false);
                    }
                    self.comment(lo, hi);
                }
                Kind::Remark { lo, hi } => {
                    self.comment(lo, hi);
                    self.closed = true;
                }
                Kind::Own { first, count, before, after } => {
                    if self.owed == 0 {
                        self.newline(indent, before && !self.after_opening());
                    }
                    for &(lo, hi) in &self.docs.rows[first as usize..(first + count) as usize] {
                        self.comment(lo, hi);
                    }
                    self.newline(indent, after);
                }
                Kind::Blank => self.blank(),
                Kind::Line { .. } if mode == Mode::Flat && self.closed => self.newline(indent, false),
                Kind::Line { .. } if mode == Mode::Flat => self.blank(),
                Kind::Line { empty } | Kind::Hard { empty } => self.newline(indent, empty),
                Kind::Cat { first, count } => {
                    let parts = &self.docs.parts[first as usize..(first + count) as usize];
                    self.tasks.extend(parts.iter().rev().map(|&of| Task { of, indent, mode }));
                }
                Kind::Nest { by, of } => self.tasks.push(Task { of, indent: indent + by, mode }),
                Kind::Align { of } => {
                    let indent = match () {
                        () if self.owed > 0 => self.indent,
                        // A comment ends the line: what comes stands below the bracket, not below the comment.
                        () if self.closed => self.token_end,
                        () => self.column,
                    };
                    self.tasks.push(Task { of, indent, mode });
                }
                Kind::Group { of } => {
                    let flat = mode == Mode::Flat || self.fits(of);
                    self.tasks.push(Task { of, indent, mode: if flat { Mode::Flat } else { Mode::Broken } });
                }
                Kind::Broken { of } => self.tasks.push(Task { of, indent, mode: Mode::Broken }),
                Kind::Flat { of } => self.tasks.push(Task { of, indent, mode: Mode::Flat }),
                Kind::Choice { tight, .. } if mode == Mode::Flat => self.tasks.push(Task { of: tight, indent, mode }),
                Kind::Choice { tight, loose, last, eager } => {
                    let (of, mode) = if self.fits(tight) {
                        (tight, Mode::Flat)
                    } else if (eager || !self.fits_below(last, indent)) && self.first_line_fits(tight) {
                        (tight, Mode::Broken)
                    } else {
                        (loose, Mode::Broken)
                    };
                    self.tasks.push(Task { of, indent, mode });
                }
            }
        }
    }

    // ------------------------------------------------------------ what fits

    /// Where the next text begins.
    fn start(&self) -> u32 {
        if self.owed > 0 { self.indent } else { self.column }
    }

    /// Does the node fit on the line, with what follows up to where that may be broken?
    fn fits(&mut self, of: Id) -> bool {
        let node = self.docs.nodes[of as usize];
        let end = self.start() + node.width;
        end - node.tail <= WIDTH && (node.owes || self.rest_fits(end))
    }

    /// Does it fit on a line of its own, one level deeper?
    fn fits_below(&mut self, of: Id, indent: u32) -> bool {
        let node = self.docs.nodes[of as usize];
        let end = indent + 2 + node.width;
        end - node.tail <= WIDTH && self.rest_fits(end)
    }

    /// Does what follows fit behind a column, up to the first place where a line may end?
    fn rest_fits(&mut self, column: u32) -> bool {
        let mut column = column;
        for i in (0..self.tasks.len()).rev() {
            let Task { of, mode, .. } = self.tasks[i];
            match self.advance(of, mode, column) {
                Advance::Line => return true,
                Advance::Full => return false,
                Advance::End(end) => column = end,
            }
        }
        true
    }

    /// Does it fit up to the first place in it where a line may end?
    fn first_line_fits(&mut self, of: Id) -> bool {
        matches!(self.advance(of, Mode::Broken, self.start()), Advance::Line)
    }

    /// Writes nothing, but goes on from a column to the first place where a line may end.
    fn advance(&mut self, of: Id, mode: Mode, column: u32) -> Advance {
        let mut column = column;
        let mut probe = std::mem::take(&mut self.probe);
        probe.clear();
        probe.push((of, mode));
        let result = loop {
            let Some((of, mode)) = probe.pop() else {
                break Advance::End(column);
            };
            let node = self.docs.nodes[of as usize];
            if mode == Mode::Flat {
                column += node.width;
                if node.width > node.tail && column - node.tail > WIDTH {
                    break Advance::Full;
                }
                if node.owes {
                    break Advance::Line;
                }
                continue;
            }
            match node.kind {
                Kind::Nil => {}
                Kind::Inline { .. } | Kind::Blank => column += node.width,
                Kind::Text { .. } => {
                    column += node.width;
                    if column > WIDTH {
                        break Advance::Full;
                    }
                }
                Kind::Remark { .. } | Kind::Own { .. } | Kind::Line { .. } | Kind::Hard { .. } => {
                    break Advance::Line;
                }
                Kind::Cat { first, count } => {
                    let parts = &self.docs.parts[first as usize..(first + count) as usize];
                    probe.extend(parts.iter().rev().map(|&of| (of, Mode::Broken)));
                }
                Kind::Nest { of, .. } | Kind::Align { of } | Kind::Group { of } | Kind::Broken { of } => {
                    probe.push((of, Mode::Broken));
                }
                Kind::Flat { of } => probe.push((of, Mode::Flat)),
                Kind::Choice { loose, .. } => probe.push((loose, Mode::Broken)),
            }
        };
        self.probe = probe;
        result
    }

    // -------------------------------------------------------------- writing

    fn newline(&mut self, indent: u32, empty: bool) {
        self.owed = self.owed.max(1 + u8::from(empty));
        self.indent = indent.min(DEEPEST);
        self.closed = false;
    }

    /// Writes the line ends that are owed.
    fn settle(&mut self) {
        if self.owed == 0 {
            return;
        }
        while self.out.ends_with(' ') {
            self.out.pop();
        }
        if !self.out.is_empty() {
            for _ in 0..self.owed {
                self.out.push('\n');
            }
        }
        self.owed = 0;
        self.out.extend(std::iter::repeat_n(' ', self.indent as usize));
        self.column = self.indent;
    }

    fn blank(&mut self) {
        if self.owed == 0 && !self.closed && !self.out.ends_with(' ') && !self.out.is_empty() {
            self.out.push(' ');
            self.column += 1;
        }
    }

    /// Does the written text end in a bracket that was opened?
    fn after_opening(&self) -> bool {
        self.out.ends_with(['(', '[', '{']) || self.out.is_empty()
    }

    fn text(&mut self, lo: u32, hi: u32, indent: u32) {
        if self.closed {
            self.newline(indent, false);
        }
        self.settle();
        let token = &self.source[lo as usize..hi as usize];
        // `_import` is two tokens that stand together: behind a name that ends in `_` there would be a blank in the source.
        let commented = std::mem::take(&mut self.commented);
        if (commented && self.column > 0 && !matches!(token, ")" | "]" | "}" | "," | ";"))
            || (glues(self.out.as_bytes(), token.as_bytes()) && !self.source[..lo as usize].ends_with('_'))
        {
            self.blank();
        }
        self.places.push((lo, self.out.len() as u32));
        self.lines(token, lo, false);
        self.token_end = self.column;
    }

    fn comment(&mut self, lo: u32, hi: u32) {
        self.settle();
        if !self.after_opening() && self.column > 0 && !self.out.ends_with([' ', '\n']) {
            self.out.push(' ');
            self.column += 1;
        }
        self.places.push((lo, self.out.len() as u32));
        self.lines(&self.source[lo as usize..hi as usize], lo, true);
        self.commented = true;
    }

    /// Writes a token or a comment; where it has several lines, the later ones move as the first one has moved.
    fn lines(&mut self, text: &str, lo: u32, comment: bool) {
        if !text.contains('\n') {
            self.out.push_str(text);
            self.column += width_of(text);
            return;
        }
        // In a string's gap blanks at the end of a line are part of the text, but not of the string.
        let ends: &[char] = if comment { &[' ', '\t', '\r'] } else { &['\r'] };
        // With what tabs are before it on its line, in both texts; layout counts a tab as one column.
        let moved = i64::from(column_of(&self.out, self.out.len())) - i64::from(column_of(self.source, lo as usize));
        for (i, line) in text.split('\n').enumerate() {
            let line = line.trim_end_matches(ends);
            if i == 0 {
                self.out.push_str(line);
                self.column += width_of(line);
                continue;
            }
            self.out.push('\n');
            let (old, bytes) = indentation(line);
            self.column = 0;
            if bytes < line.len() {
                self.column = (i64::from(old) + moved).max(0) as u32;
                self.out.extend(std::iter::repeat_n(' ', self.column as usize));
                self.out.push_str(&line[bytes..]);
                self.column += width_of(&line[bytes..]);
            }
        }
    }
}

enum Advance {
    /// A line may end before the width is used up.
    Line,
    /// The width is used up.
    Full,
    /// All of it fits, up to this column.
    End(u32),
}

/// Would a token written directly behind this text become part of something else?
fn glues(before: &[u8], token: &[u8]) -> bool {
    let (Some(&last), Some(&first)) = (before.last(), token.first()) else { return false };
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'\'';
    let sign = |b: u8| b"!%&$#+-/:<=>?@\\~`^|*".contains(&b);
    match (last, first) {
        (b'(', b'*') | (b'*', b')') => true,
        (b'~', b'0'..=b'9') | (b'#', b'"') | (b'.', b'.') => true,
        _ => (word(last) && word(first)) || (sign(last) && sign(first)),
    }
}

/// The width of a line's beginning, and how many bytes it has.
fn indentation(line: &str) -> (u32, usize) {
    let (mut column, mut bytes) = (0, 0);
    for b in line.bytes() {
        match b {
            b' ' => column += 1,
            b'\t' => column = (column / 8 + 1) * 8,
            b'\r' => {}
            _ => break,
        }
        bytes += 1;
    }
    (column, bytes)
}

/// The column of a place, from 0.
fn column_of(text: &str, at: usize) -> u32 {
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    text[start..at].chars().fold(0, |column, c| if c == '\t' { (column / 8 + 1) * 8 } else { column + 1 })
}

/// How many columns a text has at most, in characters. A tab has up to eight, which depends on where it will stand: if
/// it counted less here, what was said to fit might not, and a second run would find it broken.
pub(crate) fn width_of(text: &str) -> u32 {
    let tabs = text.bytes().filter(|&b| b == b'\t').count() as u32;
    7 * tabs + if text.is_ascii() { text.len() as u32 } else { text.chars().count() as u32 }
}
