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
    // 0: in order. 1: the corners of a fan's triangles, of which the first element is the fan's. 2: the corners of a
    // strip's, which the index with all bits set cuts. 3: the corners of a list's. 4: the ends of a list's lines. 5: the ends
    // of a strip's lines, which the index with all bits set cuts. 8 more: the first corner of each triangle or line comes
    // last.
    order: u32,
    groups_x: u32,
    // The first word that is written.
    to: u32,
    // Whether elements are indices of 16 bits of which the last one cuts strips: of 32 bits it is another.
    cuts: u32,
    // What is added to each word that cuts nothing.
    base: u32,
    rest_0: u32,
    rest_1: u32,
    rest_2: u32,
}

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> destination: array<u32>;
@group(0) @binding(2) var<uniform> gather: Gather;

fn is_cut(element: u32) -> bool {
    return word_of(element, 0u) == select(0xffffffffu, 0xffffu, gather.size == 2u);
}

// Elements of a strip that are looked through at once for its last cut.
const BLOCK = 64u;

// Where it is kept in which element the strip begins that reaches into a block. The blocks lie behind all that is gathered.
fn start_of_block(block: u32) -> u32 {
    return gather.to + gather.count + block;
}

// Finds in each block the element behind the last cut; 0 if nothing cuts.
@compute @workgroup_size(64)
fn find_cuts(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let block = (group.y * gather.groups_x + group.x) * 64u + local;
    if block >= gather.count / 3u / BLOCK {
        return;
    }
    var start = 0u;
    for (var lane = BLOCK; lane > 0u && start == 0u; lane--) {
        let element = block * BLOCK + lane;
        start = select(0u, element, is_cut(gather.first + element - 1u));
    }
    destination[start_of_block(block + 1u)] = start;
}

// Makes of those where the strip begins that reaches into each block.
@compute @workgroup_size(1)
fn carry_cuts() {
    // All three entry points are bound alike.
    _ = arrayLength(&source);
    var start = 0u;
    for (var block = 1u; block <= gather.count / 3u / BLOCK; block++) {
        let found = destination[start_of_block(block)];
        start = select(found, start, found == 0u);
        destination[start_of_block(block)] = start;
    }
}

// The element that is a corner of triangle `triangle` of a strip. Every second one since the last cut turns the other way.
fn corner_of_strip(triangle: u32, corner: u32) -> u32 {
    let block = triangle / BLOCK;
    var start = 0u;
    if block > 0u {
        start = destination[start_of_block(block)];
    }
    for (var before = triangle; before > block * BLOCK; before--) {
        if is_cut(gather.first + before - 1u) {
            start = before;
            break;
        }
    }
    let turned = (3u - corner) % 3u;
    return gather.first + triangle + select(corner, turned, (triangle - start) % 2u == 1u);
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
    let order = gather.order & 7u;
    let corners = select(3u, 2u, order >= 4u);
    let primitive = slot / corners;
    let corner = (slot + (gather.order >> 3u)) % corners;
    if order == 1u {
        // Triangle i of a fan has the corners i + 1, i + 2 and 0: the first of them is the one that flat colours come from.
        element = gather.first + select(primitive + 1u + corner, 0u, corner == 2u);
    }
    if order == 3u {
        element = gather.first + primitive * 3u + corner;
    }
    if order == 2u {
        let start = gather.first + primitive;
        element = corner_of_strip(primitive, corner);
        if is_cut(start) || is_cut(start + 1u) || is_cut(start + 2u) {
            // No triangle: three times the same corner.
            destination[gather.to + number] = gather.base;
            return;
        }
    }
    if order == 4u {
        element = gather.first + primitive * 2u + corner;
    }
    if order == 5u {
        let start = gather.first + primitive;
        element = start + corner;
        if is_cut(start) || is_cut(start + 1u) {
            // No line: twice the same end.
            destination[gather.to + number] = gather.base;
            return;
        }
    }
    let value = word_of(element, lane);
    let cuts = gather.cuts == 1u && value == 0xffffu;
    destination[gather.to + number] = select(value + gather.base, 0xffffffffu, cuts);
}
