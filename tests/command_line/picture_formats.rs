//! Pictures in every file format, written and read back.

use std::fs;
use std::path::Path;

use crate::support;
use support::harness::Trial;
use support::program::run;
use support::serve_client::Client;
use support::{fixture, root, software};

use serde_json::json;

pub fn trials() -> Vec<Trial> {
    vec![
        software::trial("every_format_holds_the_picture", |_| every_format_holds_the_picture()),
        software::trial("depth_is_in_formats_that_keep_its_numbers", |_| depth_is_in_formats_that_keep_its_numbers()),
        software::trial("serve_writes_the_format_that_a_path_names", |_| serve_writes_the_format_that_a_path_names()),
    ]
}

const ADAPTER: [&str; 4] = ["--backend", "vulkan", "--adapter", "llvmpipe"];
/// Formats that `diff` reads, and how their files begin.
const FORMATS: [(&str, &[u8]); 7] = [
    ("png", b"\x89PNG"),
    ("exr", &[0x76, 0x2f, 0x31, 0x01]),
    ("tiff", b"II*\0"),
    ("tif", b"II*\0"),
    ("webp", b"RIFF"),
    ("qoi", b"qoif"),
    ("npy", b"\x93NUMPY"),
];

fn render(arguments: &[&str], folder: &Path) {
    let done = run(&[arguments, &ADAPTER[..]].concat(), folder);
    assert_eq!(done.code, 0, "{arguments:?}: {}", done.stderr);
}

fn every_format_holds_the_picture() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let trace = fixture("interpolated").display().to_string();
    let golden = root().join("golden/interpolated/frame0000.png").display().to_string();
    for (format, magic) in FORMATS {
        let name = format!("a.{format}");
        render(&[&trace, "--frame", "0", "--out", &name], here);
        assert!(fs::read(here.join(&name)).unwrap().starts_with(magic), "{format}");
        let compared = run(&["diff", &name, &golden], here);
        assert_eq!(compared.code, 0, "{format}: {}{}", compared.stdout, compared.stderr);
        // A format's name alone is a file for each frame, named like the trace.
        render(&[&trace, "--frames", "all", "--out", format], here);
        let extension = if format == "tif" { "tiff" } else { format };
        assert!(here.join(format!("interpolated.frame0000.{extension}")).is_file(), "{format}");
    }
    let overlay = ["overlay", &trace, "--frame", "0", "--kind", "overdraw", "--out", "heat.webp"];
    render(&overlay, here);
    assert!(fs::read(here.join("heat.webp")).unwrap().starts_with(b"RIFF"));
    let unknown = run(&[&trace[..], "--frame", "0", "--out", "a.jpg"], here);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("expected a name that ends in .png, .exr, .tiff"), "{}", unknown.stderr);
}

fn depth_is_in_formats_that_keep_its_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let trace = root().join("fixtures/examples/courtyard.aerogputrace").display().to_string();
    // Texture 4 is the shadow map.
    for name in ["a.exr", "a.npy", "a.tiff"] {
        render(&[&trace, "--frame", "0", "--target", "4", "--out", name], here);
    }
    for name in ["a.exr", "a.npy"] {
        let compared = run(&["diff", name, "a.tiff"], here);
        compared.expect(2, "", &format!("cannot read {name}: the file holds depth"));
    }
    let exr = fs::read(here.join("a.exr")).unwrap();
    // The one channel is Z, of 32-bit floats.
    let channels = b"channels\0chlist\0\x13\0\0\0Z\0\x02\0\0\0";
    assert!(exr.windows(channels.len()).any(|window| window == channels));
}

fn serve_writes_the_format_that_a_path_names() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start(&ADAPTER);
    let trace = client.open(&fixture("interpolated"));
    for (format, magic) in FORMATS {
        let path = folder.path().join(format!("a.{format}"));
        client.result("image", &json!({ "trace": trace, "frame": 0, "path": path }));
        assert!(fs::read(path).unwrap().starts_with(magic), "{format}");
    }
    assert_eq!(client.end(), (String::new(), 0));
}
