//! Time of a scope's own: its length without the scopes inside of it, as stretches, so that it can be told for any part of
//! a timeline.
//!
//! ```text
//!  outer   ├──────────────────────┤
//!  inner        ├─────┤  ├──┤
//!  own     outer│inner│ou│in│outer
//! ```

use std::cmp::Ordering;
use std::collections::BTreeMap;

use foldhash::HashMap;
use serde::Serialize;

use super::{Span, StringId, Tick, Timeline, Track, TrackId, TrackKind};

/// What is told of the scopes of a track, in the order of its axis.
trait ScopeVisitor {
    /// A scope begins at `at`; it ends at `end`. One that was left but never entered begins at tick 0.
    fn enter(&mut self, name: StringId, at: Tick, end: Tick);

    /// The innermost scope is over.
    fn leave(&mut self);

    /// From `begin` to `end` the innermost scope is the one called `name`.
    fn stretch(&mut self, name: StringId, begin: Tick, end: Tick);
}

fn visit_scopes(track: &Track, visitor: &mut impl ScopeVisitor) {
    let mut walk = Walk { unbegun: &track.without_begin, scopes: Vec::new(), at: Tick(0), visitor };
    // The last of them to end is the outermost.
    for span in track.without_begin.iter().rev() {
        walk.enter(span.name(), Tick(0), span.end());
    }
    for span in &track.spans {
        walk.leave_down_to(span.depth() as usize, span.begin());
        walk.enter(span.name(), span.begin(), span.end());
    }
    walk.leave_down_to(0, Tick(u64::MAX));
}

struct Walk<'t, V> {
    /// The scopes without a begin that are not over, the innermost first. They are around all others.
    unbegun: &'t [Span],
    /// The scopes around the place reached, outermost first: names and ends.
    scopes: Vec<(StringId, Tick)>,
    /// What is before this was told.
    at: Tick,
    visitor: &'t mut V,
}

impl<V: ScopeVisitor> Walk<'_, V> {
    fn enter(&mut self, name: StringId, begin: Tick, end: Tick) {
        self.pass(begin);
        self.visitor.enter(name, begin, end);
        self.scopes.push((name, end));
    }

    /// Leaves the scopes that are at least so deep, and those without a begin that end until `until`.
    fn leave_down_to(&mut self, depth: usize, until: Tick) {
        while self.scopes.len() > self.unbegun.len() + depth {
            self.leave();
        }
        while let [inner, rest @ ..] = self.unbegun
            && self.scopes.len() == self.unbegun.len()
            && inner.end() <= until
        {
            self.leave();
            self.unbegun = rest;
        }
    }

    fn leave(&mut self) {
        if let Some((_, end)) = self.scopes.last().copied() {
            self.pass(end);
            self.scopes.pop();
            self.visitor.leave();
        }
    }

    /// Tells of what lies before `until`.
    fn pass(&mut self, until: Tick) {
        if self.at < until {
            if let Some((name, _)) = self.scopes.last() {
                self.visitor.stretch(*name, self.at, until);
            }
            self.at = until;
        }
    }
}

/// A scope and the ticks of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScopeShare {
    /// Its name; of a file without scopes that of its calls.
    pub name: String,
    /// The track that it lies on.
    pub track: String,
    /// Ticks in which nothing lies inside of it.
    pub own_ticks: u64,
}

/// For each of `stretches`, which do not overlap, the name with most ticks of its own on one track. Where no scope lies,
/// calls of one name together are one.
pub fn longest_own(timeline: &Timeline, stretches: &[Option<(Tick, Tick)>]) -> Vec<Option<ScopeShare>> {
    own_by_stretch(timeline, stretches).into_iter().map(|own| most(timeline, own)).collect()
}

