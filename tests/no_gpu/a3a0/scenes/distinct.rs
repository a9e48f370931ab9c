//! Data of commands, by which each is unlike the others: the model asks only who wrote it.

use crate::support::a3a0::{Bank, Bytes, Command, Scene};

/// The scene with other data in each command, from its number.
pub fn distinct(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    let submissions = scene.frames.iter_mut().flat_map(|frame| &mut frame.submissions);
    for (number, command) in (0..).zip(submissions.flat_map(|submission| &mut submission.commands)) {
        set_data(command, number);
    }
    scene
}

fn set_data(command: &mut Command, number: u32) {
    match command {
        Command::Clear { color: [red, green, ..], stencil, .. } => {
            [*red, *green] = [7, 5].map(|count| (number % count) as f32 / 8.0);
            *stencil = number % 256;
        }
        Command::Present { is_ex, .. } => *is_ex = !number.is_multiple_of(2),
        Command::Upload { bytes, .. } => {
            *bytes = Bytes((0..bytes.0.len() as u32).map(|at| (at + number * 13) as u8).collect());
        }
        Command::Constants { bank, registers, .. } => {
            for (at, register) in (0..).zip(registers) {
                *register = match bank {
                    Bank::Float => [number as f32, at as f32, 0.5, 1.0].map(f32::to_bits),
                    Bank::Int => [number, at, 1, 0],
                    Bank::Bool => [(number + at) % 2, 0, 0, 0],
                };
            }
        }
        Command::Blend(blend) => (blend.enable, blend.dst) = (number % 2, number % 6),
        Command::DepthStencil { stencil, .. } => *stencil = !number.is_multiple_of(2),
        Command::Rasterizer { cull, .. } => *cull = number % 3,
        _ => {}
    }
}
