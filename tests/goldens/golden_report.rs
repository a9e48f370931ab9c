//! The report in a real browser: views, keys, pixels, and nothing loaded, run or marked up from data.
//!
//! Needs a Chromium on the PATH; ignored where there is none, failed where there is none under CI.

use std::fs;
use std::path::Path;

use crate::support;
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::golden::outcome::{CaseOutcome, DifferenceRecord, FrameOutcome, Status};
use aerogpu_replay::golden::report::write_report;
use aerogpu_replay::golden::results::Results;
use aerogpu_replay::pixels::{Check, Picture, Size, judge, write_png};
use serde_json::{Value, json};
use support::browser::{self, Page};
use support::harness::{Failed, Trial};

const HOSTILE: &str = "</script><img src=x onerror=\"document.body.dataset.pwned=1\"><b>'&";

/// Two pictures with alpha of every kind, whose colours a canvas alone would lose.
fn pictures() -> [Picture; 2] {
    let size = Size { width_px: 32, height_px: 24 };
    let of = |step: u8| {
        let rgba = (0..24u8).flat_map(|y| {
            (0..32u8).flat_map(move |x| {
                let off = if (8..16).contains(&x) && y > 12 { step } else { 0 };
                [x * 8, y * 10, 77 + off, (x * 7).wrapping_add(off)]
            })
        });
        Picture::new(size, rgba.collect()).unwrap()
    };
    [of(0), of(20)]
}

fn write_results(folder: &Path) {
    let [expected, found] = pictures();
    let save = |name: &str, picture: &Picture| {
        let path = folder.join(name);
        let mut bytes = Vec::new();
        write_png(picture, &[], &mut bytes).unwrap();
        fs::write(&path, bytes).unwrap();
        Some(path.display().to_string())
    };
    let judgement = judge(&expected, &found, &[], Check::EXACT);
    let frame = FrameOutcome {
        of: FrameIndex(3).into(),
        status: Status::Different,
        kind: None,
        rung: Some("hash".to_owned()),
        message: judgement.to_string(),
        sha256: Some(found.hash().to_string()),
        known_failure: Some(HOSTILE.to_owned()),
        expected: save("expected.png", &expected),
        found: save("found.png", &found),
        difference: DifferenceRecord::of(&judgement),
        cause: Some(format!("draw 2 {HOSTILE}")),
    };
    let missing = FrameOutcome {
        of: FrameIndex(4).into(),
        status: Status::Missing,
        expected: None,
        difference: None,
        ..frame.clone()
    };
    let base = CaseOutcome::ended(HOSTILE.to_owned(), HOSTILE.to_owned(), Status::Different, HOSTILE);
    let broken = CaseOutcome { status: Status::Crashed, case: "broken".to_owned(), ..base.clone() };
    let cases = vec![CaseOutcome { trace: HOSTILE.to_owned(), frames: vec![frame, missing], ..base }, broken];
    let (tool, command) = ("test".to_owned(), "aerogpu-replay golden test".to_owned());
    let shaders = "glsl".to_owned();
    let results = Results { schema: 2, tool, shaders, shard: [1, 1], suite: 2, command, cases };
    write_report(&results, folder).unwrap();
}

