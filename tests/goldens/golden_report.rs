//! The report in a real browser: views, keys, pixels, and nothing loaded, run or marked up from data.
//!
//! Needs a Chromium on the PATH; ignored where there is none, failed where there is none under CI.

use std::fs;
use std::path::Path;

use crate::support;
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::golden::outcome::{CaseOutcome, DifferenceRecord, FrameOutcome, Status};
use aerogpu_replay::golden::report::{PageLinks, write_report};
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
        criterion: Some("hash".to_owned()),
        sha256: Some(found.hash().to_string()),
        known_failure: Some(HOSTILE.to_owned()),
        expected: save("expected.png", &expected),
        found: save("found.png", &found),
        difference: DifferenceRecord::of(&judgement),
        cause: Some(format!("draw 2 {HOSTILE}")),
        cause_group: Some("draw 2 with the shaders 1 2".to_owned()),
        input_change: Some("draw 2 has changed".to_owned()),
        ..FrameOutcome::ended(FrameIndex(3).into(), Status::Different, judgement.to_string())
    };
    let missing = FrameOutcome {
        of: FrameIndex(4).into(),
        status: Status::Missing,
        expected: None,
        difference: None,
        cause: None,
        ..frame.clone()
    };
    let base = CaseOutcome::ended(HOSTILE.to_owned(), HOSTILE.to_owned(), Status::Different, HOSTILE);
    let broken = CaseOutcome { status: Status::Crashed, case: "broken".to_owned(), ..base.clone() };
    let trace_sha256 = Some("7a".repeat(32));
    let hostile = CaseOutcome {
        trace: HOSTILE.to_owned(),
        trace_sha256: trace_sha256.clone(),
        frames: vec![frame.clone(), missing],
        ..base
    };
    let [lake, fine] = [("lake", Status::Different), ("fine", Status::Passed)].map(|(name, status)| CaseOutcome {
        trace_sha256: trace_sha256.clone(),
        frames: vec![FrameOutcome { status, known_failure: None, ..frame.clone() }],
        message: None,
        ..CaseOutcome::ended(name.to_owned(), format!("golden/{name}"), status, "")
    });
    let (tool, command) = ("test".to_owned(), "aerogpu-replay golden test".to_owned());
    let shaders = "glsl".to_owned();
    let cases = vec![fine, hostile, broken, lake];
    let results = Results { schema: 3, tool, shaders, shard: [1, 1], suite: 4, command, cases };
    write_report(&results, &PageLinks::default(), folder).unwrap();
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
    pictures_are_enlarged_and_marked(&mut page);
    assert_eq!(page.value("document.querySelectorAll('#histogram span[title=\"20 steps: 88 pixels\"]').length"), 1);
    assert_eq!(page.value("report.pictures.length"), 2, "four frames show the same two pictures");
    page.press("j");
    page.wait_for("document.body.dataset.ready", &json!("1"));
    assert_eq!(page.value("document.querySelectorAll('#views canvas').length"), 1, "a missing golden has one picture");
    let article = page.value("document.querySelector('article').textContent");
    assert!(!article.as_str().unwrap().contains("null"), "{article}");
    page.press("j");
    page.wait_for("document.body.dataset.ready", &json!("2"));
    nothing_came_through(&mut page);
    links_lead_to_a_picture(&mut page, folder.path());
    the_list_is_searched(&mut page);
    changes_are_decided(&mut page);
    a_narrow_window_has_one_column(&mut page);
}

fn pictures_are_enlarged_and_marked(page: &mut Page) {
    let width = "document.querySelector('#views canvas').getBoundingClientRect().width / 32";
    let fitting = page.value(width).as_f64().unwrap();
    assert!(fitting.fract() == 0.0 && fitting > 4.0, "{fitting}");
    assert_eq!(page.value("document.querySelectorAll('.pane .bounds').length"), 2, "on both");
    for (key, expected) in [("0", 1), ("+", 2), ("-", 1), ("f", fitting as u32)] {
        page.press(key);
        page.wait_for(width, &json!(expected));
    }
    // 88 pixels from 8,13 on differ, all by as much; the first of them is the worst.
    let place = "(() => { const s = document.querySelector('.stage').getBoundingClientRect(), \
                 b = document.querySelector('.bounds').getBoundingClientRect(), scale = s.width / 32; \
                 return [b.left - s.left, b.top - s.top, b.width, b.height].map((n) => Math.round(n / scale)); })()";
    assert_eq!(page.value(place), json!([8, 13, 8, 11]));
    page.press("m");
    page.wait_for("document.querySelectorAll('.mark').length", &json!(0));
    page.press("w");
    page.wait_for("document.querySelectorAll('.worst').length", &json!(2));
    page.wait_for("document.getElementById('readout').textContent.split(' ')[1]", &json!("8,13"));
    page.press("f");
    page.press("5");
    page.wait_for("document.body.dataset.view", &json!("swipe"));
    let clip = "document.querySelector('.over').style.clipPath";
    page.wait_for(clip, &json!("inset(0px 0px 0px 50%)"));
    page.value("{ const s = document.getElementById('split'); s.value = 20; s.dispatchEvent(new Event('input')); }");
    page.wait_for(clip, &json!("inset(0px 0px 0px 20%)"));
    page.press("1");
    page.wait_for("document.body.dataset.view", &json!("side"));
}

