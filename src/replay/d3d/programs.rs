//! Shaders and layouts are made.

use std::sync::Arc;

use super::effect::{EffectKind, GuestHandle, NameChange};
use super::layout::Layout;
use super::shader::Shader;
use super::state::{DeviceState, Surroundings, not_zero};
use crate::abi;
use crate::command::{CreateLayout, CreateShader, ShaderCode};
use crate::error::Internal;
use crate::limits::MAX_BYTECODE_BYTES;
use crate::replay::error::Problem;
use crate::text::counted;

impl DeviceState {
    pub(super) fn create_shader(&mut self, create: &CreateShader, around: Surroundings<'_>) -> Result<(), Problem> {
        let ShaderCode::Bytecode(code) = create.code else {
            return Err(Internal::new("a shader of a submission names blobs").into());
        };
        not_zero("a shader's handle", u64::from(create.id.number()))?;
        not_zero("the size of a shader's bytecode", code.size_bytes)?;
        self.effect.kind = EffectKind::Creation;
        let shader = if code.size_bytes > MAX_BYTECODE_BYTES {
            let why = format!(
                "its bytecode has {}: this build reads up to {MAX_BYTECODE_BYTES}",
                counted(code.size_bytes, "byte")
            );
            Shader::new(create.stage, code, Err(why.into()))
        } else {
            let bytes = around.payloads.read(code, around.blobs)?;
            Shader::new(create.stage, code, Ok(bytes.as_ref()))
        };
        let shader = match around.replacements.get(&code.offset) {
            Some(with) => shader.replaced(with),
            None => shader,
        };
        let handle = create.id.number();
        let former = self.objects.shaders.create(handle, Arc::new(shader), around.number);
        self.effect.name = Some(NameChange::given(GuestHandle::Shader(handle), former));
        Ok(())
    }

    pub(super) fn create_layout(&mut self, create: &CreateLayout, around: Surroundings<'_>) -> Result<(), Problem> {
        not_zero("a layout's handle", u64::from(create.id.number()))?;
        not_zero("the size of a layout", create.declaration.size_bytes)?;
        self.effect.kind = EffectKind::Creation;
        let declaration = create.declaration;
        let bytes = around.payloads.read(declaration, around.blobs)?;
        let attributes = abi::vertex_attributes(&bytes, declaration.offset);
        let attributes = attributes.map_err(|error| error.to_string().into_boxed_str());
        let handle = create.id.number();
        let former = self.objects.layouts.create(handle, Arc::new(Layout { declaration, attributes }), around.number);
        self.effect.name = Some(NameChange::given(GuestHandle::Layout(handle), former));
        Ok(())
    }
}
