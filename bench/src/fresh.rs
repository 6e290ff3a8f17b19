//! A number -> a program of so many lines that nobody has seen before: no cache of texts can know it.
//!
//! The same Standard ML for every system: datatypes, functions over them, folds, records, strings, exceptions and a
//! main part that uses all of it, in the mixture of a small compiler or tool. The numbers and names in it are the
//! seed's.

use std::fmt::Write;

/// A whole program; it prints one line.
pub fn program(lines: usize, seed: u64) -> String {
    let mut text = format!("(* {lines} lines, number {seed} *)\n");
    let mut next = seed;
    let mut random = |below: u64| {
        next = next.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (next >> 33) % below
    };
    let mut parts = 0;
    let mut count = 1;
    // The main part has as many lines as there are parts, and three.
    while count + PART + parts + 4 <= lines {
        part(&mut text, parts, seed, &mut random);
        parts += 1;
        count += PART;
    }
    let _ = writeln!(text, "val results = [");
    for i in 0..parts {
        let _ = writeln!(text, "  T{seed}_{i}.main {}{}", 1 + random(9), if i + 1 == parts { "" } else { "," });
    }
    let _ = writeln!(text, "]");
    let _ =
        writeln!(text, "val () = print (Int.toString (foldl (fn (a, b) => (a + b) mod 1000003) 0 results) ^ \"\\n\")");
    let written = text.lines().count();
    (written..lines).for_each(|i| {
        let _ = writeln!(text, "val line{i} = {}", random(1000));
    });
    text
}

/// Lines of a part.
const PART: usize = 40;

fn part(text: &mut String, i: usize, seed: u64, random: &mut impl FnMut(u64) -> u64) {
    let (a, b, c) = (1 + random(97), 1 + random(89), 1 + random(83));
    let _ = write!(
        text,
        r#"structure T{seed}_{i} =
struct
  datatype exp = Num of int | Var of string | Add of exp * exp | Mul of exp * exp | Let of string * exp * exp
  exception Unbound of string
  type state = {{steps : int, names : string list}}

  fun lookup (env, x) =
    case List.find (fn (y, _) => x = y) env of
      SOME (_, v) => v
    | NONE => raise Unbound x

  fun eval env (Num n) = n mod {a}1
    | eval env (Var x) = lookup (env, x)
    | eval env (Add (e, f)) = (eval env e + eval env f) mod 10007
    | eval env (Mul (e, f)) = (eval env e * eval env f) mod 10009
    | eval env (Let (x, e, f)) = eval ((x, eval env e) :: env) f

  fun simplify (Add (Num 0, e)) = simplify e
    | simplify (Add (e, f)) = Add (simplify e, simplify f)
    | simplify (Mul (Num 1, e)) = simplify e
    | simplify (Mul (e, f)) = Mul (simplify e, simplify f)
    | simplify (Let (x, e, f)) = Let (x, simplify e, simplify f)
    | simplify e = e

  fun make 0 = Num {b}
    | make n = Let ("x" ^ Int.toString n, make (n - 1), Add (Var ("x" ^ Int.toString n), Mul (Num {c}, make (n - 1))))

  fun show (Num n) = Int.toString n
    | show (Var x) = x
    | show (Add (e, f)) = "(" ^ show e ^ " + " ^ show f ^ ")"
    | show (Mul (e, f)) = show e ^ " * " ^ show f
    | show (Let (x, e, f)) = "let " ^ x ^ " = " ^ show e ^ " in " ^ show f

  fun count ({{steps, names}} : state, s) = {{steps = steps + size s, names = s :: names}}
  fun main n =
    let val e = make (n mod 5)
        val {{steps, ...}} = foldl (fn (s, t) => count (t, s)) {{steps = 0, names = []}} [show e, show (simplify e)]
    in (eval [] e + eval [] (simplify e) + steps) mod {a}7 handle Unbound _ => {c} end
end
"#
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_lines() {
        let text = program(1000, 42);
        assert_eq!(text.lines().count(), 1000);
        assert_ne!(text, program(1000, 43));
    }
}
