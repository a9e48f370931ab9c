//! The `golden` verbs, `diff`, `bisect` and `filmstrip` as a user runs them: every failure mode, provoked.
//!
//! Needs software Vulkan for what renders.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support;
use aerogpu_replay::pixels::{Picture, read_png, write_png};
use support::harness::Trial;
use support::raw::RawTrace;
use support::scene::{BLACK, GREEN, RED, Scene, rectangle, vertices};
use support::{fixture, software};

/// A folder with traces in `traces/` and cases in `golden/`.
pub(super) struct Suite(tempfile::TempDir);

pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

impl Ended {
    #[track_caller]
    pub(super) fn expect(&self, code: i32, words: &str) -> &Self {
        let all = format!("{}\n--\n{}", self.stdout, self.stderr);
        assert_eq!(self.code, Some(code), "{all}");
        assert!(all.contains(words), "expected \"{words}\" in\n{all}");
        self
    }
}

impl Suite {
    /// A suite with the named fixtures, each of which has a case.
    pub(super) fn of(names: &[&str]) -> Self {
        let suite = Self(tempfile::tempdir().unwrap());
        fs::create_dir(suite.path("traces")).unwrap();
        for name in names {
            fs::copy(fixture(name), suite.trace(name)).unwrap();
            suite.run(&["golden", "new", &format!("traces/{name}.aerogputrace")]).expect(0, "approved");
        }
        suite
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn trace(&self, name: &str) -> PathBuf {
        self.path(&format!("traces/{name}.aerogputrace"))
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aerogpu-replay"));
        command.args(arguments).current_dir(self.0.path()).env_remove("GITHUB_ACTIONS");
        if arguments.first() == Some(&"golden") && !matches!(arguments[1], "list" | "prune" | "fsck" | "merge") {
            command.args(["--backend", "vulkan", "--adapter", "llvmpipe"]);
        }
        command
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Ended {
        self.command(arguments).output().unwrap().into()
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(super) fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{from} in {text}");
        fs::write(self.path(name), text.replacen(from, to, 1)).unwrap();
    }

    pub(super) fn picture(&self, name: &str) -> Picture {
        picture(&self.path(name))
    }

    /// Changes a golden and its hash, so that the frame is now "wrong".
    pub(super) fn falsify(&self, case: &str, frame: u32, change: impl Fn(&mut [u8])) {
        self.falsify_picture(case, &format!("frame{frame:04}.png"), change);
    }

    /// Changes the pixels of any picture of the case.
    pub(super) fn falsify_picture(&self, case: &str, file: &str, change: impl Fn(&mut [u8])) {
        let name = format!("golden/{case}/{file}");
        let old = self.picture(&name);
        let mut rgba = old.rgba().to_vec();
        change(&mut rgba);
        let new = Picture::new(old.size(), rgba).unwrap();
        write(&self.path(&name), &new);
        self.edit(&format!("golden/{case}/golden.toml"), &old.hash().to_string(), &new.hash().to_string());
    }

    /// A worker that behaves badly in the cases that are named so.
    pub(super) fn bad_worker(&self) -> String {
        let real = env!("CARGO_BIN_EXE_aerogpu-replay");
        let script = format!(
            "#!/bin/bash\ncoproc REAL {{ '{real}' \"$@\" 2>/dev/null; }}\nwhile read -r line; do case \"$line\" in\n\
             *golden/crash*) echo 'last words' >&2; kill -SEGV $$;;\n*golden/hang*) exec sleep 60;;\n\
             *golden/once*) if [ ! -e once ]; then touch once; exit 3; fi;;\nesac\n\
             printf '%s\\n' \"$line\" >&${{REAL[1]}}; read -r answer <&${{REAL[0]}}; printf '%s\\n' \"$answer\"\ndone\n"
        );
        let path = self.path("worker.sh");
        fs::write(&path, script).unwrap();
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        path.display().to_string()
    }
}

fn picture(path: &Path) -> Picture {
    read_png(std::io::Cursor::new(fs::read(path).unwrap())).unwrap()
}

fn write(path: &Path, picture: &Picture) {
    let mut bytes = Vec::new();
    write_png(picture, &[], &mut bytes).unwrap();
    fs::write(path, bytes).unwrap();
}

fn a_suite_passes_by_hash() {
    let suite = Suite::of(&["layouts", "interpolated"]);
    let ended = suite.run(&["golden", "test"]);
    ended.expect(0, "passed: interpolated: 1 frame: 1 by hash");
    assert!(ended.stdout.find("interpolated") < ended.stdout.find("layouts"), "the order is stable");
    assert!(ended.stdout.ends_with("2 cases, 2 passed\n"), "{}", ended.stdout);
    suite.run(&["golden", "list"]).expect(0, "golden/layouts: 1 frame of 64x64, of traces/layouts.aerogputrace");
    suite.run(&["golden", "test", "--git-bisect"]).expect(0, "");
}

fn a_wrong_picture_is_different_and_names_its_draw() {
    let suite = Suite::of(&["layouts"]);
    // Bottom right is the fourth draw's.
    suite.falsify("layouts", 0, |rgba| rgba[(48 * 64 + 48) * 4 + 2] -= 1);
    let ended = suite.run(&["golden", "test"]);
    ended.expect(
        1,
        "different: layouts: frame 0: 1 of 4096 pixels differ (0.024 %), within 1x1 at 48,48; rounding: no \
            pixel differs by more than one step (1 of 255);",
    );
    ended.expect(1, "last writer of 1 of 1 differing pixel: draw 3 at 0x");
    assert!(suite.path("golden/layouts/frame0000.new.png").is_file(), "kept to be looked at");
    suite.run(&["golden", "test", "--json"]).expect(1, "\"finding\":\"one-step\"");
    suite.run(&["golden", "test", "--git-bisect"]).expect(1, "");
    let github = suite.command(&["golden", "test"]).env("GITHUB_ACTIONS", "true").output().unwrap();
    Ended::from(github).expect(1, "::error file=golden/layouts/golden.toml,title=golden layouts%3A different::frame 0");
}

fn elsewhere_one_step_in_few_pixels_passes_by_tolerance() {
    let suite = Suite::of(&["layouts"]);
    suite.edit("golden/layouts/golden.toml", "llvmpipe (LLVM", "another (LLVM");
    suite.falsify("layouts", 0, |rgba| rgba[(48 * 64 + 48) * 4 + 2] -= 1);
    suite.run(&["golden", "test"]).expect(0, "1 frame: 1 by tolerance");
    suite.falsify("layouts", 0, |rgba| rgba[(48 * 64 + 48) * 4 + 2] -= 1);
    suite.run(&["golden", "test"]).expect(1, "worst 2 steps at 48,48");
    // A check of its own counts on every machine; the metric is asked only where the file wants it.
    let check = "\n[[frame.check]]\nbackend = \"vulkan\"\ntolerance = 2\n";
    let toml = suite.read("golden/layouts/golden.toml");
    fs::write(suite.path("golden/layouts/golden.toml"), format!("{toml}{check}")).unwrap();
    suite.run(&["golden", "test"]).expect(0, "1 by tolerance");
    suite.edit("golden/layouts/golden.toml", "tolerance = 2", "min_similarity = 0.9");
    suite.run(&["golden", "test"]).expect(0, "1 by perceptual");
    suite.edit("golden/layouts/golden.toml", "backend = \"vulkan\"\nmin", "backend = \"gl\"\nmin");
    suite.run(&["golden", "test"]).expect(1, "different");
}

fn a_missing_golden_is_exit_7_and_never_made_by_itself() {
    let suite = Suite::of(&["interpolated"]);
    let golden = suite.path("golden/interpolated/frame0000.png");
    let before = fs::read(&golden).unwrap();
    fs::remove_file(&golden).unwrap();
    suite.run(&["golden", "test"]).expect(7, "golden missing: interpolated").expect(7, "golden approve");
    assert!(!golden.exists());
    assert!(suite.path("golden/interpolated/frame0000.new.png").is_file());
    suite.run(&["golden", "test", "--git-bisect"]).expect(125, "");
    suite.run(&["golden", "approve"]).expect(0, "approved: golden/interpolated: frame 0");
    assert_eq!(fs::read(&golden).unwrap(), before);
    assert!(!suite.path("golden/interpolated/frame0000.new.png").exists());
    suite.run(&["golden", "test"]).expect(0, "1 passed");
}

fn nothing_compared_is_a_failure() {
    let suite = Suite::of(&[]);
    fs::create_dir(suite.path("golden")).unwrap();
    suite.run(&["golden", "test"]).expect(7, "no golden.toml under golden: nothing to compare");
    suite.run(&["golden", "test", "nowhere"]).expect(2, "cannot read nowhere");
    let of_one = Suite::of(&["layouts"]);
    fs::remove_file(of_one.trace("layouts")).unwrap();
    let words = "golden/layouts/golden.toml: cannot read its trace traces/layouts.aerogputrace: No such file";
    of_one.run(&["golden", "test"]).expect(3, words);
    suite.run(&["golden", "test", "--git-bisect"]).expect(125, "");
}

/// PNGs that are no goldens, and what is said of them.
fn bad_pngs() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let encoded = |color, depth, data: &[u8]| {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 2);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == png::ColorType::Indexed {
            encoder.set_palette(vec![1, 2, 3]);
        }
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    };
    let whole = encoded(png::ColorType::Rgba, png::BitDepth::Eight, &[7; 16]);
    let mut huge = whole.clone();
    huge[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
    let crc = crc32(&huge[12..29]);
    huge[29..33].copy_from_slice(&crc.to_be_bytes());
    vec![
        ("truncated", whole[..whole.len() - 20].to_vec(), "cannot read the PNG"),
        (
            "16-bit",
            encoded(png::ColorType::Rgba, png::BitDepth::Sixteen, &[7; 32]),
            "the picture has more than 8 bits per channel",
        ),
        (
            "palette",
            encoded(png::ColorType::Indexed, png::BitDepth::Eight, &[0, 0, 0, 1]),
            "a pixel of palette colour 1",
        ),
        ("huge", huge, "the golden"),
        ("no PNG", b"GIF89a".to_vec(), "cannot read the PNG"),
        ("empty", Vec::new(), "cannot read the PNG"),
        ("other hash", whole, "which golden.toml does not accept"),
    ]
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

fn unusable_goldens_are_errors_and_stay() {
    let suite = Suite::of(&["interpolated"]);
    let golden = suite.path("golden/interpolated/frame0000.png");
    for (name, bytes, words) in bad_pngs() {
        fs::write(&golden, &bytes).unwrap();
        let ended = suite.run(&["golden", "test", "--retries", "0"]);
        ended.expect(7, "error: interpolated").expect(7, words);
        assert_eq!(fs::read(&golden).unwrap(), bytes, "{name}");
        suite
            .run(&["diff", "golden/interpolated/frame0000.png", "golden/interpolated/frame0000.new.png"])
            .expect(if name == "other hash" { 1 } else { 2 }, "");
    }
    // Interlaced RGBA8 is the same pixels in another order.
    let rows: Vec<u8> = (0..4u8).flat_map(|n| [n, 0, 0, 255]).collect();
    fs::write(&golden, interlaced(&rows)).unwrap();
    assert_eq!(picture(&golden).pixel(1, 1), Some([3, 0, 0, 255]));
    suite.run(&["golden", "approve"]).expect(0, "approved");
    suite.run(&["golden", "test"]).expect(0, "1 passed");
}

/// Goldens that editors and optimisers have rewritten have the same pixels, for `test`, `diff` and the report.
fn goldens_of_other_kinds_are_read_without_loss() {
    let suite = Suite::of(&["redefinition"]);
    let golden = suite.path("golden/redefinition/frame0000.png");
    let picture = suite.picture("golden/redefinition/frame0000.png");
    let pixels = picture.rgba().as_chunks::<4>().0;
    assert!(pixels.iter().all(|pixel| pixel[3] == 255), "it can be RGB");
    let mut colors: Vec<[u8; 4]> = pixels.to_vec();
    colors.sort_unstable();
    colors.dedup();
    let index = |pixel: &[u8; 4]| colors.binary_search(pixel).unwrap() as u8;
    let write = |color: png::ColorType, rows: Vec<u8>| {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 64, 64);
        encoder.set_color(color);
        encoder.set_palette(colors.iter().flat_map(|color| color[..3].to_vec()).collect::<Vec<u8>>());
        encoder.write_header().unwrap().write_image_data(&rows).unwrap();
        fs::write(&golden, bytes).unwrap();
    };
    let kinds = [
        (png::ColorType::Rgb, pixels.iter().flat_map(|pixel| pixel[..3].to_vec()).collect::<Vec<u8>>()),
        (png::ColorType::Indexed, pixels.iter().map(index).collect()),
    ];
    fs::copy(&golden, suite.path("plain.png")).unwrap();
    for (kind, rows) in kinds {
        write(kind, rows);
        suite.run(&["golden", "test"]).expect(0, "1 by hash");
        suite
            .run(&["diff", "plain.png", "golden/redefinition/frame0000.png"])
            .expect(0, "same: ")
            .expect(0, "no pixel differs");
        suite.edit("golden/redefinition/golden.toml", "index = 0", "index = 0\nknown_failure = \"none\"");
        suite.run(&["golden", "test", "--report", "out"]).expect(1, "it passes although it is listed");
        let page = suite.read("out/index.html");
        assert!(
            page.contains("\"pictures\":{\"expected\":0,\"found\":0}"),
            "the report shows it, once: it is the same"
        );
        assert!(page.contains("\"pictures\":[\"iVBOR"), "and has it");
        suite.edit("golden/redefinition/golden.toml", "index = 0\nknown_failure = \"none\"", "index = 0");
    }
}

/// A 2×2 RGBA8 PNG with Adam7: pass 1 is pixel 0,0; pass 6 is 1,0; pass 7 is the second row. Stored, not compressed.
fn interlaced(rgba: &[u8]) -> Vec<u8> {
    let passes = [&[0], &rgba[0..4], &[0], &rgba[4..8], &[0], &rgba[8..16]].concat();
    let adler = passes.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65521;
        (a, (b + a) % 65521)
    });
    let length = passes.len() as u16;
    let stored = [&[0x78, 1, 1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), &passes].concat();
    let data = [stored, (adler.1 << 16 | adler.0).to_be_bytes().to_vec()].concat();
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let header = [0, 0, 0, 2, 0, 0, 0, 2, 8, 6, 0, 0, 1];
    for (kind, body) in [(b"IHDR", &header[..]), (b"IDAT", &data), (b"IEND", &[])] {
        bytes.extend((body.len() as u32).to_be_bytes());
        let chunk = [&kind[..], body].concat();
        bytes.extend(&chunk);
        bytes.extend(crc32(&chunk).to_be_bytes());
    }
    bytes
}

