//! On what a golden was made, and whether that is here.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::gpu::AdapterSummary;

/// What decides a picture's last bits: on two equal machines pictures are equal to the bit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The adapter's name; a software adapter's says how wide its vectors are.
    pub adapter: String,
    /// The API: `vulkan`, `gl`, ….
    pub backend: String,
    /// The kind of device: `discrete`, `integrated`, `virtual`, `cpu`, `other`.
    pub kind: String,
    /// The driver's name and version.
    pub driver: String,
    /// The CPU's class, for software adapters compile to what the CPU can do.
    pub cpu: String,
}

impl Machine {
    /// This machine with this adapter.
    pub fn of(adapter: &AdapterSummary) -> Self {
        Self {
            adapter: adapter.name.clone(),
            backend: adapter.backend.clone(),
            kind: adapter.kind.to_owned(),
            driver: adapter.driver.clone(),
            cpu: cpu_class().to_owned(),
        }
    }

    /// Whether the same pictures are to be expected to the bit. The CPU counts only where it draws.
    pub fn draws_like(&self, other: &Machine) -> bool {
        let same_device =
            (&self.adapter, &self.backend, &self.driver) == (&other.adapter, &other.backend, &other.driver);
        same_device && self.kind == other.kind && (self.kind != "cpu" || self.cpu == other.cpu)
    }

    /// API and kind of device: approving on another class is a decision of its own.
    pub fn class(&self) -> (&str, &str) {
        (&self.backend, &self.kind)
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {}, {}, CPU {})", self.adapter, self.backend, self.kind, self.driver, self.cpu)
    }
}

/// The levels of the x86-64 psABI, since compilers target those; elsewhere the architecture.
fn cpu_class() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        let is_v2 = has!("sse4.2") && has!("popcnt");
        let is_v3 = is_v2 && has!("avx2") && has!("fma") && has!("bmi2") && has!("f16c");
        let is_v4 =
            is_v3 && has!("avx512f") && has!("avx512bw") && has!("avx512cd") && has!("avx512dq") && has!("avx512vl");
        match (is_v2, is_v3, is_v4) {
            (_, _, true) => "x86-64-v4",
            (_, true, _) => "x86-64-v3",
            (true, ..) => "x86-64-v2",
            _ => "x86-64-v1",
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::env::consts::ARCH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_counts_only_where_it_draws() {
        let machine = |kind: &str, cpu: &str| Machine {
            adapter: "a".into(),
            backend: "vulkan".into(),
            kind: kind.into(),
            driver: "d 1".into(),
            cpu: cpu.into(),
        };
        assert!(!machine("cpu", "x86-64-v3").draws_like(&machine("cpu", "x86-64-v4")));
        assert!(machine("discrete", "x86-64-v3").draws_like(&machine("discrete", "x86-64-v4")));
        assert!(!machine("discrete", "x").draws_like(&machine("integrated", "x")));
    }
}
