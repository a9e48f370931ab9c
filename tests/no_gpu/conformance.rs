//! Rows of the conformance table: names, what they cover, and their traces. The table as a file.

#[path = "../gpu/conformance/known.rs"]
#[allow(dead_code, reason = "the other program that has it writes the list")]
mod known;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::conformance::axes::{BindingRow, RasterRow, SharedRow, TextureRow};
use aerogpu_replay::conformance::{
    Axis, ConformanceRow, ConformanceTable, Expectation, Extent, Outcome, TableOfDevice, rows, tally,
};
use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::format::aerogpu::Trace;
use aerogpu_replay::replay::TraceIndex;
use std::sync::Arc;

use crate::support::harness::{Trial, trials_of};
use crate::support::{is_blessing, root};
use known::Known;

pub fn trials() -> Vec<Trial> {
    trials_of![
        every_pair_of_values_occurs,
        every_trouble_is_a_value_of_its_own,
        rows_are_the_same_each_time,
        names_are_read_back,
        traces_of_rows_are_sound,
        tables_are_read_back,
        damaged_tables_are_told_in_a_sentence,
        the_book_shows_the_apis_side_by_side,
    ]
}

/// Pairs of values that some row of a group can have: two axes, two values each.
type Pair = [(&'static str, &'static str); 2];

fn pairs(row: &ConformanceRow) -> Vec<Pair> {
    let places: Vec<_> = row.axes().iter().map(|axis| axis.name).zip(row.values()).collect();
    (0..places.len()).flat_map(|b| (0..b).map(move |a| (a, b))).map(|(a, b)| [places[a], places[b]]).collect()
}

/// Every row that there can be, found by trying all names.
fn all_rows(group: &str, axes: &[Axis]) -> Vec<ConformanceRow> {
    let mut names = vec![group.to_owned()];
    for axis in axes {
        names = names.iter().flat_map(|name| axis.values.iter().map(move |value| format!("{name}/{value}"))).collect();
    }
    names.iter().filter_map(|name| name.parse().ok()).collect()
}

fn every_pair_of_values_occurs() {
    let usual = rows(Extent::Usual);
    let groups: [(&str, &[Axis]); 4] = [
        (TextureRow::NAME, TextureRow::AXES),
        (RasterRow::NAME, RasterRow::AXES),
        (BindingRow::NAME, BindingRow::AXES),
        (SharedRow::NAME, SharedRow::AXES),
    ];
    for (group, axes) in groups {
        let possible: BTreeSet<Pair> = all_rows(group, axes).iter().flat_map(pairs).collect();
        let of_group = || usual.iter().filter(|row| row.group() == group);
        let covered: BTreeSet<Pair> = of_group().flat_map(pairs).collect();
        let missing: Vec<_> = possible.difference(&covered).collect();
        assert!(missing.is_empty(), "{group}: {missing:?}");
        assert!(covered.is_subset(&possible));
        // Rows would be no covering array if there were as many as combinations.
        let most = axes.iter().map(|axis| axis.values.len()).max().unwrap();
        assert!(of_group().count() < most * most * 4, "{group}: {}", of_group().count());
        for axis in axes {
            for value in axis.values {
                assert!(covered.iter().flatten().any(|place| *place == (axis.name, *value)), "{group} {value}");
            }
        }
    }
    assert!((200..700).contains(&usual.len()), "{}", usual.len());
}

fn every_trouble_is_a_value_of_its_own() {
    let values: BTreeSet<&str> = [TextureRow::AXES, RasterRow::AXES, BindingRow::AXES, SharedRow::AXES]
        .concat()
        .iter()
        .flat_map(|axis| axis.values)
        .copied()
        .collect();
    for trouble in [
        "one-layer",
        "mip-of-layer",
        "also-a-target",
        "array-6",
        "array-12",
        "array-18",
        "square",
        "cube-edges",
        "d24s8",
        "d32",
        "fractional",
        "fractional-size",
        "32-kib",
        "point-list",
        "line-list",
        "line-strip",
        "depth-textures",
        "unbound",
        "128",
    ] {
        assert!(values.contains(trouble), "{trouble} is no value");
    }
}

