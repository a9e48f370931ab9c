//! Packets → commands: numbers get their types and meanings.

use super::packets::Packet;
use crate::abi::AbiError;
use crate::command::{
    Clear, Command, CreateBuffer, CreatePipeline, CreateShader, Draw, Payload, PipelineId, Present, ResourceId,
    SetVertexBuffer, ShaderBlobs, ShaderCode, ShaderId, ShaderStage, Upload, VertexLayout, Viewport,
};
use crate::container::{BlobId, BlobKind};

/// Appendix A has one screen, and no word about its refresh.
const PRESENT: Present = Present { scanout: 0, waits_for_vsync: false, d3d9_flags: None };

/// Says what a packet at the absolute file offset `offset` means.
#[inline(always)]
pub fn lower(packet: Packet, offset: u64) -> Result<Command, AbiError> {
    Ok(match packet {
        Packet::CreateBuffer { buffer_id, size_bytes, usage } => {
            let (id, size_bytes) = (ResourceId::of_kind(buffer_id), u64::from(size_bytes));
            Command::CreateBuffer(CreateBuffer { id, size_bytes, usage, backing: None })
        }
        Packet::UploadBuffer { buffer_id, offset_bytes, data_len_bytes, blob_id } => Command::Upload(Upload {
            id: ResourceId::of_kind(buffer_id),
            offset_bytes: u64::from(offset_bytes),
            size_bytes: u64::from(data_len_bytes),
            payload: Payload::Blob(BlobId(blob_id)),
        }),
        Packet::CreateShader { shader_id, stage, glsl_blob_id, wgsl_blob_id, dxbc_blob_id } => {
            let blobs = shader_blobs(glsl_blob_id, wgsl_blob_id, dxbc_blob_id);
            let (id, stage) = (ShaderId::of_kind(shader_id), lower_stage(stage, offset)?);
            Command::CreateShader(CreateShader { id, stage, code: ShaderCode::Texts(blobs) })
        }
        Packet::CreatePipeline { pipeline_id, vs_shader_id, fs_shader_id } => Command::CreatePipeline(CreatePipeline {
            id: PipelineId::of_kind(pipeline_id),
            vertex: ShaderId::of_kind(vs_shader_id),
            fragment: ShaderId::of_kind(fs_shader_id),
        }),
        Packet::SetPipeline { pipeline_id } => Command::SetPipeline(PipelineId::of_kind(pipeline_id)),
        Packet::SetVertexBuffer { buffer_id, stride_bytes, position_offset_bytes, color_offset_bytes } => {
            let layout = VertexLayout::position_and_color(stride_bytes, position_offset_bytes, color_offset_bytes);
            Command::SetVertexBuffer(SetVertexBuffer { id: ResourceId::of_kind(buffer_id), layout })
        }
        Packet::SetViewport { width_px, height_px } => Command::SetViewport(Viewport::TopLeft { width_px, height_px }),
        Packet::Clear { r, g, b, a } => Command::Clear(Clear::color([r, g, b, a])),
        Packet::Draw { vertex_count, first_vertex } => Command::Draw(Draw::once(vertex_count, first_vertex)),
        Packet::Present {} => Command::Present(PRESENT),
    })
}

fn shader_blobs(glsl: u64, wgsl: u64, dxbc: u64) -> ShaderBlobs {
    ShaderBlobs::new([
        (BlobKind::ShaderGlslEs300, BlobId(glsl)),
        (BlobKind::ShaderWgsl, BlobId(wgsl)),
        (BlobKind::ShaderDxbc, BlobId(dxbc)),
    ])
}

fn lower_stage(stage: u32, offset: u64) -> Result<ShaderStage, AbiError> {
    match stage {
        0 => Ok(ShaderStage::Vertex),
        1 => Ok(ShaderStage::Fragment),
        found => Err(AbiError::BadField {
            opcode: "CREATE_SHADER",
            field: "stage",
            found,
            expected: "0 (vertex) or 1 (fragment)",
            offset,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blob_id_0_is_absent_and_stages_are_checked() {
        let shader =
            |stage| Packet::CreateShader { shader_id: 1, stage, glsl_blob_id: 0, wgsl_blob_id: 5, dxbc_blob_id: 0 };
        let Ok(Command::CreateShader(CreateShader { stage, code, .. })) = lower(shader(1), 0) else {
            panic!("no shader")
        };
        assert_eq!(stage, ShaderStage::Fragment);
        assert_eq!(code, ShaderCode::Texts(shader_blobs(0, 5, 0)));
        assert_eq!(
            lower(shader(2), 0x80).unwrap_err().to_string(),
            "CREATE_SHADER has stage 2: expected 0 (vertex) or 1 (fragment), at 0x80"
        );
    }
}
