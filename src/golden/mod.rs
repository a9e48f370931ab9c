//! Golden-image regression: cases, verdicts, approval, reports; and which draw broke it.
//!
//! ```text
//!  golden.toml ─► Case ─┐ child processes (pool, worker)
//!  trace ─► Player ─► Picture ─► ladder ─► CaseOutcome ─► lines, JSON, JUnit, report
//!                                   └─► .new.png ─► review ─► approve ─► golden.toml
//! ```
//!
//! A pass is a pass only if something was compared: a missing golden, an unreadable one, an empty suite and a picture
//! of another size are failures. A case changes whole or not at all (`transaction.rs`). How cases are kept apart from each other stands in [`pool`].

pub mod approve;
pub mod bisect;
mod blame;
pub mod case;
mod error;
pub mod film;
pub mod fsck;
pub mod junit;
mod lock;
mod machine;
pub mod outcome;
pub mod pictures;
pub mod pool;
mod record;
pub mod report;
pub mod results;
mod run_case;
mod storage;
pub mod suite;
mod transaction;
pub mod worker;

pub use blame::{Blame, Cause, Patience, blame};
pub use error::GoldenError;
pub use lock::SuiteLock;
pub use machine::Machine;
pub use transaction::{heal, heal_to_read};
