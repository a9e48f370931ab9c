//! The shaders in Direct3D bytecode that a draw uses, as assembly.

use egui::Ui;

use super::packet_link;
use super::shaders::{MAX_EDITED_BYTES, code_ui, lines_ui};
use crate::analysis::BoundBytecode;
use crate::command::ShaderStage;
use crate::inspector::action::Action;

/// Draws the shader of a stage, and the choice between stages.
pub(super) fn bytecode_ui(ui: &mut Ui, bound: &[BoundBytecode], stage: &mut ShaderStage, actions: &mut Vec<Action>) {
    let Some(shown) = bound.iter().find(|shader| shader.stage == *stage).or(bound.first()) else {
        ui.weak("no shaders are bound");
        return;
    };
    ui.horizontal_wrapped(|ui| {
        for shader in bound {
            let name = shader.stage.direct3d_name();
            if ui.selectable_label(shader.stage == shown.stage, name).clicked() {
                *stage = shader.stage;
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.strong(format!("shader {}", shown.handle));
        if let Some(at) = shown.created_at {
            ui.label(format!("{} bytes at {:#x}, made at", shown.size_bytes, shown.code_offset));
            packet_link(ui, at, actions);
        }
    });
    ui.separator();
    match &shown.assembly {
        Ok(text) if text.len() > MAX_EDITED_BYTES => lines_ui(ui, ("assembly", shown.code_offset), text),
        Ok(text) => {
            code_ui(ui, ("assembly", shown.code_offset), &mut text.as_str(), &[]);
        }
        Err(message) => {
            ui.colored_label(ui.visuals().error_fg_color, message);
        }
    }
}
