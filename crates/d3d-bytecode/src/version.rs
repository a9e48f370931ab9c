//! What kind of program a token stream is: stage, shader model, and whose encoding.

use std::fmt;

use super::numbered::numbered;

numbered! {
    /// The stage of the pipeline that a program is for. The numbers are those of SM4 and SM5; the names begin the profile.
    pub enum Stage {
        /// Once per covered pixel.
        Pixel = 0, "ps";
        /// Once per vertex.
        Vertex = 1, "vs";
        /// Once per primitive.
        Geometry = 2, "gs";
        /// Once per patch and control point.
        Hull = 3, "hs";
        /// Once per vertex that the tessellator makes.
        Domain = 4, "ds";
        /// Once per thread of a dispatch.
        Compute = 5, "cs";
    }
}

impl Stage {
    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Pixel => "pixel",
            Self::Vertex => "vertex",
            Self::Geometry => "geometry",
            Self::Hull => "hull",
            Self::Domain => "domain",
            Self::Compute => "compute",
        }
    }
}

/// Stage and shader model, as in `ps_5_0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The stage.
    pub stage: Stage,
    /// The model's major number, 1 to 5.
    pub major: u8,
    /// The model's minor number. In SM2, 1 is the extended model `2_x`; 255 is the model for software vertex processing, `2_sw`, `3_sw`.
    pub minor: u8,
}

impl Version {
    /// Whether the program is of Direct3D 9: float registers and constant banks, no constant buffers.
    pub fn is_d3d9(self) -> bool {
        self.major < 4
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}_", self.stage, self.major)?;
        match (self.major, self.minor) {
            (2, 1) => f.write_str("x"),
            (2 | 3, 0xff) => f.write_str("sw"),
            (_, minor) => write!(f, "{minor}"),
        }
    }
}

/// Producer of a program of Direct3D 9.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Producer {
    /// An application, or its compiler: some parameter token has bit 31.
    #[default]
    Application,
    /// The guest's Direct3D 9 driver, for fixed functions, blits and fills: there are parameter tokens, and none has bit 31.
    Driver,
}

impl Producer {
    /// Its name in listings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::Driver => "driver",
        }
    }
}

impl fmt::Display for Producer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a program was encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// As Microsoft's compilers and documents have it, in all models.
    Microsoft,
    /// The emulator's private encoding of SM4 and SM5: other opcode numbers, other bit fields.
    Emulator,
    /// SM2 and SM3 with instruction lengths that count the opcode token too. The emulator's Direct3D 9 driver writes its
    /// own shaders so.
    TotalLength,
}

impl Dialect {
    /// Its name in listings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Microsoft => "microsoft",
            Self::Emulator => "emulator",
            Self::TotalLength => "total-length",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
