//! A pass of an optimiser: a row in the table of its language, of Mono or of Ssa, with the reason for its place.

/// How much to do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Level {
    /// Only what is needed to run: `-O0`.
    None,
    #[default]
    Full,
}

/// A pass; `R` is what it runs, such as a function that changes a program.
pub struct Pass<R> {
    pub name: &'static str,
    /// It runs from this level on.
    pub level: Level,
    pub run: R,
    /// Passes that have to stand before it.
    pub after: &'static [&'static str],
    /// Why it runs where it does: a sentence.
    pub reason: &'static str,
}

/// Whether a table can be believed: names are unique, what a pass has to come after stands before it (and runs at all
/// levels at which it runs), and every reason is a sentence.
pub fn check<R>(passes: &[Pass<R>]) -> Result<(), String> {
    for (i, pass) in passes.iter().enumerate() {
        let before = |name: &str| passes[..i].iter().find(|other| other.name == name);
        if before(pass.name).is_some() {
            return Err(format!("{} stands twice", pass.name));
        }
        for name in pass.after {
            match before(name) {
                None => return Err(format!("{} has to come after {name}", pass.name)),
                Some(other) if other.level > pass.level => {
                    return Err(format!("{} runs without {name}, which it has to come after", pass.name));
                }
                Some(_) => {}
            }
        }
        let is_sentence = pass.reason.starts_with(|c: char| c.is_uppercase()) && pass.reason.ends_with('.');
        if !is_sentence {
            return Err(format!("the reason of {} is no sentence", pass.name));
        }
    }
    Ok(())
}

/// The passes of a level, a line each, for `--print-pipeline`.
pub fn show<R>(passes: &[Pass<R>], level: Level) -> String {
    let mut text = String::new();
    for pass in passes.iter().filter(|pass| pass.level <= level) {
        let after: Vec<&str> = pass
            .after
            .iter()
            .copied()
            .filter(|name| passes.iter().any(|p| p.name == *name && p.level <= level))
            .collect();
        let order = if after.is_empty() { String::new() } else { format!(" [after {}]", after.join(", ")) };
        text.push_str(&format!("  {:<10}  {}{order}\n", pass.name, pass.reason));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(name: &'static str, level: Level, after: &'static [&'static str], reason: &'static str) -> Pass<()> {
        Pass { name, level, run: (), after, reason }
    }

    #[test]
    fn a_table_that_is_out_of_order_is_found() {
        let first = || pass("first", Level::Full, &[], "It comes first.");
        let wrong = [
            (vec![first(), first()], "first stands twice"),
            (vec![pass("second", Level::Full, &["first"], "It needs it."), first()], "second has to come after first"),
            (vec![first(), pass("second", Level::None, &["first"], "It needs it.")], "second runs without first"),
            (vec![pass("first", Level::Full, &[], "because")], "the reason of first is no sentence"),
        ];
        for (table, message) in wrong {
            assert!(check(&table).unwrap_err().starts_with(message));
        }
        let table = [first(), pass("second", Level::Full, &["first"], "It needs it.")];
        check(&table).unwrap();
        assert_eq!(
            show(&table, Level::Full),
            "  first       It comes first.\n  second      It needs it. [after first]\n"
        );
        assert_eq!(show(&table, Level::None), "");
    }
}
