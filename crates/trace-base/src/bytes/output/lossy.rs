//! A disk that loses its power at one operation, and with it what was not synced.
//!
//! A folder of the real disk shows what a running program sees. Beside it, nodes and names are kept as a disk would have
//! them: a file has bytes that are on the disk and bytes that are not, and each change of names is pending until its folder
//! is synced. When the power fails any of that may have reached the disk and any may not, whatever came first; a rename
//! alone is never half done.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::disk::{Access, Disk};

/// Random numbers of a seed, the same each time (xorshift64*).
#[derive(Debug)]
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize) % end.max(1)
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 1
    }
}

/// A node's number.
type NodeId = usize;

#[derive(Debug)]
enum Node {
    File {
        synced: Vec<u8>,
        written: Vec<u8>,
    },
    /// The names that are on the disk.
    Folder(BTreeMap<OsString, NodeId>),
}

/// A name in a folder.
type Name = (NodeId, OsString);

/// Names that change in one step.
#[derive(Clone, Debug)]
struct Change(Vec<(Name, Option<NodeId>)>);

#[derive(Debug)]
struct Nodes {
    nodes: Vec<Node>,
    /// Files by name, as the running program sees them.
    seen: BTreeMap<Name, NodeId>,
    /// Changes that are not synced, in their order.
    pending: Vec<Change>,
}

const ROOT: NodeId = 0;

impl Nodes {
    /// The nodes of a folder, all of them on the disk.
    fn read(folder: &Path) -> Self {
        let mut nodes = Self { nodes: vec![Node::Folder(BTreeMap::new())], seen: BTreeMap::new(), pending: Vec::new() };
        nodes.read_into(folder, ROOT);
        nodes
    }

    fn read_into(&mut self, folder: &Path, into: NodeId) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let id = self.nodes.len();
            if entry.file_type().unwrap().is_dir() {
                self.nodes.push(Node::Folder(BTreeMap::new()));
                self.read_into(&entry.path(), id);
            } else {
                let bytes = fs::read(entry.path()).unwrap();
                self.nodes.push(Node::File { synced: bytes.clone(), written: bytes });
            }
            self.seen.insert((into, entry.file_name()), id);
            self.apply(&Change(vec![((into, entry.file_name()), Some(id))]));
        }
    }

    /// The name that a path of the running program is, and what it leads to.
    fn find(&self, path: &Path) -> (Name, Option<NodeId>) {
        let mut folder = ROOT;
        let mut parts = path.components().peekable();
        loop {
            let part = parts.next().expect("a path below the root").as_os_str().to_owned();
            let found = self.seen.get(&(folder, part.clone())).copied();
            match (parts.peek(), found) {
                (None, _) => return ((folder, part), found),
                (Some(_), found) => folder = found.unwrap_or_else(|| panic!("{} is in no folder", path.display())),
            }
        }
    }

    fn change(&mut self, names: Vec<(Name, Option<NodeId>)>) {
        for (name, node) in &names {
            match node {
                Some(node) => self.seen.insert(name.clone(), *node),
                None => self.seen.remove(name),
            };
        }
        self.pending.push(Change(names));
    }

    /// Has a change on the disk.
    fn apply(&mut self, change: &Change) {
        for ((folder, name), node) in &change.0 {
            let Node::Folder(names) = &mut self.nodes[*folder] else { panic!("a name in a file") };
            match node {
                Some(node) => names.insert(name.clone(), *node),
                None => names.remove(name),
            };
        }
    }

    /// Has all changes of a folder's names on the disk, and the earlier ones of the names that go with them.
    fn sync_folder(&mut self, folder: NodeId) {
        let mut synced = Vec::new();
        let mut also: BTreeSet<Name> = BTreeSet::new();
        for change in std::mem::take(&mut self.pending).into_iter().rev() {
            if change.0.iter().any(|(name, _)| name.0 == folder || also.contains(name)) {
                also.extend(change.0.iter().map(|(name, _)| name.clone()));
                synced.push(change);
            } else {
                self.pending.push(change);
            }
        }
        self.pending.reverse();
        synced.iter().rev().for_each(|change| self.apply(change));
    }

    /// Decides what of the rest has reached the disk.
    fn lose_power(&mut self, random: &mut Random) {
        let pending = std::mem::take(&mut self.pending);
        let (kind, end) = (random.below(4), random.below(pending.len() + 1));
        for (place, change) in pending.iter().enumerate() {
            let is_kept = match kind {
                0 => true,
                1 => place < end,
                2 => place >= end,
                _ => random.coin(),
            };
            if is_kept {
                self.apply(change);
            }
        }
        for node in &mut self.nodes {
            let Node::File { synced, written } = node else { continue };
            if synced == written {
                continue;
            }
            let end = random.below(written.len() + 1);
            match random.below(5) {
                0 => {}
                1 => written.truncate(end),
                // The length was written, and not all of the bytes.
                2 => written[end..].fill(0),
                3 => written[..end].fill(0x5a),
                _ => {}
            }
            if random.coin() {
                synced.clone_from(written);
            }
        }
    }

    /// Writes what is on the disk into an empty folder.
    fn write(&self, id: NodeId, path: &Path) {
        match &self.nodes[id] {
            Node::File { synced, .. } => fs::write(path, synced).unwrap(),
            Node::Folder(names) => {
                if id != ROOT {
                    fs::create_dir(path).unwrap();
                }
                names.iter().for_each(|(name, node)| self.write(*node, &path.join(name)));
            }
        }
    }
}

