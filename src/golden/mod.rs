//! Golden-image regression: cases, verdicts, approval, reports; and which draw broke it.
//!
//! ```text
//!  golden.toml ─► Case ─┐ child processes (pool, worker)
//!  trace ─► Player ─► Picture ─► ladder ─► CaseOutcome ─► lines, JSON, JUnit, report
//!                                   └─► .new.png ─► review ─► approve ─► golden.toml
//! ```
//!
//! A pass is a pass only if something was compared: a missing golden, an unreadable one, an empty suite and a picture
//! of another size are failures. How cases are kept apart from each other stands in [`pool`].

pub mod approve;
pub mod bisect;
mod blame;
pub mod case;
mod error;
pub mod film;
pub mod junit;
mod machine;
pub mod outcome;
pub mod pictures;
pub mod pool;
mod record;
pub mod report;
pub mod results;
mod run_case;
pub mod suite;
pub mod worker;

pub use blame::{Blame, Patience, blame};
pub use error::GoldenError;
pub use machine::Machine;
