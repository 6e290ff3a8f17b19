//! What SML/NJ's and MLton's runtimes take from a program's words -> options of this runtime.
//!
//! Only where `--runtime-words` asks for it: to most programs such a word is an argument like any other.
//!
//! ```text
//! prog ... @SMLalloc=4096 ...              SML/NJ: anywhere, and taken away
//! prog @MLton gc-summary max-heap 1g -- ...     MLton: first, up to --, and taken away; again behind it
//! ```
//!
//! What has no counterpart and changes no result (how a heap grows, how generations are sized) is taken without effect.
//! What a program cannot do without (a heap image) is refused.

use super::options::{RuntimeOptions, size};

/// Takes the runtime's words out of a program's. Gives the program's new name too, where `@SMLcmdname` has one.
pub fn take(options: &mut RuntimeOptions, arguments: &mut Vec<Vec<u8>>) -> Result<Option<Vec<u8>>, String> {
    mlton(options, arguments)?;
    let mut name = None;
    let mut kept = Vec::new();
    for word in arguments.drain(..) {
        match word.strip_prefix(b"@SML") {
            Some(rest) => smlnj(options, &String::from_utf8_lossy(rest), &mut name)?,
            None => kept.push(word),
        }
    }
    *arguments = kept;
    Ok(name)
}

/// Options of SML/NJ that say how its own heap, files or messages are laid out.
const SMLNJ_WITHOUT_EFFECT: &[&str] = &["heap", "ngens", "vmcache", "objects", "unlimited-heap", "quiet", "verbose"];

fn smlnj(options: &mut RuntimeOptions, word: &str, name: &mut Option<Vec<u8>>) -> Result<(), String> {
    let (option, value) = word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)));
    let need = || value.filter(|v| !v.is_empty()).ok_or_else(|| format!("option @SML{option} needs a value"));
    match option {
        // The number alone counts KB, as the manual has it.
        "alloc" => {
            let text = need()?;
            let text = if text.ends_with(|c: char| c.is_ascii_digit()) { format!("{text}K") } else { text.to_string() };
            options.nursery = size("@SMLalloc", &text, 64 << 10)?;
        }
        "cmdname" => *name = Some(need()?.as_bytes().to_vec()),
        "debug" => options.gc_log = true,
        "load" => {
            return Err(
                "option @SMLload: a program that Leat has built is its own image; there are no heap files".to_string()
            );
        }
        _ if SMLNJ_WITHOUT_EFFECT.contains(&option) => {}
        _ => return Err(format!("option @SML{word} means nothing here")),
    }
    Ok(())
}

/// Options of MLton that tune its own collector, with the number of words that follow each.
const MLTON_WITHOUT_EFFECT: &[(&str, usize)] = &[
    ("copy-generational-ratio", 1),
    ("copy-ratio", 1),
    ("grow-ratio", 1),
    ("hash-cons", 1),
    ("live-ratio", 1),
    ("mark-compact-generational-ratio", 1),
    ("mark-compact-ratio", 1),
    ("may-page-heap", 1),
    ("no-load-world", 0),
    ("nursery-ratio", 1),
    ("ram-slop", 1),
    ("use-mmap", 1),
];

fn mlton(options: &mut RuntimeOptions, arguments: &mut Vec<Vec<u8>>) -> Result<(), String> {
    let mut stop = false;
    while !stop && arguments.first().is_some_and(|word| word == b"@MLton") {
        let end = arguments.iter().position(|word| word == b"--").ok_or("@MLton needs -- behind its options")?;
        let mut words =
            arguments.drain(..=end).map(|word| String::from_utf8_lossy(&word).into_owned()).collect::<Vec<_>>();
        words.pop();
        let mut words = words.into_iter().skip(1);
        while let Some(word) = words.next() {
            let mut need = || words.next().ok_or_else(|| format!("@MLton option {word} needs a value"));
            match word.as_str() {
                "gc-summary" => options.gc_summary = Some(String::new()),
                "gc-summary-file" => options.gc_summary = Some(need()?),
                "gc-messages" => options.gc_log = true,
                "max-heap" | "fixed-heap" => options.heap_max = size("@MLton max-heap", &need()?, 1 << 20)?,
                "stop" => stop = true,
                "load-world" => return Err("@MLton load-world: images of a heap are not there".to_string()),
                _ => match MLTON_WITHOUT_EFFECT.iter().find(|(name, _)| *name == word) {
                    Some((_, count)) => (0..*count).try_for_each(|_| need().map(drop))?,
                    None => return Err(format!("@MLton option {word} means nothing here")),
                },
            }
        }
    }
    Ok(())
}

