//! The page in a person's hands: files, keys, pointer, links, faults, and a shader that never ends.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::chromium::{Chromium, Page};
use super::{Browser, PAGE};
use crate::command_line::keep_going::faulty_trace;
use crate::support;
use support::harness::{Trial, trials_of};
use support::root;

/// Script of the rules of accessibility, axe-core's, where `AXE_CORE` names it.
static AXE_CORE: LazyLock<Option<PathBuf>> =
    LazyLock::new(|| std::env::var_os("AXE_CORE").map(PathBuf::from).filter(|path| path.exists()));

/// APIs that a page may be asked to draw by.
const BACKENDS: [&str; 2] = ["webgpu", "webgl2"];

const FRAMES: &str = "fixtures/aerogpu/frames.aerogputrace";
const UPLOADS: &str = "fixtures/aerogpu/upload_between_draws.aerogputrace";

fn shows(place: &str) -> String {
    format!("document.getElementById('picture').dataset.shown === '{place}'")
}

fn text_of(id: &str) -> String {
    format!("document.getElementById('{id}').textContent")
}

fn tab(name: &str) -> String {
    format!("[...document.querySelectorAll('[role=tab]')].find((tab) => tab.textContent === '{name}')")
}

fn button(name: &str) -> String {
    format!("[...document.querySelectorAll('button')].find((it) => it.textContent === '{name}' && it.offsetParent)")
}

/// A link that names a place, keys, a file from disk.
fn the_page_shows_the_place_that_its_link_names() {
    let mut browser = Browser::at(&format!("page/index.html?trace=/ranges/{FRAMES}&frame=1"));
    let Browser { chromium, page, .. } = &mut browser;
    chromium.wait_for(page, &shows("frame 1"));
    let first = chromium.value(page, &text_of("hash"));
    chromium.press(page, "ArrowRight");
    chromium.wait_for(page, &shows("frame 2"));
    assert_ne!(chromium.value(page, &text_of("hash")), first);
    assert_eq!(chromium.value(page, "new URL(location.href).searchParams.get('frame')"), json!("2"));
    let chosen = "(async () => {
        const bytes = await (await fetch('/ranges/fixtures/aerogpu/triangle.aerogputrace')).arrayBuffer();
        const files = new DataTransfer();
        files.items.add(new File([bytes], 'chosen.bin'));
        const input = document.getElementById('file');
        input.files = files.files;
        input.dispatchEvent(new Event('change'));
    })()";
    chromium.value(page, chosen);
    chromium.wait_for(page, &format!("{} === 'chosen.bin'", text_of("name")));
    chromium.wait_for(page, &shows("frame 0"));
    let error = "replayer.ask('open', { path: 'nowhere' }).then(() => 'opened', (error) => error.message)";
    let told = chromium.value(page, error);
    assert!(told.as_str().unwrap().ends_with("the server answers with the status 404: expected 200 or 206"), "{told}");
}

/// Two traces and a recording are dropped, compared, walked through and, behind a reload, found where they were.
fn dropped_files_are_compared_and_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.aerogputrace");
    std::fs::copy(root().join(UPLOADS), &other).unwrap();
    let recording = root().join("fixtures/wip15/s1_glxgears_killed.trace");
    for backend in BACKENDS {
        let mut browser = Browser::at(&format!("page/index.html?backend={backend}"));
        let Browser { chromium, page, .. } = &mut browser;
        chromium.drop_files(page, &[&recording, &root().join(FRAMES), &other]);
        chromium.wait_for(page, &format!("{} === 'frames.aerogputrace'", text_of("name")));
        chromium.wait_for(page, &format!("{} === 'compared with other.aerogputrace'", text_of("other-name")));
        chromium.wait_for(page, &shows("frame 0"));
        chromium.press(page, "1");
        chromium.wait_for(page, &format!("/pixels? differ|sizes differ/.test({})", text_of("compared")));
        chromium.press(page, "Escape");
        chromium.wait_for(page, &format!("{} === ''", text_of("compared")));

        chromium.press(page, "ArrowRight");
        chromium.wait_for(page, &shows("frame 1"));
        // Steps within a second are one place of the browser's history.
        thread::sleep(Duration::from_millis(1200));
        chromium.press(page, "ArrowDown");
        chromium.wait_for(page, &shows("frame 1, draw 0"));
        let hash = chromium.value(page, &text_of("hash"));
        chromium.value(page, "history.back()");
        chromium.wait_for(page, &shows("frame 1"));
        chromium.value(page, "history.forward()");
        chromium.wait_for(page, &shows("frame 1, draw 0"));

        chromium.click(page, &tab("Timeline"));
        chromium.wait_for(page, "[...document.querySelectorAll('#bottom canvas')].some((it) => it.offsetParent)");

        chromium.reload(page);
        chromium.drop_files(page, &[&root().join(FRAMES)]);
        chromium.wait_for(page, &shows("frame 1, draw 0"));
        assert_eq!(chromium.value(page, &text_of("hash")), hash, "{backend}");
        let api = chromium.value(page, &text_of("adapter"));
        let is_webgl = api.as_str().unwrap().contains("WebGL 2.0");
        assert_eq!(is_webgl, backend == "webgl2", "{api}");
    }
}