fn rows_are_the_same_each_time() {
    let (usual, full) = (rows(Extent::Usual), rows(Extent::Full));
    assert_eq!(usual, rows(Extent::Usual));
    let full: BTreeSet<ConformanceRow> = full.into_iter().collect();
    assert!(usual.iter().all(|row| full.contains(row)));
    assert!(full.len() > 2 * usual.len(), "{} of {}", full.len(), usual.len());
    let names: BTreeSet<String> = usual.iter().map(ConformanceRow::name).collect();
    assert_eq!(names.len(), usual.len(), "a row stands twice");
}

fn names_are_read_back() {
    for row in rows(Extent::Usual) {
        assert_eq!(row.name().parse(), Ok(row));
    }
    for text in ["", "texture", "texture/2d", "raster/x/y/z/a/b/c", "shared/4-bytes/1-thread/raw/1-group/more"] {
        assert!(text.parse::<ConformanceRow>().is_err(), "{text}");
    }
    // Values that do not go together are no row: Direct3D has no Load of cubes.
    assert!("texture/cube/square/one-mip/whole/loaded/rgba8/point/clamp".parse::<ConformanceRow>().is_err());
}

fn traces_of_rows_are_sound() {
    let (mut computed, mut count) = (0, 0);
    for row in rows(Extent::Usual) {
        let made = row.trace().unwrap();
        let trace = Trace::from_source(Arc::new(MemorySource::from(made.file)), &mut Diagnostics::new()).unwrap();
        assert_eq!(trace.frames().len(), 1);
        let index = TraceIndex::build(&Arc::new(trace), |_| ());
        let (faults, dropped) = index.faults();
        assert!(faults.is_empty() && dropped == 0, "{row}: {faults:?}");
        if let Expectation::Computed(picture) = row.expectation().unwrap() {
            computed += 1;
            assert!(picture.rgba().iter().any(|byte| *byte != 0), "{row}");
        }
        count += 1;
    }
    // Most rows are judged by a model of our own.
    assert!(computed * 3 > count * 2, "{computed} of {count}");
}

fn some_table() -> ConformanceTable {
    let outcomes = [
        Outcome::Right,
        Outcome::OneStep,
        Outcome::Differs { steps: 200 },
        Outcome::Refused { message: "too \"many\"".to_owned() },
        Outcome::Failed { message: "lost\u{202e}".to_owned() },
        Outcome::NotJudged { message: "alone".to_owned() },
    ];
    let rows = rows(Extent::Usual).into_iter().zip(outcomes).collect();
    let device =
        |api: &str, rows| TableOfDevice { api: api.to_owned(), adapter: "a".to_owned(), driver: String::new(), rows };
    ConformanceTable { devices: vec![device("vulkan", Vec::new()), device("gl", rows)] }
}

fn tables_are_read_back() {
    let table = some_table();
    assert_eq!(ConformanceTable::parse(&table.text()), Ok(table.clone()));
    // As schema 2 named the members.
    let before = table.text().replace("\"schema\":3", "\"schema\":2").replace("\"largest_step\"", "\"steps\"");
    assert!(
        before.contains("\"schema\":2,\"type\":\"conformance-row\"") && before.contains("\"steps\":200"),
        "{before}"
    );
    assert_eq!(ConformanceTable::parse(&before), Ok(table.clone()));
    let later = table.text().replace("\"schema\":3", "\"schema\":4");
    assert!(ConformanceTable::parse(&later).is_err());
    let tallies: BTreeMap<_, _> =
        tally(table.devices[1].rows.iter().map(|(row, outcome)| (row, outcome))).into_iter().collect();
    let of_axis = tallies.iter().filter(|((_, axis, _), _)| *axis == "use").map(|(_, tally)| tally.rows());
    assert_eq!(of_axis.sum::<u32>(), 6);
    assert_eq!(tallies.values().map(|tally| tally.largest_step).max(), Some(200));
}

