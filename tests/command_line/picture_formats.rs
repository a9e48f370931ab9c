//! Pictures in every file format, written and read back.

use std::fs;
use std::path::Path;

use crate::support;
use support::harness::{Trial, trials_of};
use support::program::run;
use support::serve_client::Client;
use support::{fixture, root, software};

use serde_json::json;

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> =
        trials_of![textures_are_written_with_all_mips_as_they_are, damaged_textures_are_trouble];
    trials.extend([
        software::trial("every_format_holds_the_picture", |_| every_format_holds_the_picture()),
        software::trial("depth_is_in_formats_that_keep_its_numbers", |_| depth_is_in_formats_that_keep_its_numbers()),
        software::trial("drawn_textures_are_what_is_rendered", |_| drawn_textures_are_what_is_rendered()),
        software::trial("serve_writes_the_format_that_a_path_names", |_| serve_writes_the_format_that_a_path_names()),
    ]);
    trials
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

/// A trace of the examples.
fn example(name: &str) -> String {
    root().join(format!("fixtures/examples/{name}.aerogputrace")).display().to_string()
}

/// Mips of blocks are written as the trace has them: they are the bytes that `--raw` writes, one after another.
fn textures_are_written_with_all_mips_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let trace = example("courtyard");
    let texture = |name: &str, out: &str| run(&["texture", &trace, "--frame", "0", name, "--out", out], here);
    for (handle, format, dxgi, vulkan, mips, told) in [
        ("10", "bc1", 71, 133, 7, "64x64 of BC1_UNORM, 7 mips, 1 layer"),
        ("16", "b5", 86, 8, 1, "144x8 of B5G5R5A1_UNORM, 1 mip, 1 layer"),
    ] {
        let mut expected = Vec::new();
        for mip in 0..mips {
            let raw =
                run(&["texture", &trace, "--frame", "0", &format!("{handle}:{mip}"), "--raw", "--out", "raw"], here);
            assert_eq!(raw.code, 0, "{}", raw.stderr);
            expected.extend(fs::read(here.join("raw")).unwrap());
        }
        let (dds, ktx2) = (format!("{format}.dds"), format!("{format}.KTX2"));
        for name in [&dds, &ktx2] {
            texture(handle, name).expect(0, "", &format!("wrote {name}: texture {handle}, {told}"));
        }
        let bytes = fs::read(here.join(&dds)).unwrap();
        assert_eq!((bytes[128], &bytes[148..]), (dxgi, &expected[..]), "{format}");
        assert_eq!(fs::read(here.join(&ktx2)).unwrap()[12], vulkan, "{format}");
        let compared = run(&["diff", &dds, &ktx2], here);
        assert_eq!(compared.code, 0, "{}{}", compared.stdout, compared.stderr);
    }
    // One mip alone, and what is told of two files that are not alike.
    texture("10:2", "one.dds").expect(0, "", "wrote one.dds: texture 10, 16x16 of BC1_UNORM, 1 mip, 1 layer");
    let compared = run(&["diff", "one.dds", "bc1.dds"], here);
    assert_eq!(compared.code, 1);
    assert!(compared.stdout.contains("mips and layers differ: 1 and 1, 7 and 1"), "{}", compared.stdout);
    let mut changed = fs::read(here.join("bc1.dds")).unwrap();
    // The first block of the third mip, whose texels come after 2048 and 512 bytes.
    changed[148 + 2048 + 512..][..8].copy_from_slice(&[0, 0xf8, 0, 0, 0, 0, 0, 0]);
    fs::write(here.join("changed.dds"), changed).unwrap();
    let compared = run(&["diff", "changed.dds", "bc1.KTX2", "--json"], here);
    let line: serde_json::Value = serde_json::from_str(&compared.stdout).unwrap();
    assert_eq!(
        (&line["mip"], &line["layer"], &line["parts"], &line["differing_parts"]),
        (&2.into(), &0.into(), &7.into(), &1.into())
    );
    assert!(
        line["message"].as_str().unwrap().starts_with("1 of 7 mips of all layers differ; first mip 2 of layer 0: ")
    );
    let worst = line["worst"].as_array().unwrap();
    assert!(worst.iter().all(|side| side.as_u64().unwrap() < 4), "inside the block: {worst:?}");
    let refused = texture("10", "out.png");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("expected a name that ends in .dds or .ktx2"), "{}", refused.stderr);
    let cube = run(&["texture", &trace, "--frame", "0", "10", "--cube", "--out", "cube.dds"], here);
    assert!(
        cube.code != 0 && cube.stderr.contains("cube faces that are not square, or not six per cube"),
        "{}",
        cube.stderr
    );
}

