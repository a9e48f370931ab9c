//! Numbers in front of plurals.

/// Nouns that numbers are put in front of.
const NOUNS: &[&str] = &[
    "arguments",
    "bytes",
    "calls",
    "cases",
    "channels",
    "columns",
    "commands",
    "components",
    "cuts",
    "declarations",
    "descriptors",
    "dispatches",
    "draws",
    "dwords",
    "elements",
    "entries",
    "errors",
    "events",
    "faults",
    "findings",
    "forms",
    "frames",
    "groups",
    "hashes",
    "indices",
    "instances",
    "instructions",
    "items",
    "layers",
    "levels",
    "lights",
    "lines",
    "locations",
    "messages",
    "mips",
    "modules",
    "mutants",
    "notes",
    "objects",
    "operations",
    "packets",
    "pages",
    "pictures",
    "pieces",
    "pipelines",
    "pixels",
    "places",
    "points",
    "presents",
    "primitives",
    "problems",
    "programs",
    "records",
    "registers",
    "rejections",
    "renders",
    "requests",
    "resources",
    "rows",
    "runs",
    "samples",
    "seconds",
    "shaders",
    "shards",
    "slots",
    "spans",
    "stamps",
    "steps",
    "streams",
    "submissions",
    "suspicions",
    "targets",
    "tests",
    "texels",
    "texts",
    "textures",
    "threads",
    "ticks",
    "times",
    "tokens",
    "traces",
    "triangles",
    "uploads",
    "values",
    "vertices",
    "warnings",
    "words",
    "writes",
];

/// A file, what stands in it, and why the number is never 1, or the helper cannot be called.
#[rustfmt::skip]
pub const NEVER_ONE: &[(&str, &str, &str)] = &[
    ("src/analysis/overlay/overdraw.rs", "{from} times", "one time is written once"),
    ("src/analysis/overlay/overdraw.rs", "{to} times", "a range ends above 1"),
    ("crates/aerogpu-trace/src/container/error.rs", "{what} spans", "a verb"),
    ("crates/trace-timeline/src/wtf/error.rs", "{expected} bytes", "the table of errors has no place for a call"),
    ("crates/trace-timeline/src/wtf/error.rs", "{expected} decoded bytes", "the table of errors has no place for a call"),
    ("crates/trace-timeline/src/wtf/error.rs", "{left} bytes", "the table of errors has no place for a call"),
    ("crates/trace-timeline/src/wtf/error.rs", "{size} bytes", "the table of errors has no place for a call"),
    ("crates/trace-timeline/src/wtf/error.rs", "{wanted} bytes", "the table of errors has no place for a call"),
    ("crates/trace-timeline/src/wtf/error.rs", "{wanted} more bytes", "the table of errors has no place for a call"),
    ("src/golden/fsck.rs", "{hashes} hashes", "one hash is no problem"),
    ("src/golden/inputs.rs", "{more} more draws", "one draw has a sentence of its own"),
    ("src/gpu/device.rs", "{bind_groups} bind groups", "a message for us"),
    ("src/gpu/device.rs", "{pipelines} pipelines", "a message for us"),
    ("src/gpu/device.rs", "{textures} textures", "a message for us"),
    ("src/gpu/under_way.rs", "{count} draws", "one draw has a sentence of its own"),
    ("src/inspector/compare.rs", "{} shaders", "a language"),
    ("crates/trace-base/src/pixels/excess.rs", "{found} pixels", "one pixel has a sentence of its own"),
    ("src/replay/d3d/error.rs", "{what} slots", "a kind of slot"),
    ("src/replay/device_rules/buffers.rs", "{command} writes", "a verb"),
    ("src/replay/fixed_state/rows.rs", "{steps} steps", "may be negative"),
    ("src/replay/lint/graph.rs", "{draws} draws", "one draw has a sentence of its own"),
    ("crates/d3d-bytecode/src/error.rs", "{expected} indices", "a range of numbers"),
    ("crates/d3d-bytecode/src/purpose/transform.rs", "{kind} lights", "a kind of light"),
    ("crates/glsl-es/src/check/construct.rs", "{} arguments", "more than are needed"),
    ("crates/glsl-es/src/error.rs", "{found} bytes", "more than the limit"),
    ("crates/glsl-es/src/error.rs", "{found} locations", "more than the limit"),
    ("src/shader/glsl_issues.rs", "{found} locations", "more than the limit"),
    ("src/shader/wgsl.rs", "{stage} shaders", "a stage"),
];

/// Each value with the plural noun behind it, an adjective between them or not. The values of constants and limits are
/// known, and none of them is 1; a whole (`{} of {} frames`) and the sides of a rectangle (`{}x{} texels`) are plural
/// whatever they are.
pub fn before_plurals(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (start, _) in line.match_indices('{') {
        let Some(end) = line[start..].find('}').map(|end| start + end + 1) else { continue };
        let name = line[start + 1..end - 1].split(':').next().unwrap();
        let is_constant = name.chars().any(char::is_alphabetic) && name == name.to_uppercase();
        let is_plural = ["} of ", "}x", "} by ", "} × "].iter().any(|before| line[..start].ends_with(before));
        if is_plural || is_constant || matches!(name, "limit" | "cap") {
            continue;
        }
        let Some(after) = line[end..].strip_prefix(' ') else { continue };
        let words: Vec<&str> = after.split(' ').take(2).collect();
        let bare = |word: &str| word.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '=').to_owned();
        let noun = words.iter().position(|word| NOUNS.contains(&bare(word).as_str()));
        // Two words are one phrase as long as no mark ends the first.
        let noun = noun.filter(|at| *at == 0 || words[0].chars().all(char::is_alphabetic) && words[0] != "of");
        if let Some(at) = noun {
            let phrase: Vec<String> = words[..=at].iter().map(|word| bare(word)).collect();
            found.push(format!("{} {}", &line[start..end], phrase.join(" ")));
        }
    }
    found
}
