//! Groups of commands, by the markers of the streams.
//!
//! The stream has DEBUG_MARKER alone: a text for whoever reads it. A marker opens a group that ends at the next marker of
//! its context. Three texts mean more, by a convention of this crate:
//!
//! | text | meaning |
//! |---|---|
//! | `{ shadow pass` | opens a group in which others nest |
//! | `}` | ends the innermost of these, and the group in it |
//! | `name 7 shadow map` | resource 7 is called "shadow map"; without a text it has no name any more |
//! | any other | opens a group up to the context's next marker |
//!
//! Each context nests on its own. What a frame leaves open ends with the frame; a `}` too many ends nothing.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::limits::MAX_MARKER_DEPTH;

/// The meaning of a marker's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker<'t> {
    /// A group up to the context's next marker.
    Group(&'t str),
    /// A group in which others nest.
    Open(&'t str),
    /// The end of the innermost group in which others nest.
    Close,
    /// A resource has a name from here on; an empty one takes it away.
    Name {
        /// The handle of the resource.
        resource: u32,
        /// The name.
        name: &'t str,
    },
}

impl<'t> Marker<'t> {
    /// Parses the text of a marker.
    pub fn parse(text: &'t str) -> Self {
        let text = text.trim();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match word {
            "{" => Self::Open(rest.trim_start()),
            "}" => Self::Close,
            "name" => {
                let (handle, name) =
                    rest.trim_start().split_once(char::is_whitespace).unwrap_or((rest.trim_start(), ""));
                let is_number = handle.bytes().all(|byte| byte.is_ascii_digit());
                match handle.parse().ok().filter(|_| is_number) {
                    Some(resource) => Self::Name { resource, name: name.trim_start() },
                    None => Self::Group(text),
                }
            }
            _ => Self::Group(text),
        }
    }
}

/// A group that a marker has opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkerGroup {
    /// The text, of which what is no text is replaced.
    pub name: String,
    /// The context whose commands are in it.
    pub context: u32,
    /// The group that it is in, by its number.
    pub parent: Option<u32>,
    /// From its marker to behind its last command, in whatever the commands are counted by. Between them commands of
    /// other contexts may lie.
    pub range: Range<u64>,
}

/// Groups of the commands that come by, as far as the markers of a frame tell.
#[derive(Clone, Debug, Default)]
pub struct MarkerGroups {
    groups: Vec<MarkerGroup>,
    contexts: BTreeMap<u32, ContextGroups>,
}

/// The groups of a context that are open.
#[derive(Clone, Debug, Default)]
struct ContextGroups {
    /// Those in which others nest, the innermost last; nothing stands for one that is too deep.
    nested: Vec<Option<u32>>,
    /// The one that ends at the next marker.
    flat: Option<u32>,
    /// End of the last command.
    end: u64,
}

impl MarkerGroups {
    /// Takes in a command that is no marker, by where it ends.
    pub fn pass(&mut self, context: u32, end: u64) {
        self.contexts.entry(context).or_default().end = end;
    }

    /// Takes in a marker at `at`; gives the group that it belongs to itself: the one that it opens or ends.
    pub fn mark(&mut self, context: u32, text: &str, at: Range<u64>) -> Option<u32> {
        let Self { groups, contexts } = self;
        let own = contexts.entry(context).or_default();
        let marker = Marker::parse(text);
        let before = own.end;
        own.end = at.end;
        if let Marker::Name { .. } = marker {
            return own.innermost();
        }
        end(groups, own.flat.take(), before);
        let name = match marker {
            Marker::Close => {
                let ended = own.innermost();
                end(groups, own.nested.pop().flatten(), at.end);
                return ended;
            }
            Marker::Group(name) | Marker::Open(name) | Marker::Name { name, .. } => name,
        };
        let depth = own.nested.len();
        let opened = (depth < MAX_MARKER_DEPTH).then(|| {
            let number = groups.len() as u32;
            groups.push(MarkerGroup { name: name.to_owned(), context, parent: own.innermost(), range: at });
            number
        });
        match marker {
            Marker::Open(_) => own.nested.push(opened),
            _ => own.flat = opened,
        }
        own.innermost()
    }

