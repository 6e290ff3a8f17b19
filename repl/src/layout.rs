//! Long answers are broken into lines where they may be.

/// Stands in a text for a space at which a line may end.
pub const BREAK: char = '\u{1}';

/// `val x =` VALUE ` : ` TYPE on one line if it fits, else on several: lines of a value end at [`BREAK`]s.
pub fn binding(head: &str, value: &str, ty: &str, width: usize) -> String {
    let flat: String = value.chars().filter(|&c| c != BREAK).collect();
    let short = format!("{head} {flat} : {ty}");
    if short.chars().count() <= width {
        return short;
    }
    let mut out = String::from(head);
    out.push(' ');
    let mut column = head.chars().count() + 1;
    for (i, piece) in value.split(BREAK).enumerate() {
        let length = piece.chars().count();
        if i > 0 && column + length > width {
            out.truncate(out.trim_end().len());
            out.push_str("\n  ");
            column = 2;
        }
        out.push_str(piece);
        column += length;
    }
    if column + 3 + ty.chars().count() > width {
        out.push_str("\n ");
    }
    out.push_str(" : ");
    out.push_str(ty);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_broken() {
        let value = format!("[1,{BREAK}2,{BREAK}3]");
        assert_eq!(binding("val x =", &value, "int list", 79), "val x = [1,2,3] : int list");
        assert_eq!(binding("val x =", &value, "int list", 12), "val x = [1,\n  2,3]\n  : int list");
    }
}