/// For a word that stands where an option of Leat would, or the program's file: how Leat says it.
pub fn hint(word: &str) -> Option<&'static str> {
    if word.starts_with("@SMLalloc") {
        return Some("an option of SML/NJ's runtime; here it is --nursery=SIZE");
    }
    if word.starts_with("@SMLload") {
        return Some(
            "an option of SML/NJ's runtime; here there are no heap files: name the program, or what `leat build` made",
        );
    }
    if word.starts_with("@SML") {
        return Some("an option of SML/NJ's runtime; `leat run --help` lists those of Leat's");
    }
    (word == "@MLton").then_some("for MLton's runtime; `leat run --help` lists the options of Leat's, as --gc-summary")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(words: &[&str]) -> Result<(RuntimeOptions, Option<String>, Vec<String>), String> {
        let mut options = RuntimeOptions::default();
        let mut arguments = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        let name = take(&mut options, &mut arguments)?;
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ok((options, name.map(text), arguments.into_iter().map(text).collect()))
    }

    #[test]
    fn words_of_smlnj_may_stand_anywhere() {
        let (options, name, rest) = taken(&["a", "@SMLalloc=4096", "b", "@SMLcmdname=me", "@SMLquiet"]).unwrap();
        assert_eq!((options.nursery, name.as_deref()), (4 << 20, Some("me")));
        assert_eq!(rest, ["a", "b"]);
        assert_eq!(taken(&["@SMLalloc=32M"]).unwrap().0.nursery, 32 << 20);
    }

    #[test]
    fn words_of_mlton_stand_first_and_end() {
        let words = ["@MLton", "gc-summary", "max-heap", "1g", "ram-slop", "0.5", "--", "x", "@MLton", "--"];
        let (options, _, rest) = taken(&words).unwrap();
        assert_eq!((options.gc_summary, options.heap_max), (Some(String::new()), 1 << 30));
        assert_eq!(rest, ["x", "@MLton", "--"]);
        let (options, _, rest) =
            taken(&["@MLton", "gc-messages", "--", "@MLton", "stop", "--", "@MLton", "x"]).unwrap();
        assert!(options.gc_log);
        assert_eq!(rest, ["@MLton", "x"]);
    }

    #[test]
    fn what_is_not_there_is_refused() {
        let table: &[(&[&str], &str)] = &[
            (
                &["@SMLload=heap"],
                "option @SMLload: a program that Leat has built is its own image; there are no heap files",
            ),
            (&["@SMLalloc="], "option @SMLalloc needs a value"),
            (&["@SMLalloc=much"], "option @SMLalloc must be a size like 512K or 8M, not much"),
            (&["@SMLnonsense=1"], "option @SMLnonsense=1 means nothing here"),
            (&["@MLton", "gc-summary"], "@MLton needs -- behind its options"),
            (&["@MLton", "nonsense", "--"], "@MLton option nonsense means nothing here"),
            (&["@MLton", "max-heap", "--"], "@MLton option max-heap needs a value"),
            (&["@MLton", "load-world", "w", "--"], "@MLton load-world: images of a heap are not there"),
        ];
        for (words, message) in table {
            assert_eq!(taken(words).map(|_| ()), Err(message.to_string()));
        }
    }
}
