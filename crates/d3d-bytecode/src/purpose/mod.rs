//! The purpose of a shader: for whom it computes what. An application's shader is just that; those that the guest's Direct3D 9
//! driver makes stand for fixed functions, and their instructions say which.
//!
//! | the driver's shader | its instructions |
//! |---|---|
//! | combiner | the diffuse colour, then a stage at a time: its texture, two arguments, an operation of colours and one of alpha |
//! | fog | behind the stages: a factor of z / w in `oT0.z`, `c2` the range, `c1` the colour |
//! | copy | texture 0 times `c0`: blits, and with no texture bound ColorFill |
//! | pass-through | positions as they are, which the driver has moved already |
//! | transform, lighting | positions by the matrix in `c240` to `c243`; lights from `c211` on |

mod combiner;
mod stages;
mod transform;

use super::program::Program;
use super::version::{Producer, Stage};

/// The purpose of a shader in a few words: `application shader`, `fixed function: modulate(texture 0, diffuse)`.
pub fn purpose(program: &Program) -> String {
    match (program.producer(), program.version().stage) {
        (Producer::Application, _) => "application shader".to_owned(),
        (Producer::Driver, Stage::Pixel) => combiner::purpose(program),
        (Producer::Driver, _) => transform::purpose(program),
    }
}
