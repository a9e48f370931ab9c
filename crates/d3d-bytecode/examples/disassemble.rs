//! Prints what a file of Direct3D bytecode says, and whether it can be translated.
//!
//! ```sh
//! cargo run -p d3d-bytecode --example disassemble -- shader.dxbc
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;

use d3d_bytecode::{check_translation, decode, disassemble};
use trace_base::text::Lines;

/// The text of the bytecode at `path`, and a line that says whether it can be translated.
pub fn disassembled(path: &Path) -> Result<String, Box<dyn Error>> {
    let program = decode(&std::fs::read(path)?, 0)?;
    let verdict = match check_translation(&program) {
        Ok(()) => "it can be translated".to_owned(),
        Err(error) => error.to_string(),
    };
    Ok(format!("{}// {verdict}\n", disassemble(&program)))
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("expected a file of bytecode")?;
    let mut out = Lines::stdout();
    out.as_bytes().write_all(disassembled(Path::new(&path))?.as_bytes())?;
    Ok(out.flush()?)
}
