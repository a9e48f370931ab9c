//! Numbers computed in WGSL are the same on either backend, a bit at a time. The bits of NaN and the sign of zero, which
//! WGSL leaves open, are left out.

/// A name and a function `f(p: vec2i) -> u32` of the pixel's place, 0 to 15 in either direction; its result is the
/// pixel's four bytes. `q` is the place from -8 on.
pub type Case = (&'static str, &'static str);

/// Declarations that bodies may use.
pub const PRELUDE: &str = "
var<private> numbers: array<i32, 6> = array<i32, 6>(-2147483647 - 1, 2147483647, -1, 0, 7, -13);
fn odd(n: i32) -> f32 {
  switch n {
    case 0: { return 0.0; } case 1: { return -0.0; } case 2: { return 1e30; } case 3: { return -1e30; }
    case 4: { return 2147483648.0; } case 5: { return 4294967296.0; } case 6: { return -2147483904.0; }
    case 7: { return 0.5; } case 8: { return 1.5; } case 9: { return -2.5; } case 10: { return -0.25; }
    case 11: { return 3e9; } case 12: { return 255.75; } case 13: { return -1e-3; } case 14: { return 16777217.0; }
    default: { return 2147483520.0; }
  }
}
fn fb(x: f32) -> u32 { return bitcast<u32>(x); }
fn ib(x: i32) -> u32 { return bitcast<u32>(x); }
";

