//! What this program was built from and with.

use std::sync::OnceLock;

/// The build.
pub(super) struct Build {
    pub version: &'static str,
    /// Only optimised builds know it.
    pub commit: Option<&'static str>,
    /// Those that decide about pictures, and their versions.
    pub libraries: Vec<(&'static str, &'static str)>,
    pub features: Vec<&'static str>,
}

impl Build {
    /// That of this program.
    pub(super) fn of_this_program() -> Self {
        #[cfg(feature = "gpu")]
        let libraries = vec![("wgpu", crate::gpu::WGPU_VERSION), ("naga", crate::gpu::NAGA_VERSION)];
        #[cfg(not(feature = "gpu"))]
        let libraries = Vec::new();
        let features = [("gpu", cfg!(feature = "gpu")), ("window", cfg!(feature = "window"))];
        Self {
            version: env!("CARGO_PKG_VERSION"),
            commit: option_env!("AEROGPU_REPLAY_COMMIT"),
            libraries,
            features: features.into_iter().filter_map(|(name, is_on)| is_on.then_some(name)).collect(),
        }
    }

    /// Lines for people, the program's name not among them.
    pub(super) fn lines(&self) -> String {
        let profile = if cfg!(debug_assertions) { "a debug build" } else { "an optimised build" };
        let commit = self.commit.map_or("commit unknown".to_owned(), |commit| format!("commit {commit}"));
        let libraries = self.libraries.iter().map(|(name, version)| format!("{name} {version}\n"));
        let features = if self.features.is_empty() { "none".to_owned() } else { self.features.join(", ") };
        format!("{}: {commit}, {profile}\n{}features: {features}", self.version, libraries.collect::<String>())
    }
}

/// What `--version` prints behind the program's name.
pub(super) fn long_version() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| Build::of_this_program().lines())
}
