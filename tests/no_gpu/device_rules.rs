//! Rules about devices, as far as no device is needed: the book lists them, and records decide.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::replay::device_rules::{
    Answer, DEVICE_RULES, Device, DeviceFeatures, ViewportRectangle, check_buffer, check_groups, check_vertex_buffers,
};

use crate::support::harness::{Trial, trials_of};
use crate::support::{is_blessing, root};

const BEGIN: &str = "<!-- rules -->\n";
const END: &str = "<!-- end of rules -->\n";

pub fn trials() -> Vec<Trial> {
    trials_of![the_book_has_the_rules, each_error_stands_once, limits_are_told_with_their_number, records_decide]
}

/// `docs/device-rules.md` lists every rule.
fn the_book_has_the_rules() {
    let path = root().join("docs/device-rules.md");
    let book = fs::read_to_string(&path).unwrap().replace('\r', "");
    let (before, rest) = book.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let mut table = "| WebGPU demands | Direct3D | answer | how | errors of wgpu |\n|---|---|---|---|---|\n".to_owned();
    for rule in DEVICE_RULES {
        let (answer, how) = rule.answer.in_words();
        let errors: Vec<String> = rule.errors.iter().map(|error| format!("`{error}`")).collect();
        let errors = if errors.is_empty() { "none: drawn otherwise in silence".to_owned() } else { errors.join(", ") };
        writeln!(table, "| {} | {} | **{answer}** | {how} | {errors} |", rule.demand, rule.direct3d).unwrap();
    }
    let made = format!("{before}{BEGIN}{table}{END}{after}");
    if is_blessing() {
        fs::write(&path, &made).unwrap();
    }
    assert!(
        book == made || is_blessing(),
        "docs/device-rules.md is stale: BLESS=1 cargo test --test no_gpu the_book_has_the_rules"
    );
}

fn each_error_stands_once() {
    let mut seen = BTreeSet::new();
    for error in DEVICE_RULES.iter().flat_map(|rule| rule.errors) {
        assert!(seen.insert(error), "{error} stands twice");
    }
    let answers = DEVICE_RULES.iter().map(|rule| std::mem::discriminant(&rule.answer)).collect::<Vec<_>>();
    for answer in [Answer::Drawn(""), Answer::Refused(""), Answer::Contract("")] {
        assert!(answers.contains(&std::mem::discriminant(&answer)), "{answer:?} is no rule's");
    }
}

fn limits_are_told_with_their_number() {
    let device = Device { max_buffer_bytes: 1000, max_groups_per_axis: 7, max_vertex_buffers: 2, ..Device::WEBGPU };
    for (refusal, text) in [
        (check_buffer(&device, 1001), "the size in bytes of a buffer is 1004: the device's limit is 1000"),
        (check_groups(&device, [1, 8, 2]), "the number of thread groups along one axis is 8: the device's limit is 7"),
        (
            check_vertex_buffers(&device, 3, 2),
            "the number of vertex buffers that a draw's elements lie in is 3: the device's limit is 2",
        ),
    ] {
        let refusal = refusal.unwrap_err();
        assert_eq!((refusal.to_string().as_str(), refusal.kind()), (text, ErrorKind::OverLimit));
    }
    assert_eq!((check_buffer(&device, 1000), check_groups(&device, [7, 7, 0])), (Ok(()), Ok(())));
}

fn records_decide() {
    let of = |features| Device { features, ..Device::WEBGPU };
    let (all, without) = (DeviceFeatures::ALL, DeviceFeatures { fractional_viewports: false, ..DeviceFeatures::ALL });
    let rectangle = |origin_px, size_px| ViewportRectangle { origin_px, size_px };
    for (viewport, fits) in [
        (rectangle([0.0, 0.0], [64.0, 48.0]), [true, true]),
        (rectangle([0.5, 0.0], [64.0, 48.0]), [true, false]),
        (rectangle([0.0, 0.0], [64.0, 48.25]), [true, false]),
        (rectangle([0.0, 0.0], [8193.0, 48.0]), [false, false]),
        (rectangle([-16_385.0, 0.0], [64.0, 48.0]), [false, false]),
        (rectangle([16_000.0, 0.0], [8000.0, 48.0]), [false, false]),
        (rectangle([0.0, 0.0], [f32::INFINITY, 48.0]), [false, false]),
    ] {
        assert_eq!([all, without].map(|features| viewport.fits(&of(features))), fits, "{viewport:?}");
    }
}