/// For each of `stretches`, the ticks of its own that each name has, on whatever track.
pub(super) fn own_by_name(timeline: &Timeline, stretches: &[Option<(Tick, Tick)>]) -> Vec<BTreeMap<StringId, u64>> {
    let join = |own: OwnOfStretch| {
        own.into_iter().fold(BTreeMap::new(), |mut joined, ((_, name), ticks)| {
            *joined.entry(timeline.kind_of(name)).or_default() += ticks;
            joined
        })
    };
    own_by_stretch(timeline, stretches).into_iter().map(join).collect()
}

/// Ticks of its own, by track and name.
type OwnOfStretch = HashMap<(TrackId, StringId), u64>;

fn own_by_stretch(timeline: &Timeline, stretches: &[Option<(Tick, Tick)>]) -> Vec<OwnOfStretch> {
    let mut ordered: Vec<(Tick, Tick, usize)> =
        stretches.iter().enumerate().filter_map(|(index, stretch)| stretch.map(|(a, b)| (a, b, index))).collect();
    ordered.sort_unstable();
    let mut own = OwnTicks { own: vec![HashMap::default(); stretches.len()], ordered, track: TrackId(0) };
    for (id, track) in timeline.tracks().filter(|(_, track)| track.kind == TrackKind::Stack) {
        own.track = id;
        visit_scopes(track, &mut own);
    }
    let OwnTicks { mut own, ordered, .. } = own;
    for (begin, end, index) in ordered {
        let Some(of_stretch) = own.get_mut(index).filter(|own| own.is_empty()) else { continue };
        for (id, track) in timeline.tracks() {
            for at in begin.0..end.0.min(track.steps.count() as u64) {
                if let Some((name, _)) = track.steps.get(Tick(at)) {
                    *of_stretch.entry((id, name)).or_default() += 1;
                }
            }
        }
    }
    own
}

/// By stretch, the ticks of each name's own.
struct OwnTicks {
    /// The stretches by begin, with their indices.
    ordered: Vec<(Tick, Tick, usize)>,
    own: Vec<OwnOfStretch>,
    /// The track that is visited.
    track: TrackId,
}

impl ScopeVisitor for OwnTicks {
    fn enter(&mut self, _: StringId, _: Tick, _: Tick) {}

    fn leave(&mut self) {}

    fn stretch(&mut self, name: StringId, begin: Tick, end: Tick) {
        let first = self.ordered.partition_point(|(_, last, _)| *last <= begin);
        for &(from, until, index) in self.ordered.iter().skip(first).take_while(|(from, ..)| *from < end) {
            let ticks = until.min(end).0.saturating_sub(from.max(begin).0);
            if let Some(of_stretch) = self.own.get_mut(index) {
                *of_stretch.entry((self.track, name)).or_default() += ticks;
            }
        }
    }
}

/// The first by name of those with most ticks.
fn most(timeline: &Timeline, own: OwnOfStretch) -> Option<ScopeShare> {
    let name_of = |(track, name): (TrackId, StringId)| (timeline.text(name), track);
    let before = |a: &((TrackId, StringId), u64), b: &((TrackId, StringId), u64)| match a.1.cmp(&b.1) {
        Ordering::Equal => name_of(b.0).cmp(&name_of(a.0)),
        other => other,
    };
    let ((track, name), own_ticks) = own.into_iter().max_by(before)?;
    let track = timeline.track(track).map_or_else(String::new, |track| timeline.text(track.name).into_owned());
    Some(ScopeShare { name: timeline.text(name).into_owned(), track, own_ticks })
}

/// A scope in a call tree: all scopes of one name inside of the same others, as one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallNode {
    /// Its name.
    pub name: String,
    /// How many scopes it lies in.
    pub depth: usize,
    /// Where the node of the innermost of these stands among all nodes.
    pub parent: Option<usize>,
    /// How many scopes there are.
    pub count: u64,
    /// Sum of their lengths.
    pub total_ticks: u64,
    /// The same without what lies inside of them.
    pub own_ticks: u64,
}

