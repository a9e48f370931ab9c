//! Nodes that the names of outputs lead to: files are replaced whole, links followed, and pipes, devices and
//! terminals written into. Devices are nodes of the test's own, which only root can make.
//!
//! The paths that are written are those of `own_input.rs`, all of them.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::json;
use tempfile::TempDir;

use super::own_input::Output::{Ending, InFolder, Named};
use super::own_input::{Attack, attacks, furnish};
use crate::support;
use support::harness::Trial;
use support::program::{Run, program, run};
use support::serve_client::Client;
use support::{root, software};

/// A folder in which a verb can run, its words, and the path that is written.
struct Place {
    folder: TempDir,
    words: String,
    output: PathBuf,
}

impl Place {
    fn of(attack: &Attack) -> Option<Self> {
        let (out, written) = match attack.output {
            Ending(ending) => (format!("made/node{ending}"), format!("made/node{ending}")),
            InFolder(name) => ("made".to_owned(), format!("made/{name}")),
            Named => return None,
        };
        let folder = tempfile::tempdir().unwrap();
        furnish(folder.path());
        let input = folder.path().join(attack.input);
        fs::create_dir_all(input.parent().unwrap()).unwrap();
        fs::write(input, attack.source.bytes()).unwrap();
        fs::create_dir(folder.path().join("made")).unwrap();
        let words = attack.words.replace("IN", attack.input).replace("OUT", &out);
        let words = words.replace('+', "--backend vulkan --adapter llvmpipe");
        Some(Self { words, output: folder.path().join(written), folder })
    }

    fn run(&self) -> Run {
        run(&self.words.split_whitespace().collect::<Vec<_>>(), self.folder.path())
    }

    /// The names in the folder of what is written, and how many links each file has.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.output.parent().unwrap()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Makes a device of the kind of `/dev/null`; only root may, and not everywhere.
fn make_device(path: &Path) -> bool {
    let made = Command::new("mknod").arg(path).args(["c", "1", "3"]).stderr(Stdio::null()).status();
    made.is_ok_and(|status| status.success()) && File::options().write(true).open(path).is_ok()
}

fn devices_can_be_made() -> bool {
    make_device(&tempfile::tempdir().unwrap().path().join("null"))
}

/// Runs the verb with a pipe as its output; gives what came through it.
fn run_into_pipe(place: &Place) -> (Run, Vec<u8>) {
    let mut reader = Command::new("cat").arg(&place.output).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = reader.stdout.take().unwrap();
    let reading = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).unwrap();
        bytes
    });
    let ended = place.run();
    if !reading.is_finished() {
        // One that nobody has written into is still waiting for a writer.
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    let _ = reader.kill();
    reader.wait().unwrap();
    (ended, reading.join().unwrap())
}

/// Results that hold how long things took.
fn has_times(attack: &Attack) -> bool {
    attack.argument.ends_with("junit") || attack.argument.ends_with("report")
}

fn each_node_is_treated_as_it_should_be(attack: &Attack) {
    let Some(regular) = Place::of(attack) else { return };
    let expected = regular.run();
    let bytes = fs::read(&regular.output).unwrap_or_else(|error| panic!("`{}`: {error}: {expected:?}", regular.words));
    let names = regular.names();
    let is_expected = |found: &[u8]| found == bytes || has_times(attack) && found.starts_with(&bytes[..5]);

    let place = Place::of(attack).unwrap();
    make_pipe(&place.output);
    let (ended, through) = run_into_pipe(&place);
    let words = &place.words;
    assert!(is_expected(&through), "`{words}`: {} bytes for {}: {ended:?}", through.len(), bytes.len());
    assert_eq!(ended.code, expected.code, "`{words}`: {ended:?}");
    assert!(fs::symlink_metadata(&place.output).unwrap().file_type().is_fifo(), "`{words}`: the pipe was replaced");
    assert_eq!(place.names(), names, "`{words}`");

    for is_dangling in [false, true] {
        let place = Place::of(attack).unwrap();
        let target = place.folder.path().join("target");
        symlink("../target", &place.output).unwrap();
        if !is_dangling {
            fs::write(&target, "old").unwrap();
            fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        }
        let ended = place.run();
        assert_eq!(ended.code, expected.code, "`{words}`: {ended:?}");
        assert!(place.output.is_symlink(), "`{words}`: the link was replaced");
        assert!(is_expected(&fs::read(&target).unwrap()), "`{words}`: {ended:?}");
        assert_eq!(place.names(), names, "`{words}`");
        if !is_dangling {
            assert_eq!(fs::metadata(&target).unwrap().mode() & 0o777, 0o640, "`{words}`");
        }
    }

    let place = Place::of(attack).unwrap();
    let _listener = UnixListener::bind(&place.output).unwrap();
    let ended = place.run();
    assert!(ended.stderr.contains("is a socket: expected a file, pipe or device"), "`{words}`: {ended:?}");
    assert!(fs::symlink_metadata(&place.output).unwrap().file_type().is_socket(), "`{words}`");
}