fn bad_tomls_are_named_with_their_place() {
    let suite = Suite::of(&["interpolated"]);
    let file = "golden/interpolated/golden.toml";
    let good = suite.read(file);
    let hash = "0".repeat(64);
    let cases = [
        ("schema = 1", "schema = 1\ntolerence = 3", "line 2, column 1: unknown field `tolerence`"),
        ("schema = 1", "schema = 2", "schema is 2: expected 1"),
        ("index = 0", "index = 0\n[[frame]]\nindex = 0", "frame.index is 0: expected each frame once"),
        ("index = 0", "index = 0\npicture = \"../x.png\"", "expected the name of a .png file"),
        ("index = 0", "index = 0\npicture = \"a\\\\b.png\"", "expected the name of a .png file"),
        ("index = 0", "index = 0\nknown_failure = \" \"", "known_failure is empty"),
        ("index = 0", "index = -1", "invalid value"),
        ("hashes = [\"", "hashes = [\"x", "frame 0: hashes is x"),
        ("size = \"96x96\"", "size = \"0x5\"", "size is 0x5"),
        ("size = \"96x96\"", "size = \"99999x99999\"", "size is 99999x99999"),
        ("trace = \"../../traces/", "trace = \"/etc/", "expected a path relative to this folder"),
        ("trace = \"../../traces/interpolated.aerogputrace", "trace = \"../../../../etc/passwd", ""),
        ("trace_sha256 = \"", "trace_sha256 = \"zz", "trace_sha256 is zz"),
        ("[[frame]]", "[[frame", "line 13"),
        ("schema = 1", "schema = 1\nschema = 1", "line 2"),
    ];
    for (from, to, words) in cases {
        suite.edit(file, from, to);
        suite.run(&["golden", "test"]).expect(2, "error: interpolated").expect(2, words);
        suite.run(&["golden", "test", "--git-bisect"]).expect(125, "");
        fs::write(suite.path(file), &good).unwrap();
    }
    suite.edit(file, "[recorded]", &format!("# {hash}\n[recorded]"));
    suite.run(&["golden", "test"]).expect(0, "passed");
    // A trace elsewhere, by a link that leaves the root.
    #[cfg(unix)]
    {
        let outside = tempfile::NamedTempFile::new().unwrap();
        fs::copy(fixture("interpolated"), outside.path()).unwrap();
        fs::remove_file(suite.trace("interpolated")).unwrap();
        std::os::unix::fs::symlink(outside.path(), suite.trace("interpolated")).unwrap();
        suite.run(&["golden", "test"]).expect(2, "is outside");
    }
}

fn a_changed_trace_is_named() {
    let suite = Suite::of(&["interpolated"]);
    fs::copy(fixture("layouts"), suite.trace("interpolated")).unwrap();
    let ended = suite.run(&["golden", "test", "--report", "out"]);
    ended.expect(1, "different: interpolated: ").expect(1, "has changed: its SHA-256 is").expect(1, "golden review");
    ended.expect(1, "--allow-trace-change` accepts or rejects them");
    // What is new can be looked at, and the commit is not to blame for it.
    assert!(suite.read("out/index.html").contains("\"pictures\":[\"iVBOR"));
    suite.run(&["golden", "test", "--git-bisect"]).expect(125, "");
    suite.run(&["golden", "approve"]).expect(1, "--allow-trace-change approves it");
    review(&suite, &[], "y\n").expect(1, "skipped: 1 of its 1 picture differs, and the trace");
    review(&suite, &["--allow-trace-change"], "n\n").expect(1, "interpolated, frame 0: different");
    review(&suite, &["--allow-trace-change"], "y\n").expect(0, "approved: golden/interpolated: frame 0");
    suite.run(&["golden", "test"]).expect(0, "1 passed");
    // Another trace with the same picture: the same records, with a byte of the metadata changed.
    let mut bytes = fs::read(suite.trace("interpolated")).unwrap();
    let place = bytes.windows(7).position(|window| window == b"fixture").unwrap();
    bytes[place] ^= 1;
    fs::write(suite.trace("interpolated"), bytes).unwrap();
    review(&suite, &["--allow-trace-change"], "q\n").expect(1, "its pictures are unchanged");
    review(&suite, &["--allow-trace-change"], "y\n").expect(0, "its pictures are unchanged");
    suite.run(&["golden", "test"]).expect(0, "1 passed");
}