/// The call tree of a timeline's tracks together, or of the parts of them within `ticks` (ascending, without overlaps;
/// empty for all): parents before what is inside of them, and of those with one parent the longest first.
pub fn call_tree(timeline: &Timeline, ticks: &[(Tick, Tick)]) -> Vec<CallNode> {
    let mut tree = CallTree::new(timeline, ticks);
    for track in timeline.tracks.iter().filter(|track| track.kind == TrackKind::Stack) {
        visit_scopes(track, &mut tree);
    }
    tree.arrange()
}

/// The same of each track by itself; tracks on which no scope lies there are left out.
pub fn call_trees(timeline: &Timeline, ticks: &[(Tick, Tick)]) -> Vec<(TrackId, Vec<CallNode>)> {
    let stacks = timeline.tracks().filter(|(_, track)| track.kind == TrackKind::Stack);
    let trees = stacks.map(|(id, track)| {
        let mut tree = CallTree::new(timeline, ticks);
        visit_scopes(track, &mut tree);
        (id, tree.arrange())
    });
    trees.filter(|(_, nodes)| !nodes.is_empty()).collect()
}

struct CallTree<'t> {
    timeline: &'t Timeline,
    ticks: &'t [(Tick, Tick)],
    /// Parents before children.
    nodes: Vec<TreeNode>,
    known: HashMap<(Option<usize>, StringId), usize>,
    /// The nodes of the scopes around the place reached.
    scopes: Vec<usize>,
}

struct TreeNode {
    name: StringId,
    parent: Option<usize>,
    count: u64,
    own: u64,
}

impl<'t> CallTree<'t> {
    fn new(timeline: &'t Timeline, ticks: &'t [(Tick, Tick)]) -> Self {
        Self { timeline, ticks, nodes: Vec::new(), known: HashMap::default(), scopes: Vec::new() }
    }

    /// How much of `begin..end` is to be shown.
    fn within(&self, begin: Tick, end: Tick) -> u64 {
        if self.ticks.is_empty() {
            return end.0.saturating_sub(begin.0);
        }
        let first = self.ticks.partition_point(|(_, until)| *until <= begin);
        let parts = self.ticks.iter().skip(first).take_while(|(from, _)| *from < end);
        parts.map(|(from, until)| until.min(&end).0.saturating_sub(from.max(&begin).0)).sum()
    }

    fn arrange(self) -> Vec<CallNode> {
        let timeline = self.timeline;
        let mut totals: Vec<u64> = self.nodes.iter().map(|node| node.own).collect();
        let mut counts: Vec<u64> = self.nodes.iter().map(|node| node.count).collect();
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut outermost = Vec::new();
        for (index, node) in self.nodes.iter().enumerate().rev() {
            let (total, count) = (totals.get(index).copied(), counts.get(index).copied());
            let Some(parent) = node.parent else {
                outermost.push(index);
                continue;
            };
            for (sums, own) in [(&mut totals, total), (&mut counts, count)] {
                if let Some((sum, own)) = sums.get_mut(parent).zip(own) {
                    *sum += own;
                }
            }
            below.get_mut(parent).into_iter().for_each(|below| below.push(index));
        }
        let rank = |index: &usize| {
            let name = self.nodes.get(*index).map(|node| timeline.text(node.name));
            (totals.get(*index).copied(), std::cmp::Reverse(name))
        };
        below.iter_mut().chain([&mut outermost]).for_each(|nodes| nodes.sort_by_key(rank));
        // The last is taken first.
        let mut next: Vec<(usize, usize, Option<usize>)> =
            outermost.into_iter().map(|index| (index, 0, None)).collect();
        let mut arranged = Vec::new();
        while let Some((index, depth, parent)) = next.pop() {
            let (Some(node), Some(total_ticks)) = (self.nodes.get(index), totals.get(index).copied()) else { continue };
            // Nothing of it, and nothing inside of it, lies in what is shown.
            if counts.get(index) == Some(&0) {
                continue;
            }
            let name = timeline.text(node.name).into_owned();
            let place = arranged.len();
            let TreeNode { count, own, .. } = *node;
            arranged.push(CallNode { name, depth, parent, count, total_ticks, own_ticks: own });
            let inside = below.get(index).into_iter().flatten();
            next.extend(inside.map(|index| (*index, depth + 1, Some(place))));
        }
        arranged
    }
}

