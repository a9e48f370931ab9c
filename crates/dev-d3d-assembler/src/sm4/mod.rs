//! Programs of SM4 and SM5.

pub mod assemble;
pub mod container;
pub mod emulator;
pub mod text;