fn approval_refuses_what_it_should() {
    let suite = Suite::of(&["interpolated"]);
    fs::copy(fixture("triangle"), suite.trace("triangle")).unwrap();
    suite.run(&["golden", "new", "traces/triangle.aerogputrace"]).expect(1, "is blank: every pixel is 255,0,0,255");
    let into = ["golden", "new", "traces/triangle.aerogputrace", "--into", "elsewhere"];
    suite.run(&into).expect(1, "is blank");
    assert!(!suite.path("elsewhere").exists(), "a folder was made for nothing");
    assert!(!suite.path("golden/triangle").exists());
    suite.run(&["golden", "new", "traces/triangle.aerogputrace", "--allow-blank"]).expect(0, "approved");
    // Naming the folder of traces again adds what is new; a namesake of another trace is refused.
    let before = suite.read("golden/triangle/golden.toml");
    suite.run(&["golden", "new", "traces/triangle.aerogputrace"]).expect(0, "golden/triangle already exists");
    fs::create_dir(suite.path("other")).unwrap();
    fs::copy(fixture("layouts"), suite.path("other/triangle.aerogputrace")).unwrap();
    suite
        .run(&["golden", "new", "other/triangle.aerogputrace"])
        .expect(2, "golden.toml already exists: renew its pictures with golden approve, or choose another");
    assert_eq!(suite.read("golden/triangle/golden.toml"), before);
    let toml = "golden/interpolated/golden.toml";
    suite.edit(toml, "kind = \"cpu\"", "kind = \"discrete\" # the lab's");
    suite.run(&["golden", "approve"]).expect(1, "--allow-adapter-change approves them");
    suite.run(&["golden", "approve", "--allow-adapter-change"]).expect(0, "unchanged: golden/interpolated: frame 0");
    assert!(suite.read(toml).contains("kind = \"cpu\" # the lab's"), "{}", suite.read(toml));
    // Accepting a second picture keeps the first.
    suite.falsify("interpolated", 0, |rgba| rgba[0] ^= 1);
    let golden = suite.picture("golden/interpolated/frame0000.png");
    suite.run(&["golden", "approve", "--add"]).expect(0, "approved");
    assert_eq!(suite.picture("golden/interpolated/frame0000.png"), golden);
    suite.run(&["golden", "test"]).expect(0, "1 by hash");
}

/// `golden review` with these flags and answers.
pub(super) fn review(suite: &Suite, flags: &[&str], answers: &str) -> Ended {
    use std::io::Write;
    use std::process::Stdio;
    let mut command = suite.command(&[&["golden", "review"], flags].concat());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It may end before it has read an answer.
    let _ = child.stdin.take().unwrap().write_all(answers.as_bytes());
    child.wait_with_output().unwrap().into()
}

/// A case of four frames, of which the last is blank.
fn suite_of_four_frames() -> Suite {
    let suite = Suite::of(&[]);
    fs::copy(fixture("frames"), suite.trace("frames")).unwrap();
    suite.run(&["golden", "new", "traces/frames.aerogputrace", "--allow-blank"]).expect(0, "approved");
    suite
}

/// Suite of four frames, all of them now "wrong".
fn four_wrong_frames() -> Suite {
    let suite = suite_of_four_frames();
    (0..4).for_each(|frame| suite.falsify("frames", frame, |rgba| rgba[0] ^= 1));
    suite
}

/// Answers before the end count, however the end comes.
fn review_keeps_the_answers_before_its_end() {
    for (end, words) in [("q\n", "1 case, 1 different"), ("", "1 case, 1 different")] {
        let suite = four_wrong_frames();
        let ended = review(&suite, &[], &format!("y\nn\ny\n{end}"));
        ended
            .expect(1, "approved: golden/frames: frame 0")
            .expect(1, "approved: golden/frames: frame 2")
            .expect(1, words);
        assert_eq!(ended.stdout.matches("approved: ").count(), 2, "{}", ended.stdout);
        suite.run(&["golden", "test"]).expect(1, "frame 1: ");
        let listed = fs::read_dir(suite.path("golden/frames")).unwrap().count();
        assert_eq!(listed, 6 + 2, "golden.toml, inputs.json, four pictures, two that wait");
    }
}