fn links_lead_to_a_picture(page: &mut Page, folder: &Path) {
    assert_eq!(page.value("location.hash"), "#broken");
    page.value("location.hash = '#lake/frame0003'");
    page.wait_for("document.querySelector('h2').textContent", &json!("lake, frame 3"));
    page.call("Page.reload", json!({}));
    page.wait_for("document.querySelector('h2') && document.querySelector('h2').textContent", &json!("lake, frame 3"));
    // A case of any name has its link.
    let hostile = page.value(&format!("'#' + encodeURIComponent({}) + '/frame0004'", json!(HOSTILE)));
    let url = format!("file://{}/index.html{}", folder.display(), hostile.as_str().unwrap());
    page.call("Page.navigate", json!({ "url": url }));
    page.wait_for("document.body.dataset.ready", &json!("1"));
    let commands = page.value("[...document.querySelectorAll('dd code')].map((code) => code.textContent).join(' | ')");
    assert!(commands.as_str().unwrap().contains("--frames 4"), "{commands}");
}

fn the_list_is_searched(page: &mut Page) {
    let shown = "[...document.querySelectorAll('#list button')].filter((b) => b.checkVisibility()).length";
    page.wait_for(shown, &json!(4));
    page.wait_for(
        "[...document.querySelectorAll('.thumbnail')].filter((c) => c.getContext('2d').getImageData(28, 21, 1, 1).data[3]).length",
        &json!(3),
    );
    let set = |id: &str, value: &str, event: &str| {
        format!(
            "{{ const e = document.getElementById('{id}'); e.value = '{value}'; e.dispatchEvent(new Event('{event}')); }}"
        )
    };
    page.value(&set("search", "LAKE", "input"));
    page.wait_for(shown, &json!(1));
    assert_eq!(page.value("document.getElementById('count').textContent"), "1 of 5");
    page.value(&set("search", "", "input"));
    page.value(&set("status", "missing", "change"));
    page.wait_for(shown, &json!(1));
    // What has passed is folded up until it is asked for.
    page.value(&set("status", "passed", "change"));
    page.wait_for("[...document.querySelectorAll('#list button')].filter((b) => !b.hidden).length", &json!(1));
    page.value(&set("status", "all", "change"));
    page.wait_for(shown, &json!(4));
}

fn changes_are_decided(page: &mut Page) {
    let decided = "document.getElementById('decided').textContent";
    assert_eq!(page.value(decided), "0 accepted, 0 rejected, 3 to decide");
    page.press("n");
    page.wait_for(decided, &json!("0 accepted, 1 rejected, 2 to decide"));
    page.press("n");
    page.wait_for(decided, &json!("0 accepted, 0 rejected, 3 to decide"));
    page.press("n");
    assert_eq!(
        page.value("document.querySelector('.cluster').textContent"),
        "2 pictures of 2 cases: draw 2 with the shaders 1 2 Accept all Reject all"
    );
    page.value("document.querySelector('.cluster .accept').click()");
    page.wait_for(decided, &json!("2 accepted, 1 rejected, 0 to decide"));
    page.call("Page.reload", json!({}));
    page.wait_for(
        "document.getElementById('decided') && document.getElementById('decided').textContent",
        &json!("2 accepted, 1 rejected, 0 to decide"),
    );
    let file = page.value("JSON.parse(document.getElementById('decisions').value)");
    let [_, found] = pictures();
    let decision = |folder: &str, frame: u32, decision: &str| json!({ "folder": folder, "frame": frame, "decision": decision, "trace_sha256": "7a".repeat(32), "sha256": found.hash().to_string() });
    let expected =
        [decision(HOSTILE, 3, "accept"), decision(HOSTILE, 4, "reject"), decision("golden/lake", 3, "accept")];
    assert_eq!(file, json!({ "schema": 1, "decisions": expected }));
    assert_eq!(
        page.value("document.getElementById('approve-command').textContent"),
        "aerogpu-replay golden approve --decisions decisions.json"
    );
}

fn a_narrow_window_has_one_column(page: &mut Page) {
    page.call(
        "Emulation.setDeviceMetricsOverride",
        json!({ "width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": false }),
    );
    let is_seen = |selector: &str| format!("document.querySelector('{selector}').checkVisibility()");
    page.value("document.body.dataset.place = 'list'");
    page.wait_for(&is_seen("#list"), &json!(true));
    assert_eq!(page.value(&is_seen("article")), false);
    page.value("document.querySelector('#list button').click()");
    page.wait_for(&is_seen("article"), &json!(true));
    page.wait_for(&is_seen("#list"), &json!(false));
    page.wait_for("document.querySelectorAll('#views canvas').length", &json!(2));
    assert!(
        page.value("document.documentElement.scrollWidth").as_f64().unwrap() <= 390.0,
        "nothing lies beside the window"
    );
    page.value("document.getElementById('back').click()");
    page.wait_for(&is_seen("#list"), &json!(true));
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