fn a_device_stays_one(attack: &Attack) {
    let (Some(regular), Some(place)) = (Place::of(attack), Place::of(attack)) else { return };
    let expected = regular.run();
    assert!(make_device(&place.output));
    let device = fs::symlink_metadata(&place.output).unwrap();
    let ended = place.run();
    let found = fs::symlink_metadata(&place.output).unwrap();
    let words = &place.words;
    assert_eq!(ended.code, expected.code, "`{words}`: {ended:?}");
    assert_eq!((found.ino(), found.rdev()), (device.ino(), device.rdev()), "`{words}`: the device was replaced");
    assert!(found.file_type().is_char_device() && place.names() == regular.names(), "`{words}`");
}

/// A folder with a trace and one without an end.
fn traces() -> (TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read(root().join("fixtures/aerogpu/frames.aerogputrace")).unwrap();
    fs::write(folder.path().join("torn"), &whole[..whole.len() - 9]).unwrap();
    fs::write(folder.path().join("trace"), &whole).unwrap();
    (folder, whole)
}

fn shell(script: &str, folder: &Path) -> Run {
    let output =
        Command::new("sh").arg("-c").arg(script).env("P", program().get_program()).current_dir(folder).output();
    let output = output.unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stdout_bytes: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn stdout_and_other_open_files_are_written_into() {
    let (folder, whole) = traces();
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let repair = format!("\"$P\" repair torn {name}");
        let ended = shell(&format!("{repair} | cat"), folder.path());
        assert!(ended.stdout_bytes == whole, "{name}: {ended:?}");
        let ended = shell(&format!("exec {repair} > made"), folder.path());
        assert!(ended.code == 0 && read("made") == whole, "{name}: {ended:?}");
        let ended = shell(&format!("(echo before; {repair}; echo after) > made"), folder.path());
        let expected = [b"before\n".as_slice(), &whole, b"after\n"].concat();
        assert!(read("made") == expected, "{name}: {ended:?}");
        // What says so would be in the middle of the trace.
        let ended = shell(&format!("\"$P\" trim trace {name} --frames 0 > made"), folder.path());
        run(&["verify", "made", "--strict"], folder.path()).expect(0, "made: 1 frame, 10 valid commands\n", "");
        assert_eq!(ended.code, 0, "{ended:?}");
        let ended = shell(&format!("\"$P\" trace --frame 0 --hash --out {name}"), folder.path());
        assert!(ended.code == 2 && ended.stderr.contains("takes stdout for the picture"), "{name}: {ended:?}");
    }
    // A file that is open under another number keeps its place, whatever was in it.
    fs::write(folder.path().join("third"), vec![7; 10_000]).unwrap();
    let inode = fs::metadata(folder.path().join("third")).unwrap().ino();
    let ended = shell("\"$P\" repair torn /dev/fd/3 3<> third", folder.path());
    assert!(read("third") == whole && fs::metadata(folder.path().join("third")).unwrap().ino() == inode, "{ended:?}");
    // Nor is it an input that is emptied.
    let ended = shell("\"$P\" repair torn /dev/fd/3 3<> torn", folder.path());
    assert!(ended.code == 2 && ended.stderr.contains("is the same file as"), "{ended:?}");
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
}

fn a_terminal_is_written_into() {
    let (folder, whole) = traces();
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let path = Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
    let mut ours = File::options().read(true).write(true).open(path).unwrap();
    let before = fs::metadata(path).unwrap();
    run(&["repair", "-q", "torn", path.to_str().unwrap()], folder.path()).expect(
        0,
        "torn: 4 frames kept, TOC and footer rebuilt; lost 167 bytes from 0x5fb on\n",
        "",
    );
    let after = fs::metadata(path).unwrap();
    assert_eq!((after.ino(), after.rdev()), (before.ino(), before.rdev()));
    std::io::Write::write_all(&mut ours, b"end").unwrap();
    drop(ours);
    let (mut printed, mut master) = (Vec::new(), File::from(master));
    // Reading ends in an error when nobody can write any more.
    let _ = master.read_to_end(&mut printed);
    assert!(printed.starts_with(&whole[..8]) && printed.ends_with(b"end"), "{} bytes", printed.len());
}

