//! Numbers of things in words.

/// "no frames", "1 frame (0)", "3 frames (0 to 2)".
pub fn describe_count(count: u64, noun: &str) -> String {
    match count {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun} (0)"),
        _ => format!("{count} {noun}s (0 to {})", count - 1),
    }
}

/// "1 draw", "2 draws", "2 dispatches".
pub fn counted(count: usize, noun: &str) -> String {
    let ending = match (count, noun.ends_with("ch")) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{count} {noun}{ending}")
}