impl ScopeVisitor for CallTree<'_> {
    fn enter(&mut self, name: StringId, begin: Tick, end: Tick) {
        // What has no length is shown where it lies.
        let name = self.timeline.kind_of(name);
        let is_shown = self.ticks.is_empty() || self.within(begin, Tick(end.0.max(begin.0.saturating_add(1)))) > 0;
        let parent = self.scopes.last().copied();
        let next = self.nodes.len();
        let index = *self.known.entry((parent, name)).or_insert(next);
        if index == next {
            self.nodes.push(TreeNode { name, parent, count: 0, own: 0 });
        }
        if let Some(node) = self.nodes.get_mut(index) {
            node.count += u64::from(is_shown);
        }
        self.scopes.push(index);
    }

    fn leave(&mut self) {
        self.scopes.pop();
    }

    fn stretch(&mut self, _: StringId, begin: Tick, end: Tick) {
        let own = self.within(begin, end);
        if let Some(node) = self.scopes.last().and_then(|index| self.nodes.get_mut(*index)) {
            node.own += own;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, AxisUnit, Builder, RecordOffset, SpanFlags};

    /// Scopes by name and begin; those without a name end the innermost one.
    fn timeline(scopes: &[(&str, u64)]) -> Timeline {
        let mut builder = Builder::new("t", Axis::without_clock(AxisUnit::Microseconds));
        let track = builder.track(StringId::EMPTY, TrackKind::Stack, None);
        for (name, at) in scopes {
            if name.is_empty() {
                builder.close(track, Tick(*at)).unwrap();
                continue;
            }
            let name = builder.intern(name.as_bytes());
            builder.open(track, Tick(*at), name, RecordOffset::NONE, SpanFlags::default());
        }
        builder.finish(Tick(100))
    }

    /// The stretches of a timeline's first track: the names of the scopes there, begin and end.
    #[derive(Default)]
    struct Told {
        scopes: Vec<StringId>,
        stretches: Vec<(Vec<StringId>, u64, u64)>,
    }

    impl ScopeVisitor for Told {
        fn enter(&mut self, name: StringId, _: Tick, _: Tick) {
            self.scopes.push(name);
        }

        fn leave(&mut self) {
            self.scopes.pop();
        }

        fn stretch(&mut self, name: StringId, begin: Tick, end: Tick) {
            assert_eq!(self.scopes.last(), Some(&name));
            self.stretches.push((self.scopes.clone(), begin.0, end.0));
        }
    }

    fn stretches(timeline: &Timeline) -> Vec<(String, u64, u64)> {
        let mut told = Told::default();
        visit_scopes(&timeline.tracks[0], &mut told);
        assert!(told.scopes.is_empty());
        let text = |path: &[StringId]| path.iter().map(|name| timeline.text(*name)).collect();
        told.stretches.iter().map(|(path, begin, end)| (text(path), *begin, *end)).collect()
    }

    /// `a` from 0 to 50 with `b` from 10 to 20 and 30 to 40, in whose second half is `c`; then `d` from 60 on.
    fn nested() -> Timeline {
        timeline(&[("a", 0), ("b", 10), ("", 20), ("b", 30), ("c", 35), ("", 40), ("", 40), ("", 50), ("d", 60)])
    }

    #[test]
    fn stretches_are_those_of_the_innermost_scope() {
        let expected = [
            ("a", 0, 10),
            ("ab", 10, 20),
            ("a", 20, 30),
            ("ab", 30, 35),
            ("abc", 35, 40),
            ("a", 40, 50),
            ("d", 60, 100),
        ];
        assert_eq!(stretches(&nested()), expected.map(|(path, begin, end)| (path.to_owned(), begin, end)));
    }

    #[test]
    fn the_longest_of_each_stretch_is_by_its_own_time() {
        let timeline = nested();
        let stretch = |begin, end| Some((Tick(begin), Tick(end)));
        let longest =
            longest_own(&timeline, &[stretch(28, 38), None, stretch(12, 25), stretch(52, 58), stretch(62, 70)]);
        let told: Vec<_> = longest.iter().map(|share| share.as_ref().map(|s| (s.name.as_str(), s.own_ticks))).collect();
        assert_eq!(told, [Some(("b", 5)), None, Some(("b", 8)), None, Some(("d", 8))]);
    }

    #[test]
    fn a_scope_that_was_never_entered_is_around_everything_before_its_end() {
        let mut builder = Builder::new("t", Axis::without_clock(AxisUnit::Microseconds));
        let [a, b, c] = [b"a", b"b", b"c"].map(|name| builder.intern(name));
        let track = builder.track(StringId::EMPTY, TrackKind::Stack, None);
        let mut made = builder.finish(Tick(100));
        let span = |name, begin, end, depth| {
            Span::new(Tick(begin), Tick(end), name, depth, RecordOffset::NONE, SpanFlags::default())
        };
        let of_track = made.tracks.get_mut(track.index()).unwrap();
        of_track.spans = vec![span(a, 10, 20, 0), span(a, 50, 60, 0)];
        of_track.without_begin = vec![span(b, 0, 30, 0), span(c, 0, 40, 0)];
        let expected = [("cb", 0, 10), ("cba", 10, 20), ("cb", 20, 30), ("c", 30, 40), ("a", 50, 60)];
        assert_eq!(stretches(&made), expected.map(|(path, begin, end)| (path.to_owned(), begin, end)));
    }

    #[test]
    fn a_call_tree_adds_up_what_lies_inside_the_same_scopes() {
        let timeline = nested();
        let told = |ticks: &[(Tick, Tick)]| -> Vec<(String, usize, u64, u64, u64)> {
            let nodes = call_tree(&timeline, ticks).into_iter();
            nodes.map(|node| (node.name, node.depth, node.count, node.total_ticks, node.own_ticks)).collect()
        };
        let row = |name: &str, depth, count, total, own| (name.to_owned(), depth, count, total, own);
        let all = [row("a", 0, 1, 50, 30), row("b", 1, 2, 20, 15), row("c", 2, 1, 5, 5), row("d", 0, 1, 40, 40)];
        assert_eq!(told(&[]), all);
        let some = [(Tick(15), Tick(25)), (Tick(62), Tick(64))];
        assert_eq!(told(&some), [row("a", 0, 1, 10, 5), row("b", 1, 1, 5, 5), row("d", 0, 1, 2, 2)]);
        let parents: Vec<_> = call_tree(&timeline, &[]).iter().map(|node| node.parent).collect();
        assert_eq!(parents, [None, Some(0), Some(1), None]);
    }

    #[test]
    fn scopes_may_lie_as_deep_as_they_like() {
        let mut scopes: Vec<(&str, u64)> = vec![("x", 0); 200_000];
        scopes.push(("y", 50));
        let deep = timeline(&scopes);
        let nodes = call_tree(&deep, &[]);
        assert_eq!((nodes.len(), nodes[0].total_ticks, nodes.last().unwrap().depth), (200_001, 100, 200_000));
        let longest = longest_own(&deep, &[Some((Tick(40), Tick(100)))]);
        assert_eq!(longest[0].as_ref().map(|share| (share.name.as_str(), share.own_ticks)), Some(("y", 50)));
    }
}