fn read_out(page: &mut Page, selector: &str, x: u32, y: u32) -> String {
    let place = format!(
        "(() => {{ const c = document.querySelector('{selector}'), r = c.getBoundingClientRect(); \
         return [r.left + r.width * ({x} + 0.5) / c.width, r.top + r.height * ({y} + 0.5) / c.height]; }})()"
    );
    let place = page.value(&place);
    page.point_at(place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
    page.wait_for("document.getElementById('readout').textContent.split(' ')[1]", &json!(format!("{x},{y}")));
    page.value("document.getElementById('readout').textContent").as_str().unwrap().to_owned()
}

fn the_report_works(program: &Path) {
    let folder = tempfile::tempdir().unwrap();
    write_results(folder.path());
    let mut page = Page::open(program);
    page.call("Page.navigate", json!({ "url": format!("file://{}/index.html", folder.path().display()) }));
    page.wait_for("document.body && document.body.dataset.ready || null", &json!("0"));
    keys_switch_views(&mut page);
    pixels_are_read_out(&mut page);
    assert_eq!(page.value("document.querySelectorAll('#histogram span[title=\"20 steps: 88 pixels\"]').length"), 1);
    page.press("j");
    page.wait_for("document.body.dataset.ready", &json!("1"));
    assert_eq!(page.value("document.querySelectorAll('#views canvas').length"), 1, "a missing golden has one picture");
    page.press("j");
    page.wait_for("document.body.dataset.ready", &json!("2"));
    nothing_came_through(&mut page);
}

fn keys_switch_views(page: &mut Page) {
    assert_eq!(page.value("document.querySelectorAll('#views canvas').length"), 2, "side by side at first");
    for (key, view, mark) in [
        ("2", "flip", "#views canvas"),
        ("3", "onion", "#mix"),
        ("4", "difference", "#gain"),
        ("1", "side", "#views figure + figure"),
    ] {
        page.press(key);
        page.wait_for("document.body.dataset.view", &json!(view));
        assert_eq!(page.value(&format!("document.querySelectorAll('{mark}').length")), 1, "{view}");
        let pressed = "document.querySelector('[data-view-button][aria-pressed=true]').dataset.viewButton";
        assert_eq!(page.value(pressed), view);
    }
    page.press("2");
    let caption = "document.querySelector('#views figcaption').textContent";
    page.wait_for(caption, &json!("found (space flips)"));
    page.press(" ");
    page.wait_for(caption, &json!("expected (space flips)"));
    page.press("4");
    let pixel = "Array.from(document.querySelector('#views canvas').getContext('2d').getImageData(9, 20, 1, 1).data)";
    page.wait_for(pixel, &json!([240, 240, 240, 255]));
    page.press("1");
}

/// To the bit, also where alpha is small or nothing.
fn pixels_are_read_out(page: &mut Page) {
    let [expected, found] = pictures();
    for (x, y) in [(0, 0), (1, 3), (9, 20), (31, 23)] {
        let text = read_out(page, "#views canvas", x, y);
        for (name, picture) in [("expected", &expected), ("found", &found)] {
            let numbers: String = picture.pixel(x, y).unwrap().iter().map(|byte| format!("{byte:>4}")).collect();
            assert!(text.contains(&format!("{name:<9}{numbers}")), "{name} {numbers} in\n{text}");
        }
    }
}

fn nothing_came_through(page: &mut Page) {
    assert_eq!(page.value("document.querySelectorAll('img, b').length"), 0);
    assert_eq!(page.value("document.body.dataset.pwned === undefined"), true);
    assert_eq!(page.value("document.querySelector('h2').textContent"), "broken");
    let has_text = format!("document.body.textContent.includes({})", json!(HOSTILE));
    assert_eq!(page.value(&has_text), true, "it is there, as text");
    // The policy stops what is not the page's own, even if somebody got it in.
    page.value("{ const s = document.createElement('script'); s.textContent = 'document.body.dataset.pwned = 1'; document.body.append(s); }");
    assert_eq!(page.value("document.body.dataset.pwned === undefined"), true);
    let of = |method: &str, events: &[Value]| -> Vec<Value> {
        events.iter().filter(|event| event["method"] == method).cloned().collect()
    };
    assert_eq!(of("Runtime.exceptionThrown", &page.events), Vec::<Value>::new());
    let requests = of("Network.requestWillBeSent", &page.events);
    let urls: Vec<&str> = requests.iter().filter_map(|event| event["params"]["request"]["url"].as_str()).collect();
    assert!(urls.iter().all(|url| url.starts_with("file://") && url.ends_with("/index.html")), "{urls:?}");
}

pub fn trials() -> Vec<Trial> {
    let program = browser::program();
    let is_ignored = program.is_none() && !support::is_ci();
    let run = move || -> Result<(), Failed> {
        the_report_works(&program.ok_or("a Chromium is missing: .ci/setup installs it")?);
        Ok(())
    };
    vec![Trial::test("the_report_works", run).with_ignored_flag(is_ignored)]
}
