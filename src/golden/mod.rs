//! Golden-image regression: cases, verdicts, approval, reports; and which draw broke it.
//!
//! ```
//! use aerogpu_replay::golden::suite::find_cases;
//!
//! for case in find_cases(&["golden".into()])? {
//!     println!("{}: {}", case.number, case.folder.display());
//! }
//! # Ok::<(), aerogpu_replay::golden::GoldenError>(())
//! ```
//!
//! ```text
//!  golden.toml ─► Case ─┐ jobs, each in a worker
//!  trace ─► Player ─► Picture ─► judge ─► CaseOutcome ─► lines, JSON, JUnit, report
//!                                   └─► .new.png ─► review ─► approve ─► golden.toml
//! ```
//!
//! A pass is a pass only if something was compared: a missing golden, an unreadable one, an empty suite and a picture
//! of another size are failures. A case changes whole or not at all (`transaction.rs`).
//!
//! **Isolation.** Opening a device costs far more than a small case, so one worker with one device takes many cases.
//! What keeps them apart:
//!
//! * A crash, a hang or a lost device ends the worker, and is the result of the case it was at; the next case gets a
//!   fresh one. A hang is ended by killing it after the case's time.
//! * A case can pass only by giving a picture that is accepted, and no earlier case can lend it one: target, buffers
//!   and programs are its own. So a pass on a shared device counts.
//! * A failure on a shared device may be an earlier case's fault. So every failure is repeated in a fresh process,
//!   and what passes there is neither passed nor failed but flaky.

pub mod approve;
pub mod bisect;
mod blame;
pub mod case;
pub mod decisions;
mod error;
#[cfg(test)]
mod faulty;
pub mod film;
pub mod fsck;
mod inputs;
pub mod jobs;
pub mod junit;
mod lock;
mod machine;
pub mod mutate;
pub mod outcome;
pub mod pictures;
mod record;
pub mod report;
pub mod results;
mod run_case;
pub mod shard;
pub mod suite;
mod transaction;

pub use blame::{Blame, Cause, SearchBudget, blame};
pub use error::GoldenError;
pub use inputs::{FrameInputs, INPUTS_FILE, InputChange, RecordedInputs};
pub use lock::SuiteLock;
pub use machine::Machine;
pub use transaction::{heal, heal_to_read};