/// A damaged file is an error on the page; a fault within a trace is a warning that leads to its frame, and frames behind it
/// are drawn once a person says so.
fn a_faulty_trace_is_told_and_drawn_on() {
    let folder = tempfile::tempdir().unwrap();
    let faulty = folder.path().join("faulty.bin");
    std::fs::write(&faulty, faulty_trace()).unwrap();
    let damaged = folder.path().join("damaged.bin");
    std::fs::write(&damaged, b"AEROGPUT and nothing else").unwrap();
    for backend in BACKENDS {
        let mut browser = Browser::at(&format!("page/index.html?backend={backend}"));
        let Browser { chromium, page, .. } = &mut browser;
        chromium.drop_files(page, &[&damaged]);
        let error = "document.getElementById('said').classList.contains('error')";
        chromium.wait_for(page, &format!("{error} && {}.startsWith('damaged.bin: ')", text_of("said")));

        chromium.drop_files(page, &[&faulty]);
        chromium.wait_for(page, &shows("frame 0"));
        let warning = "document.getElementById('warnings')";
        chromium.wait_for(page, &format!("{warning}.textContent.includes('buffer 77 does not exist')"));
        chromium.click(page, &format!("{warning}.querySelector('button.link')"));
        chromium.wait_for(page, &format!("{error} && {}.includes('buffer 77 does not exist')", text_of("said")));
        chromium.wait_for(page, "document.getElementById('stage').classList.contains('old')");

        chromium.click(page, &button("Draw on behind faults"));
        // The fault's own place.
        chromium
            .wait_for(page, "String(document.getElementById('picture').dataset.shown).startsWith('frame 1, packet ')");
        chromium.press(page, "End");
        chromium.wait_for(page, &shows("frame 5"));
        chromium.wait_for(page, "!document.getElementById('stage').classList.contains('old')");
    }
}

/// A person finds the draw that wrote a pixel, edits its shader, and sends the link to somebody who sees the same pixel.
fn a_person_finds_a_draw_edits_its_shader_and_sends_the_link() {
    let mut browser = Browser::at(&format!("page/index.html?trace=/ranges/{UPLOADS}&frame=0"));
    let Browser { chromium, page, .. } = &mut browser;
    chromium.wait_for(page, &shows("frame 0"));
    chromium.click(page, "document.getElementById('picture')");
    let writer = "[...document.querySelectorAll('#right .history button')].findLast((it) => it.textContent.startsWith('draw') && it.offsetParent)";
    chromium.wait_for(page, &format!("{writer} !== undefined"));
    chromium.click(page, writer);
    chromium.wait_for(page, "replayer.shown.draw !== null");
    let draw = chromium.value(page, "replayer.shown.draw");
    chromium.wait_for(page, &shows(&format!("frame 0, draw {draw}")));
    let link = chromium.value(page, "location.href").as_str().unwrap().to_owned();
    assert!(link.contains("&pixel=") && link.contains(&format!("&draw={draw}")), "{link}");
    let [hash, value] = ["hash", "value"].map(|id| chromium.value(page, &text_of(id)));

    edit_the_fragment_shader(chromium, page, "return vec4f(0.25, 0.5, 0.75, 1.0);");
    chromium.wait_for(page, &format!("{} !== {hash}", text_of("hash")));
    assert_ne!(chromium.value(page, &text_of("value")), value, "the edited shader draws the pixel");

    let colleague = chromium.open(&link);
    chromium.wait_for(&colleague, &shows(&format!("frame 0, draw {draw}")));
    chromium.wait_for(&colleague, &format!("{} === {value}", text_of("value")));
    assert_eq!(chromium.value(&colleague, &text_of("hash")), hash);
}

