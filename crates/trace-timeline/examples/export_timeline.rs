//! Writes an annotation file of any format as Chrome trace JSON, which `chrome://tracing` and Perfetto show.
//!
//! ```sh
//! cargo run -p trace-timeline --example export_timeline -- fixtures/wtf/v3/seed_features.wtf-trace timeline.json
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use trace_base::bytes::{ByteSource, FileSource, read_vec_at};
use trace_timeline::annotation::format_of;
use trace_timeline::{Exported, Placement, SelectedEvents, write_chrome};

/// Writes the annotations at `annotations` into the JSON at `json`.
pub fn export_timeline(annotations: &Path, json: &Path) -> Result<(), Box<dyn Error>> {
    let source = FileSource::open(annotations)?;
    let start = read_vec_at(&source, 0, source.size_bytes().min(64) as usize)?;
    let format = format_of(&start).ok_or("expected a file of annotations")?;
    // What is damaged is read as far as it goes.
    let file = format.map(&source, &annotations.display().to_string())?;
    if let Some(damage) = file.damage() {
        eprintln!("{damage}; what came before it is written");
    }
    let timeline = file.timeline();
    let exported = Exported {
        timeline,
        arguments: &mut *file.arguments(),
        placement: &Placement::of_axis(&timeline.axis),
        shown: SelectedEvents::all(),
    };
    let mut out = BufWriter::new(File::create(json)?);
    write_chrome(&mut [exported], &mut out)?;
    Ok(out.flush()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [annotations, json] = arguments.as_slice() else { return Err("expected ANNOTATIONS JSON".into()) };
    export_timeline(Path::new(annotations), Path::new(json))
}
