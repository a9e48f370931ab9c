//! Writes the traces of `fixtures/examples`: scenes that are worth looking at.
//!
//! ```sh
//! cargo run --example scenes -- FOLDER
//! ```

#![allow(clippy::indexing_slicing, reason = "every index is below a size that the example itself chose")]

pub mod courtyard;
mod font;
mod heath;
mod matrix;
mod mesh;
mod texture;

use std::error::Error;
use std::path::PathBuf;

/// A trace's name and bytes.
pub type Scene = (&'static str, Vec<u8>);

/// The traces.
pub fn scenes() -> Result<[Scene; 2], Box<dyn Error>> {
    Ok([("courtyard", courtyard::courtyard(Some(courtyard::FAULTY))?), ("heath", heath::heath()?)])
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    for (name, bytes) in scenes()? {
        let path = folder.join(format!("{name}.aerogputrace"));
        std::fs::write(&path, bytes)?;
        println!("{}", path.display());
    }
    Ok(())
}
