//! Packets → commands: numbers get their types and meanings.

use super::packets::Packet;
use crate::abi::AbiError;
use crate::command::{BufferId, Command, PipelineId, ShaderBlobs, ShaderId, ShaderStage, VertexLayout};
use crate::format::aerogpu::BlobId;

/// Says what a packet at the absolute file offset `offset` means.
#[inline(always)]
pub fn lower(packet: Packet, offset: u64) -> Result<Command, AbiError> {
    Ok(match packet {
        Packet::CreateBuffer { buffer_id, size_bytes, usage } => {
            Command::CreateBuffer { id: BufferId(buffer_id), size_bytes, usage }
        }
        Packet::UploadBuffer { buffer_id, offset_bytes, data_len_bytes, blob_id } => Command::UploadBuffer {
            id: BufferId(buffer_id),
            offset_bytes,
            size_bytes: data_len_bytes,
            blob: BlobId(blob_id),
        },
        Packet::CreateShader { shader_id, stage, glsl_blob_id, wgsl_blob_id, dxbc_blob_id } => Command::CreateShader {
            id: ShaderId(shader_id),
            stage: lower_stage(stage, offset)?,
            blobs: ShaderBlobs {
                glsl: present(glsl_blob_id),
                wgsl: present(wgsl_blob_id),
                dxbc: present(dxbc_blob_id),
            },
        },
        Packet::CreatePipeline { pipeline_id, vs_shader_id, fs_shader_id } => Command::CreatePipeline {
            id: PipelineId(pipeline_id),
            vertex: ShaderId(vs_shader_id),
            fragment: ShaderId(fs_shader_id),
        },
        Packet::SetPipeline { pipeline_id } => Command::SetPipeline { id: PipelineId(pipeline_id) },
        Packet::SetVertexBuffer { buffer_id, stride_bytes, position_offset_bytes, color_offset_bytes } => {
            let layout = VertexLayout { stride_bytes, position_offset_bytes, color_offset_bytes };
            Command::SetVertexBuffer { id: BufferId(buffer_id), layout }
        }
        Packet::SetViewport { width_px, height_px } => Command::SetViewport { width_px, height_px },
        Packet::Clear { r, g, b, a } => Command::Clear { rgba: [r, g, b, a] },
        Packet::Draw { vertex_count, first_vertex } => Command::Draw { vertex_count, first_vertex },
        Packet::Present {} => Command::Present,
    })
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

/// Blob id 0 means that there is none.
fn present(blob_id: u64) -> Option<BlobId> {
    (blob_id != 0).then_some(BlobId(blob_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blob_id_0_is_absent_and_stages_are_checked() {
        let shader =
            |stage| Packet::CreateShader { shader_id: 1, stage, glsl_blob_id: 0, wgsl_blob_id: 5, dxbc_blob_id: 0 };
        let Ok(Command::CreateShader { stage, blobs, .. }) = lower(shader(1), 0) else { panic!("no shader") };
        assert_eq!(stage, ShaderStage::Fragment);
        assert_eq!(blobs, ShaderBlobs { glsl: None, wgsl: Some(BlobId(5)), dxbc: None });
        assert_eq!(
            lower(shader(2), 0x80).unwrap_err().to_string(),
            "CREATE_SHADER has stage 2: expected 0 (vertex) or 1 (fragment), at 0x80"
        );
    }
}
