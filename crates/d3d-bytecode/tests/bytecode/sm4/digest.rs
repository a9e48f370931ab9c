//! The digest of a container: vkd3d writes it as Microsoft's compiler does.

use std::fs;

use crate::corpus::shaders;
use d3d_bytecode::{Container, check_digest};
use dev_trials::root;
use dev_trials::{Trial, trials_of};
use trace_base::bytes::{Diagnostics, FindingKind};

pub fn trials() -> Vec<Trial> {
    trials_of!(vkd3d_writes_the_same_digests, a_wrong_digest_is_a_remark)
}

fn vkd3d_writes_the_same_digests() {
    let compiled = shaders(&root().join("fixtures/d3d/sm4")).into_iter().filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        !name.starts_with("every_")
    });
    let mut count = 0;
    for path in compiled {
        let bytes = fs::read(&path).unwrap();
        let container = Container::parse(&bytes, 0).unwrap();
        assert_eq!(container.digest(), container.computed_digest(), "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 8);
}

fn a_wrong_digest_is_a_remark() {
    let mut bytes = fs::read(root().join("fixtures/d3d/sm4/ds_tri.dxbc")).unwrap();
    let findings = |bytes: &[u8]| {
        let mut diagnostics = Diagnostics::new();
        check_digest(bytes, 0x40, &mut diagnostics).unwrap();
        diagnostics
    };
    assert!(findings(&bytes).is_empty());
    bytes[4..20].fill(0);
    let found = findings(&bytes);
    let [finding] = found.findings() else { panic!("{found:?}") };
    let computed: String =
        Container::parse(&bytes, 0).unwrap().computed_digest().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(finding.to_string(), format!("digest of the container: expected {computed}, found zeros, at 0x44"));
    assert_eq!(finding.kind, FindingKind::Remark);
}