    /// The innermost group that is open in a context.
    pub fn innermost(&self, context: u32) -> Option<u32> {
        self.contexts.get(&context)?.innermost()
    }

    /// All groups, in the order of their markers. Those that are still open end with the last command of their context.
    pub fn finish(mut self) -> Vec<MarkerGroup> {
        for own in self.contexts.into_values() {
            for open in own.nested.into_iter().flatten().chain(own.flat) {
                end(&mut self.groups, Some(open), own.end);
            }
        }
        self.groups
    }
}

impl ContextGroups {
    fn innermost(&self) -> Option<u32> {
        // Of groups that are too deep, the last that is not holds what is in them.
        self.flat.or_else(|| self.nested.iter().rev().copied().flatten().next())
    }
}

fn end(groups: &mut [MarkerGroup], group: Option<u32>, at: u64) {
    if let Some(group) = group.and_then(|group| groups.get_mut(group as usize)) {
        group.range.end = group.range.end.max(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_mean_what_the_convention_says() {
        for (text, expected) in [
            ("shadow pass", Marker::Group("shadow pass")),
            ("", Marker::Group("")),
            ("{ shadow pass ", Marker::Open("shadow pass")),
            ("{", Marker::Open("")),
            ("{0} of {1}", Marker::Group("{0} of {1}")),
            ("}", Marker::Close),
            ("} shadow pass", Marker::Close),
            ("}; done", Marker::Group("}; done")),
            ("name 7 shadow map", Marker::Name { resource: 7, name: "shadow map" }),
            ("name 7", Marker::Name { resource: 7, name: "" }),
            ("name  7  a", Marker::Name { resource: 7, name: "a" }),
            ("name +7 a", Marker::Group("name +7 a")),
            ("name 4294967296 a", Marker::Group("name 4294967296 a")),
            ("name", Marker::Group("name")),
            ("names 7 a", Marker::Group("names 7 a")),
        ] {
            assert_eq!(Marker::parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn contexts_nest_on_their_own_and_what_is_open_ends_with_the_frame() {
        let mut groups = MarkerGroups::default();
        assert_eq!(groups.mark(1, "}", 0..1), None);
        assert_eq!(groups.mark(1, "{ a", 1..2), Some(0));
        assert_eq!(groups.mark(2, "b", 2..3), Some(1));
        assert_eq!(groups.mark(1, "c", 3..4), Some(2));
        groups.pass(1, 5);
        groups.pass(2, 6);
        assert_eq!(groups.mark(1, "name 3 x", 6..7), Some(2));
        assert_eq!(groups.mark(1, "d", 7..8), Some(3));
        assert_eq!(groups.mark(1, "}", 8..9), Some(0));
        assert_eq!((groups.innermost(1), groups.innermost(2), groups.innermost(3)), (None, Some(1), None));
        assert_eq!(groups.mark(1, "{ e", 9..10), Some(4));
        groups.pass(1, 12);
        let found: Vec<_> =
            groups.finish().into_iter().map(|group| (group.name, group.context, group.parent, group.range)).collect();
        let group = |name: &str, context, parent, range| (name.to_owned(), context, parent, range);
        let expected = [
            group("a", 1, None, 1..9),
            group("b", 2, None, 2..6),
            group("c", 1, Some(0), 3..7),
            group("d", 1, Some(0), 7..8),
            group("e", 1, None, 9..12),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_too_deep_is_in_the_last_group_that_is_not() {
        let mut groups = MarkerGroups::default();
        let deep = MAX_MARKER_DEPTH as u64 + 5;
        for at in 0..deep {
            groups.mark(0, "{ x", at..at + 1);
        }
        assert_eq!(groups.innermost(0), Some(MAX_MARKER_DEPTH as u32 - 1));
        for at in deep..deep + 6 {
            groups.mark(0, "}", at..at + 1);
        }
        assert_eq!(groups.innermost(0), Some(MAX_MARKER_DEPTH as u32 - 2));
        assert_eq!(groups.finish().len(), MAX_MARKER_DEPTH);
    }
}
