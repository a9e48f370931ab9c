//! Chooses among rows by an expression.
//!
//! ```sh
//! cargo run -p trace-base --features rows --example filter_rows -- 'DRAW(vertex_count > 100)'
//! ```

use std::error::Error;
use std::io::Write;

use trace_base::listing::{Filter, Subject, Value};
use trace_base::text::Lines;

/// A row: a name, and a number that has one.
struct Row(&'static str, &'static str, u64);

impl Subject for Row {
    fn name(&self) -> &str {
        self.0
    }

    fn any_argument(&self, name: &str, passes: &mut dyn FnMut(&Value) -> bool) -> bool {
        name == self.1 && passes(&Value::UInt(self.2))
    }
}

const ROWS: [Row; 3] = [Row("CLEAR", "target", 1), Row("DRAW", "vertex_count", 3), Row("DRAW", "vertex_count", 300)];

/// Writes the rows that a filter lets pass.
pub fn filter_rows(filter: &str, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let filter = Filter::parse(filter)?;
    // Rows here have no length, so that `@duration` makes no sense.
    filter.check(None)?;
    for row in ROWS.iter().filter(|row| filter.accepts(*row)) {
        writeln!(out, "{} {}={}", row.0, row.1, row.2)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let filter = std::env::args().nth(1).ok_or("expected a filter, such as 'DRAW(vertex_count > 100)'")?;
    let mut out = Lines::stdout();
    filter_rows(&filter, &mut out)?;
    Ok(out.flush()?)
}
