//! `shaders FILE` of one shader.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::harness::{Trial, trials_of};
use crate::support::root;
use aerogpu_replay::shader::d3d::{SourceNames, decode, disassemble_with_names};
use dev_d3d_assembler::sm4::assemble::assemble;
use serde_json::Value;

pub fn trials() -> Vec<Trial> {
    trials_of!(
        text_is_the_disassembly,
        summary_says_what_it_is,
        what_cannot_be_drawn_says_why,
        errors_end_in_their_codes,
    )
}

fn fixture(name: &str) -> PathBuf {
    root().join("fixtures/d3d").join(name)
}

fn shaders(path: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aerogpu-replay"));
    command.arg("shaders").arg(path).args(arguments).output().unwrap()
}

fn text_is_the_disassembly() {
    for name in ["sm4/ps_flow.dxbc", "legacy/ps_3_0.d3dbc"] {
        let output = shaders(&fixture(name), &["--emit", "asm"]);
        let bytes = fs::read(fixture(name)).unwrap();
        let program = decode(&bytes, 0).unwrap();
        let names = SourceNames::of(&program, &bytes, 0).unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text, disassemble_with_names(&program, &names));
        assert_eq!(text.starts_with("// s0 s\n"), name == "sm4/ps_flow.dxbc", "{text}");
        assert_eq!(output.status.code(), Some(0));
    }
}

fn summary_says_what_it_is() {
    let output = shaders(&fixture("sm4/ps_flow.dxbc"), &["--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&found["stage"], &found["model"], &found["dialect"]),
        (&"pixel".into(), &"ps_5_0".into(), &"microsoft".into())
    );
    let resources =
        ["s0 default", "s1 comparison", "t0 texture2d float", "t1 texture2d float", "t2 texture2darray uint"];
    let mut listed: Vec<&str> =
        found["resources"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    listed.sort_unstable();
    assert_eq!(listed, resources);
    assert_eq!(found["constants"], serde_json::json!(["cb0[5]"]));
    assert_eq!(found["outputs"], serde_json::json!(["o0.xyzw SV_Target0"]));
    let text = String::from_utf8(shaders(&fixture("sm4/ps_flow.dxbc"), &[]).stdout).unwrap();
    assert!(text.starts_with("pixel shader, ps_5_0, encoding microsoft, 2296 bytes\n"), "{text}");
    assert!(!text.contains("cannot be drawn"), "{text}");
}

/// All that traces are made with here is drawn; of other stages it is told.
fn what_cannot_be_drawn_says_why() {
    let reason = |path: &Path| {
        let output = shaders(path, &["--json"]);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        found["cannot_draw"].as_str().map(str::to_owned)
    };
    let made = fs::read_dir(fixture("made")).unwrap().map(|entry| entry.unwrap().path());
    let drawn: Vec<PathBuf> = made.chain(["sm4/ps_flow.dxbc", "sm4/cs_shared.dxbc"].map(fixture)).collect();
    assert!(drawn.len() > 20);
    for path in drawn {
        assert_eq!(reason(&path), None, "{}", path.display());
    }
    for (name, stage) in
        [("gs_strip", "gs_4_0 shader: a draw with a geometry"), ("hs_tri", "hs_5_0 shader: a draw with a hull")]
    {
        let expected = format!("{stage} shader is not translated by this build, at 0x");
        let found = reason(&fixture(&format!("sm4/{name}.dxbc"))).unwrap();
        assert!(found.starts_with(&expected), "{found}");
    }
}

fn errors_end_in_their_codes() {
    let folder = std::env::temp_dir().join(format!("d3d-shaders-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let whole = fs::read(fixture("sm4/ps_flow.dxbc")).unwrap();
    let mut unknown = assemble("ps_5_0\nret\n");
    unknown[8] = 112;
    let deep = format!("ps_4_0\n{}", "if_nz l(1)\n".repeat(200));
    for (bytes, code, sentence) in [
        (
            whole[..100].to_vec(),
            3,
            "size of the container: expected at most the bytes that follow, found \
            2296, at 0x18",
        ),
        (unknown, 4, "expected an instruction of ps_5_0, found opcode 0x70, at 0x8"),
        (assemble(&deep), 10, "the shader's nesting is 129: this build's limit is 128, at 0x608"),
    ] {
        let path = folder.join("bad.dxbc");
        fs::write(&path, bytes).unwrap();
        let output = shaders(&path, &[]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(sentence), "{stderr}");
        assert_eq!(output.status.code(), Some(code), "{stderr}");
    }
    fs::remove_dir_all(&folder).unwrap();
    let output = shaders(&fixture("sm4/ps_flow.dxbc"), &["--emit", "glsl"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}