/// Passes tell what they read of each other, and their names and those of textures lead there.
fn passes_lead_to_each_other_over_frames() {
    let trace = "fixtures/examples/courtyard.aerogputrace";
    let mut browser = Browser::at(&format!("page/index.html?trace=/ranges/{trace}&frame=3"));
    let Browser { chromium, page, .. } = &mut browser;
    chromium.wait_for(page, &shows("frame 3"));
    chromium.click(page, &tab("Passes"));
    let pass = |heading: &str| {
        let passes = "[...document.querySelectorAll('#left .pass')]";
        format!("{passes}.find((it) => it.querySelector('h2').textContent === '{heading}' && it.offsetParent)")
    };
    let within = |pass: &str, name: &str| {
        format!("[...{pass}.querySelectorAll('button')].find((it) => it.textContent === '{name}')")
    };
    let lit = pass("pass 3: draws 5 to 13 to texture 2 \"lit scene\", depth texture 3 \"scene depth\"");
    chromium.wait_for(page, &format!("{lit} !== undefined"));
    let text = chromium.value(page, &format!("{lit}.textContent")).as_str().unwrap().to_owned();
    for told in ["writes over texture 2", "from frame 2 pass 3", "tests against texture 3", "for pass 5, pass 7"] {
        assert!(text.contains(told), "{told}: {text}");
    }
    chromium.click(page, &within(&lit, "frame 2 pass 3"));
    chromium.wait_for(page, "String(document.getElementById('picture').dataset.shown).startsWith('frame 2, ')");
    let shadow = pass("pass 1: draws 0 to 4 to depth texture 4 \"shadow map\"");
    chromium.wait_for(page, &format!("{shadow} !== undefined"));
    chromium.click(page, &within(&shadow, "texture 4 \"shadow map\" (1024x1024 D32_FLOAT)"));
    chromium.wait_for(page, "replayer.shown.draw === 4 && replayer.shown.frame === 2");
    chromium
        .wait_for(page, "document.querySelector('#right [role=tab][aria-selected=true]').textContent === 'Resources'");
}

/// Types another fragment shader of this body, as a person does.
fn edit_the_fragment_shader(chromium: &mut Chromium, page: &Page, body: &str) {
    chromium.click(page, &tab("Shaders"));
    let area = "document.querySelector('#right textarea[aria-label=\"Text of the shader\"]')";
    let fragment =
        "[...document.querySelectorAll('#right select option')].find((it) => /fragment|pixel/i.test(it.textContent))";
    chromium.wait_for(page, &format!("{fragment} !== undefined"));
    let chosen = format!(
        "(() => {{ const option = {fragment}; option.parentElement.value = option.value; \
         option.parentElement.dispatchEvent(new Event('change')); }})()"
    );
    chromium.value(page, &chosen);
    chromium.wait_for(page, &format!("/@fragment/.test({area}.value)"));
    chromium.value(page, &format!("{area}.focus(), {area}.select()"));
    chromium.insert(page, &format!("@fragment fn f() -> @location(0) vec4f {{ {body} }}"));
}

/// Milliseconds that no answer of the test's may take.
const PATIENCE_MS: u32 = 10_000;

/// Longest time in milliseconds in which the page may do nothing else: half of what it would stand still for if it waited for the
/// worker. Other tests and the endless shader take the cores meanwhile.
const LONGEST_MS: f64 = PATIENCE_MS as f64 / 2.0;