#[cfg(unix)]
fn review_keeps_the_answers_before_ctrl_c() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::Stdio;
    let suite = four_wrong_frames();
    let mut command = suite.command(&["golden", "review"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut answers = child.stdin.take().unwrap();
    answers.write_all(b"y\nn\n").unwrap();
    // The third question is asked, and not answered.
    let mut questions = BufReader::new(child.stderr.take().unwrap());
    let mut asked = Vec::new();
    while !String::from_utf8_lossy(&asked).contains("frames, frame 2") {
        assert!(questions.read_until(b'\n', &mut asked).unwrap() > 0, "{}", String::from_utf8_lossy(&asked));
    }
    while asked.iter().filter(|byte| **byte == b'[').count() < 9 {
        let mut byte = [0];
        questions.read_exact(&mut byte).unwrap();
        asked.push(byte[0]);
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    assert!(said.contains("approved: golden/frames: frame 0"), "{said}");
    assert_eq!(said.matches("approved: ").count(), 1, "{said}");
    drop(answers);
    suite.run(&["golden", "fsck"]).expect(0, "0 problems");
}

/// A number that looks like chance, and is printed with what fails.
fn chance(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

/// Killed at whatever moment, the case is the old one or the new one. `KILLED_APPROVALS` says how often.
#[cfg(unix)]
fn a_killed_approval_is_whole_or_nothing() {
    use std::time::{Duration, Instant};
    let rounds = std::env::var("KILLED_APPROVALS").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let suite = four_wrong_frames();
    let names = ["golden.toml", "frame0000.png", "frame0001.png", "frame0002.png", "frame0003.png"];
    let files = || names.map(|name| fs::read(suite.path("golden/frames").join(name)).unwrap());
    let restore = |files: &[Vec<u8>; 5]| {
        names
            .iter()
            .zip(files)
            .for_each(|(name, bytes)| fs::write(suite.path("golden/frames").join(name), bytes).unwrap());
    };
    let old = files();
    let started = Instant::now();
    suite.run(&["golden", "approve", "--allow-blank"]).expect(0, "approved: golden/frames: frame 3");
    let whole = started.elapsed();
    let new = files();
    let mut seed = u64::from(std::process::id()) << 20 | 1;
    let mut ends = [0; 2];
    for round in 0..rounds {
        restore(&old);
        let before = seed;
        let mut child =
            suite.command(&["golden", "approve", "--allow-blank"]).stdout(std::process::Stdio::null()).spawn().unwrap();
        // Every other time while files change: some tenths of a second, as each is waited for.
        let deadline = Instant::now() + whole * 4;
        if round % 2 == 0 {
            std::thread::sleep(Duration::from_nanos(chance(&mut seed) % whole.as_nanos() as u64));
        } else {
            let has_begun = || fs::read_dir(suite.path("golden/frames")).unwrap().count() > names.len();
            while !has_begun() && child.try_wait().unwrap().is_none() && Instant::now() < deadline {}
            std::thread::sleep(Duration::from_micros(chance(&mut seed) % 160_000));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let tested = suite.run(&["golden", "test", "--retries", "0"]);
        let is_new = files() == new;
        assert!(is_new || files() == old, "seed {before}, round {round}: neither old nor new");
        tested.expect(if is_new { 0 } else { 1 }, "");
        suite.run(&["golden", "prune", "--force"]);
        suite.run(&["golden", "fsck"]).expect(0, "1 case, 0 problems");
        ends[usize::from(is_new)] += 1;
    }
    println!("killed approvals: {} left the old case, {} the new one", ends[0], ends[1]);
}

/// While one command changes a suite another is told so; looking is not kept from anybody.
#[cfg(unix)]
fn a_suite_is_changed_by_one_command_at_a_time() {
    let suite = Suite::of(&["layouts", "interpolated"]);
    let worker = suite.bad_worker();
    // It hangs at this word: a trace, here.
    fs::write(&worker, fs::read_to_string(&worker).unwrap().replace("*golden/hang*", "*traces/layouts*")).unwrap();
    let mut child = suite.command(&["golden", "approve", "golden/layouts", "--worker", &worker]);
    let mut child = child.stderr(std::process::Stdio::null()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1000));
    let busy = "golden/layouts is being changed by another `golden` command: try again when it has finished";
    let approve = |path: &str| suite.run(&["golden", "approve", path]);
    approve("golden/layouts").expect(2, busy);
    approve("golden").expect(2, "golden is being changed by another `golden` command");
    suite.run(&["golden", "fsck", "--force"]).expect(2, "is being changed");
    suite.run(&["golden", "prune", "--force"]).expect(2, "is being changed");
    approve("golden/interpolated").expect(0, "unchanged");
    suite.run(&["golden", "test"]).expect(0, "2 passed");
    suite.run(&["golden", "fsck"]).expect(0, "2 cases, 0 problems");
    child.kill().unwrap();
    child.wait().unwrap();
    approve("golden/layouts").expect(0, "unchanged");
}

fn fsck_lists_and_mends() {
    let suite = suite_of_four_frames();
    let toml = "golden/frames/golden.toml";
    let folder = suite.path("golden/frames");
    let clean = suite.read(toml);
    suite.run(&["golden", "fsck"]).expect(0, "1 case, 0 problems");
    let hash = suite.picture("golden/frames/frame0001.png").hash().to_string();
    let other = "0".repeat(64);
    // What an approval by an earlier version left when it was stopped; a hash that was added is none of that.
    suite.edit(toml, &format!("[\"{hash}\"]"), &format!("[\"{hash}\", \"{other}\"]\nadded = [\"{}\"]", "1".repeat(64)));
    // Frame 3 names frame 2's picture, in a spelling that is the same file elsewhere.
    suite.edit(toml, "index = 3", "index = 3\npicture = \"Frame0002.PNG.png\"");
    suite.edit(toml, "index = 2", "index = 2\npicture = \"frame0002.png.png\"");
    fs::rename(folder.join("frame0002.png"), folder.join("frame0002.png.png")).unwrap();
    fs::rename(folder.join("frame0003.png"), folder.join("frame0003.kept")).unwrap();
    for name in ["frame0007.png", "frame0009.new.png", ".trace-base-unfinished-Xy12Z", "frame0001.new.png"] {
        fs::write(folder.join(name), "x").unwrap();
    }
    suite.run(&["golden", "test"]).expect(2, "frame 3: picture is Frame0002.PNG.png: expected a picture of its own");
    let words = [
        "found: golden/frames: frame0007.png: no frame uses it",
        "found: golden/frames: frame0009.new.png: no frame uses it",
        "found: golden/frames: .trace-base-unfinished-Xy12Z: left over",
        "found: golden/frames: frame 1: 2 hashes, of which only ",
        "found: golden/frames: frame 3: Frame0002.PNG.png is also frame 2's picture",
    ];
    let before = suite.read(toml);
    let listed = suite.run(&["golden", "fsck"]);
    for words in words {
        listed.expect(1, words);
    }
    assert_eq!(suite.read(toml), before, "listing changes nothing");
    let json = suite.run(&["golden", "fsck", "--json"]);
    assert!(json.stdout.lines().all(|line| line.contains("\"type\":\"problem\"")), "{}", json.stdout);
    let mended = suite.run(&["golden", "fsck", "--force"]);
    for words in words {
        mended.expect(1, &words.replace("found", "repaired"));
    }
    // Frame 3 has lost its picture to frame 2's name; whose it is, is known again.
    suite.run(&["golden", "fsck"]).expect(1, "frame 3: frame0003.png is missing").expect(1, "1 case, 1 problem");
    fs::rename(folder.join("frame0003.kept"), folder.join("frame0003.png")).unwrap();
    suite.run(&["golden", "fsck"]).expect(0, "0 problems");
    suite.run(&["golden", "test"]).expect(0, "1 passed");
    assert!(suite.read(toml).contains(&format!("hashes = [\"{hash}\"]\nadded = [\"{}\"]", "1".repeat(64))));
    assert!(!suite.read(toml).contains(&other) && clean.contains(&hash));
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 6, "golden.toml, inputs.json and four pictures; the test took its new one away: {left:?}");
}

/// Two hashes, of which one was left by a stopped approval of an earlier version, are no reason to leave a frame alone.
fn approve_sees_through_double_hashes() {
    let suite = Suite::of(&["interpolated"]);
    let hash = suite.picture("golden/interpolated/frame0000.png").hash().to_string();
    suite.falsify("interpolated", 0, |rgba| rgba[0] ^= 1);
    let old = suite.picture("golden/interpolated/frame0000.png").hash().to_string();
    let toml = "golden/interpolated/golden.toml";
    suite.edit(toml, &format!("\"{old}\""), &format!("\"{old}\", \"{hash}\""));
    suite.run(&["golden", "approve"]).expect(0, &format!("approved: golden/interpolated: frame 0: sha256={hash}"));
    assert!(!suite.read(toml).contains(&old));
    suite.run(&["golden", "fsck"]).expect(0, "0 problems");
    // What is added on purpose stays, and is told apart.
    suite.falsify("interpolated", 0, |rgba| rgba[0] ^= 1);
    suite.run(&["golden", "approve", "--add"]).expect(0, "approved");
    assert!(suite.read(toml).contains(&format!("hashes = [\"{old}\"]\nadded = [\"{hash}\"]")), "{}", suite.read(toml));
    suite.run(&["golden", "fsck"]).expect(0, "0 problems");
    suite.run(&["golden", "approve"]).expect(0, "unchanged");
}

fn review_asks_and_approves_what_was_said() {
    let suite = Suite::of(&["interpolated", "layouts"]);
    suite.falsify("interpolated", 0, |rgba| rgba[0] ^= 1);
    suite.falsify("layouts", 0, |rgba| rgba[0] ^= 1);
    review(&suite, &[], "what\ny\nn\n").expect(1, "approved: golden/interpolated: frame 0");
    suite.run(&["golden", "test"]).expect(1, "2 cases, 1 passed, 1 different");
}

fn known_failures_fail_when_they_pass() {
    let suite = Suite::of(&["interpolated"]);
    let toml = "golden/interpolated/golden.toml";
    suite.edit(toml, "index = 0", "index = 0\nknown_failure = \"issue 7\"");
    suite.run(&["golden", "test"]).expect(1, "it passes although it is listed as a known failure (issue 7)");
    suite.falsify("interpolated", 0, |rgba| rgba[0] ^= 9);
    suite.run(&["golden", "test"]).expect(0, "known failure: interpolated").expect(0, "(known: issue 7)");
    suite.run(&["golden", "approve"]).expect(0, "unchanged");
}

fn crashes_and_hangs_are_their_case_s_result() {
    let suite = Suite::of(&["layouts"]);
    let worker = suite.bad_worker();
    for name in ["a", "crash", "hang", "once", "z"] {
        fs::copy(suite.trace("layouts"), suite.trace(name)).unwrap();
        suite.run(&["golden", "new", &format!("traces/{name}.aerogputrace")]).expect(0, "approved");
    }
    let test = ["golden", "test", "--worker", &worker, "--timeout", "3", "--jobs", "2", "--junit", "junit.xml"];
    let ended = suite.run(&test);
    ended.expect(124, "crashed: crash: the rendering process ended with signal: 11");
    ended.expect(124, "its last output: last words").expect(124, "timed out: hang: it did not finish within 3 s");
    ended
        .expect(124, "flaky: once: crashed at first")
        .expect(124, "6 cases, 3 passed, 1 flaky, 1 timed out, 1 crashed");
    let junit = suite.read("junit.xml");
    // Three pictures, and three cases that came to none when they were tested first.
    assert!(junit.contains("tests=\"6\" failures=\"1\" errors=\"2\" time"), "{junit}");
    assert!(junit.contains("<failure message=\"flaky: crashed at first"), "{junit}");
    fs::remove_file(suite.path("once")).unwrap();
    let test =
        |cases: &[&str]| suite.run(&[&["golden", "test", "--worker", &worker, "--timeout", "3"], cases].concat());
    test(&["golden/a", "golden/once"]).expect(9, "1 passed, 1 flaky");
    test(&["golden/hang", "--retries", "0"]).expect(124, "1 timed out");
    suite.run(&["golden", "test", "golden/a", "--worker", "./nothing"]).expect(6, "cannot start ./nothing");
}

fn no_adapter_is_exit_5() {
    let suite = Suite::of(&["layouts"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_aerogpu-replay"));
    let output = command.args(["golden", "test", "--adapter", "no such thing"]).current_dir(suite.0.path()).output();
    Ended::from(output.unwrap()).expect(5, "no adapter: layouts: no usable adapter");
}

fn shards_merge_to_the_whole() {
    let suite = Suite::of(&["interpolated", "layouts", "redefinition"]);
    suite.falsify("layouts", 0, |rgba| rgba[0] ^= 9);
    let shard = |shard: &str, folder: &str| suite.run(&["golden", "test", "--shard", shard, "--report", folder]);
    shard("1/2", "s1").expect(0, "2 cases, 2 passed");
    suite.run(&["golden", "merge", "s1"]).expect(7, "shards 2 of 2 are missing");
    let told = |variables: &[(&str, &str)]| -> Ended {
        let mut command = suite.command(&["golden", "test", "--shard", "auto"]);
        let engines = ["CI_NODE_INDEX", "BUILDKITE_PARALLEL_JOB", "CIRCLE_NODE_INDEX", "SLURM_ARRAY_TASK_ID"];
        engines.iter().for_each(|name| {
            command.env_remove(name);
        });
        command.envs(variables.iter().copied()).output().unwrap().into()
    };
    told(&[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "2")]).expect(0, "2 cases, 2 passed");
    told(&[]).expect(2, "no variable gives this shard's number");
    shard("2/2", "s2").expect(1, "1 case, 1 different");
    // The pictures travel with the results.
    fs::create_dir(suite.path("moved")).unwrap();
    fs::rename(suite.path("s2"), suite.path("moved/s2")).unwrap();
    let merged = suite.run(&["golden", "merge", "moved/s2", "s1", "--report", "all", "--junit", "all.xml"]);
    merged.expect(1, "3 cases, 2 passed, 1 different");
    assert!(merged.stdout.find("interpolated") < merged.stdout.find("redefinition"));
    assert!(suite.read("all/index.html").contains("\"pictures\":[\"iVBOR"));
    assert!(suite.read("all.xml").contains("tests=\"3\" failures=\"1\""));
    // More shards than cases: what is nobody's share is no failure, and joins with the others.
    for (number, code) in [(1, 0), (2, 1), (3, 0), (4, 0)] {
        shard(&format!("{number}/4"), &format!("q{number}")).expect(code, "");
    }
    shard("4/4", "q4").expect(0, "shard 4/4 holds none of 3 cases");
    // A report that can't be written whole is an error that names the file.
    fs::create_dir_all(suite.path("torn/index.html")).unwrap();
    suite.run(&["golden", "merge", "moved/s2", "s1", "--report", "torn"]).expect(11, "torn/index.html");
    suite.run(&["golden", "merge", "q1", "q2", "q3", "q4"]).expect(1, "3 cases, 2 passed, 1 different");
    suite.run(&["golden", "merge", "q1", "q3", "q4"]).expect(7, "shards 2 of 4 are missing");
}

fn prune_deletes_only_what_is_ours_and_only_when_told() {
    let suite = Suite::of(&["interpolated"]);
    for name in ["frame0007.png", "frame0000.new.png", "notes.txt", "photo.png"] {
        fs::write(suite.path(&format!("golden/interpolated/{name}")), "x").unwrap();
    }
    let listed = suite.run(&["golden", "prune"]);
    listed.expect(0, "would delete golden/interpolated/frame0007.png");
    assert_eq!(listed.stdout.lines().count(), 2, "{}", listed.stdout);
    suite.run(&["golden", "prune", "--force"]).expect(0, "deleted golden/interpolated/frame0000.new.png");
    let left = fs::read_dir(suite.path("golden/interpolated")).unwrap().count();
    assert_eq!(left, 5, "golden.toml, inputs.json, the golden, and what is not ours");
}

#[cfg(target_os = "linux")]
fn a_full_disk_loses_no_golden() {
    let suite = Suite::of(&["interpolated"]);
    suite.falsify("interpolated", 0, |rgba| rgba[0] ^= 9);
    let before = suite.picture("golden/interpolated/frame0000.png");
    let toml = suite.read("golden/interpolated/golden.toml");
    // A file may not grow beyond one block: every write of a picture fails in the middle.
    let limited = |arguments: &str| -> Ended {
        let program = env!("CARGO_BIN_EXE_aerogpu-replay");
        let script =
            format!("trap '' XFSZ; ulimit -S -f 1; exec '{program}' {arguments} --backend vulkan --adapter llvmpipe");
        Command::new("bash").args(["-c", &script]).current_dir(suite.0.path()).output().unwrap().into()
    };
    limited("golden test").expect(1, "cannot save the new picture: cannot write");
    limited("golden approve").expect(6, "cannot write");
    assert_eq!(suite.picture("golden/interpolated/frame0000.png"), before);
    assert_eq!(suite.read("golden/interpolated/golden.toml"), toml);
    let left: Vec<_> =
        fs::read_dir(suite.path("golden/interpolated")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "nothing half-written: {left:?}");
    // Room for what is rendered, and none for the goldens: neither a case nor a golden is there in part.
    let worker = suite.path("roomy.sh");
    let program = env!("CARGO_BIN_EXE_aerogpu-replay");
    fs::write(&worker, format!("#!/bin/bash\nulimit -S -f unlimited; exec '{program}' \"$@\"\n")).unwrap();
    fs::set_permissions(&worker, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    fs::copy(fixture("interpolated"), suite.trace("another")).unwrap();
    let new = "golden new traces/another.aerogputrace";
    limited(&format!("{new} --worker ./roomy.sh")).expect(11, "cannot write golden/another/frame0000.png");
    assert!(!suite.path("golden/another").exists());
    suite.run(&new.split(' ').collect::<Vec<_>>()).expect(0, "approved");
    let path = "golden/interpolated/frame0000.png";
    limited("golden approve golden/interpolated --worker ./roomy.sh").expect(11, &format!("cannot write {path}"));
    assert_eq!(suite.picture(path), before);
    assert_eq!(suite.read("golden/interpolated/golden.toml"), toml, "the old picture is accepted, and no other");
    suite.run(&["golden", "fsck"]).expect(0, "0 problems");
    assert_eq!(fs::read_dir(suite.path("golden/interpolated")).unwrap().count(), 3);
    limited("golden test golden/interpolated --report out").expect(11, "cannot write out/results.json");
    assert!(!suite.path("out/results.json").exists() && !suite.path("out/index.html").exists());
    let junit = suite.run(&["golden", "test", "--junit", "/dev/full/x"]);
    junit.expect(11, "cannot write /dev/full/x");
    // Lines that nobody gets are no success.
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = suite.command(&["golden", "list"]).stdout(full).output().unwrap();
    Ended::from(output).expect(11, "cannot write the results: No space left on device");
}

#[cfg(unix)]
fn ctrl_c_ends_in_order() {
    let suite = Suite::of(&["layouts"]);
    let worker = suite.bad_worker();
    for name in ["a", "hang"] {
        fs::copy(suite.trace("layouts"), suite.trace(name)).unwrap();
        suite.run(&["golden", "new", &format!("traces/{name}.aerogputrace")]).expect(0, "approved");
    }
    let mut command = suite.command(&["golden", "test", "--worker", &worker, "--jobs", "1", "--report", "out"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(2500));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let ended: Ended = child.wait_with_output().unwrap().into();
    ended.expect(130, "passed: a:").expect(130, "interrupted: 1 of 3 cases finished");
    assert!(suite.read("out/results.json").contains("\"case\": \"a\""));
    suite.run(&["golden", "merge", "out"]).expect(7, "1 of the suite's 3 cases have results");
    suite.run(&["golden", "test"]).expect(0, "3 passed");
    // Approval in the middle of its renders: the case is as it was, to the byte.
    suite.falsify("hang", 0, |rgba| rgba[0] ^= 9);
    let names = ["golden.toml", "inputs.json", "frame0000.png"];
    let files = || names.map(|name| fs::read(suite.path("golden/hang").join(name)).unwrap());
    let before = files();
    // The bad worker hangs at this word: a trace, here.
    let renders = fs::read_to_string(&worker).unwrap().replace("*golden/hang*", "*traces/hang*");
    fs::write(&worker, renders).unwrap();
    let mut command = suite.command(&["golden", "approve", "golden/hang", "--worker", &worker]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1000));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let ended: Ended = child.wait_with_output().unwrap().into();
    ended.expect(130, "interrupted: nothing was approved");
    assert_eq!(files(), before);
    assert_eq!(fs::read_dir(suite.path("golden/hang")).unwrap().count(), 3);
}

fn diff_compares_pictures_and_folders() {
    let suite = Suite::of(&["interpolated", "layouts"]);
    let (a, b) = ("golden/interpolated/frame0000.png", "golden/layouts/frame0000.png");
    suite.run(&["diff", a, a]).expect(0, "same: ").expect(0, "no pixel differs");
    suite.run(&["diff", a, b]).expect(1, "different: ").expect(1, "expected 96x96, found 64x64");
    suite.run(&["diff", a, "nothing.png"]).expect(2, "cannot read nothing.png");
    suite.run(&["diff", a, "golden"]).expect(2, "two pictures or two folders");
    fs::create_dir(suite.path("other")).unwrap();
    suite.run(&["diff", "other", "other"]).expect(2, "nothing was compared");
    let old = suite.picture(a);
    let mut rgba = old.rgba().to_vec();
    rgba[2] ^= 1;
    write(&suite.path("other/frame0000.png"), &Picture::new(old.size(), rgba).unwrap());
    let one_off = ["diff", a, "other/frame0000.png", "--out", "diff.png"];
    suite.run(&one_off).expect(1, "different: ").expect(1, "1 of 9216 pixels differ");
    suite.run(&one_off).expect(
        1,
        "; rounding: no pixel differs by more than one step (1 of 255); channels r0 \
        g0 b1 a0;",
    );
    suite.run(&["diff", a, "other/frame0000.png", "--json"]).expect(1, "\"finding\":\"one-step\"");
    suite.run(&["diff", a, a, "--json"]).expect(0, "\"finding\":\"equal\"");
    suite.run(&["diff", a, b, "--json"]).expect(1, "\"finding\":null");
    assert_eq!(suite.picture("diff.png").pixel(0, 0), Some([0, 0, 255, 255]));
    suite.run(&["diff", a, "other/frame0000.png", "--tolerance", "1"]).expect(0, "same by tolerance");
    suite.run(&["diff", "golden/interpolated", "other"]).expect(1, "different: ");
    fs::copy(suite.path(b), suite.path("other/frame0001.png")).unwrap();
    suite.run(&["diff", "golden/interpolated", "other"]).expect(1, "frame0001.png is only in b");
}

#[cfg(unix)]
/// The commands of a workflow's steps, in order. As much of YAML as that file needs.
fn commands_of(workflow: &str) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = workflow.lines().collect();
    let mut commands = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(command) = line.trim_start().trim_start_matches("- ").strip_prefix("run: ") else { continue };
        let block = lines[at + 1..].iter().take_while(|next| next.trim().is_empty() || indent(next) > indent(line));
        commands.push(if command == "|" { block.copied().collect::<Vec<_>>().join("\n") } else { command.to_owned() });
    }
    commands
}

#[cfg(unix)]
/// The example workflow does what it says, in a repository of traces: its steps are run, but for those that install.
fn the_ci_example_works() {
    let workflow = fs::read_to_string(support::root().join("fixtures/ci/golden-nightly.yml")).unwrap();
    let commands = commands_of(&workflow);
    let [is_set, build, install, test, merge] = commands.as_slice() else { panic!("{commands:#?}") };
    assert!(install.contains("apt-get install -y --no-install-recommends mesa-vulkan-drivers libvulkan1"), "{install}");
    assert!(
        build.contains("install --locked --no-default-features --features cli,gpu --path . --root replayer"),
        "{build}"
    );
    let suite = Suite::of(&["interpolated", "layouts", "redefinition"]);
    // As an artifact brings it: without the permission to be run.
    fs::create_dir(suite.path("replayer")).unwrap();
    let program = suite.path("replayer/aerogpu-replay");
    fs::copy(env!("CARGO_BIN_EXE_aerogpu-replay"), &program).unwrap();
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let step = |command: &str, replayer: &str| -> Ended {
        let mut bash = Command::new("bash");
        bash.args(["-e", "-c", command]).current_dir(suite.0.path()).env("REPLAYER", replayer);
        bash.env("GITHUB_ACTIONS", "true").output().unwrap().into()
    };
    let unset = workflow.lines().find_map(|line| line.trim().strip_prefix("REPLAYER: ")).unwrap();
    step(is_set, unset).expect(1, "::error::set REPLAYER in the workflow file");
    step(is_set, "someone/aerogpu-replay").expect(0, "");
    let run_all = || {
        let shards = [1, 2, 3, 4].map(|shard| step(&test.replace("${{ matrix.shard }}", &shard.to_string()), "").code);
        (shards, step(merge, ""))
    };
    let (shards, merged) = run_all();
    assert_eq!(shards, [Some(0); 4]);
    merged.expect(0, "3 cases, 3 passed");
    suite.falsify("layouts", 0, |rgba| rgba[0] ^= 9);
    let (shards, merged) = run_all();
    assert_eq!(shards, [0, 1, 0, 0].map(Some));
    merged.expect(1, "3 cases, 2 passed, 1 different").expect(1, "::error file=golden/layouts/golden.toml");
    assert!(suite.read("report/index.html").contains("\"pictures\":[\"iVBOR"));
    assert!(suite.read("junit.xml").contains("tests=\"3\" failures=\"1\""));
}

/// Results in the form that programs read.
fn json_is_one_object_a_line() {
    let suite = Suite::of(&["interpolated"]);
    let ended = suite.run(&["golden", "test", "--json"]);
    let lines: Vec<serde_json::Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [case, summary] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!((&case["schema"], &case["type"], &case["status"]), (&3.into(), &"case".into(), &"passed".into()));
    assert_eq!((&summary["schema"], &summary["type"]), (&3.into(), &"summary".into()));
    let diff = suite.run(&["diff", "golden/interpolated/frame0000.png", "golden/interpolated/frame0000.png", "--json"]);
    let line: serde_json::Value = serde_json::from_str(&diff.stdout).unwrap();
    assert_eq!((&line["verdict"], &line["criterion"]), (&"same".into(), &"hash".into()));
}

/// There is no picture of the difference of two sizes, which is said and changes nothing about the verdict.
fn sizes_that_differ_have_no_picture_of_it() {
    let suite = Suite::of(&["interpolated"]);
    let small =
        aerogpu_replay::pixels::Picture::new(aerogpu_replay::pixels::Size { width_px: 2, height_px: 1 }, vec![0; 8]);
    let mut png = Vec::new();
    aerogpu_replay::pixels::write_png(&small.unwrap(), &[], &mut png).unwrap();
    fs::write(suite.path("small.png"), png).unwrap();
    let ended = suite.run(&["diff", "golden/interpolated/frame0000.png", "small.png", "--out", "apart.png"]);
    ended.expect(1, "note: apart.png is not written: the sizes differ: expected 96x96, found 2x1");
    assert!(!suite.path("apart.png").exists());
}

/// Oddities met when a trace is opened are told as other verbs tell them; to --strict it is no trace to compare with.
fn what_is_odd_about_a_trace_is_told() {
    let suite = Suite::of(&["layouts"]);
    let mut trace = RawTrace::new();
    let start = trace.offset();
    trace.begin(0).packet(&[8, 6, 0, 1f32.to_bits(), 0, 1f32.to_bits()]).present(0).frame_since(start);
    let offset = trace.offset();
    trace.begin(1).packet(&[8, 6, 0, 0, 0, 0]).present(1);
    fs::write(suite.trace("odd"), trace.finish()).unwrap();
    suite.run(&["golden", "new", "traces/odd.aerogputrace", "--allow-blank"]).expect(0, "approved");

    let says = format!("BeginFrame record lies after the last frame of the TOC and is ignored, at {offset:#x}");
    let ended = suite.run(&["golden", "test", "--report", "report", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let lines = ended.stderr.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let warnings: Vec<serde_json::Value> = lines.filter(|line| line["type"] == "warning").collect();
    let [warning] = warnings.as_slice() else { panic!("{}", ended.stderr) };
    assert!(warning["message"].as_str().unwrap().ends_with(&format!("odd.aerogputrace: {says}")), "{warning}");
    let cases: Vec<serde_json::Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let results: serde_json::Value = serde_json::from_str(&suite.read("report/results.json")).unwrap();
    for cases in [cases.as_slice(), results["cases"].as_array().unwrap()] {
        let warnings = |case: usize| cases[case]["warnings"].clone();
        assert_eq!((warnings(0), warnings(1)), (serde_json::json!([]), serde_json::json!([says])));
    }
    let quiet = suite.run(&["golden", "test", "--quiet"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));

    let approved = suite.run(&["golden", "approve", "golden/odd"]);
    approved.expect(0, &format!("warning: {says}"));
    let strict = suite.run(&["golden", "approve", "golden/odd", "--strict"]);
    strict.expect(3, &format!("{says} (--strict)"));

    let strict = suite.run(&["golden", "test", "--strict"]);
    strict
        .expect(3, &format!("odd.aerogputrace: {says} (--strict)"))
        .expect(3, "error: odd")
        .expect(3, "passed: layouts");
    suite.run(&["golden", "test", "--strict", "--git-bisect"]).expect(125, &says);
    suite.run(&["golden", "test", "golden/layouts", "--strict"]).expect(0, "1 passed");
}

/// On another machine, where a step of colour is let pass, an edge between two opaque colours is not.
fn a_moved_edge_is_caught_and_named_elsewhere() {
    let suite = Suite::of(&["layouts"]);
    let toml = "golden/layouts/golden.toml";
    suite.edit(toml, "llvmpipe (LLVM", "another (LLVM");
    // The golden is as if the edges were one row farther down.
    suite.falsify("layouts", 0, |rgba| rgba.rotate_right(64 * 4));
    let ended = suite.run(&["golden", "test", "--report", "out"]);
    ended.expect(1, "different: layouts: frame 0: ").expect(1, "; an edge moved in ");
    let results: serde_json::Value = serde_json::from_str(&suite.read("out/results.json")).unwrap();
    assert!(results["cases"][0]["frames"][0]["difference"]["coverage_moved"].as_u64().unwrap() >= 64, "{results}");
    assert_eq!(results["cases"][0]["frames"][0]["criterion"], "tolerance");
    // However many steps of colour are let pass.
    let check = "\n[[frame.check]]\ntolerance = 255\nmax_differing = 1.0\n";
    fs::write(suite.path(toml), suite.read(toml) + check).unwrap();
    suite.run(&["golden", "test"]).expect(1, "; an edge moved in ");
    suite.edit(toml, "max_differing = 1.0", "max_differing = 1.0\nmax_outliers = 4096");
    suite.run(&["golden", "test"]).expect(0, "1 by tolerance");
}

/// The page lies beside the report, with a trace of each frame that fails: drawn alone it has the same picture.
fn a_report_links_failing_frames_to_the_page() {
    let suite = Suite::of(&[]);
    fs::copy(fixture("frames"), suite.trace("frames")).unwrap();
    suite.run(&["golden", "new", "traces/frames.aerogputrace", "--frames", "0-2"]).expect(0, "approved");
    suite.falsify("frames", 2, |rgba| rgba.rotate_right(64 * 4));
    fs::write(suite.path("aerogpu-replay.html"), "<!doctype html>").unwrap();
    let without = suite.run(&["golden", "test", "--page", "aerogpu-replay.html"]);
    without.expect(2, "--report <DIR>");
    let ended = suite.run(&["golden", "test", "--report", "out", "--page", "aerogpu-replay.html"]);
    ended.expect(1, "different: frames: frame 2: ");
    assert_eq!(suite.read("out/page.html"), "<!doctype html>");
    let traces: Vec<_> =
        fs::read_dir(suite.path("out/traces")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(traces, ["0.frame0002.aerogputrace"]);
    let link = "page.html?trace=traces/0.frame0002.aerogputrace\\u0026frame=0";
    assert_eq!(suite.read("out/index.html").matches(link).count(), 1);
    let hash_of = |trace: &str, frame: &str| -> String {
        let ended = suite.run(&[trace, "--frame", frame, "--hash", "--backend", "vulkan", "--adapter", "llvmpipe"]);
        ended.expect(0, "sha256=").stdout.rsplit_once("sha256=").unwrap().1.to_owned()
    };
    let [alone, recorded] = [("out/traces/0.frame0002.aerogputrace", "0"), ("traces/frames.aerogputrace", "2")]
        .map(|(trace, frame)| hash_of(trace, frame));
    assert_eq!(alone, recorded);
    let missing = suite.run(&["golden", "test", "--report", "out", "--page", "nothing.html"]);
    missing.expect(2, "nothing.html");
}

/// A trace with both WGSL and GLSL, of which either can be tested and approved.
fn shaders_can_be_chosen() {
    let suite = Suite::of(&["interpolated"]);
    fs::copy(fixture("triangle"), suite.trace("triangle")).unwrap();
    suite.run(&["golden", "new", "traces/triangle.aerogputrace", "--allow-blank"]).expect(0, "approved");
    let test = |shaders: &str| suite.run(&["golden", "test", "--shaders", shaders, "--report", "out"]);
    test("wgsl").expect(0, "2 cases, 2 passed");
    // The other trace has no GLSL.
    test("glsl").expect(4, "error: interpolated: frame 0: DRAW at ").expect(4, "passed: triangle: 1 frame: 1 by hash");
    let results: serde_json::Value = serde_json::from_str(&suite.read("out/results.json")).unwrap();
    let tool = results["tool"].as_str().unwrap();
    assert!(tool.starts_with("aerogpu-replay ") && tool.contains(", wgpu 30") && tool.contains(", naga 30"), "{tool}");
    assert_eq!(results["shaders"], "glsl");
    assert!(results["command"].as_str().unwrap().contains("--shaders glsl"), "{results}");
    suite.falsify("triangle", 0, |rgba| rgba[0] ^= 9);
    test("glsl").expect(4, "different: triangle");
    assert!(suite.read("out/index.html").contains("--frame 0 --a glsl --b "));
    let approve = ["golden", "approve", "golden/triangle", "--allow-blank", "--shaders", "glsl"];
    suite.run(&approve).expect(0, "approved: golden/triangle: frame 0");
    test("auto").expect(0, "2 passed");
    suite.run(&["golden", "test", "--shaders", "hlsl"]).expect(2, "invalid value 'hlsl'");
}

/// The exit code is the most severe one, in whichever order the paths stand.
fn of_several_failures_the_most_severe_is_the_exit_code() {
    let suite = Suite::of(&["interpolated", "layouts"]);
    fs::copy(fixture("triangle"), suite.trace("blank")).unwrap();
    fs::write(suite.path("traces/torn.aerogputrace"), "AEROGPUT").unwrap();
    fs::copy(fixture("a3a0/scene"), suite.trace("newer")).unwrap();
    let trace = |name: &str| format!("traces/{name}.aerogputrace");
    let new = |names: [&str; 3]| {
        let traces = names.map(trace);
        suite.run(&[&["golden", "new"], traces.each_ref().map(String::as_str).as_slice()].concat())
    };
    // A case that is there, and whose trace is another one.
    fs::create_dir(suite.path("golden/namesake")).unwrap();
    fs::copy(suite.path("golden/layouts/golden.toml"), suite.path("golden/namesake/golden.toml")).unwrap();
    fs::copy(fixture("redefinition"), suite.trace("namesake")).unwrap();
    fs::copy(fixture("redefinition"), suite.trace("redefined")).unwrap();
    // Blank is 1, a namesake is 2, unreadable is 3, not supported is 4.
    for names in [["blank", "namesake", "redefined"], ["redefined", "namesake", "blank"]] {
        let _ = fs::remove_dir_all(suite.path("golden/redefined"));
        new(names).expect(2, "already exists").expect(2, "is blank").expect(2, "approved: golden/redefined");
    }
    for names in [["torn", "namesake", "blank"], ["blank", "namesake", "torn"]] {
        new(names).expect(3, "is blank").expect(3, "already exists");
    }
    let ended = new(["newer", "torn", "blank"]);
    let code = ended.code;
    assert_eq!(new(["blank", "torn", "newer"]).code, code, "{}", ended.stderr);
    // golden.toml unusable is 2, a picture that is refused 1.
    suite.edit("golden/layouts/golden.toml", "schema = 1", "schema = 9");
    suite.edit("golden/interpolated/golden.toml", "trace_sha256 = \"", "trace_sha256 = \"0000");
    let wrong = suite.read("golden/interpolated/golden.toml");
    let shortened: String = wrong
        .lines()
        .map(|line| match line.strip_prefix("trace_sha256 = \"0000") {
            Some(rest) => format!("trace_sha256 = \"0000{}\n", &rest[4..]),
            None => format!("{line}\n"),
        })
        .collect();
    fs::write(suite.path("golden/interpolated/golden.toml"), shortened).unwrap();
    for paths in [["golden/layouts", "golden/interpolated"], ["golden/interpolated", "golden/layouts"]] {
        let ended = suite.run(&["golden", "approve", paths[0], paths[1]]);
        ended.expect(2, "schema is 9").expect(2, "--allow-trace-change approves it");
    }
    suite.run(&["golden", "approve", "golden/interpolated"]).expect(1, "--allow-trace-change approves it");
}

/// A frame of so many draws that they are not all looked at; draw n paints pixel n.
fn many_draws(suite: &Suite, repainted: &[(u32, u32)]) -> String {
    let mut scene = Scene::with_pipeline();
    scene.clear(BLACK);
    let pixel = |n: u32| {
        let (x, y) = ((n % 64) as f32, (n / 64) as f32);
        rectangle(x / 32.0 - 1.0, 1.0 - (y + 1.0) / 32.0, (x + 1.0) / 32.0 - 1.0, 1.0 - y / 32.0)
    };
    let mut buffer = 0;
    let mut paint = |scene: &mut Scene, n: u32, color| {
        buffer += 1;
        scene.buffer(buffer, &vertices(&pixel(n), color)).bind(buffer).draw(0, 6);
    };
    for n in 0..2000 {
        match repainted.iter().find(|(draw, _)| *draw == n) {
            Some((_, other)) => paint(&mut scene, *other, if n % 2 == 0 { GREEN } else { RED }),
            None => paint(&mut scene, n, RED),
        }
    }
    scene.end();
    fs::write(suite.path("traces/many.aerogputrace"), scene.finish()).unwrap();
    "traces/many.aerogputrace".to_owned()
}

fn the_first_draw_is_found_among_thousands() {
    let suite = Suite::of(&[]);
    // Pixel 700 is red by draw 700, green by draw 710, red for good by draw 721.
    let trace = many_draws(&suite, &[(710, 700), (721, 700)]);
    suite.run(&["golden", "new", &trace]).expect(0, "approved");
    let wrong = |places: &'static [usize]| {
        suite.falsify("many", 0, |rgba| places.iter().for_each(|place| rgba[place * 4 + 2] ^= 200));
        let ended = suite.run(&["golden", "test", "--retries", "0"]);
        suite.falsify("many", 0, |rgba| places.iter().for_each(|place| rgba[place * 4 + 2] ^= 200));
        ended
    };
    let found = wrong(&[1203, 1500, 1999]);
    found.expect(1, "last writer of 1 of 3 differing pixels: draw 1203 at 0x").expect(1, " (draws after");
    wrong(&[700, 1203]).expect(1, "last writer of 1 of 2 differing pixels: draw 721 at 0x");
    wrong(&[1990]).expect(1, "last writer of 1 of 1 differing pixel: draw 1990 at 0x");
    // Never painted.
    wrong(&[3000]).expect(1, "last writer of 1 of 1 differing pixel: the CLEAR at 0x");
}

/// Frames in which no draw is to blame: what is, is named.
fn clears_and_earlier_frames_are_named_as_causes() {
    let suite = Suite::of(&[]);
    let mut scene = Scene::with_pipeline();
    let left = vertices(&rectangle(-1.0, -1.0, 0.0, 1.0), RED);
    let right = vertices(&rectangle(0.5, -1.0, 1.0, 1.0), GREEN);
    // Frame 0 draws a red half on nothing; frame 1 a green quarter on that; frame 2 has a CLEAR in the middle; frame 3 one
    // at its end; frame 4 is all CLEAR.
    scene.buffer(1, &left).buffer(2, &right).bind(1).draw(0, 6).end();
    scene.begin().bind(2).draw(0, 6).end();
    scene.begin().bind(1).draw(0, 6).clear(BLACK).bind(2).draw(0, 6).end();
    scene.begin().bind(1).draw(0, 6).clear(GREEN).end();
    scene.begin().clear(RED).end();
    fs::write(suite.path("traces/causes.aerogputrace"), scene.finish()).unwrap();
    suite.run(&["golden", "new", "traces/causes.aerogputrace", "--allow-blank"]).expect(0, "approved");
    let wrong = |frame: u32, x: usize, words: &str| {
        let change = |rgba: &mut [u8]| rgba[(20 * 64 + x) * 4 + 2] ^= 200;
        suite.falsify("causes", frame, change);
        let ended = suite.run(&["golden", "test", "--retries", "0"]);
        suite.falsify("causes", frame, change);
        ended.expect(1, &format!("  frame {frame}: last writer of 1 of 1 differing pixel: {words}"));
    };
    wrong(0, 5, "draw 0 at 0x");
    wrong(0, 40, "no command, so it is transparent black\n");
    wrong(1, 60, "draw 0 at 0x");
    wrong(1, 5, "an earlier frame, with draw 0 at 0x");
    wrong(1, 40, "no command, so it is transparent black");
    wrong(2, 5, "the CLEAR at 0x");
    wrong(2, 60, "draw 1 at 0x");
    wrong(3, 5, "the CLEAR at 0x");
    wrong(4, 5, "the CLEAR at 0x");
    let picture = suite.run(&[
        "bisect",
        "traces/causes.aerogputrace",
        "--frame",
        "2",
        "--a",
        "vulkan:llvmpipe",
        "--b",
        "golden/causes/frame0003.png",
    ]);
    picture.expect(1, "differing pixels: the CLEAR at 0x");
}

/// Two traces that differ in some draws; the picture of the fifth covers everything.
fn scenes(suite: &Suite, changed: &[usize], covered: bool) -> [String; 2] {
    ["x", "y"].map(|name| {
        let mut scene = Scene::with_pipeline();
        scene.clear(BLACK);
        for draw in 0..8usize {
            let is_changed = name == "y" && changed.contains(&draw);
            let left = -1.0 + draw as f32 / 4.0;
            let (corners, color) = match draw {
                4 if covered => (rectangle(-1.0, -1.0, 1.0, 1.0), RED),
                _ => (rectangle(left, -1.0, left + 0.2, 1.0), if is_changed { GREEN } else { RED }),
            };
            let id = draw as u32 + 1;
            scene.buffer(id, &vertices(&corners, color)).bind(id).draw(0, 6);
        }
        scene.end();
        fs::write(suite.path(&format!("{name}.aerogputrace")), scene.finish()).unwrap();
        format!("{name}.aerogputrace")
    })
}

fn bisect_names_the_first_differing_draw() {
    let suite = Suite::of(&[]);
    let bisect = |x: &str, y: &str| suite.run(&["bisect", x, "--frame", "0", "--a", "vulkan:llvmpipe", "--b", y]);
    let [x, y] = scenes(&suite, &[5, 6], false);
    let found = bisect(&x, &y);
    found.expect(1, "the sides first differ after draw 5 at 0x").expect(1, "buffer 6 (stride 24");
    found.expect(1, "worst pixel").expect(1, "all earlier draws were compared");
    bisect(&x, &x).expect(0, "the sides are identical");
    // Draw 1 differs, draw 4 covers it, draw 6 differs for good.
    let [x, y] = scenes(&suite, &[1, 6], true);
    bisect(&x, &y)
        .expect(1, "first differ after draw 1 at")
        .expect(1, "the difference ends after draw 4 and returns after draw 6");
    // Draw 2 differs, and draw 4 covers it for good: both is said, and that is not the same.
    let [covered, other] = scenes(&suite, &[2], true);
    let found = bisect(&covered, &other);
    found.expect(1, "the sides first differ after draw 2 at").expect(1, "all earlier draws were compared");
    found.expect(1, "the difference ends after draw 4");
    found.expect(1, "the finished frames are identical");
    let [x, y] = scenes(&suite, &[1, 6], true);
    suite.run(&[&x, "--frame", "0", "--out", "x.png"]);
    suite
        .run(&["bisect", &y, "--frame", "0", "--a", "vulkan:llvmpipe", "--b", "x.png"])
        .expect(1, "which cannot be compared draw by draw")
        .expect(1, "last writer of 384 of 384 differing pixels: draw 6 at");
    bisect(&x, "x.png").expect(0, "the sides are identical");
    bisect(&x, "nothing").expect(2, "nothing is not a side");
    fs::copy(fixture("triangle"), suite.path("both.aerogputrace")).unwrap();
    suite
        .run(&["bisect", "both.aerogputrace", "--frame", "0", "--a", "wgsl", "--b", "glsl"])
        .expect(0, "are identical");
    suite.run(&["bisect", &x, "--frame", "0", "--a", "wgsl", "--b", "glsl"]).expect(4, "side b: DRAW at");
    suite.run(&["bisect", &x, "--frame", "0", "--a", "x.png", "--b", "x.png"]).expect(2, "both sides are pictures");
}

fn film_shows_every_draw() {
    let suite = Suite::of(&[]);
    let [x, _] = scenes(&suite, &[], false);
    let film = |out: &str| {
        suite.run(&["filmstrip", &x, "--frame", "0", "--out", out, "--backend", "vulkan", "--adapter", "llvmpipe"])
    };
    let ended = film("shots");
    ended.expect(0, "draw 3 at 0x").expect(0, "changes 384 pixels within 6x64 at 24,0");
    assert_eq!(fs::read_dir(suite.path("shots")).unwrap().count(), 8);
    film("strip.png").expect(0, "draw 7");
    assert_eq!(suite.picture("strip.png").size().to_string(), "192x192");
    assert_eq!(suite.picture("strip.png").pixel(2, 2), suite.picture("shots/draw0000.png").pixel(2, 2));
}

pub fn trials() -> Vec<Trial> {
    let tests: &[(&str, fn())] = &[
        ("a_suite_passes_by_hash", a_suite_passes_by_hash),
        ("a_wrong_picture_is_different_and_names_its_draw", a_wrong_picture_is_different_and_names_its_draw),
        ("elsewhere_one_step_in_few_pixels_passes_by_tolerance", elsewhere_one_step_in_few_pixels_passes_by_tolerance),
        ("what_is_odd_about_a_trace_is_told", what_is_odd_about_a_trace_is_told),
        ("a_moved_edge_is_caught_and_named_elsewhere", a_moved_edge_is_caught_and_named_elsewhere),
        ("a_report_links_failing_frames_to_the_page", a_report_links_failing_frames_to_the_page),
        ("shaders_can_be_chosen", shaders_can_be_chosen),
        ("of_several_failures_the_most_severe_is_the_exit_code", of_several_failures_the_most_severe_is_the_exit_code),
        ("the_first_draw_is_found_among_thousands", the_first_draw_is_found_among_thousands),
        ("clears_and_earlier_frames_are_named_as_causes", clears_and_earlier_frames_are_named_as_causes),
        ("a_missing_golden_is_exit_7_and_never_made_by_itself", a_missing_golden_is_exit_7_and_never_made_by_itself),
        ("nothing_compared_is_a_failure", nothing_compared_is_a_failure),
        ("unusable_goldens_are_errors_and_stay", unusable_goldens_are_errors_and_stay),
        ("goldens_of_other_kinds_are_read_without_loss", goldens_of_other_kinds_are_read_without_loss),
        ("bad_tomls_are_named_with_their_place", bad_tomls_are_named_with_their_place),
        ("a_changed_trace_is_named", a_changed_trace_is_named),
        ("approval_refuses_what_it_should", approval_refuses_what_it_should),
        ("review_asks_and_approves_what_was_said", review_asks_and_approves_what_was_said),
        ("review_keeps_the_answers_before_its_end", review_keeps_the_answers_before_its_end),
        #[cfg(unix)]
        ("review_keeps_the_answers_before_ctrl_c", review_keeps_the_answers_before_ctrl_c),
        #[cfg(unix)]
        ("a_killed_approval_is_whole_or_nothing", a_killed_approval_is_whole_or_nothing),
        #[cfg(unix)]
        ("a_suite_is_changed_by_one_command_at_a_time", a_suite_is_changed_by_one_command_at_a_time),
        ("fsck_lists_and_mends", fsck_lists_and_mends),
        ("approve_sees_through_double_hashes", approve_sees_through_double_hashes),
        ("known_failures_fail_when_they_pass", known_failures_fail_when_they_pass),
        #[cfg(unix)]
        ("crashes_and_hangs_are_their_case_s_result", crashes_and_hangs_are_their_case_s_result),
        ("no_adapter_is_exit_5", no_adapter_is_exit_5),
        ("shards_merge_to_the_whole", shards_merge_to_the_whole),
        ("prune_deletes_only_what_is_ours_and_only_when_told", prune_deletes_only_what_is_ours_and_only_when_told),
        #[cfg(target_os = "linux")]
        ("a_full_disk_loses_no_golden", a_full_disk_loses_no_golden),
        #[cfg(unix)]
        ("ctrl_c_ends_in_order", ctrl_c_ends_in_order),
        ("diff_compares_pictures_and_folders", diff_compares_pictures_and_folders),
        ("bisect_names_the_first_differing_draw", bisect_names_the_first_differing_draw),
        ("film_shows_every_draw", film_shows_every_draw),
        #[cfg(unix)]
        ("the_ci_example_works", the_ci_example_works),
        ("json_is_one_object_a_line", json_is_one_object_a_line),
        ("sizes_that_differ_have_no_picture_of_it", sizes_that_differ_have_no_picture_of_it),
    ];
    let trial = |(name, test): &(&str, fn())| -> Trial {
        let test = *test;
        software::trial(*name, move |_| test())
    };
    tests.iter().map(trial).collect()
}
