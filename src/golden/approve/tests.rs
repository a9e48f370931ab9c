use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use super::super::transaction::heal_on;
use super::*;
use crate::bytes::output::lossy::{LossyDisk, cut_at_random};
use crate::worker::Program;

const SIZE: Size = Size { width_px: 4, height_px: 4 };
const FRAMES: [u32; 2] = [0, 1];

fn worker() -> WorkerCommand {
    WorkerCommand::new(Program::Own, Vec::new(), Duration::ZERO)
}

/// Pictures as a worker would have drawn them, each with a pixel of its own colour.
fn rendered(red: u8) -> Rendered {
    let picture = |frame: u32| {
        let mut rgba = vec![255; 64];
        rgba[..2].copy_from_slice(&[red, frame as u8]);
        Picture::new(SIZE, rgba).unwrap()
    };
    let text = |text: &str| text.to_owned();
    let (adapter, backend, kind) = (text("a"), text("vulkan"), text("cpu"));
    let machine = Machine { adapter, backend, kind, driver: text("d"), cpu: text("c") };
    Rendered { machine, pictures: FRAMES.map(picture).into(), inputs: Vec::new() }
}

fn of() -> Vec<FramePicture> {
    FRAMES.map(|frame| FrameIndex(frame).into()).into()
}

fn create_on(disk: &impl Disk, root: &Path) -> bool {
    let folder = root.join("golden/water");
    let trace_from_folder = "../../trace".to_owned();
    let new = NewCase { folder, trace: root.join("trace"), trace_from_folder, size: SIZE, pictures: of() };
    let worker = worker();
    let approver = Approver { worker: &worker, allowances: Allowances::default() };
    let lock = SuiteLock::take(&[root]).unwrap();
    approver.create_on(disk, &lock, &new, ("0".repeat(64), rendered(1))).is_ok()
}

fn approve_on(disk: &impl Disk, root: &Path) -> bool {
    let case = Case::read(&root.join("golden/water"), root).unwrap();
    let worker = worker();
    let approver = Approver { worker: &worker, allowances: Allowances::default() };
    let pictures = rendered(2).pictures;
    let changes: Vec<Change> =
        case.pictures.iter().zip(pictures).map(|(golden, new)| Change::of(&case, golden, new)).collect();
    let recording = Recording { trace_sha256: "1".repeat(64), machine: None, pictures: Vec::new() };
    let lock = SuiteLock::take(&[root]).unwrap();
    approver.write_on(disk, &lock, &case, (&changes, recording, Vec::new())).is_ok()
}

/// The case as the next command finds it: its files, after it was healed and read; none if there is no case.
fn read(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let folder = root.join("golden/water");
    if !folder.exists() {
        return BTreeMap::new();
    }
    // Nothing that this recovers needs to outlive the test: no file of the real disk is synced.
    heal_on(&LossyDisk::new(root, None, 0), &folder, &SuiteLock::take(&[root]).unwrap()).unwrap();
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let files = files.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap()));
    let files: BTreeMap<_, _> = files.collect();
    if !files.is_empty() {
        let case = Case::read(&folder, root).unwrap();
        for golden in &case.pictures {
            let Golden::Found(picture) = read_golden(&folder.join(&golden.picture)) else { panic!("no picture") };
            assert!(golden.hashes.contains(&picture.hash()), "a picture of another state");
        }
    }
    files
}

fn with_trace(root: &Path) {
    fs::write(root.join("trace"), "the trace").unwrap();
}

#[test]
fn a_new_case_is_whole_or_none_after_a_power_cut() {
    let act = |disk: &LossyDisk, root: &Path| create_on(disk, root);
    cut_at_random(1000, with_trace, act, read);
}

#[test]
fn an_approved_case_is_the_old_or_the_new_one_after_a_power_cut() {
    let first = tempfile::tempdir().unwrap();
    with_trace(first.path());
    assert!(create_on(&SystemDisk, first.path()));
    let case = read(first.path());
    let prepare = |root: &Path| {
        with_trace(root);
        fs::create_dir_all(root.join("golden/water")).unwrap();
        for (name, bytes) in &case {
            fs::write(root.join("golden/water").join(name), bytes).unwrap();
        }
        fs::write(root.join("golden/water/frame0001.new.png"), "looked at").unwrap();
    };
    let act = |disk: &LossyDisk, root: &Path| approve_on(disk, root);
    cut_at_random(1000, prepare, act, read);
}