/// An edited shader that never ends: the page goes on, tells it, and once the browser has ended the GPU's work, as it does on
/// real GPUs by itself, the edit is taken back and the frame drawn again.
fn a_shader_that_never_ends_is_told_and_taken_back() {
    for backend in BACKENDS {
        let mut browser =
            Browser::at(&format!("page/index.html?trace=/ranges/{UPLOADS}&frame=0&draw=0&backend={backend}"));
        let Browser { chromium, page, .. } = &mut browser;
        chromium.wait_for(page, &shows("frame 0, draw 0"));
        let hash = chromium.value(page, &text_of("hash"));
        let watch = format!(
            "replayer.session.patience = {PATIENCE_MS}; window.longest = 0; let last = performance.now(); \
             setInterval(() => {{ const now = performance.now(); window.longest = Math.max(window.longest, now - last); \
             last = now; }}, 10); undefined"
        );
        chromium.value(page, &watch);
        let endless = "var i = 0u; while (i != 5u) { i = i + 2u; } return vec4f(f32(i));";
        edit_the_fragment_shader(chromium, page, endless);
        let told = format!("{}.includes('no answer within {} s')", text_of("said"), PATIENCE_MS / 1000);
        chromium.wait_for(page, &told);
        chromium.wait_for(page, &format!("{}.includes('an edited shader may never end')", text_of("said")));
        // No other question may start the shader once more: the edit could then be taken back only behind it.
        let asked = Instant::now();
        let (refusal, _) = chromium.ask(page, "image", &json!({ "trace": 1, "frame": 0 })).unwrap_err();
        assert!(refusal.contains("an edited shader may never end"), "{backend}: {refusal}");
        assert!(asked.elapsed() < Duration::from_millis(PATIENCE_MS.into()), "{backend}: {:?}", asked.elapsed());
        let longest = chromium.value(page, "window.longest").as_f64().unwrap();
        assert!(longest < LONGEST_MS, "{backend}: the page stood still for {longest} ms");

        chromium.crash_gpu();
        chromium.value(page, "replayer.session.patience = 60_000");
        chromium.click(page, &button("Revert"));
        // Until then the picture is the one from before the edit, dimmed.
        chromium.wait_for(page, "!document.getElementById('stage').classList.contains('old')");
        assert_eq!(chromium.value(page, &text_of("hash")), hash, "{backend}");
    }
}

/// Violations of the rules that the page breaks as it stands.
const VIOLATIONS: &str = "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => \
     violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`))";

/// Every panel of the page, light and dark, and as narrow as a phone, keeps the rules of accessibility.
fn the_page_keeps_the_rules_of_accessibility() {
    let rules = std::fs::read_to_string(AXE_CORE.as_ref().unwrap()).unwrap();
    let check = |chromium: &mut Chromium, page: &Page, name: &str| {
        let found = chromium.value(page, VIOLATIONS);
        assert_eq!(found, json!([]), "{name}");
    };
    let mut browser = Browser::start();
    let Browser { chromium, page, .. } = &mut browser;
    chromium.value(page, &rules);
    check(chromium, page, "the start page");
    let opened = [root().join("fixtures/examples/courtyard.aerogputrace"), root().join(FRAMES)];
    chromium.drop_files(page, &opened.each_ref().map(PathBuf::as_path));
    chromium.wait_for(page, &shows("frame 0"));
    chromium.press(page, "ArrowDown");
    chromium.wait_for(page, &shows("frame 0, draw 0"));
    let names = chromium.value(page, "[...document.querySelectorAll('[role=tab]')].map((tab) => tab.textContent)");
    let names: Vec<&str> = names.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        chromium.click(page, &tab(name));
        chromium.wait_for(page, "document.querySelector('[aria-busy=true]') === null");
        check(chromium, page, name);
        chromium.click(page, "document.getElementById('theme')");
        check(chromium, page, &format!("{name}, the other colours"));
    }
    chromium.press(page, "?");
    check(chromium, page, "the sheet of keys");
    chromium.press(page, "Escape");
    chromium.resize(page, 320, 640);
    check(chromium, page, "a narrow page");
}

pub fn trials() -> Vec<Trial> {
    let all: Vec<Trial> = trials_of![
        the_page_shows_the_place_that_its_link_names,
        dropped_files_are_compared_and_found_again,
        a_faulty_trace_is_told_and_drawn_on,
        a_person_finds_a_draw_edits_its_shader_and_sends_the_link,
        passes_lead_to_each_other_over_frames,
        a_shader_that_never_ends_is_told_and_taken_back,
    ];
    let rules: Vec<Trial> = trials_of![the_page_keeps_the_rules_of_accessibility];
    let all = all.into_iter().map(|trial| trial.with_ignored_flag(PAGE.is_none()));
    all.chain(rules.into_iter().map(|trial| trial.with_ignored_flag(PAGE.is_none() || AXE_CORE.is_none()))).collect()
}
