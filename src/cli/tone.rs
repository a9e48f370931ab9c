//! Words in colour, where a terminal is and nobody has set NO_COLOR.

use std::fmt;
use std::io;
use std::sync::OnceLock;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

/// What a word says about what stands behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// As it should be.
    Good,
    /// Worth a look.
    Odd,
    /// Not as it should be.
    Bad,
}

impl Tone {
    fn style(self) -> Style {
        let color = match self {
            Self::Good => AnsiColor::Green,
            Self::Odd => AnsiColor::Yellow,
            Self::Bad => AnsiColor::Red,
        };
        color.on_default().bold()
    }

    /// The word as stdout takes it.
    pub(crate) fn on_stdout(self, word: &str) -> String {
        static TAKES_COLOR: OnceLock<bool> = OnceLock::new();
        self.paint(word, *TAKES_COLOR.get_or_init(|| takes_color(AutoStream::choice(&io::stdout()))))
    }

    /// The word as stderr takes it.
    pub(crate) fn on_stderr(self, word: &str) -> String {
        static TAKES_COLOR: OnceLock<bool> = OnceLock::new();
        self.paint(word, *TAKES_COLOR.get_or_init(|| takes_color(AutoStream::choice(&io::stderr()))))
    }

    fn paint(self, word: &str, takes_color: bool) -> String {
        let style = if takes_color { self.style() } else { Style::new() };
        Painted { word, style }.to_string()
    }
}

fn takes_color(choice: ColorChoice) -> bool {
    !matches!(choice, ColorChoice::Never)
}

struct Painted<'a> {
    word: &'a str,
    style: Style,
}

impl fmt::Display for Painted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { word, style } = self;
        write!(f, "{style}{word}{style:#}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_where_it_is_taken() {
        assert_eq!(Tone::Bad.paint("error", false), "error");
        assert_eq!(Tone::Bad.paint("error", true), "\u{1b}[1m\u{1b}[31merror\u{1b}[0m");
    }
}