/// Texels that draws have written come from the GPU, in the texture's own format.
fn drawn_textures_are_what_is_rendered() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let (courtyard, heath) = (example("courtyard"), example("heath"));
    // A target with red first, one with blue first and no alpha, and depth.
    for (trace, handle, dxgi) in [(&courtyard, "1", 28), (&heath, "1", 88), (&courtyard, "4", 40)] {
        for name in ["out.dds", "out.ktx2"] {
            render(&["texture", trace, "--frame", "1", handle, "--out", name], here);
            render(&[trace, "--frame", "1", "--target", handle, "--out", "rendered.exr"], here);
            let compared = run(&["diff", name, "rendered.exr"], here);
            assert_eq!(compared.code, 0, "{trace} {handle}: {}{}", compared.stdout, compared.stderr);
        }
        assert_eq!(fs::read(here.join("out.dds")).unwrap()[128], dxgi);
    }
    let refused = run(&["texture", &heath, "--frame", "0", "2", "--out", "depth.dds"], here);
    assert_eq!(refused.code, 4, "{}", refused.stderr);
    assert!(refused.stderr.contains("texture 2 is D24_UNORM_S8_UINT"), "{}", refused.stderr);
    // Depth is compared by value.
    render(&[&courtyard, "--frame", "2", "--target", "4", "--out", "later.exr"], here);
    render(&[&courtyard, "--frame", "1", "--target", "4", "--out", "depth.npy"], here);
    let same = run(&["diff", "out.ktx2", "depth.npy"], here);
    same.expect(0, "same: out.ktx2 depth.npy: no value differs\n", "");
    let differs = run(&["diff", "out.dds", "later.exr", "--json"], here);
    assert_eq!(differs.code, 1, "{}", differs.stderr);
    let line: serde_json::Value = serde_json::from_str(&differs.stdout).unwrap();
    let largest = line["largest_difference"].as_f64().unwrap();
    assert!(largest > 0.0 && line["message"].as_str().unwrap().contains("largest difference"), "{line}");
    let tolerant = run(&["diff", "out.dds", "later.exr", "--float-tolerance", &(largest + 1e-6).to_string()], here);
    assert_eq!(tolerant.code, 0, "{}{}", tolerant.stdout, tolerant.stderr);
    let negative = run(&["diff", "out.dds", "later.exr", "--float-tolerance=-1"], here);
    assert_eq!(negative.code, 2);
}

/// Damaged files are trouble, told in one sentence, and never a crash.
fn damaged_textures_are_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let trace = example("courtyard");
    for (name, place) in [("a.dds", "at offset 0x"), ("a.ktx2", "at offset 0x")] {
        assert_eq!(run(&["texture", &trace, "--frame", "0", "10", "--out", name], here).code, 0);
        let whole = fs::read(here.join(name)).unwrap();
        for length in [13, 100, 200, whole.len() - 1] {
            fs::write(here.join("cut"), &whole[..length]).unwrap();
            let told = run(&["diff", "cut", name], here);
            assert_eq!(told.code, 2, "{name} cut to {length}: {}{}", told.stdout, told.stderr);
            assert_eq!(told.stderr.lines().count(), 1, "{}", told.stderr);
            assert!(told.stderr.contains(place), "{name} cut to {length}: {}", told.stderr);
        }
    }
}
