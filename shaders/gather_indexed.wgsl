// Gathers elements of a buffer in the order of indices, tight: each invocation makes one word of one element. What lies past
// the end of the part that is read is 0.

struct Gather {
    // The first byte of element 0, the distance from one to the next, and the end of what may be read.
    start: u32,
    stride: u32,
    end: u32,
    // Bytes of an element, and words that it takes in the destination.
    size: u32,
    words: u32,
    // How many indices, and what is added to each.
    count: u32,
    base: u32,
    groups_x: u32,
}

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> destination: array<u32>;
@group(0) @binding(2) var<uniform> gather: Gather;
@group(0) @binding(3) var<storage, read> indices: array<u32>;

@compute @workgroup_size(64)
fn gather_indexed(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = (group.y * gather.groups_x + group.x) * 64u + local;
    if number >= gather.count * gather.words {
        return;
    }
    let element = indices[number / gather.words] + gather.base;
    let lane = (number % gather.words) * 4u;
    destination[number] = word_of(element, lane);
}