fn damaged_tables_are_told_in_a_sentence() {
    let text = some_table().text();
    let row = text.lines().nth(2).unwrap();
    let changed = |from: &str, to: &str| row.replace(from, to);
    for (damaged, told) in [
        (String::new(), "the conformance table has no rows: expected a file written by doctor --conformance"),
        ("{".to_owned(), "line 1 of the conformance table: expected a JSON object"),
        (
            "[]".to_owned(),
            "line 1 of the conformance table: expected a line written by this version of doctor --conformance",
        ),
        (row.to_owned(), "line 1 of the conformance table: expected a device line before the first row line"),
        (
            changed("texture/", "picture/"),
            "line 1 of the conformance table: expected the name of a row in this version",
        ),
        (changed("\"right\"", "\"good\""), "line 1 of the conformance table: expected the outcome of a row"),
        (
            changed("\"row\"", "\"line\""),
            "line 1 of the conformance table: expected the API, name and outcome of a row",
        ),
    ] {
        let error = ConformanceTable::parse(&damaged).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.kind()), (told, ErrorKind::Malformed), "{damaged}");
    }
    // Every beginning is a table or an error.
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        let _ = ConformanceTable::parse(&text[..end]);
    }
}

const BEGIN: &str = "<!-- rows -->\n";
const END: &str = "<!-- end of rows -->\n";

/// `docs/conformance.md` lists the features, and why rows are known to fail.
fn the_book_shows_the_apis_side_by_side() {
    let path = root().join("docs/conformance.md");
    let book = fs::read_to_string(&path).unwrap().replace('\r', "");
    let (before, rest) = book.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let (known, usual) = (Known::read(), rows(Extent::Usual));
    let mut table = "| API | why rows fail | usual rows | of all |\n|---|---|---|---|\n".to_owned();
    for ((api, reason), failing) in &known.0 {
        let of_usual = usual.iter().filter(|row| failing.contains_key(&row.name())).count();
        writeln!(table, "| {} | {reason} | {of_usual} | {} |", api_name(api), failing.len()).unwrap();
    }
    table.push_str("\n| feature | rows | Vulkan | OpenGL |\n|---|---|---|---|\n");
    let [vulkan, gl] = ["vulkan", "gl"].map(|api| known.of_api(api));
    // Each row has one outcome, so that the features come in order.
    let right = Outcome::Right;
    for ((group, axis, value), tally) in tally(usual.iter().map(|row| (row, &right))) {
        let of_feature = |known: &BTreeMap<String, String>| {
            let has = |row: &&ConformanceRow| row.group() == group && row.value(axis) == Some(value);
            let failing: Vec<&String> = usual.iter().filter(has).filter_map(|row| known.get(&row.name())).collect();
            let refused = failing.iter().filter(|words| words.starts_with("refused")).count();
            match (failing.len() - refused, refused) {
                (0, 0) => "right".to_owned(),
                (wrong, 0) => format!("{wrong} wrong"),
                (0, refused) => format!("{refused} refused"),
                (wrong, refused) => format!("{wrong} wrong, {refused} refused"),
            }
        };
        let (rows, vulkan, gl) = (tally.rows(), of_feature(&vulkan), of_feature(&gl));
        writeln!(table, "| {group}: {axis} {value} | {rows} | {vulkan} | {gl} |").unwrap();
    }
    let made = format!("{before}{BEGIN}{table}{END}{after}");
    if is_blessing() {
        fs::write(&path, &made).unwrap();
    }
    let how = "BLESS=1 cargo test --test no_gpu the_book_shows_the_apis_side_by_side";
    assert!(book == made || is_blessing(), "docs/conformance.md is stale: {how}");
}

fn api_name(api: &str) -> &str {
    if api == "gl" { "OpenGL" } else { "Vulkan" }
}
