//! One type says where in the trace.

use std::collections::BTreeSet;

use syn::visit::Visit;
use syn::{Fields, ItemEnum, ItemStruct, Type};

use super::{code, name_of, parsed, source_files};

/// Types that hold a frame and something within it beside [`command::Place`](aerogpu_replay::command::Place), and why.
const OF_A_FRAME_AND_MORE: &[(&str, &str, &str)] = &[
    ("aerogpu-trace/command/place.rs", "Place", "the one"),
    ("aerogpu-trace/command/place.rs", "Point", "the part of it within its frame"),
    (
        "aerogpu-trace/command/located.rs",
        "Location",
        "where bytes stand in the file: nobody types it, and nobody plays up to it",
    ),
    ("analysis/events/row_id.rs", "RowId", "records have one too, and nobody plays up to it"),
    ("replay/index/frame_passes.rs", "PassId", "a pass by its number, with the packet that it ends with"),
    ("cli/place.rs", "PlaceArgs", "the flags that a Place is made of"),
    ("cli/used_shaders.rs", "UsedByArgs", "a frame without a draw means all of its draws"),
    ("inspector/saved_state.rs", "EarlierPlaces", "it is what earlier versions wrote"),
    ("inspector/saved_state.rs", "EarlierBookmark", "it is what earlier versions wrote"),
];

/// The types that could be a second way to say where in the trace: structs with a frame and a draw, packet or the like, and
/// enums of which some variants number a draw and others a packet.
#[derive(Default)]
struct Places(Vec<String>);

impl<'f> Visit<'f> for Places {
    fn visit_item_struct(&mut self, item: &'f ItemStruct) {
        let has = |name: &str| item.fields.iter().any(|field| field.ident.as_ref().is_some_and(|own| own == name));
        if has("frame") && ["draw", "packet", "until", "point", "row", "event"].into_iter().any(has) {
            self.0.push(item.ident.to_string());
        }
    }

    fn visit_item_enum(&mut self, item: &'f ItemEnum) {
        let is_number = |fields: &Fields| {
            let first = fields.iter().next().filter(|_| matches!(fields, Fields::Unnamed(_)));
            first.is_some_and(|field| matches!(&field.ty, Type::Path(path) if path.path.is_ident("u32")))
        };
        let numbers = |what: &str| {
            item.variants.iter().any(|variant| variant.ident.to_string().ends_with(what) && is_number(&variant.fields))
        };
        if numbers("Draw") && numbers("Packet") {
            self.0.push(item.ident.to_string());
        }
    }
}

impl Places {
    fn of(file: &syn::File) -> Vec<String> {
        let mut places = Self::default();
        places.visit_file(file);
        places.0
    }
}

/// Every kind of place that a user goes to and asks about has one type, with one text form.
pub(super) fn one_type_says_where_in_the_trace() {
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for file in source_files() {
        let name = name_of(&file);
        let code = code(&file);
        for found in Places::of(&parsed(&file)) {
            match OF_A_FRAME_AND_MORE.iter().position(|(of, named, _)| *of == name && *named == found) {
                Some(row) => drop(used.insert(row)),
                None => wrong.push(format!("{name}: {found}")),
            }
        }
        let pairs = ["(FrameIndex, Point)", "(FrameIndex, Option<u32>)", "(u32, Point)"];
        wrong.extend(pairs.into_iter().filter(|pair| code.contains(pair)).map(|pair| format!("{name}: {pair}")));
    }
    assert!(wrong.is_empty(), "expected command::Place instead of {wrong:#?}");
    assert_eq!(used.len(), OF_A_FRAME_AND_MORE.len(), "rows that nothing needs any more: {used:?} are used");
    let code = "struct A<T> { pub frame: T, draw: Option<u32> } struct B { frame: u32, size: u32 } struct C(u32);
        enum D { EndOfFrame, AfterDraw(u32), AfterPacket(u32) } enum E { Draw(u32), Clear } enum F { Packet { frame: u32 } }
        struct G { frames: u32, draw: u32 } struct H { frame: usize, row: u32 }";
    assert_eq!(Places::of(&syn::parse_file(code).unwrap()), ["A", "D", "H"]);
}
