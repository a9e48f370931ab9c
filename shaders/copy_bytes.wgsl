// Copies bytes between buffers, wherever they begin and end: each invocation makes one word of the destination.

struct Copy {
    source_start: u32,
    to: u32,
    count: u32,
    groups_x: u32,
}

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> destination: array<u32>;
@group(0) @binding(2) var<uniform> copy: Copy;

fn byte_of(at: u32) -> u32 {
    return (source[at >> 2u] >> ((at & 3u) * 8u)) & 0xffu;
}

@compute @workgroup_size(64)
fn copy_bytes(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = (group.y * copy.groups_x + group.x) * 64u + local;
    let word = (copy.to >> 2u) + number;
    if word > (copy.to + copy.count - 1u) >> 2u {
        return;
    }
    var value = destination[word];
    for (var lane = 0u; lane < 4u; lane++) {
        let at = word * 4u + lane;
        if at >= copy.to && at - copy.to < copy.count {
            let shift = lane * 8u;
            value = (value & ~(0xffu << shift)) | (byte_of(copy.source_start + at - copy.to) << shift);
        }
    }
    destination[word] = value;
}
