//! The shaders in Direct3D bytecode that a draw uses, as assembly, which can be edited.

use egui::Ui;

use super::code::{MAX_EDITED_BYTES, TextSearch, code_ui, lines_ui};
use super::issue_marks::marks;
use super::{TabContext, packet_link};
use crate::analysis::BoundBytecode;
use crate::command::ShaderStage;
use crate::inspector::edits::EditedShader;
use crate::text::counted;

/// Draws the shader of a stage, and the choice between stages. Says whether the cursor is in its text.
pub(super) fn bytecode_ui(
    ui: &mut Ui,
    bound: &[BoundBytecode],
    stage: &mut ShaderStage,
    search: &mut TextSearch,
    context: &mut TabContext<'_>,
) -> bool {
    let Some(shown) = bound.iter().find(|shader| shader.stage == *stage).or(bound.first()) else {
        ui.weak("no shaders are bound");
        return false;
    };
    ui.horizontal_wrapped(|ui| {
        for shader in bound {
            let name = shader.stage.direct3d_name();
            if ui.selectable_label(shader.stage == shown.stage, name).clicked() {
                *stage = shader.stage;
            }
        }
        ui.separator();
        search.ui(ui, &mut context.shared.searches_texts);
    });
    ui.horizontal_wrapped(|ui| {
        ui.strong(format!("shader {}", shown.handle));
        if let Some(at) = shown.created_at {
            ui.label(format!("{} at {:#x}, created at", counted(shown.size_bytes, "byte"), shown.code_offset));
            packet_link(ui, at, context.actions);
        }
    });
    if let Some(purpose) = &shown.purpose {
        ui.label(purpose);
    }
    ui.separator();
    match &shown.assembly {
        Ok(text) => assembly_ui(ui, shown, shown.replacement.as_ref().unwrap_or(text), search, context),
        Err(message) => {
            ui.colored_label(ui.visuals().error_fg_color, message);
            false
        }
    }
}

/// Draws the text, which is `original` unless it was edited.
fn assembly_ui(
    ui: &mut Ui,
    shown: &BoundBytecode,
    original: &str,
    search: &mut TextSearch,
    context: &mut TabContext<'_>,
) -> bool {
    let id = ("assembly", shown.code_offset);
    if original.len() > MAX_EDITED_BYTES {
        ui.weak("too long to edit here");
        lines_ui(ui, id, original, search);
        return false;
    }
    let edits = &mut context.shared.edits;
    let mut text = edits.text(shown.code_offset).unwrap_or(original).to_owned();
    let marks = marks(&text, edits.issues_of(shown.code_offset).unwrap_or_default().iter());
    let field = code_ui(ui, id, &mut text, &marks, search);
    if field.changed() {
        edits.set(shown.code_offset, original, text, EditedShader::Bytecode(shown.code(), shown.stage));
    }
    field.has_focus()
}
