//! Text -> Ssa: reads what [`crate::print`] writes, so that a pass can be tested and run without the front end.
//!
//! By recursive descent over tokens; values keep their numbers, constants in operand position get new ones. The first
//! block of a function is its entry. Result types follow from the operations; calls write theirs.

use crate::ir::*;
use crate::print::{BINARIES, CONDS, ELEMS, FCONDS, OVFS, UNARIES};
use leat_abi::exn::Builtin;
use leat_abi::prim::Prim;

/// Reads a program. The error says the line.
pub fn program(text: &str) -> Result<Program, String> {
    let mut p = Parser { tokens: lex(text)?, at: 0, globals: Vec::new() };
    let mut program = Program::default();
    while !p.end() {
        let word = p.word()?;
        match word.as_str() {
            "global" => {
                let g = p.entity("g")?;
                p.expect(":")?;
                let ty = p.ty()?;
                put(&mut p.globals, g, ty, Ty::I64);
            }
            "data" => {
                let d = p.entity("d")?;
                p.expect("=")?;
                let data = p.data()?;
                put(&mut program.datas, d, data, StaticData::bytes([]));
            }
            "main" => program.main = Some(Func(p.entity("f")? as u32)),
            "fn" => {
                let (id, f) = p.function()?;
                put(&mut program.funcs, id, f, Function::new(String::new(), Vec::new()));
            }
            other => return p.fail(&format!("`{other}` begins nothing")),
        }
    }
    program.globals = p.globals;
    Ok(program)
}

fn put<T: Clone>(items: &mut Vec<T>, at: usize, item: T, empty: T) {
    if items.len() <= at {
        items.resize(at + 1, empty);
    }
    items[at] = item;
}

#[derive(Clone, PartialEq, Debug)]
enum Token {
    /// Names, numbers, with `.` and a leading `-` inside.
    Word(String),
    Text(Vec<u8>),
    Punct(&'static str),
}

fn lex(text: &str) -> Result<Vec<(Token, u32)>, String> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let (mut i, mut line) = (0, 1);
    while i < bytes.len() {
        let b = bytes[i];
        match b {
            b'\n' => {
                line += 1;
                i += 1;
            }
            b' ' | b'\t' | b'\r' => i += 1,
            b';' => {
                while i < bytes.len() && bytes[i] != b'\n' {
                    i += 1;
                }
            }
            b'"' => {
                let mut string = Vec::new();
                i += 1;
                loop {
                    match bytes.get(i) {
                        None => return Err(format!("line {line}: a string does not end")),
                        Some(b'"') => break,
                        Some(b'\\') => {
                            i += 1;
                            match bytes.get(i) {
                                Some(b'n') => string.push(b'\n'),
                                Some(b't') => string.push(b'\t'),
                                Some(b'r') => string.push(b'\r'),
                                Some(b'x') => {
                                    let hex = text.get(i + 1..i + 3).and_then(|h| u8::from_str_radix(h, 16).ok());
                                    string.push(hex.ok_or(format!("line {line}: a bad escape"))?);
                                    i += 2;
                                }
                                Some(&c) => string.push(c),
                                None => return Err(format!("line {line}: a string does not end")),
                            }
                        }
                        Some(&c) => string.push(c),
                    }
                    i += 1;
                }
                i += 1;
                out.push((Token::Text(string), line));
            }
            _ if b.is_ascii_alphanumeric() || b == b'_' || (b == b'-' && bytes.get(i + 1) != Some(&b'>')) => {
                let start = i;
                i += 1;
                while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || matches!(bytes[i], b'_' | b'.' | b'-')) {
                    i += 1;
                }
                out.push((Token::Word(text[start..i].to_string()), line));
            }
            _ => {
                const PUNCTS: &[&str] = &["->", "(", ")", "[", "]", "{", "}", ",", ":", "=", "*", "@"];
                let Some(p) = PUNCTS.iter().find(|p| text[i..].starts_with(**p)) else {
                    return Err(format!("line {line}: `{}` is no token", b as char));
                };
                i += p.len();
                out.push((Token::Punct(p), line));
            }
        }
    }
    Ok(out)
}

