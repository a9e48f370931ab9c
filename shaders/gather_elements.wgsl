// Gathers elements of a buffer, wherever they lie, tight: each invocation makes one word of one element. What lies past
// the end of the part that is read is 0.

struct Gather {
    // The first byte of element 0, the distance from one to the next, and the end of what may be read.
    start: u32,
    stride: u32,
    end: u32,
    // Bytes of an element, and words that it takes in the destination.
    size: u32,
    words: u32,
    // How many elements, the number of the first, and how often each is repeated.
    count: u32,
    first: u32,
    repeat: u32,
    // 0: in order. 1: the corners of a fan's triangles, of which the first element is the fan's.
    order: u32,
    groups_x: u32,
    // The first word that is written.
    to: u32,
    // Whether elements are indices of 16 bits of which the last one cuts strips: of 32 bits it is another.
    cuts: u32,
}

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> destination: array<u32>;
@group(0) @binding(2) var<uniform> gather: Gather;

fn byte_of(element: u32, lane: u32) -> u32 {
    if lane >= gather.size {
        return 0u;
    }
    // An element whose place wraps lies past every end.
    let reach = 0xffffffffu - gather.start - lane;
    if gather.stride != 0u && element > reach / gather.stride {
        return 0u;
    }
    let at = gather.start + element * gather.stride + lane;
    if at >= gather.end {
        return 0u;
    }
    return (source[at >> 2u] >> ((at & 3u) * 8u)) & 0xffu;
}

@compute @workgroup_size(64)
fn gather_elements(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = (group.y * gather.groups_x + group.x) * 64u + local;
    if number >= gather.count * gather.words {
        return;
    }
    let slot = number / gather.words;
    let lane = (number % gather.words) * 4u;
    var element = gather.first + slot / gather.repeat;
    if gather.order == 1u {
        // Triangle i of a fan has the corners i + 1, i + 2 and 0: the first of them is the one that flat colours come from.
        let triangle = slot / 3u;
        let corner = slot % 3u;
        element = gather.first + select(triangle + 1u + corner, 0u, corner == 2u);
    }
    let value = byte_of(element, lane) | (byte_of(element, lane + 1u) << 8u)
        | (byte_of(element, lane + 2u) << 16u) | (byte_of(element, lane + 3u) << 24u);
    let is_cut = gather.cuts == 1u && value == 0xffffu;
    destination[gather.to + number] = select(value, 0xffffffffu, is_cut);
}