pub const CASES: &[Case] = &[
    ("/ of i32", "return ib(q.x / q.y);"),
    ("% of i32", "return ib(q.x % q.y);"),
    ("/ of i32, scaled", "return ib((q.x * 123456789) / q.y);"),
    ("% of i32, scaled", "return ib((q.x * 123456789) % q.y);"),
    ("/ of the least i32", "return ib(numbers[p.x % 6] / numbers[p.y % 6]);"),
    ("% of the least i32", "return ib(numbers[p.x % 6] % numbers[p.y % 6]);"),
    ("/ of u32", "return u32(p.x * 7) / u32(p.y);"),
    ("% of u32", "return u32(p.x * 7) % u32(p.y);"),
    ("/ of large u32", "return ib(q.x) / ib(q.y);"),
    ("% of large u32", "return ib(q.x) % ib(q.y);"),
    ("/ of vectors", "let v = vec3i(q, 7) / vec3i(q.yx, q.x); return ib(v.x + v.y * 256 + v.z * 65536);"),
    ("% of vectors", "let v = vec3i(q, 7) % vec3i(q.yx, q.x); return ib(v.x + v.y * 256 + v.z * 65536);"),
    ("/ of a vector and a scalar", "let v = vec2i(q.x * 3, -7) / q.y; return ib(v.x + v.y * 256);"),
    ("% of a scalar and a vector", "let v = q.x % vec2i(q.y, 3); return ib(v.x + v.y * 256);"),
    ("/= and %=", "var a = q.x * 99; a /= q.y; a %= 5; return ib(a);"),
    ("division in a call's argument", "return ib(max(q.x / q.y, -q.x % 3));"),
    ("division in a condition", "if q.x / q.y > 1 { return 1u; } return ib(q.x % -3);"),
    ("division in a loop", "var n = q.x * 1000; for (var i = 0; n / 3 != 0 && i < 9; i++) { n /= -3; } return ib(n);"),
    ("<< of u32", "return 0x12345679u << u32(p.x * 2);"),
    (">> of u32", "return 0x92345679u >> u32(p.x * 2);"),
    (">> of i32", "return ib(-12345 >> u32(p.x + p.y));"),
    ("<< past the width", "return 0x12345679u << u32(p.x * 4 + p.y);"),
    (">> past the width", "return ib(-1234567 >> u32(p.x * 4 + p.y));"),
    ("i32 of f32", "return ib(i32(odd(p.x) * select(1.0, -1.0, p.y > 7)));"),
    ("u32 of f32", "return u32(odd(p.x) * select(1.0, -1.0, p.y > 7));"),
    ("vec2i of vec2f", "let v = vec2i(vec2f(odd(p.x), odd(p.y))); return ib(v.x ^ v.y);"),
    ("f32 of i32", "return fb(f32(q.x * 123456789 + q.y));"),
    ("f32 of u32", "return fb(f32(ib(q.x * 123456789 + q.y)));"),
    ("an array's index", "var a = array<i32, 5>(3, 1, 4, 1, 5); return ib(a[q.x]);"),
    ("a constant array's index", "let a = array<i32, 5>(3, 1, 4, 1, 5); return ib(a[u32(p.x)]);"),
    ("a vector's index", "let v = vec4i(3, 1, 4, 15); return ib(v[q.x]);"),
    ("a matrix's index", "let m = mat3x3f(1, 2, 3, 4, 5, 6, 7, 8, 9); return fb(m[q.x][q.y]);"),
    ("an array's index written", "var a = array<i32, 5>(3, 1, 4, 1, 5); a[q.x] = 9; return ib(a[0] + a[4] * 256);"),
    ("a private array's index", "return ib(numbers[q.x]);"),
    ("abs and negation", "let n = numbers[p.x % 6]; return ib(abs(n)) ^ ib(-n + p.y);"),
    ("overflow", "let n = numbers[p.x % 6]; return ib(n * numbers[p.y % 6] + n - 1);"),
    ("sign, min, max, clamp", "return ib(sign(q.x) + min(q.x, q.y) * 16 + clamp(q.x, -3, 2) * 4096);"),
    ("countOneBits", "return countOneBits(ib(q.x * 1234567)) + (reverseBits(ib(q.y)) << 8u);"),
    ("firstLeadingBit", "return ib(firstLeadingBit(q.x)) ^ (firstLeadingBit(u32(p.y)) << 8u);"),
    ("firstTrailingBit", "return ib(firstTrailingBit(q.x)) ^ (firstTrailingBit(u32(p.y)) << 8u);"),
    ("countLeadingZeros", "return ib(countLeadingZeros(q.x)) ^ (countTrailingZeros(ib(q.y)) << 8u);"),
    ("extractBits", "return ib(extractBits(-1234567 * q.x, u32(p.x * 3), u32(p.y * 3)));"),
    ("extractBits of u32", "return extractBits(ib(-1234567 * q.x), u32(p.x * 3), u32(p.y * 3));"),
    ("insertBits", "return insertBits(0x12345678u, ib(q.x), u32(p.x * 3), u32(p.y * 3));"),
    ("dot of integers", "return ib(dot(vec3i(q, 5), vec3i(q.yx, -7)));"),
    (
        "packed dot products",
        "return ib(dot4I8Packed(ib(q.x * 99999), ib(q.y * 77777))) ^ dot4U8Packed(ib(q.x), ib(q.y));",
    ),
    ("pack4x8snorm", "return pack4x8snorm(vec4f(odd(p.x), odd(p.y), 0.5, -0.5));"),
    ("pack4x8unorm", "return pack4x8unorm(vec4f(odd(p.x), odd(p.y), 0.5, f32(p.x) / 15.0));"),
    ("pack2x16snorm", "return pack2x16snorm(vec2f(odd(p.x), f32(q.y) / 8.0));"),
    ("pack2x16unorm", "return pack2x16unorm(vec2f(odd(p.x), f32(q.y) / 8.0));"),
    ("pack2x16float", "return pack2x16float(vec2f(f32(q.x) / 3.0, f32(q.y) * 100.5));"),
    ("pack4xI8", "return pack4xI8(vec4i(q, numbers[p.x % 6], 3)) ^ pack4xU8Clamp(vec4u(ib(q.x), ib(q.y), 300u, 4u));"),
    ("unpack4xI8", "let v = unpack4xI8(ib(q.x * 1234567)); return ib(v.x + v.y * 3 + v.z * 5 + v.w * 7);"),
    ("unpack2x16float", "let v = unpack2x16float(ib(p.x * 1234 + p.y)); return fb(v.x) ^ ib(q.x);"),
    ("unpack4x8snorm", "return fb(unpack4x8snorm(ib(q.x * 1234567 + q.y)).y);"),
    ("quantizeToF16", "return fb(quantizeToF16(f32(q.x) / 3.0 + f32(q.y)));"),
    ("round", "return fb(round(f32(q.x) * 0.5 + f32(q.y) * 0.25));"),
    (
        "trunc, floor, ceil, fract",
        "let x = odd(p.x); return fb(trunc(x)) ^ fb(floor(-x)) ^ fb(ceil(x)) ^ fb(fract(odd(p.y)));",
    ),
    ("% of f32", "return fb(f32(q.x) * 1.25 % (f32(q.y) + 0.5));"),
    ("sign and step of f32", "return fb(sign(odd(p.x))) ^ fb(step(odd(p.x), odd(p.y)));"),
    ("clamp and saturate of f32", "return fb(saturate(odd(p.x))) ^ fb(clamp(odd(p.y), -1.0, 2.0));"),
    ("ldexp", "return fb(ldexp(f32(q.x) / 3.0, q.y * 4));"),
    ("frexp", "let r = frexp(odd(p.x) * (f32(p.y) + 0.5)); return fb(r.fract) ^ ib(r.exp);"),
    ("modf", "let r = modf(odd(p.x) * (f32(p.y) + 0.5)); return fb(abs(r.fract)) ^ fb(abs(r.whole));"),
    ("sqrt and division of f32", "return fb(sqrt(f32(p.x)) / (f32(p.y) + 1.0));"),
    (
        "matrices",
        "let m = mat2x3f(vec3f(1, 2, f32(q.x)), vec3f(4, f32(q.y), 6)); return fb(dot(m * vec2f(3, 1), transpose(m)[0].xyx));",
    ),
    ("determinant", "return fb(determinant(mat3x3f(1, 2, f32(q.x), 4, f32(q.y), 6, 7, 8, 9)));"),
    ("select", "return ib(select(vec2i(1, 2), q, vec2<bool>(q.x > 0, q.y > q.x)).y);"),
    (
        "all and any",
        "let v = q > vec2i(0, 3); return u32(all(v)) + 2u * u32(any(v)) + 4u * u32(!v.x) + 8u * u32((v & v.yx).x);",
    ),
    (
        "bool logic",
        "let a = q.x > 0; let c = q.y > 2; return u32(a & c) + 2u * u32(a | c) + 4u * u32(a != c) + 8u * u32(a == c);",
    ),
    (
        "variables begin at zero",
        "var v: array<vec3i, 3>; var m: mat2x2f; return ib(v[p.x % 3].y) + fb(m[p.y % 2].x) + 7u;",
    ),
    ("switch", "switch q.x { case -3, 2: { return 1u; } case 4: { return 2u; } default: { return ib(q.y); } }"),
    (
        "pointers",
        "var a = array<i32, 3>(1, 2, 3); let r = &a[p.x % 3]; *r += q.y; return ib(a[0] + 256 * a[1] + 65536 * a[2]);",
    ),
    (
        "derivatives",
        "return ib(i32(dpdx(f32(p.x * 3))) + 16 * i32(dpdy(f32(p.y * 5))) + 256 * i32(fwidth(f32(p.x + p.y))));",
    ),
    ("fine derivatives", "return ib(i32(dpdxFine(f32(p.x * p.y))) + 64 * i32(dpdyFine(f32(p.x * p.y))));"),
    ("smoothstep and mix", "return fb(mix(2.0, 4.0, f32(p.x) / 16.0)) ^ fb(smoothstep(0.0, 16.0, f32(p.y)));"),
    ("short circuit", "return u32(q.y != 0 && q.x / q.y > 1) + 2u * u32(q.y == 0 || q.x % q.y == 1);"),
    // Pixels side by side leave these at different turns.
    (
        "a loop left at its end",
        "var i = p.x; var s = 0; loop { s = s * 3 + i; i += 2; if i >= p.y { break; } } return ib(s);",
    ),
    (
        "a loop left at two places",
        "var i = p.x; var s = 0; loop { s = s * 3 + i; i += 2; if i > 900 { break; } if i >= p.y { break; } } \
         return ib(s * 1000 + i);",
    ),
    (
        "a loop left in the middle",
        "var i = p.x; var s = 0; while true { s = s * 3 + i; if i + 2 >= p.y { break; } i += 2; } return ib(s);",
    ),
    (
        "a for without a condition",
        "var i = p.x; var s = 0; for (;; i += 1) { s = s * 3 + i; i += 1; if i + 1 >= p.y { i += 1; break; } } \
         return ib(s * 1000 + i);",
    ),
    (
        "a loop that returns",
        "var i = p.x; var s = 0; loop { s = s * 3 + i; i += 2; if i >= p.y { return ib(s); } } return 0u;",
    ),
    (
        "loops within each other",
        "var i = p.x; var s = 0; loop { var k = i; loop { s = s * 3 + k; k += 3; if k >= p.y { break; } } i += 2; \
         s += k; if i >= p.y { break; } if s > 9000 { return ib(s + 7); } } return ib(s * 1000 + i);",
    ),
    (
        "a loop whose switch goes on",
        "var i = p.x; var s = 0; loop { switch i % 3 { case 0: { s += i; i += 2; continue; } default: { i += 1; } } \
         s = s * 3 + i; if i >= p.y { break; } } return ib(s * 1000 + i);",
    ),
    (
        "a loop with its condition behind",
        "var i = p.x; var s = 0; loop { s = s * 3 + i; continuing { i += 2; s += i; break if i >= p.y; } } \
         return ib(s * 1000 + i);",
    ),
];