struct Parser {
    tokens: Vec<(Token, u32)>,
    at: usize,
    globals: Vec<Ty>,
}

/// A function being read.
struct Reading {
    f: Function,
    known: Vec<bool>,
    /// Constants get numbers above all written ones.
    block: Block,
}

type Res<T> = Result<T, String>;

impl Parser {
    fn end(&self) -> bool {
        self.at == self.tokens.len()
    }

    fn fail<T>(&self, message: &str) -> Res<T> {
        let line = self.tokens.get(self.at.saturating_sub(1)).or(self.tokens.last()).map_or(0, |t| t.1);
        Err(format!("line {line}: {message}"))
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|t| &t.0)
    }

    fn word(&mut self) -> Res<String> {
        match self.peek().cloned() {
            Some(Token::Word(w)) => {
                self.at += 1;
                Ok(w)
            }
            other => {
                self.at += 1;
                self.fail(&format!("a word is expected, not {other:?}"))
            }
        }
    }

    fn text(&mut self) -> Res<Vec<u8>> {
        match self.peek().cloned() {
            Some(Token::Text(t)) => {
                self.at += 1;
                Ok(t)
            }
            _ => self.fail("a string is expected"),
        }
    }

    fn is(&self, p: &str) -> bool {
        matches!(self.peek(), Some(Token::Punct(q)) if *q == p)
    }

    fn opt(&mut self, p: &str) -> bool {
        let is = self.is(p);
        self.at += usize::from(is);
        is
    }

    fn opt_word(&mut self, w: &str) -> bool {
        let is = matches!(self.peek(), Some(Token::Word(x)) if x == w);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, p: &str) -> Res<()> {
        if self.opt(p) {
            return Ok(());
        }
        let found = self.peek().cloned();
        self.at += 1;
        self.fail(&format!("`{p}` is expected, not {found:?}"))
    }

    fn entity(&mut self, prefix: &str) -> Res<usize> {
        let w = self.word()?;
        match w.strip_prefix(prefix).and_then(|n| n.parse::<u32>().ok()) {
            Some(n) if n < 1 << 24 => Ok(n as usize),
            _ => self.fail(&format!("`{w}` is no {prefix}-number")),
        }
    }

    fn number(&mut self) -> Res<i64> {
        let w = self.word()?;
        self.parse_number(&w)
    }

    fn parse_number(&self, w: &str) -> Res<i64> {
        let parsed = match w.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok().map(|n| n as i64),
            None => w.parse().ok(),
        };
        match parsed {
            Some(n) => Ok(n),
            None => self.fail(&format!("`{w}` is no number")),
        }
    }

    fn ty(&mut self) -> Res<Ty> {
        let w = self.word()?;
        self.parse_ty(&w)
    }

    fn parse_ty(&self, w: &str) -> Res<Ty> {
        match [Ty::I64, Ty::F64, Ty::F32, Ty::Ref].into_iter().find(|t| t.to_string() == w) {
            Some(ty) => Ok(ty),
            None => self.fail(&format!("`{w}` is no type")),
        }
    }

    fn builtin(&mut self) -> Res<Builtin> {
        let w = self.word()?;
        match Builtin::by_name(&w) {
            Some(b) => Ok(b),
            None => self.fail(&format!("`{w}` is no builtin exception")),
        }
    }

    /// Items up to a closing token, separated by commas.
    fn list<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Res<T>) -> Res<Vec<T>> {
        let mut out = Vec::new();
        if self.opt(close) {
            return Ok(out);
        }
        loop {
            out.push(item(self)?);
            if self.opt(close) {
                return Ok(out);
            }
            self.expect(",")?;
        }
    }

    fn data(&mut self) -> Res<StaticData> {
        if self.opt_word("bytes") {
            return Ok(StaticData::bytes(self.text()?));
        }
        if self.opt_word("array") {
            let log2 = self.number()? as u32;
            return Ok(StaticData::Array { log2, bytes: self.text()? });
        }
        if !self.opt_word("record") {
            return self.fail("`bytes`, `array` or `record` is expected");
        }
        let tag = self.number()? as u16;
        self.expect("[")?;
        let raws = self.list("]", |p| {
            Ok(if p.opt("@") { RawInit::Code(Func(p.entity("f")? as u32)) } else { RawInit::Int(p.number()?) })
        })?;
        self.expect("[")?;
        let refs = self.list("]", |p| {
            if p.opt_word("imm") {
                p.expect("(")?;
                let n = p.number()?;
                p.expect(")")?;
                return Ok(RefInit::Imm(n as u64));
            }
            Ok(RefInit::Data(Data(p.entity("d")? as u32)))
        })?;
        Ok(StaticData::Record { tag, raws, refs })
    }

    fn function(&mut self) -> Res<(usize, Function)> {
        let id = self.entity("f")?;
        let name = String::from_utf8_lossy(&self.text()?).into_owned();
        let is_closure = self.opt_word("closure");
        let noinline = self.opt_word("noinline");
        let entry_check = self.opt_word("entry_check");
        self.expect("(")?;
        self.list(")", |p| p.param())?;
        self.expect("->")?;
        self.expect("(")?;
        let results = self.list(")", |p| p.ty())?;
        self.expect("{")?;
        let mut f = Function::new(name, results);
        f.is_closure = is_closure;
        f.noinline = noinline;
        f.entry_check = entry_check;
        // Constants get numbers above all that are written.
        let mut depth = 1;
        let mut most = 0;
        for (token, _) in &self.tokens[self.at..] {
            match token {
                Token::Punct("{") => depth += 1,
                Token::Punct("}") => depth -= 1,
                Token::Word(w) => {
                    if let Some(n) = w.strip_prefix('v').and_then(|n| n.parse::<u32>().ok()) {
                        most = most.max(n.min(1 << 24) as usize + 1);
                    }
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        f.values = vec![Ty::I64; most];
        let mut r = Reading { known: vec![false; most], f, block: Block(0) };
        let mut first = true;
        while !self.opt("}") {
            let b = self.entity("b")?;
            put_block(&mut r.f, b);
            r.block = Block(b as u32);
            if first {
                r.f.entry = r.block;
                first = false;
            }
            self.expect("(")?;
            for (v, ty) in self.list(")", |p| p.param())? {
                self.define(&mut r, v, ty)?;
                r.f[r.block].params.push(v);
            }
            r.f[r.block].cold = self.opt_word("cold");
            if self.opt_word("handler") {
                let h = self.entity("b")?;
                put_block(&mut r.f, h);
                r.f[r.block].handler = Some(Block(h as u32));
            }
            self.expect(":")?;
            while !self.line(&mut r)? {}
        }
        Ok((id, r.f))
    }

    fn param(&mut self) -> Res<(Value, Ty)> {
        let v = Value(self.entity("v")? as u32);
        self.expect(":")?;
        Ok((v, self.ty()?))
    }

    fn define(&mut self, r: &mut Reading, v: Value, ty: Ty) -> Res<()> {
        r.f.values[v.0 as usize] = ty;
        r.known[v.0 as usize] = true;
        Ok(())
    }

    fn constant(&mut self, r: &mut Reading, op: Op) -> Value {
        let block = r.block;
        r.f.push(block, op, Loc::default())
    }

    fn value(&mut self, r: &mut Reading) -> Res<Value> {
        if self.opt("@") {
            let f = Func(self.entity("f")? as u32);
            return Ok(self.constant(r, Op::FuncAddr(f)));
        }
        let w = self.word()?;
        let digits = |w: &str| w.parse::<u32>().is_ok();
        if let Some(n) = w.strip_prefix('v').filter(|n| digits(n)) {
            return Ok(Value(n.parse().expect("digits")));
        }
        if let Some(n) = w.strip_prefix('d').filter(|n| digits(n)) {
            return Ok(self.constant(r, Op::Data(Data(n.parse().expect("digits")))));
        }
        if matches!(w.as_str(), "imm" | "f64" | "f32") {
            self.expect("(")?;
            let text = self.word()?;
            self.expect(")")?;
            let op = match w.as_str() {
                "imm" => Op::RefImm(self.parse_number(&text)? as u64),
                "f32" => Op::F32const(self.parse_number(&text)? as u32),
                _ if text.starts_with("0x") => Op::Fconst(self.parse_number(&text)? as u64),
                _ => match text.parse::<f64>() {
                    Ok(x) => Op::Fconst(x.to_bits()),
                    Err(_) => return self.fail(&format!("`{text}` is no real")),
                },
            };
            return Ok(self.constant(r, op));
        }
        let n = self.parse_number(&w)?;
        Ok(self.constant(r, Op::Iconst(n)))
    }

    fn values(&mut self, r: &mut Reading, close: &str) -> Res<Values> {
        Ok(self.list(close, |p| p.value(r))?.into_iter().collect())
    }

    fn target(&mut self, r: &mut Reading) -> Res<Target> {
        let b = self.entity("b")?;
        put_block(&mut r.f, b);
        self.expect("(")?;
        Ok(Target { block: Block(b as u32), args: self.values(r, ")")? })
    }

    fn callee(&mut self, r: &mut Reading) -> Res<(Callee, Values)> {
        let callee = if self.opt("*") {
            Callee::Closure(self.value(r)?)
        } else {
            let w = self.word()?;
            match (w.strip_prefix('f').and_then(|n| n.parse().ok()), Prim::by_name(&w)) {
                (Some(n), _) => Callee::Func(Func(n)),
                (None, Some(prim)) => Callee::Prim(prim),
                _ if let Some((number, way)) = foreign(&w) => Callee::Foreign(number, way),
                _ => return self.fail(&format!("`{w}` cannot be called")),
            }
        };
        self.expect("(")?;
        Ok((callee, self.values(r, ")")?))
    }

    /// `v[n]`
    fn place(&mut self, r: &mut Reading) -> Res<(Value, u32)> {
        let obj = self.value(r)?;
        self.expect("[")?;
        let field = self.number()? as u32;
        self.expect("]")?;
        Ok((obj, field))
    }

    /// An instruction or the terminator; true for the latter.
    fn line(&mut self, r: &mut Reading) -> Res<bool> {
        let mut results: Vec<(Value, Option<Ty>)> = Vec::new();
        // `v1, v2 =`, perhaps with types.
        if let Some(Token::Word(w)) = self.peek()
            && w.strip_prefix('v').is_some_and(|n| n.parse::<u32>().is_ok())
        {
            loop {
                let v = Value(self.entity("v")? as u32);
                let ty = if self.opt(":") { Some(self.ty()?) } else { None };
                results.push((v, ty));
                if self.opt("=") {
                    break;
                }
                self.expect(",")?;
            }
        }
        let word = self.word()?;
        if results.is_empty()
            && let Some(term) = self.term(r, &word)?
        {
            r.f[r.block].term = term;
            return Ok(true);
        }
        let op = self.op(r, &word)?;
        let types: Vec<Ty> = match &op {
            Op::Call(..) => match results.iter().map(|r| r.1).collect() {
                Some(types) => types,
                None => return self.fail("a call's results need their types"),
            },
            Op::GlobalLoad(g) => match self.globals.get(g.0 as usize) {
                Some(&ty) => vec![ty],
                None => return self.fail("the global is not declared"),
            },
            op => op.result_types(&r.f.values).to_vec(),
        };
        if types.len() != results.len() {
            return self.fail(&format!("`{word}` gives {} results", types.len()));
        }
        let mut inst = Inst { op, results: Default::default(), loc: Loc::default() };
        for ((v, _), ty) in results.into_iter().zip(types) {
            self.define(r, v, ty)?;
            inst.results.push(v);
        }
        r.f[r.block].insts.push(inst);
        Ok(false)
    }

    fn two(&mut self, r: &mut Reading) -> Res<(Value, Value)> {
        let a = self.value(r)?;
        self.expect(",")?;
        Ok((a, self.value(r)?))
    }

    fn op(&mut self, r: &mut Reading, word: &str) -> Res<Op> {
        let (head, suffix) = word.split_once('.').unwrap_or((word, ""));
        if let Some(&(u, _)) = UNARIES.iter().find(|n| n.1 == word) {
            return Ok(Op::Unary(u, self.value(r)?));
        }
        if let Some(&(b, _)) = BINARIES.iter().find(|n| n.1 == word) {
            let (x, y) = self.two(r)?;
            return Ok(Op::Binary(b, x, y));
        }
        if let Some(&(o, _)) = OVFS.iter().find(|n| n.1 == word) {
            let (x, y) = self.two(r)?;
            return Ok(Op::Ovf(o, x, y));
        }
        Ok(match head {
            "iconst" => Op::Iconst(self.number()?),
            "cmp" | "fcmp" => {
                let (x, y) = self.two(r)?;
                match (head, CONDS.iter().find(|n| n.1 == suffix), FCONDS.iter().find(|n| n.1 == suffix)) {
                    ("cmp", Some(&(c, _)), _) => Op::Cmp(c, x, y),
                    ("fcmp", _, Some(&(c, _))) => Op::FCmp(c, x, y),
                    _ => return self.fail(&format!("`{suffix}` is no condition")),
                }
            }
            "ref_eq" => {
                let (x, y) = self.two(r)?;
                Op::RefEq(x, y)
            }
            "is_imm" => Op::IsImm(self.value(r)?),
            "imm_value" => Op::ImmValue(self.value(r)?),
            "select" => {
                let c = self.value(r)?;
                self.expect(",")?;
                let (x, y) = self.two(r)?;
                Op::Select(c, x, y)
            }
            "guard" => {
                let c = self.value(r)?;
                self.expect(",")?;
                Op::Guard(c, self.builtin()?)
            }
            "alloc" => {
                let tag = self.number()? as u16;
                self.expect("[")?;
                let raws = self.values(r, "]")?;
                self.expect("[")?;
                Op::Alloc { tag, raws, refs: self.values(r, "]")? }
            }
            "load" | "load_mut" => {
                let ty = self.parse_ty(suffix)?;
                let (obj, field) = self.place(r)?;
                Op::Load { ty, obj, field, mutable: head == "load_mut" }
            }
            "store" | "store_barrier" => {
                let (obj, field) = self.place(r)?;
                self.expect(",")?;
                Op::Store { obj, field, value: self.value(r)?, barrier: head == "store_barrier" }
            }
            "tag" => Op::Tag(self.value(r)?),
            "length" => Op::Length(self.value(r)?),
            "elem" | "elem_mut" | "elem_store" | "elem_store_barrier" => {
                let Some(&(elem, _)) = ELEMS.iter().find(|n| n.1 == suffix) else {
                    return self.fail(&format!("`{suffix}` is no element"));
                };
                let array = self.value(r)?;
                self.expect("[")?;
                let index = self.value(r)?;
                self.expect("]")?;
                if head.starts_with("elem_store") {
                    self.expect(",")?;
                    let value = self.value(r)?;
                    Op::ElemStore { elem, array, index, value, barrier: head == "elem_store_barrier" }
                } else {
                    Op::ElemLoad { elem, array, index, mutable: head == "elem_mut" }
                }
            }
            "count_bytes" => {
                let array = self.value(r)?;
                self.expect("[")?;
                let index = self.value(r)?;
                self.expect("]")?;
                self.expect(",")?;
                let byte = self.number()?;
                Op::CountBytes { array, index, byte: byte as u8 }
            }
            "find_byte" => {
                let array = self.value(r)?;
                self.expect("[")?;
                let index = self.value(r)?;
                self.expect("]")?;
                let mut set = ByteSet::empty(self.opt_word("not"));
                self.expect("[")?;
                let ranges = self.list("]", |p| {
                    let low = p.number()?;
                    p.expect(":")?;
                    Ok((low as u8, p.number()? as u8))
                })?;
                if !ranges.into_iter().all(|(low, high)| set.add(low, high)) {
                    return self.fail("too many ranges");
                }
                Op::FindByte { array, index, set }
            }
            "cas" => {
                let ty = self.parse_ty(suffix)?;
                let (obj, field) = self.place(r)?;
                self.expect(",")?;
                let (old, new) = self.two(r)?;
                Op::Cas { ty, obj, field, old, new }
            }
            "global" => Op::GlobalLoad(Global(self.entity("g")? as u32)),
            "global_store" => {
                let g = Global(self.entity("g")? as u32);
                self.expect(",")?;
                Op::GlobalStore(g, self.value(r)?)
            }
            "exn_desc" => Op::ExnDesc(self.builtin()?),
            "exn_packet" => Op::ExnPacket(self.builtin()?),
            "current_thread" => Op::CurrentThread,
            "worker_mark" => Op::WorkerMark,
            "worker_company" => Op::WorkerCompany,
            "atomic" => Op::Atomic(self.number()?),
            "call" => {
                let (callee, args) = self.callee(r)?;
                Op::Call(callee, args)
            }
            "poll" => Op::Poll,
            "heap_check" => Op::HeapCheck(self.number()? as u32),
            _ => return self.fail(&format!("`{word}` is no operation")),
        })
    }

    fn term(&mut self, r: &mut Reading, word: &str) -> Res<Option<Term>> {
        Ok(Some(match word {
            "jump" => Term::Jump(self.target(r)?),
            "branch" => {
                let v = self.value(r)?;
                self.expect(",")?;
                let yes = self.target(r)?;
                self.expect(",")?;
                Term::Branch(v, yes, self.target(r)?)
            }
            "switch" => {
                let v = self.value(r)?;
                self.expect("{")?;
                let cases = self.list("}", |p| {
                    let n = p.number()?;
                    p.expect(":")?;
                    Ok((n, p.target(r)?))
                })?;
                if !self.opt_word("else") {
                    return self.fail("`else` is expected");
                }
                Term::Switch(v, cases, self.target(r)?)
            }
            "return" => {
                let mut vs = Values::new();
                if self.is_value() {
                    loop {
                        vs.push(self.value(r)?);
                        if !self.opt(",") {
                            break;
                        }
                    }
                }
                Term::Return(vs)
            }
            "tail_call" => {
                let (callee, args) = self.callee(r)?;
                Term::TailCall(callee, args)
            }
            "invoke" => {
                let (callee, args) = self.callee(r)?;
                self.expect("->")?;
                let ok = self.target(r)?;
                self.expect(",")?;
                Term::Invoke { callee, args, ok, handler: self.target(r)? }
            }
            "scope" => {
                let body = self.target(r)?;
                self.expect(",")?;
                Term::Scope { body, handler: self.target(r)? }
            }
            "raise" => Term::Raise(self.value(r)?),
            "raise_builtin" => Term::RaiseBuiltin(self.builtin()?),
            "unreachable" => Term::Unreachable,
            _ => return Ok(None),
        }))
    }

    /// Whether a value begins here, not a new block or the function's end.
    fn is_value(&self) -> bool {
        match self.peek() {
            Some(Token::Punct("@")) => true,
            Some(Token::Word(w)) => !(w.starts_with('b') && w[1..].parse::<u32>().is_ok()),
            _ => false,
        }
    }
}

fn put_block(f: &mut Function, b: usize) {
    while f.blocks.len() <= b {
        f.new_block();
    }
}

/// `c3_call`: a foreign function by its number.
fn foreign(word: &str) -> Option<(u32, leat_abi::foreign::Way)> {
    let (number, way) = word.strip_prefix('c')?.split_once('_')?;
    Some((number.parse().ok()?, leat_abi::foreign::Way::read(way)?))
}
