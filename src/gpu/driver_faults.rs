//! What drivers are known to get wrong, how each fault is told, and what is done about it.
//!
//! A fault that is mended here is mended for every picture and every question. One is left to the environment. A fault that is
//! not listed is a difference that users see.

use super::adapter::AdapterSummary;

/// A fault of a driver.
#[derive(Debug)]
pub struct DriverFault {
    /// A short name that stays.
    pub name: &'static str,
    /// What the driver does.
    pub problem: &'static str,
    /// What this program does about it.
    pub remedy: &'static str,
    /// Whether an adapter has it.
    is_in: fn(&AdapterSummary) -> bool,
}

/// Triangles that look like a window's border to llvmpipe: it draws a rectangle in their place, or nothing.
pub(super) const NINE_VERTICES: DriverFault = DriverFault {
    name: "nine-vertices",
    problem: "drops all three triangles where exactly 9 vertices are left to draw and the last triangle's corners lie on \
           one row (lp_setup_analyse_triangles; 22.3.6 and later)",
    remedy: "draws of 9 vertices are split into 6 and 3, and draws that the driver splits are drawn with indices",
    is_in: |adapter| adapter.name.starts_with("llvmpipe"),
};

/// Of a depth of 24 bits, not of floats.
pub(super) const TWICE_THE_BIAS: DriverFault = DriverFault {
    name: "twice-the-bias",
    problem: "moves depths of 24 bits by twice the constant bias (pgon_offset_units in llvmpipe's setup)",
    remedy: "half of the bias is requested",
    is_in: |adapter| adapter.name.starts_with("llvmpipe"),
};

/// A texture that was drawn to a while ago, before passes on other targets. Which copies it hits depends on the load.
pub(super) const EARLY_COPIES: DriverFault = DriverFault {
    name: "early-copies",
    problem: "now and then copies texels before earlier draws to them are done (OpenGL on llvmpipe 22.3.6; never with \
           LP_NUM_THREADS=0)",
    remedy: "copies wait until their textures are idle",
    is_in: |adapter| adapter.name.starts_with("llvmpipe") && adapter.backend == "gl",
};

/// Of colours that a pixel shader hands on as they are interpolated: 31.875 of 255 becomes 31. OpenGL takes another way.
const CUT_COLORS: DriverFault = DriverFault {
    name: "cut-colors",
    problem: "truncates the colours of B8G8R8A8 targets instead of rounding them, in simple draws (the linear \
        rasteriser of llvmpipe 22.3.6, on Vulkan)",
    remedy: "LP_PERF=no_rast_linear has to be in the environment for rounded colours",
    is_in: |adapter| adapter.name.starts_with("llvmpipe") && adapter.backend == "vulkan",
};

/// Every fault that is known.
pub const DRIVER_FAULTS: [&DriverFault; 4] = [&NINE_VERTICES, &TWICE_THE_BIAS, &EARLY_COPIES, &CUT_COLORS];

impl AdapterSummary {
    /// The known faults of its driver.
    pub fn faults(&self) -> impl Iterator<Item = &'static DriverFault> {
        DRIVER_FAULTS.into_iter().filter(|fault| (fault.is_in)(self))
    }

    pub(super) fn has(&self, fault: &DriverFault) -> bool {
        self.faults().any(|found| found.name == fault.name)
    }
}