/// A disk whose root is a folder.
#[derive(Debug)]
pub struct LossyDisk {
    root: PathBuf,
    left: Cell<Option<usize>>,
    done: Cell<usize>,
    nodes: RefCell<Nodes>,
    random: RefCell<Random>,
}

/// A file that is being made.
#[derive(Debug)]
pub struct LossyFile {
    node: NodeId,
    file: File,
}

impl LossyDisk {
    /// A disk with what is in `root` now, which carries out so many operations, or all.
    pub fn new(root: &Path, operations: Option<usize>, seed: u64) -> Self {
        Self {
            root: root.to_owned(),
            left: Cell::new(operations),
            done: Cell::new(0),
            nodes: RefCell::new(Nodes::read(root)),
            random: RefCell::new(Random::new(seed)),
        }
    }

    /// Operations that were carried out.
    pub fn done(&self) -> usize {
        self.done.get()
    }

    /// Cuts the power now, if that has not happened, and writes what is left into an empty folder.
    pub fn survivor(&self, into: &Path) {
        let mut nodes = self.nodes.borrow_mut();
        nodes.lose_power(&mut self.random.borrow_mut());
        nodes.write(ROOT, into);
    }

    fn in_root<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).expect("a path of this disk")
    }

    /// Carries out an operation: on what the program sees, and on the nodes. One at which the power fails may have been
    /// begun.
    fn run<T>(
        &self,
        see: impl FnOnce() -> io::Result<T>,
        change: impl FnOnce(&mut Nodes, &mut Random),
    ) -> io::Result<T> {
        let failed = || io::Error::other("the power has failed");
        match self.left.get() {
            Some(0) => {
                self.left.set(None);
                self.done.set(usize::MAX);
                if self.random.borrow_mut().coin() {
                    change(&mut self.nodes.borrow_mut(), &mut self.random.borrow_mut());
                }
                return Err(failed());
            }
            _ if self.done.get() == usize::MAX => return Err(failed()),
            left => self.left.set(left.map(|left| left - 1)),
        }
        self.done.set(self.done.get() + 1);
        let seen = see()?;
        change(&mut self.nodes.borrow_mut(), &mut self.random.borrow_mut());
        Ok(seen)
    }
}

impl Disk for LossyDisk {
    type File = LossyFile;

    fn create(&self, path: &Path, _: Access) -> io::Result<LossyFile> {
        let within = self.in_root(path);
        let node = self.nodes.borrow().nodes.len();
        let file = self.run(
            || File::create_new(path),
            |nodes, _| {
                nodes.nodes.push(Node::File { synced: Vec::new(), written: Vec::new() });
                let (name, _) = nodes.find(within);
                nodes.change(vec![(name, Some(node))]);
            },
        )?;
        Ok(LossyFile { node, file })
    }

    fn make_like(&self, _: &LossyFile, _: &Metadata) {}

    fn write(&self, file: &mut LossyFile, bytes: &[u8]) -> io::Result<usize> {
        let LossyFile { node, file } = file;
        self.run(
            || file.write_all(bytes).map(|()| bytes.len()),
            |nodes, _| {
                let Node::File { written, .. } = &mut nodes.nodes[*node] else { panic!("no file") };
                written.extend_from_slice(bytes);
            },
        )
    }

    fn sync(&self, file: &LossyFile) -> io::Result<()> {
        self.run(
            || Ok(()),
            |nodes, _| {
                let Node::File { synced, written } = &mut nodes.nodes[file.node] else { panic!("no file") };
                synced.clone_from(written);
            },
        )
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from_within, to_within) = (self.in_root(from), self.in_root(to));
        self.run(
            || fs::rename(from, to),
            |nodes, _| {
                let ((from, node), (to, _)) = (nodes.find(from_within), nodes.find(to_within));
                nodes.change(vec![(from, None), (to, Some(node.expect("what is renamed")))]);
            },
        )
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let within = self.in_root(path);
        let is_there = path.symlink_metadata().is_ok();
        self.run(
            || if is_there { fs::remove_file(path) } else { Ok(()) },
            |nodes, _| {
                if is_there {
                    let (name, _) = nodes.find(within);
                    nodes.change(vec![(name, None)]);
                }
            },
        )
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        let within = self.in_root(path);
        self.run(
            || fs::create_dir(path),
            |nodes, _| {
                let node = nodes.nodes.len();
                nodes.nodes.push(Node::Folder(BTreeMap::new()));
                let (name, _) = nodes.find(within);
                nodes.change(vec![(name, Some(node))]);
            },
        )
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let within = self.in_root(path);
        self.run(
            || fs::remove_dir(path),
            |nodes, _| {
                let (name, _) = nodes.find(within);
                nodes.change(vec![(name, None)]);
            },
        )
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let node = match self.in_root(path) {
            root if root.as_os_str().is_empty() => Some(ROOT),
            within => self.nodes.borrow().find(within).1,
        };
        self.run(|| Ok(()), |nodes, _| nodes.sync_folder(node.expect("the folder that is synced")))
    }
}

