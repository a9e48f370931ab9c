//! Memory that software Vulkan frees after each frame: it is kept for the next one.
//!
//! glibc gives large blocks back to the system when they are freed, and a driver that draws on the CPU then has the memory of
//! every frame mapped and cleared anew: four fifths of the time of 500 textured draws. glibc raises both of its thresholds for
//! good once a block that it had mapped is freed, up to blocks of 32 MiB. So one is taken, left untouched, and freed.

use std::hint::black_box;
use std::sync::Once;

/// Where the allocator is glibc's, and its thresholds go as high as [`BLOCK_BYTES`].
const IS_GLIBC: bool = cfg!(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"));

/// Just below the largest block whose return raises the thresholds (`DEFAULT_MMAP_THRESHOLD_MAX`), which counts its head as well.
const BLOCK_BYTES: usize = 31 << 20;

/// Each of them ends glibc's own choice of thresholds: whoever sets one wants what it says.
const VARIABLES: [&str; 4] =
    ["MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_MMAP_MAX_"];

/// Tunables with the same effect; all of them stand in one variable.
const TUNABLES: [&str; 4] =
    ["glibc.malloc.trim_threshold", "glibc.malloc.top_pad", "glibc.malloc.mmap_threshold", "glibc.malloc.mmap_max"];

/// Fate of memory that software Vulkan frees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreedMemory {
    /// It is kept for the next frame.
    Kept,
    /// This environment variable decides.
    AsSet(&'static str),
    /// Another allocator than glibc's decides.
    AsTheSystemDoes,
}

impl FreedMemory {
    /// Its name in machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::AsSet(_) => "as-set",
            Self::AsTheSystemDoes => "as-the-system-does",
        }
    }

    /// The environment variable that decides, if one does.
    pub fn variable(self) -> Option<&'static str> {
        if let Self::AsSet(variable) = self { Some(variable) } else { None }
    }
}

impl std::fmt::Display for FreedMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Kept => f.write_str("kept for the next frame"),
            Self::AsSet(variable) => write!(f, "as {variable} says"),
            Self::AsTheSystemDoes => f.write_str("as the system's allocator does"),
        }
    }
}

/// Fate of that memory in this process, once such an adapter is opened.
pub fn freed_memory() -> FreedMemory {
    let is_set = |variable: &&str| std::env::var_os(variable).is_some();
    // silent: none are set, or none that glibc could read
    let tunables = std::env::var("GLIBC_TUNABLES").unwrap_or_default();
    match VARIABLES.into_iter().find(is_set) {
        _ if !IS_GLIBC => FreedMemory::AsTheSystemDoes,
        Some(variable) => FreedMemory::AsSet(variable),
        None if TUNABLES.iter().any(|tunable| tunables.contains(tunable)) => FreedMemory::AsSet("GLIBC_TUNABLES"),
        None => FreedMemory::Kept,
    }
}

/// Has this process keep it, unless the user has chosen otherwise.
pub(super) fn keep_freed_memory() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if freed_memory() == FreedMemory::Kept {
            // The optimiser would leave out a block that nobody looks at.
            drop(black_box(Vec::<u8>::with_capacity(BLOCK_BYTES)));
        }
    });
}