/// Between the answers of `serve`, and of the process that draws for it, there is no picture.
fn answers_are_not_written_over() {
    let mut client = Client::start(&["--backend", "vulkan", "--adapter", "llvmpipe"]);
    let trace = client.open(&root().join("fixtures/aerogpu/triangle.aerogputrace"));
    for path in ["/dev/stdout", "/proc/self/fd/1"] {
        let error = client.error("image", &json!({ "trace": trace, "frame": 0, "path": path }));
        assert!(error["message"].as_str().unwrap().contains("is the output stream: expected a file"), "{error}");
    }
    client.result("hash", &json!({ "trace": trace, "frame": 0 }));
}

fn a_folder_is_refused() {
    let (folder, _) = traces();
    fs::create_dir(folder.path().join("made")).unwrap();
    run(&["repair", "torn", "made"], folder.path()).expect(
        11,
        "",
        "cannot write made: is a directory: expected a file",
    );
    assert!(folder.path().join("made").is_dir());
}

fn permissions_are_kept() {
    let (folder, _) = traces();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("out"), "old").unwrap();
    for mode in [0o600, 0o664, 0o444] {
        for (name, words) in [("out", "trim trace out --frames 0"), ("trace", "trim trace --in-place --frames 0")] {
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
            let ended = run(&words.split(' ').collect::<Vec<_>>(), folder.path());
            assert_eq!(ended.code, 0, "{ended:?}");
            assert_eq!(fs::metadata(at(name)).unwrap().mode() & 0o7777, mode, "{words}");
        }
    }
}

/// The system lets nobody write a file of that size: an error as every other, after which nothing is left.
fn what_becomes_too_large_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let trace = root().join("fixtures/aerogpu/scenes/seed-212.aerogputrace");
    fs::copy(trace, folder.path().join("trace")).unwrap();
    for words in
        ["repair trace out", "trim trace out --frames 0", "extract trace --blobs out", "repair trace /dev/stdout"]
    {
        let ended = shell(&format!("ulimit -f 1; exec \"$P\" {words}"), folder.path());
        assert!(ended.code == 11 && ended.stderr.contains("File too large"), "{words}: {ended:?}");
        let inside = |name: &str| fs::read_dir(folder.path().join(name)).into_iter().flatten().flatten();
        let left = inside(".").chain(inside("out")).map(|entry| entry.file_name().into_string().unwrap());
        let left: Vec<String> =
            left.filter(|name| name.starts_with('.') || name == "out" && !folder.path().join("out").is_dir()).collect();
        assert!(left.is_empty(), "{words}: {left:?}");
        let _ = fs::remove_dir_all(folder.path().join("out"));
    }
}

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = support::harness::trials_of![
        stdout_and_other_open_files_are_written_into,
        a_terminal_is_written_into,
        a_folder_is_refused,
        permissions_are_kept,
        what_becomes_too_large_leaves_nothing,
    ];
    trials.push(software::trial("answers_are_not_written_over", |_| answers_are_not_written_over()));
    let has_devices = devices_can_be_made();
    for attack in attacks().filter(|attack| !matches!(attack.output, Named)) {
        let is_drawn = attack.words.ends_with('+');
        let trial = |name: String, test: Box<dyn FnOnce() + Send>| match is_drawn {
            true => software::trial(name, move |_| test()),
            false => Trial::test(name, move || {
                test();
                Ok(())
            }),
        };
        let name = format!("{}: {}", attack.argument, attack.in_words());
        let nodes = trial(name.clone(), Box::new(move || each_node_is_treated_as_it_should_be(&attack)));
        trials.push(nodes);
        let again = attacks().find(|other| format!("{}: {}", other.argument, other.in_words()) == name).unwrap();
        let device = trial(format!("device: {name}"), Box::new(move || a_device_stays_one(&again)));
        trials.push(if has_devices { device } else { device.with_ignored_flag(true) });
    }
    trials
}
