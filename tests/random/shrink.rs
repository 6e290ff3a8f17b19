//! A text that fails -> the fewest of its declarations that fail likewise.

/// Drops declarations, half of them, a quarter, down to single ones, as long as what is left `fails`. A line that
/// begins with a blank belongs to the one before it. At most `tries` texts are tried.
pub fn shrink(text: &str, mut tries: usize, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut parts: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        match parts.last_mut() {
            Some(last) if line.starts_with(' ') => last.push_str(line),
            _ => parts.push(line.to_string()),
        }
    }
    let mut size = parts.len().div_ceil(2);
    while size > 0 {
        // From behind: what comes later needs what comes before.
        let mut end = parts.len();
        while end > 0 && tries > 0 {
            let start = end.saturating_sub(size);
            let mut fewer = parts.clone();
            fewer.drain(start..end);
            tries -= 1;
            if fails(&fewer.concat()) {
                parts = fewer;
            }
            end = start;
        }
        size /= 2;
    }
    parts.concat()
}
