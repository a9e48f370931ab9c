// The bytes of elements, for shaders that gather them: `source` holds them, and `gather` says where.

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

fn word_of(element: u32, lane: u32) -> u32 {
    return byte_of(element, lane) | (byte_of(element, lane + 1u) << 8u)
        | (byte_of(element, lane + 2u) << 16u) | (byte_of(element, lane + 3u) << 24u);
}