/// A new folder, in memory where the system has such folders: thousands are made.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Cuts the power at random operations of `act`, which changes what `prepare` has put into a folder, and looks at each time
/// with `read`, which may recover: it must see what it sees without `act`, or what it sees after it; the latter if `act` has
/// said that all is done.
pub fn cut_at_random<S: PartialEq + std::fmt::Debug>(
    cuts: u64,
    prepare: impl Fn(&Path),
    act: impl Fn(&LossyDisk, &Path) -> bool,
    read: impl Fn(&Path) -> S,
) {
    let live = || {
        let folder = folder();
        prepare(folder.path());
        folder
    };
    let old = read(live().path());
    let whole = live();
    let disk = LossyDisk::new(whole.path(), None, 0);
    assert!(act(&disk, whole.path()));
    let (operations, new) = (disk.done(), read(whole.path()));
    assert_ne!(old, new);
    let (mut olds, mut news) = (0, 0);
    for seed in 1..=cuts {
        let folder = live();
        let cut = Random::new(seed).below(operations + 1);
        let disk = LossyDisk::new(folder.path(), Some(cut), seed);
        let is_done = act(&disk, folder.path());
        assert_eq!(is_done, cut == operations, "seed {seed}: it says that it is done when it is");
        let survivor = self::folder();
        disk.survivor(survivor.path());
        let found = read(survivor.path());
        assert!(found == old || found == new, "seed {seed}, cut at {cut} of {operations}: neither old nor new");
        assert!(!is_done || found == new, "seed {seed}: what was done is lost");
        *(if found == new { &mut news } else { &mut olds }) += 1;
    }
    assert!(olds > 0 && news > 0, "{olds} old and {news} new of {cuts} cuts at {operations} operations");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepare(folder: &Path) {
        fs::write(folder.join("file"), "the old bytes").unwrap();
    }

    /// A careless program: says that it is done, and `wrong` if the old or new bytes are there after all cuts.
    fn is_found_out(act: impl Fn(&LossyDisk, &Path) -> io::Result<()> + std::panic::RefUnwindSafe) -> bool {
        let read = |folder: &Path| fs::read(folder.join("file")).unwrap_or_default();
        let judged = std::panic::catch_unwind(|| cut_at_random(300, prepare, |disk, at| act(disk, at).is_ok(), read));
        judged.is_err()
    }

    fn make(disk: &LossyDisk, folder: &Path) -> io::Result<LossyFile> {
        let mut file = disk.create(&folder.join("new"), Access::Everyone)?;
        for part in [b"the new".as_slice(), b" bytes"] {
            disk.write(&mut file, part)?;
        }
        Ok(file)
    }

    #[test]
    fn careless_programs_are_found_out() {
        let careful = |disk: &LossyDisk, folder: &Path| {
            disk.sync(&make(disk, folder)?)?;
            disk.rename(&folder.join("new"), &folder.join("file"))?;
            disk.sync_folder(folder)
        };
        assert!(!is_found_out(careful));
        let without_the_bytes = |disk: &LossyDisk, folder: &Path| {
            make(disk, folder)?;
            disk.rename(&folder.join("new"), &folder.join("file"))?;
            disk.sync_folder(folder)
        };
        assert!(is_found_out(without_the_bytes));
        let without_the_name = |disk: &LossyDisk, folder: &Path| {
            disk.sync(&make(disk, folder)?)?;
            disk.rename(&folder.join("new"), &folder.join("file"))
        };
        assert!(is_found_out(without_the_name));
        let in_the_wrong_order = |disk: &LossyDisk, folder: &Path| {
            let file = make(disk, folder)?;
            disk.rename(&folder.join("new"), &folder.join("file"))?;
            disk.sync_folder(folder)?;
            disk.sync(&file)
        };
        assert!(is_found_out(in_the_wrong_order));
        let in_its_place = |disk: &LossyDisk, folder: &Path| {
            disk.remove_file(&folder.join("file"))?;
            let mut file = disk.create(&folder.join("file"), Access::Everyone)?;
            disk.write(&mut file, b"the new bytes")?;
            disk.sync(&file)?;
            disk.sync_folder(folder)
        };
        assert!(is_found_out(in_its_place));
    }
}
