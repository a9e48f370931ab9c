//! Constructs of the language and textures, one case each: (name, declarations, statements of `main`).

use super::cases::{Case, case};

const LANGUAGE: &[(&str, &str, &str)] = &[
    (
        "short circuit and",
        "int n = 0; bool t(bool b) { n++; return b; }",
        "bool r = v_a.x > 0.5 && t(v_b.x > 0.5); bool q = t(v_a.y > 0.3) && t(v_b.y > 0.6) && t(v_a.z > 0.5); o = enc(ivec4(n, int(r), int(q), 5));",
    ),
    (
        "short circuit or",
        "int n = 0; bool t(bool b) { n++; return b; }",
        "bool r = v_a.x > 0.5 || t(v_b.x > 0.5) || t(true); bool q = t(v_a.y > 0.3) ^^ t(v_b.y > 0.6); o = enc(ivec4(n, int(r), int(q), 5));",
    ),
    (
        "short circuit with increments",
        "",
        "int i = int(v_a.x * 5.0), j = 0; if (i++ > 2 && j++ == 0 || ++j > 1) i += 10; o = enc(ivec2(i, j));",
    ),
    (
        "ternary with effects",
        "int n = 0; int f(int k) { n += k; return n; }",
        "int r = v_a.x > v_b.x ? f(3) : f(5) + f(1); o = enc(ivec2(r, n));",
    ),
    ("ternary nested", "", "float r = v_a.x < 0.3 ? v_b.x : v_a.y < 0.5 ? v_b.y * 2.0 : v_b.z - 1.0; o = enc(r);"),
    (
        "ternary of matrix and struct",
        "struct S { float a; vec2 b[2]; };",
        "S s = v_a.x > 0.5 ? S(1.0, vec2[2](v_a.xy, v_b.xy)) : S(v_b.x, vec2[2](v_b.zw, v_a.zw)); mat2 m = v_a.y > 0.5 ? mat2(v_a) : mat2(v_b); o = enc(vec4(s.a, s.b[1], m[1].x));",
    ),
    (
        "ternary as lvalue value",
        "",
        "float a = 1.0, b = 2.0; float c = (v_a.x > 0.5 ? a : b) + (a = v_b.x) * (b -= 0.5); o = enc(vec3(a, b, c));",
    ),
    (
        "comma",
        "",
        "int i = 1; int j = (i += 2, i * int(v_a.x * 9.0)); for (int a = 0, b = 5; a < b; a++, b--) i += a * b; o = enc(ivec2(i, j));",
    ),
    (
        "out parameters on parts",
        "void f(out float a, inout float b, out vec2 c) { a = b * 2.0; b += 1.0; c = vec2(a, b); }",
        "vec4 v = v_a; vec4 w = v_b; f(v.z, w.y, v.xy); mat3 m = mat3(1.0); f(m[1].z, m[2][0], m[0].zy); float a[3]; a[0] = 1.0; a[1] = 2.0; a[2] = 3.0; f(a[0], a[2], w.zw); o = enc(v + w) * 0.4 + enc(m) * 0.3 + enc(vec3(a[0], a[1], a[2])) * 0.3;",
    ),
    (
        "out parameter index evaluated once",
        "int k = 0; int next() { return k++; } void f(inout float a) { a += 1.5; }",
        "float a[4] = float[4](v_a.x, v_a.y, v_a.z, v_a.w); f(a[next()]); f(a[next() + 1]); a[next()] += 0.5; a[next()]++; o = enc(vec4(a[0], a[1], a[2], a[3])) * 0.5 + enc(k) * 0.5;",
    ),
    (
        "inout whole and twice",
        "void f(inout vec4 a, inout vec4 b) { vec4 t = a; a = b * 0.5; b = t; }",
        "vec4 p = v_a, q = v_b; f(p, q); f(q, p); o = enc(p - q * 2.0);",
    ),
    (
        "inout struct and array",
        "struct S { vec3 a; float b[2]; }; void f(inout S s, inout float x[2]) { s.a.y += x[1]; s.b[0] = s.a.x; x[0] = s.b[1]; }",
        "S s; s.a = v_a.xyz; s.b[0] = 1.0; s.b[1] = v_b.x; S t = s; f(s, t.b); o = enc(vec4(s.a.y, s.b[0], t.b[0], t.a.y));",
    ),
    (
        "in parameters are copies",
        "float f(vec3 v, float a[2], mat2 m) { v.x += 1.0; a[1] *= 2.0; m[0].y = 3.0; return v.x + a[1] + m[0].y; }",
        "vec3 v = v_a.xyz; float a[2] = float[](v_b.x, v_b.y); mat2 m = mat2(v_a); float r = f(v, a, m); o = enc(vec4(r, v.x, a[1], m[0].y));",
    ),
    (
        "undefined: argument order",
        "int n = 1; int f(int k) { n = n * 3 + k; return n; } int g(int a, int b, int c) { return a * 100 + b * 10 + c; }",
        "o = enc(g(f(1), n, f(2)) + int(v_a.x * 3.0));",
    ),
    (
        "swizzle stores",
        "",
        "vec4 v = v_a; v.zyx = v.xyz; v.wx *= 2.0; v.xy = v.yx + v.zw; v.yzw.zx -= vec2(0.5, 0.25); o = enc(v);",
    ),
    (
        "swizzle index",
        "",
        "vec4 v = v_a; int i = int(v_b.x * 2.9); v.zxy[i] = 2.0; v.wz[1] += 0.5; float f = v.yzx[i]; o = enc(v) * 0.5 + enc(f) * 0.5;",
    ),
    (
        "dynamic vector index",
        "",
        "vec4 v = v_a; for (int i = 0; i < 4; i++) v[i] += v[3 - i] * 0.5; ivec3 k = ivec3(1, 2, 3); k[int(v_b.x * 2.9)] <<= 2; o = enc(v) * 0.5 + enc(k) * 0.5;",
    ),
    (
        "compound on parts",
        "",
        "mat3 m = mat3(v_a.xyz, v_b.xyz, v_a.yzw); int i = int(v_b.w * 2.9); m[i] *= m; m[1].xz -= 0.5; m[i][2] /= 2.0; m *= 0.5; m += m; o = enc(m);",
    ),
    (
        "increment in index",
        "",
        "int i = 0; float a[4]; a[i++] = v_a.x; a[i++] = v_a.y; a[i] = v_a.z; a[++i] = v_a.w; a[i--] += a[--i]; o = enc(vec4(a[0], a[1], a[2], a[3])) * 0.5 + enc(i) * 0.5;",
    ),
    (
        "step of vectors",
        "",
        "vec3 v = v_a.xyz; vec3 w = v++ + --v; ivec2 i = ivec2(v_b.xy * 9.0); ivec2 j = i-- * 2; v.yz++; o = enc(v + w) * 0.5 + enc(i + j) * 0.5;",
    ),
    (
        "chained assignment",
        "",
        "float a, b; vec2 c; a = b = c.x = v_a.x; c.y = (a += 1.0) * 2.0; b *= a -= 0.25; o = enc(vec4(a, b, c));",
    ),
    (
        "while with effects",
        "",
        "int i = int(v_a.x * 9.0), s = 0; while (i-- > 0) { if (i == 3) continue; s += i; if (s > 15) break; } o = enc(ivec2(i, s));",
    ),
    (
        "while declares",
        "int n = 0; bool more() { return n++ < 7; }",
        "int s = 0; while (bool m = more()) { if (n == 3) continue; s += n; m = false; } o = enc(ivec2(s, n) + int(v_a.x * 4.0));",
    ),
    (
        "for declares condition",
        "",
        "int s = 0; for (int i = 0; bool b = i < 6; i += int(b) + 1) { s += i; } o = enc(s + int(v_a.x * 4.0));",
    ),
    (
        "do while",
        "",
        "int i = 0, s = 0; do { if (i == 2) continue; s += i; } while (++i < int(v_a.x * 7.0)); o = enc(ivec2(i, s));",
    ),
    (
        "do while with body variable",
        "",
        "float f = v_a.x; int n = 0; do { float g = f * 0.7; f = g; n++; if (n > 8) break; } while (f > 0.1); o = enc(vec2(f, float(n)));",
    ),
    (
        "nested loops",
        "",
        "int s = 0; for (int i = 0; i < 5; i++) { for (int j = 0; ; j++) { if (j > i) break; if (j == 2) continue; if (i == 4 && j == 3) { s += 50; break; } s += i * j + 1; } if (s > int(v_a.x * 60.0)) break; } o = enc(s);",
    ),
    (
        "for without parts",
        "",
        "int i = 0; for (;;) { i++; if (float(i) > v_a.x * 9.0) break; } for (; i < 20;) i += 3; o = enc(i);",
    ),
    (
        "loop variable redeclared",
        "",
        "float s = 0.0; float x = v_a.x; for (int i = 0; i < 3; i++) { float x = x + float(i); { float x = 2.0 * x; s += x; } s -= x * 0.25; } o = enc(vec2(s, x));",
    ),
    (
        "return in loop",
        "int f(int n) { for (int i = 0; i < 10; i++) { if (i * i > n) return i; for (int j = 0; j < i; j++) if (j * i == n) return 100 + j; } return -1; }",
        "o = enc(f(int(v_a.x * 30.0)));",
    ),
    (
        "switch plain",
        "",
        "int r = 0; switch (int(v_a.x * 5.0)) { case 0: r = 3; break; case 1: case 2: r = 7; break; default: r = 11; break; case 4: r = 15; } o = enc(r);",
    ),
    (
        "switch falls",
        "",
        "int r = 1; switch (int(v_a.x * 6.0)) { case 0: r += 2; case 1: r *= 3; break; case 2: if (v_b.x > 0.5) break; r += 10; default: r += 20; case 3: r *= 2; case 4: break; } o = enc(r);",
    ),
    (
        "switch default first",
        "",
        "int r = 1; switch (uint(v_a.x * 4.0)) { default: r += 5; case 1u: r *= 2; break; case 2u: r = 9; } o = enc(r);",
    ),
    (
        "switch declares across cases",
        "",
        "int r = 0; switch (int(v_a.x * 3.0)) { case 0: int t = 4; r = t; break; case 1: t = 6; r = t * 2; break; default: t = 1; { int t = 30; r = t; } r += t; } o = enc(r);",
    ),
    (
        "switch in loop",
        "",
        "int s = 0; for (int i = 0; i < 8; i++) { switch (i % 4) { case 0: continue; case 1: s += 1; case 2: s += 10; if (s > int(v_a.x * 40.0)) break; s += 3; break; case 3: { for (int j = 0; j < 3; j++) { if (j == 1) break; s += 2; } } } s += 1; } o = enc(s);",
    ),
    (
        "switch returns",
        "int f(int k) { switch (k) { case 0: return 5; case 1: { return 6; } default: break; case 3: return 9; } return 1; }",
        "o = enc(f(int(v_a.x * 5.0)));",
    ),
    (
        "switch on effects",
        "int n = 0; int f() { return n++; }",
        "int r = 0; for (int i = 0; i < 3; i++) switch (f()) { case 1: r += 5; default: r += 1; } o = enc(ivec2(r, n) + int(v_a.x * 3.0));",
    ),
    (
        "undefined: switch empty",
        "int n = 0; int f() { return ++n; }",
        "switch (f()) { } switch (n) { case 5: default: break; } o = enc(n + int(v_a.x * 3.0));",
    ),
    (
        "switch jumps over constants",
        "",
        "float r = 0.0; int i = int(v_b.x * 1.9); switch (int(v_a.x * 2.9)) { case 0: const float K[2] = float[2](0.25, 0.75); const float M = smoothstep(0.0, 2.0, 0.7); r = K[i] + M; break; case 1: r = K[i] * 2.0 + M; break; default: r = K[1]; } o = enc(r);",
    ),
    ("discard", "", "if (v_a.x > 0.5) discard; o = enc(v_b);"),
    (
        "discard in function",
        "float f(float x) { if (x > 0.6) { discard; } return x * 2.0; }",
        "float y = f(v_a.x); o = enc(vec2(y, v_b.x));",
    ),
    (
        "discard in ternary",
        "float kill() { discard; return 1.0; }",
        "float y = v_a.x < 0.4 ? kill() : v_b.x; o = enc(y);",
    ),
    (
        "else if chain",
        "int n = 0; bool p(bool b) { n++; return b; }",
        "int r; if (v_a.x < 0.2) r = 1; else if (p(v_a.x < 0.4)) r = 2; else if (v_b.x < 0.5) r = 3; else if (p(v_a.y > 0.5)) r = 4; else r = 5; o = enc(ivec2(r, n));",
    ),
    ("dangling else", "", "int r = 0; if (v_a.x > 0.3) if (v_b.x > 0.5) r = 1; else r = 2; o = enc(r);"),
    (
        "structs",
        "struct A { float x; vec3 y; }; struct B { A a[2]; mat2 m; int k; } gb;",
        "B b = B(A[2](A(v_a.x, v_b.xyz), A(2.0, vec3(1.0))), mat2(v_a), 3); b.a[1].y.z = v_b.w; b.a[int(v_a.y * 1.9)].x += 1.0; gb = b; B c = gb; c.k++; A d = c.a[1]; o = enc(vec4(d.x, d.y)) * 0.5 + enc(c.m) * 0.25 + enc(c.k) * 0.25;",
    ),
    (
        "struct equality",
        "struct A { float x; vec2 y; }; struct B { A a[2]; mat2 m; bool f; };",
        "B b = B(A[2](A(1.0, vec2(2.0)), A(2.0, vec2(1.0))), mat2(1.0), true); B c = b; if (v_a.x > 0.5) c.a[1].y.x = 9.0; if (v_b.x > 0.5) c.f = false; bool e = b == c, n = b != c, g = b.a == c.a; o = enc(bvec3(e, n, g));",
    ),
    (
        "array equality",
        "",
        "int a[3] = int[](1, 2, 3); int b[3] = a; b[int(v_a.x * 2.9)] = 2; mat2 m[2] = mat2[2](mat2(1.0), mat2(2.0)); mat2 k[2] = m; if (v_b.x > 0.5) k[1][0][1] = 1.0; o = enc(bvec4(a == b, a != b, m == k, m != k));",
    ),
    (
        "array length and copies",
        "const int N = 2 + 1; float g[N * 2];",
        "float a[N] = float[N](v_a.x, v_a.y, v_a.z); float b[] = float[](1.0, 2.0, v_b.x, 4.0); float[3] c = a; c[1] = 5.0; g[5] = c[1]; o = enc(vec4(float(a.length() + b.length() + g.length()), a[1], b[int(v_a.x * 3.9)], g[5]));",
    ),
    (
        "constant arrays",
        "const float K[4] = float[4](0.1, 0.2, 0.3, 0.4); const vec2 P[3] = vec2[](vec2(1.0, 2.0), vec2(3.0), vec2(0.5, 0.25)); const int M = int(K[1] * 10.0);",
        "const mat2 Q = mat2(1.0, 2.0, 3.0, 4.0); int i = int(v_a.x * 3.9); float x[M]; x[1] = K[i]; o = enc(vec4(K[i], P[i % 3], Q[i / 2][i % 2] + x[1]));",
    ),
    (
        "constant expressions",
        "const float E = 1.0e2; const vec3 V = vec3(1.0, 2.0, 3.0) * 2.0; const int I = V.y > 3.0 ? 1 << 3 : 0; const ivec2 J = ivec2(V.xz); const bool B = !(I == 8) || true; const uint U = 0xffffffffu >> 28; const float S = sqrt(16.0) + pow(2.0, 3.0) + dot(V, V) + length(vec2(3.0, 4.0)) + clamp(5.0, 0.0, 1.0) + abs(-2.0) + min(1.0, 2.0);",
        "float a[I]; a[7] = float(J.x + J.y) + S; o = enc(vec4(a[7] * 0.01, E * v_a.x * 0.01, float(U), B ? V.z : 0.0));",
    ),
    (
        "global initialisers",
        "float g = 2.0; vec3 h = vec3(1.0, 2.0, 3.0); int k = 3 * 4; float arr[2] = float[2](0.5, 0.25); const float C = 0.125; float d = C * 2.0;",
        "g *= v_a.x; h.y += g; arr[1] += d; o = enc(vec4(g, h.y, arr[1], float(k)));",
    ),
    (
        "overloads and prototypes",
        "float f(float x); float f(vec2 x); int f(int x); float f(float x, float y); float f(float x) { return x * 2.0; } float f(vec2 x) { return f(x.x) + x.y; } int f(int x) { return x + 1; } float f(float x, float y) { return f(vec2(x, y)) - 1.0; }",
        "o = enc(vec4(f(v_a.x), f(v_a.xy), float(f(int(v_b.x * 5.0))), f(v_b.y, v_b.z)));",
    ),
    (
        "names of WGSL",
        "float fn(float var) { return var; } struct let { float loop; }; float enable = 1.0;",
        "float array = v_a.x; vec3 f32 = v_b.xyz; let ptr = let(array); float override = fn(ptr.loop) + enable, _ = 1.0, _x = 2.0; int type = 2, alias = 3, select = 4, i32 = 5; o = enc(vec4(array + f32.y, override, _ + _x, float(type + alias * select - i32)));",
    ),
    (
        "names that look like ours",
        "float t1 = 1.0; float gl(float t2) { return t2; } float main_0 = 2.0;",
        "float t2 = v_a.x, t3 = t1 + t2, input_0 = 1.0, o_1 = 2.0; int i = 0; float r = gl(float(i++)) + t3; o = enc(vec4(t2, r, main_0, input_0 + o_1));",
    ),
    (
        "names that differ by what they name",
        "struct P0 { float a; }; struct P1 { float a; }; struct P2 { float a; }; struct P3 { float a; }; struct P4 { float a; }; struct P5 { float a; }; struct P6 { float a; }; struct foo { float a; }; float Sfoo(float x) { return x * 2.0; } float foo_s7 = 0.25, foo_f3 = 0.5; float zz(float a[1]); float zz(float a[2]); float zz(float a[3]); float zz(float a[4]); float zz(float a[5]); float zz(float a[6]); float zz(float a[7]); float zz(float a[8]); float zz(float a[9]); float zz(float a[10]); float zz(float a[11]); float zz(float a[12]); float zz(float a[13]); float zz(float a[14]); float zz(float a[15]); float zz(float a[16]); float zz(float a[17]); float zz(float a[18]); float zz(float a[19]); float zz(float a[20]); float zz(float a[21]); float zz(float a[22]); float zz(float a[23]); float zz(float a[24]); float zz(float a[24]) { return a[3] * 2.0; }",
        "float r = 0.0; { float zz = v_a.x; r += zz * 0.1; } { float zz = v_a.x; r += zz * 0.1; } { float zz = v_a.x; r += zz * 0.1; } { float zz = v_a.x; r += zz * 0.1; } { float zz = v_a.x; r += zz * 0.1; } { float zz = v_a.x; r += zz * 0.1; } { float zz = v_a.x; r += zz * 0.1; } { float zz = v_a.x; r += zz * 0.1; } float a[24]; a[3] = v_a.y; foo f = foo(v_a.x); r += zz(a); o = enc(vec4(Sfoo(f.a), r, foo_s7, foo_f3));",
    ),
    (
        "members with underscores",
        "struct S { float _x; float u_x; float _x_; float u_x_; float u; float _; };",
        "S s = S(v_a.x, 2.0, v_a.y, 3.0, v_b.x, v_b.y); s._x += 1.0; o = enc(vec4(s._x + s._x_, s.u_x, s.u_x_, s.u * s._));",
    ),
    (
        "struct's name declared again",
        "struct S { float a; };",
        "S S, T; S.a = v_a.x; T.a = v_a.y; o = enc(vec2(S.a, T.a));",
    ),
    ("name that only looks reserved", "", "float volatile_ = v_a.x, sampler_ = 0.5; o = vec4(volatile_ * sampler_);"),
    ("type that declares nothing", "struct S { float a; };", "S; float; S s = S(v_a.x); S; o = vec4(s.a);"),
    (
        "name that was reserved once",
        "",
        "float image1DShadow = v_a.x, image2DArrayShadow = 0.5; o = vec4(image1DShadow * image2DArrayShadow);",
    ),
    (
        "length has effects",
        "int n = 0; float[3] make() { n++; return float[3](1.0, 2.0, 3.0); }",
        "int k = make().length(); float a[2]; int i = 0; k += (i++, a).length(); o = enc(ivec3(n, k, i) + int(v_a.x * 3.0));",
    ),
    (
        "literals that are no constants",
        "",
        "float f; int i = 0; float a = 1.0 / (f = 0.0), b = (i++, 1e38) * 10.0; a += 1.0 / (f = true ? 0.0 : v_a.x) + (i++, true ? 1e38 : v_a.x) * 10.0; int j = (i = 3) << 31; vec2 c = exp2((i++, vec2(1000.0))); float d = sqrt((f = 4.0)) + (f = v_a.x, 2.0) / (i++, 4.0); o = enc(vec4(isinf(a) ? 0.5 : 0.25, isinf(b) ? 0.5 : 0.25, isinf(c.y) ? 0.5 : 0.25, d)) * 0.5 + enc(ivec2(j, i)) * 0.5;",
    ),
    (
        "ternary of nothing",
        "void a() { } float g = 0.25; void b() { g += 1.0; }",
        "v_a.x > 0.5 ? a() : a(); v_a.y > 0.5 ? a() : b(); for (int i = 0; i < 3; v_b.x > 0.5 ? b() : a(), i++) { } o = enc(g);",
    ),
    (
        "constant functions and products",
        "const mat2 M = mat2(1.0, 2.0, 3.0, 4.0); const vec2 P = M * vec2(1.0, 1.0); const mat3x2 Q = transpose(outerProduct(vec3(1.0, 2.0, 3.0), vec2(0.5, 0.25)) * 2.0 + mat2x3(0.0));",
        "float z[int(P.x)], y[int(cross(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0)).z) + 1], x[int(determinant(M * inverse(M)) * 3.5)]; z[3] = v_a.x; y[1] = v_a.y; x[2] = v_a.z; int r = 0; switch (int(v_b.x * 3.0)) { case int(tanh(9.0) + 0.5): r = 1; break; case any(bvec2(true, false)) && all(lessThan(ivec2(1), ivec2(2))) ? 0 : 9: r = 2; break; case int(uintBitsToFloat(0x40000000u)): r = 3; break; } vec2 big = mat2(1e38) * vec2(10.0); o = enc(vec4(z[3] + y[1], x[2] + M[1].y * 0.1, Q[2].x * 0.1, isinf(big.x) ? float(r) : -1.0));",
    ),
    (
        "constant hyperbolic and geometric functions",
        "const vec4 A = vec4(sinh(0.5), cosh(0.5), tanh(0.5), asinh(0.5)); const vec4 B = vec4(acosh(1.5), atanh(0.5), smoothstep(0.0, 3.0, 1.0), mix(1.0, 2.0, true)); const vec3 R = reflect(vec3(1.0, -1.0, 0.5), vec3(0.0, 1.0, 0.0)), F = refract(vec3(0.6, -0.8, 0.0), vec3(0.0, 1.0, 0.0), 0.7), G = faceforward(vec3(1.0), vec3(0.0, 0.0, 1.0), vec3(0.0, 0.0, -1.0)); const uvec3 U = uvec3(packHalf2x16(vec2(1.0, -2.0)), packSnorm2x16(vec2(0.3, -0.7)), packUnorm2x16(vec2(0.25, 0.9)));",
        "const vec2 H = unpackHalf2x16(U.x), S = unpackSnorm2x16(U.y), N = unpackUnorm2x16(U.z); o = enc(A * v_a) * 0.2 + enc(B * v_b) * 0.2 + enc(R + F * v_a.x + G) * 0.2 + enc(U >> 3u) * 0.2 + enc(vec4(H, S + N) * v_a.y) * 0.1 + enc(matrixCompMult(mat2(2.0), mat2(3.0)) * float(isnan(v_a.x) ? 0 : 1)) * 0.1;",
    ),
    (
        "deep nests",
        "",
        "float x = v_a.x; float y = v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : v_a.x < 0.01 ? 0.1 : 0.7; float z = ((((((((((((((((((((((((((((((((((((((((x * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1) * 0.9 + 0.1); o = enc(vec2(y, z));",
    ),
    (
        "nested ifs",
        "",
        "float x = v_a.x; if (x > 0.011) { x *= 0.99; if (x > 0.021) { x *= 0.99; if (x > 0.031) { x *= 0.99; if (x > 0.041) { x *= 0.99; if (x > 0.051) { x *= 0.99; if (x > 0.061) { x *= 0.99; if (x > 0.071) { x *= 0.99; if (x > 0.081) { x *= 0.99;if (x > 0.011) { x *= 0.99; if (x > 0.021) { x *= 0.99; if (x > 0.031) { x *= 0.99; if (x > 0.041) { x *= 0.99; if (x > 0.051) { x *= 0.99; if (x > 0.061) { x *= 0.99; if (x > 0.071) { x *= 0.99; if (x > 0.081) { x *= 0.99;if (x > 0.011) { x *= 0.99; if (x > 0.021) { x *= 0.99; if (x > 0.031) { x *= 0.99; if (x > 0.041) { x *= 0.99; if (x > 0.051) { x *= 0.99; if (x > 0.061) { x *= 0.99; if (x > 0.071) { x *= 0.99; if (x > 0.081) { x *= 0.99;if (x > 0.011) { x *= 0.99; if (x > 0.021) { x *= 0.99; if (x > 0.031) { x *= 0.99; if (x > 0.041) { x *= 0.99; if (x > 0.051) { x *= 0.99; if (x > 0.061) { x *= 0.99; if (x > 0.071) { x *= 0.99; if (x > 0.081) { x *= 0.99;if (x > 0.011) { x *= 0.99; if (x > 0.021) { x *= 0.99; if (x > 0.031) { x *= 0.99; if (x > 0.041) { x *= 0.99; if (x > 0.051) { x *= 0.99; if (x > 0.061) { x *= 0.99; if (x > 0.071) { x *= 0.99; if (x > 0.081) { x *= 0.99; x = 9.0; }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}} o = enc(x);",
    ),
    (
        "source string numbers",
        "#define PLACE 40 2\n#line 20 3\nfloat a = float(__FILE__ * 100 + __LINE__);\n#line PLACE\nfloat b = float(__FILE__ * 100 + __LINE__);\n#line 7\nfloat c = float(__FILE__ * 100 + __LINE__);",
        "o = enc(vec4(a, b, c, v_a.x) * 0.001);",
    ),
    (
        "lines of macros",
        "#define HERE(x) float(__LINE__ + x)\n#define THERE(x) (HERE(x) + HERE(2))\nfloat a = HERE(\n1\n);\nfloat b = THERE(\n\n5\n);",
        "o = enc(vec3(a * 0.01, b * 0.01, v_a.x));",
    ),
    (
        "lines that go on",
        "#define A \\\n 3\n#define HAS defined(GL_ES)\n#define BOTH (HAS && ! defined ABSENT)\nfloat a = float(__LINE__ + A);\n#if BOTH && HAS && 0xffffffff > 2147483647 + 1 - 1\nfloat b = 1.0;\n#else\nfloat b = 2.0;\n#endif",
        "o = enc(vec3(a * 0.1, b, v_a.x));",
    ),
    (
        "shadowing",
        "float x = 1.0; float f() { return x; } float g(float x) { { float x = x * 3.0; x += 1.0; return x; } }",
        "float x = v_a.x; { x = x + 1.0; float x = x * 2.0; x = f() + x; } struct x_t { float a; }; o = enc(vec3(x, g(x), f()));",
    ),
    (
        "local struct and hiding a function",
        "float h(float a) { return a; }",
        "struct L { vec2 p; } l; l.p = v_a.xy; L m = L(l.p * 2.0); float h = 3.0; o = enc(vec3(m.p, h));",
    ),
    (
        "literals",
        "",
        "float a = 1., b = .5, c = 1e-1, d = 2.5E+1, e = 3.f; int i = 017, j = 0x1F, k = 0XaB; uint u = 7u, w = 0xFFFFFFFFU, x = 4294967295u; int m = 0xffffffff, n = -2147483648; o = enc(vec4(a + b, c, d, e * v_a.x)) * 0.4 + enc(ivec4(i, j, k, m + n)) * 0.3 + enc(uvec3(u, w, x)) * 0.3;",
    ),
    (
        "integer overflow",
        "",
        "int a = 2147483647; int b = a + 1; a += int(v_a.x * 3.0); uint c = 0u - 1u; uint d = c * c + uint(v_b.x * 3.0); int e = 65536 * 65537; o = enc(ivec3(a, b, e)) * 0.5 + enc(uvec2(c, d)) * 0.5;",
    ),
    (
        "undefined: division by constant zero",
        "const int Z = 0;",
        "int i = 3 / Z; i += 3 % 0; i /= 0; i %= Z; uvec2 u = uvec2(3u) % uvec2(1u, 0u); u /= 0u; ivec3 v = ivec3(v_a.xyz * 9.0) / ivec3(1, Z, 2); v %= 0; o = enc(i) + enc(u) + enc(v) + float(1 / (Z * 2));",
    ),
    (
        "halves of constants",
        "",
        "const uint H = 0x34003800u; o = vec4(unpackHalf2x16(H), unpackHalf2x16(packHalf2x16(vec2(0.25, 0.75)))); o.x += float(packHalf2x16(vec2(0.0, 1.0)) >> 24u) * 0.002 + v_a.x * 0.1;",
    ),
    (
        "infinities",
        "",
        "float inf = 1.0 / 0.0; float big = 1e38 * 10.0; o = enc(bvec4(isinf(inf), isinf(big), v_a.x < inf, isnan(v_a.x)));",
    ),
    (
        "negative shift and masks",
        "",
        "int a = int(v_a.x * 200.0) - 100; uint b = uint(v_b.x * 200.0); o = enc(ivec2(a >> 2, a << 3)) * 0.5 + enc(uvec2(b >> 1, ~b)) * 0.5;",
    ),
    ("frag coord", "", "o = vec4(gl_FragCoord.xy / 64.0, gl_FragCoord.z, gl_FragCoord.w * 0.5);"),
    ("front facing", "", "o = gl_FrontFacing ? enc(v_a) : enc(v_b);"),
    (
        "frag depth",
        "",
        "gl_FragDepth = gl_FragCoord.z * 0.5 + 0.1 * v_a.x; o = enc(vec2(gl_FragDepth, gl_DepthRange.far - gl_DepthRange.near));",
    ),
    (
        "derivative signs",
        "",
        "o = clamp(vec4(0.5) + 6.0 * vec4(dFdx(v_a.x), dFdy(v_a.y), dFdx(gl_FragCoord.x) * 0.05, dFdy(gl_FragCoord.y) * 0.05), 0.0, 1.0);",
    ),
    (
        "derivative in branch",
        "",
        "vec4 r = vec4(0.0); if (v_a.x > 0.3) { r = fwidth(v_b) * 10.0; } else { r.x = dFdx(v_a.y) * 30.0; } o = enc(r + v_a);",
    ),
    (
        "built-in constants",
        "",
        "o = enc(ivec4(gl_MinProgramTexelOffset <= -8, gl_MaxProgramTexelOffset >= 7, gl_MaxVertexAttribs >= 16, gl_MaxDrawBuffers >= 4 ? int(v_a.x * 4.0) : 0));",
    ),
    (
        "bool arithmetic",
        "",
        "bvec3 a = greaterThan(v_a.xyz, vec3(0.5)); bvec3 b = not(a); bool c = any(a) && !all(b); bool d = a.x; d = d != c; o = enc(bvec4(a.xy, c, d)) * 0.5 + enc(vec3(b)) * 0.5;",
    ),
    (
        "matrix columns",
        "",
        "mat4 m = mat4(1.0); m[2] = v_a; m[0].yz = v_b.xy; m[3][1] = 4.0; vec4 c = m[int(v_a.x * 3.9)]; mat3 n = mat3(m); mat4x2 k = mat4x2(m); o = enc(m * c) * 0.5 + enc(n * v_b.xyz) * 0.25 + enc(v_a.xy * k) * 0.25;",
    ),
    (
        "deep expression",
        "",
        "float x = v_a.x; x = (((((((((((((((((((((x + 1.0) * 0.9) + 1.0) * 0.9) + 1.0) * 0.9) + 1.0) * 0.9) + 1.0) * 0.9) + 1.0) * 0.9) + 1.0) * 0.9) + 1.0) * 0.9) + 1.0) * 0.9) + 1.0) * 0.9) + 1.0) * 0.9; o = enc(x);",
    ),
    (
        "undefined: effects left to right",
        "float g = 1.0; float f() { g += 1.0; return g; }",
        "float a = g + f() * g; vec3 v = vec3(g, f(), g); float b = v.x + (v.x = 5.0) + v.x; o = enc(vec4(a, v.y + v.z, b, v_a.x));",
    ),
    (
        "array index with effects",
        "int n = 0; int f() { n++; return n; }",
        "int a[5] = int[](1, 2, 3, 4, 5); int r = a[f()] * 10 + a[n] + a[f()]; a[f()] = f(); o = enc(ivec4(r, a[3], a[4], n) + int(v_a.x * 2.0));",
    ),
    (
        "void functions",
        "float g; void a() { g = 1.0; } void b(float x) { if (x > 0.5) return; g += x; } void c(void) { a(); b(v_a.x); }",
        "c(); o = enc(g); if (v_b.x > 0.7) return; o.x = 0.5; return;",
    ),
    ("missing return", "float f(float x) { if (x >= 0.0) return x; }", "o = enc(f(v_a.x));"),
    (
        "modf on part",
        "",
        "vec4 r = vec4(0.0); float f = modf(v_a.x * 7.0 - 3.5, r.z); float a[2]; vec2 g = modf(v_b.xy * 5.0, r.yx); a[1] = modf(-v_b.z * 3.0, a[0]); o = enc(r + f) * 0.5 + enc(vec4(g, a[0], a[1])) * 0.5;",
    ),
    (
        "constant builtin not folded",
        "",
        "const vec3 c = cross(vec3(1.0, 2.0, 3.0), vec3(0.5, 0.25, 1.0)); float z = 0.0; o = enc(vec4(c, sqrt(z) + smoothstep(0.0, 2.0, 1.0) + inverse(mat2(2.0))[0].x + determinant(mat2(1.0, 2.0, 3.0, 5.0)) + v_a.x));",
    ),
    (
        "loops that end early",
        "float f(float x) { while (true) { if (x > 0.5) return x; x += 0.3; } } float g(float x) { for (;;) { x += 0.1; if (x > 1.0) { return x; } } return 9.0; }",
        "int s = 0; for (int i = 0; i < 3; i++) { s += i + 1; break; } do { s += 10; break; } while (s < 1000); while (true) { s += 100; if (s > 150) { break; } else { continue; } } for (int i = 0; i < 3; i++) { s++; continue; } do { s += 2; if (s > 200) continue; } while (s < 160); o = enc(vec3(f(v_a.x), g(v_b.x), float(s) * 0.01));",
    ),
    (
        "blocks that end early",
        "int f(int k) { { if (k > 2) { return 1; } else { return 2; } } } void g(inout int k) { { return; } k = 7; } int h(int k) { switch (k) { case 0: return 4; default: return 5; } }",
        "int k = int(v_a.x * 5.0); g(k); o = enc(ivec3(f(k), k, h(k)));",
    ),
    (
        "modified parameters and inout chains",
        "void a(inout vec2 v) { v += 1.0; } void b(inout vec4 v, int i) { a(v.zx); v[i] -= 0.5; i = 0; v[i]++; } mat2 c(mat2 m, int i) { a(m[i]); m[1 - i].x = 5.0; return m; } struct S { vec2 p[2]; }; S d(S s, int i) { a(s.p[i]); return s; } vec3 e(vec3 x) { return x; }",
        "vec4 v = v_a; int i = int(v_b.x * 1.9); b(v, i + 1); S s = d(S(vec2[2](v_a.xy, v_b.xy)), i); o = enc(v) * 0.4 + enc(c(mat2(v_b), i)) * 0.3 + enc(vec3(s.p[i], e(v_a.xyz)[i])) * 0.3;",
    ),
    (
        "assignments in conditions",
        "",
        "int i = 0, j = 0; if ((i = int(v_a.x * 3.0)) > 1) j = i; while ((j += 2) < 9) i++; for (int k; (k = j++) < 14;) i += k; bool b = (i ^= 3) > 4 == (j-- > 3); o = enc(ivec3(i, j, b));",
    ),
    (
        "structs returned and compared",
        "struct A { vec2 x; }; struct B { A a; float f[3]; }; B make(float x) { B b; b.a.x = vec2(x, 1.0); b.f = float[](x, x * 2.0, 3.0); return b; } A part(B b) { return b.a; }",
        "int i = int(v_a.x * 2.9); o = enc(vec4(make(v_a.x).f[i], part(make(v_b.x)).x, make(1.0) == make(floor(v_b.y * 2.0)) ? 1.0 : 0.0));",
    ),
    (
        "precision everywhere",
        "precision mediump float; lowp float f(mediump float x, in highp vec2 y) { lowp float z = x; precision highp int; return z + y.x; } struct S { highp float a; lowp int b; };",
        "mediump vec4 v = v_a; S s = S(1.0, 2); o = enc(vec3(f(v.x, v_b.xy), s.a, float(s.b)));",
    ),
];

/// The table above as cases.
pub fn language() -> Vec<Case> {
    LANGUAGE.iter().map(|(name, declarations, body)| case(*name, declarations, body)).collect()
}

/// Every texture function with every sampler that takes it.
pub fn textures() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |sampler: &str, call: &str| {
        let shadow = sampler.ends_with("Shadow");
        let body = match (sampler.chars().next(), shadow) {
            _ if call.starts_with("textureSize") => format!("o = enc({call});"),
            (_, true) => format!("o = enc({call} * 2.0 - 0.7);"),
            (Some('i' | 'u'), _) => {
                format!("o = vec4({call} & {}) / 127.0;", if sampler.starts_with('i') { "127" } else { "127u" })
            }
            _ => format!("o = {call};"),
        };
        cases.push(case(format!("{call} of {sampler}"), &format!("uniform {sampler} s;"), &body));
    };
    let uv = "(v_a.xy * 1.7 - 0.3)";
    for prefix in ["", "i", "u"] {
        let d2 = format!("{prefix}sampler2D");
        let d3 = format!("{prefix}sampler3D");
        let cube = format!("{prefix}samplerCube");
        let array = format!("{prefix}sampler2DArray");
        let float = prefix.is_empty();
        let biases: &[&str] = if float { &["", ", 0.7"] } else { &[""] };
        for bias in biases {
            add(&d2, &format!("texture(s, {uv}{bias})"));
            add(&d3, &format!("texture(s, vec3({uv}, v_b.x * 1.3){bias})"));
            add(&cube, &format!("texture(s, v_a.xyz * 2.0 - vec3(0.9, 1.1, 0.7 * v_b.x){bias})"));
            add(&array, &format!("texture(s, vec3({uv}, v_b.x * 3.8 - 0.7){bias})"));
            add(&d2, &format!("textureProj(s, vec3({uv}, 1.3){bias})"));
            add(&d2, &format!("textureProj(s, vec4({uv}, 5.0, 1.3){bias})"));
            add(&d3, &format!("textureProj(s, vec4({uv}, v_b.x, 1.3){bias})"));
            add(&d2, &format!("textureOffset(s, {uv}, ivec2(2, -1){bias})"));
            add(&d3, &format!("textureOffset(s, vec3({uv}, v_b.x), ivec3(1, -1, 2){bias})"));
            add(&array, &format!("textureOffset(s, vec3({uv}, v_b.x * 2.0), ivec2(-3, 1){bias})"));
            add(&d2, &format!("textureProjOffset(s, vec3({uv}, 0.8), ivec2(1, 1){bias})"));
            add(&d3, &format!("textureProjOffset(s, vec4({uv}, v_b.x, 0.8), ivec3(1, 0, 1){bias})"));
        }
        let levels: &[&str] = if float { &["0.0", "1.0", "0.6", "v_b.y * 2.0"] } else { &["0.0", "1.0"] };
        for level in levels {
            add(&d2, &format!("textureLod(s, {uv}, {level})"));
            add(&d3, &format!("textureLod(s, vec3({uv}, v_b.x), {level})"));
            add(&cube, &format!("textureLod(s, v_a.xyz * 2.0 - vec3(0.9, 1.1, 0.7 * v_b.x), {level})"));
            add(&array, &format!("textureLod(s, vec3({uv}, v_b.x * 2.0), {level})"));
            add(&d2, &format!("textureLodOffset(s, {uv}, {level}, ivec2(1, -2))"));
            add(&d3, &format!("textureLodOffset(s, vec3({uv}, v_b.x), {level}, ivec3(1, -2, 1))"));
            add(&array, &format!("textureLodOffset(s, vec3({uv}, v_b.x * 2.0), {level}, ivec2(1, -2))"));
            add(&d2, &format!("textureProjLod(s, vec3({uv}, 1.2), {level})"));
            add(&d3, &format!("textureProjLod(s, vec4({uv}, v_b.x, 1.2), {level})"));
            add(&d2, &format!("textureProjLodOffset(s, vec4({uv}, 7.0, 1.2), {level}, ivec2(-1, 3))"));
        }
        if float {
            let g = "vec2(0.11, 0.02), vec2(0.03, 0.14)";
            let g3 = "vec3(0.11, 0.02, 0.0), vec3(0.03, 0.14, 0.01)";
            add(&d2, &format!("textureGrad(s, {uv}, {g})"));
            add(&d3, &format!("textureGrad(s, vec3({uv}, v_b.x), {g3})"));
            add(&cube, &format!("textureGrad(s, v_a.xyz - vec3(0.5, 0.4, 0.3), {g3})"));
            add(&array, &format!("textureGrad(s, vec3({uv}, v_b.x * 2.0), {g})"));
            add(&d2, &format!("textureGradOffset(s, {uv}, {g}, ivec2(1, 2))"));
            add(&d3, &format!("textureGradOffset(s, vec3({uv}, v_b.x), {g3}, ivec3(1, 2, 0))"));
            add(&array, &format!("textureGradOffset(s, vec3({uv}, v_b.x), {g}, ivec2(1, 2))"));
            add(&d2, &format!("textureProjGrad(s, vec3({uv}, 1.4), {g})"));
            add(&d3, &format!("textureProjGrad(s, vec4({uv}, v_b.x, 1.4), {g3})"));
            add(&d2, &format!("textureProjGradOffset(s, vec4({uv}, 3.0, 1.4), {g}, ivec2(-2, 1))"));
        }
        let texel = "ivec2(v_a.xy * 3.9)";
        add(&d2, &format!("texelFetch(s, {texel}, 0)"));
        add(&d2, &format!("texelFetch(s, {texel} / 2, 1)"));
        add(&d3, &format!("texelFetch(s, ivec3({texel}, int(v_b.x * 3.9)), 0)"));
        add(&array, &format!("texelFetch(s, ivec3({texel}, int(v_b.x * 2.9)), 0)"));
        add(&d2, &format!("texelFetchOffset(s, {texel} / 2 + 1, 0, ivec2(1, -1))"));
        add(&d3, &format!("texelFetchOffset(s, ivec3({texel} / 2 + 1, 1), 0, ivec3(1, -1, 2))"));
        add(&array, &format!("texelFetchOffset(s, ivec3({texel} / 2 + 1, 1), 0, ivec2(-1, 1))"));
        for sampler in [&d2, &d3, &cube, &array] {
            add(sampler, "textureSize(s, 0)");
            add(sampler, "textureSize(s, int(gl_FragCoord.w + 0.1))");
        }
    }
    let (d2, cube, array) = ("sampler2DShadow", "samplerCubeShadow", "sampler2DArrayShadow");
    add(d2, &format!("texture(s, vec3({uv}, v_b.x))"));
    add(d2, &format!("textureProj(s, vec4({uv}, v_b.x, 1.2))"));
    add(d2, &format!("textureOffset(s, vec3({uv}, v_b.x), ivec2(1, -1))"));
    add(d2, &format!("textureProjOffset(s, vec4({uv}, v_b.x, 1.2), ivec2(1, -1))"));
    add(d2, &format!("textureLod(s, vec3({uv}, v_b.x), 0.0)"));
    add(d2, &format!("textureLodOffset(s, vec3({uv}, v_b.x), 0.0, ivec2(2, 1))"));
    add(d2, &format!("textureProjLod(s, vec4({uv}, v_b.x, 1.2), 0.0)"));
    add(d2, &format!("textureGrad(s, vec3({uv}, v_b.x), vec2(0.0), vec2(0.0))"));
    add(cube, "texture(s, vec4(v_a.xyz - vec3(0.5, 0.4, 0.3), v_b.x))");
    add(array, &format!("texture(s, vec4({uv}, v_b.y * 2.4, v_b.x))"));
    add(array, &format!("textureGrad(s, vec4({uv}, v_b.y * 2.4, v_b.x), vec2(0.0), vec2(0.0))"));
    for sampler in [d2, cube, array] {
        add(sampler, "textureSize(s, 0)");
    }
    let extra: &[(&str, &str, &str)] = &[
        (
            "sampler parameter",
            "uniform sampler2D s, s2; vec4 f(sampler2D t, vec2 p) { return texture(t, p); } vec4 g(sampler2D a, sampler2D b) { return f(a, v_a.xy) * 0.5 + f(b, v_b.xy) * 0.5; }",
            "o = g(s, s2) * 0.6 + g(s2, s) * 0.4;",
        ),
        (
            "sampler array",
            "uniform sampler2D s[3]; vec4 f(sampler2D t[3], int i) { return texture(t[0], v_a.xy) * float(i) + texture(t[2], v_b.xy) * 0.5; }",
            "o = texture(s[1], v_a.xy) * 0.5 + f(s, 1) * 0.3;",
        ),
        (
            "sampler in struct",
            "struct M { vec4 c; sampler2D t; float k; }; uniform M s; vec4 f(M m) { return texture(m.t, v_a.xy) * m.k + m.c * 0.1; }",
            "o = texture(s.t, v_b.xy) * 0.5 + f(s) * 0.5 + s.c * 0.05;",
        ),
        (
            "shadow and integer parameters",
            "uniform sampler2DShadow s; uniform isampler2D s2; float f(sampler2DShadow t) { return texture(t, vec3(v_a.xy, v_b.x)); } ivec4 g(highp isampler2D t) { return texelFetch(t, ivec2(v_a.xy * 3.0), 0); }",
            "o = vec4(f(s)) * 0.5 + vec4(g(s2) & 63) / 128.0;",
        ),
        (
            "texture in branches and loops",
            "uniform sampler2D s;",
            "vec4 r = vec4(0.0); if (v_a.x > 0.4) r = textureLod(s, v_a.xy, 0.0); for (int i = 0; i < int(v_b.x * 4.0); i++) r += texelFetch(s, ivec2(i, 1), 0) * 0.2; r += v_a.y > 0.5 ? textureLod(s, v_b.xy, 1.0) : vec4(0.1); o = r * 0.5;",
        ),
    ];
    cases.extend(extra.iter().map(|(name, declarations, body)| case(*name, declarations, body)));
    cases
}

/// Uniforms and blocks of every layout.
pub fn uniforms() -> Vec<Case> {
    let table: &[(&str, &str, &str)] = &[
        (
            "loose scalars and vectors",
            "uniform float a; uniform vec2 b; uniform vec3 c; uniform vec4 d; uniform int e; uniform ivec3 f; uniform uint g; uniform uvec2 h; uniform bool i; uniform bvec2 j; uniform bvec3 k;",
            "o = enc(vec4(a, b, c.x) + d + vec4(c.yz, float(e), float(f.y))) * 0.5 + enc(uvec3(h, g)) * 0.25 + enc(bvec4(i, j.y, k.z, k.x)) * 0.25;",
        ),
        (
            "loose arrays",
            "uniform float a[3]; uniform vec2 b[2]; uniform vec3 c[3]; uniform int d[4]; uniform bool e[2]; uniform mat3 f[2];",
            "int i = int(v_a.x * 1.9); o = enc(vec4(a[i + 1], b[i], c[i].z) + vec4(float(d[3 - i]), e[i] ? 1.0 : 0.0, f[i][1].y, f[1 - i][i].z));",
        ),
        (
            "loose matrices",
            "uniform mat2 a; uniform mat2x3 b; uniform mat2x4 c; uniform mat3x2 d; uniform mat3 e; uniform mat3x4 f; uniform mat4x2 g; uniform mat4x3 h; uniform mat4 i;",
            "vec4 r = vec4(a * v_a.xy, 0.0, 0.0) + vec4(b * v_a.xy, 0.0) + c * v_b.xy + vec4(d * v_a.xyz, 0.0, 0.0) + vec4(e * v_b.xyz, 0.0) + f * v_a.xyz + vec4(g * v_a, 0.0, 0.0) + vec4(h * v_b, 0.0) + i * v_a; o = enc(r);",
        ),
        (
            "loose structs",
            "struct L { vec3 p; float k[2]; mat2 m; bool on; }; uniform L l; uniform L a[2]; float f(L x) { return x.p.y + x.k[1] + x.m[1].x; }",
            "int i = int(v_a.x * 1.9); L c = a[i]; o = enc(vec4(l.p.z + f(l), f(c), a[i].k[i], l.on && c.on ? 1.0 : 0.0));",
        ),
        (
            "block of everything",
            "layout(std140) uniform B { float a; vec2 b; vec3 c; float d; bool e; bvec3 f; int g[3]; mat2 h; mat3 i; mat4x3 j; uvec4 k; float l[2]; };",
            "int n = int(v_a.x * 1.9); vec4 r = vec4(a + d, b, c.z) + vec4(h * v_a.xy, i[n].zy) + vec4(j * v_b, l[n]); o = enc(r) * 0.5 + enc(ivec3(g[n], g[2], int(k.w))) * 0.25 + enc(bvec4(e, f)) * 0.25;",
        ),
        (
            "row major",
            "layout(std140, row_major) uniform B { mat2 a; mat2x3 b; mat3x2 c; mat4 d; layout(column_major) mat3x4 e; mat3 f[2]; };",
            "int n = int(v_a.x * 1.9); o = enc(vec4(a * v_a.xy, 0.0, 0.0) + vec4(b * v_a.xy, 0.0) + vec4(c * v_b.xyz, c[n]) + d[n] + d * v_a + e * v_b.xyz + vec4(f[n][1 - n], f[1][n][2]));",
        ),
        (
            "products of row major",
            "layout(std140, row_major) uniform B { mat3x2 a; mat2x3 b; mat2x4 c; mat4 d; };",
            "mat3 m = b * a; mat2 n = a * b; mat2x4 k = d * c; o = enc(0.3 * m) * 0.4 + enc(0.3 * n) * 0.3 + enc(0.3 * k) * 0.3;",
        ),
        (
            "last layout counts",
            "layout(std140, row_major, column_major) uniform B { layout(row_major, column_major) mat2x3 a; layout(column_major, row_major) mat2x3 b; mat2x3 c; };",
            "o = enc(vec4(a[1], b[1].x) + vec4(b[0], c[0].z) + vec4(c[1], a[0].y));",
        ),
        (
            "default row major",
            "layout(row_major) uniform; layout(std140) uniform B { mat3 a; float b; }; layout(column_major, std140) uniform C { mat3 a; } c;",
            "o = enc(a * v_a.xyz + c.a * v_b.xyz + b);",
        ),
        (
            "block with instance",
            "layout(std140) uniform B { vec3 a; float b; struct_t; } ;".replace("struct_t;", "vec2 c[2];").leak(),
            "o = enc(vec4(a, b) + vec4(c[int(v_a.x * 1.9)], c[1]));",
        ),
        (
            "instances and arrays of blocks",
            "struct S { vec2 a; float b[2]; mat2x3 m; }; layout(std140) uniform B { S s[2]; vec4 t; } b; layout(std140) uniform C { vec4 v; float w; } c[2];",
            "int n = int(v_a.x * 1.9); S s = b.s[n]; o = enc(vec4(s.a, s.b[1 - n], s.m[n].z) + b.t + c[0].v * c[1].w + vec4(b.s[1].m * v_a.xy, b.s[n].b[n]));",
        ),
        (
            "whole arrays out of blocks",
            "layout(std140) uniform B { float a[4]; vec3 b[2]; mat2 m[2]; };",
            "float x[4] = a; vec3 y[2] = b; mat2 z[2] = m; bool same = x == a; float s = 0.0; for (int i = 0; i < x.length(); i++) s += x[i] * float(i + 1); o = enc(vec4(s, y[1].xy, z[int(v_a.x * 1.9)][1].y)) * 0.7 + enc(same) * 0.3;",
        ),
        (
            "dynamic component of uniforms",
            "uniform vec4 a; uniform mat3 m; uniform vec3 b[2];",
            "int n = int(v_a.x * 2.9); o = enc(vec4(a[n], m[n][2 - n], b[n / 2][n], m[1][n]));",
        ),
    ];
    table.iter().map(|(name, declarations, body)| case(*name, declarations, body)).collect()
}

/// Varyings, attributes and other things that need a vertex shader of their own: (name, vertex, fragment).
pub fn interfaces() -> Vec<Case> {
    let table: &[(&str, &str, &str)] = &[
        (
            "reordered varyings",
            "in vec4 a_position; in vec4 a_color; out vec3 c; out vec2 b; out float a; void main() { a = a_color.x; b = a_color.yz; c = a_color.zyw; gl_Position = a_position; }",
            "in float a; in vec2 b; in vec3 c; out vec4 o; void main() { o = vec4(a, b, c.z); }",
        ),
        (
            "undefined: struct of arrays as varying",
            "struct S { vec3 p; float q[2]; mat2 m; }; in vec4 a_position; in vec4 a_color; out S s; out vec2 t[3]; out mat3x2 k; void main() { s.p = a_color.xyz; s.q = float[2](a_color.w, a_color.x * 2.0); s.m = mat2(a_color); for (int i = 0; i < 3; i++) t[i] = a_color.xy * float(i); k = mat3x2(a_color.x, a_color.y, a_color.z, a_color.w, 0.5, 0.25); gl_Position = a_position; }",
            "struct S { vec3 p; float q[2]; mat2 m; }; in S s; in vec2 t[3]; in mat3x2 k; out vec4 o; void main() { int i = int(s.p.x * 2.9); o = vec4(s.p.y + s.q[1] * 0.2, t[i].x * 0.3 + s.m[1].y * 0.3, k[i].x * 0.5, 1.0); }",
        ),
        (
            "struct, array and matrix varyings",
            "struct S { vec3 p; float q; mat2 m; }; in vec4 a_position; in vec4 a_color; out S s; out vec2 t[3]; out mat3x2 k; void main() { s.p = a_color.xyz; s.q = a_color.w; s.m = mat2(a_color); for (int i = 0; i < 3; i++) t[i] = a_color.xy * float(i); k = mat3x2(a_color.x, a_color.y, a_color.z, a_color.w, 0.5, 0.25); gl_Position = a_position; }",
            "struct S { vec3 p; float q; mat2 m; }; in S s; in vec2 t[3]; in mat3x2 k; out vec4 o; void main() { int i = int(s.p.x * 2.9); o = vec4(s.p.y + s.q * 0.2, t[i].x * 0.3 + s.m[1].y * 0.3, k[i].x * 0.5, 1.0); }",
        ),
        (
            "flat varyings",
            "in vec4 a_position; in vec4 a_color; flat out int a; flat out uvec2 b; flat out vec3 c; void main() { a = int(a_color.x * 9.0) + 2; b = uvec2(3u, 200u); c = vec3(0.25, 0.5, 0.75); a = 5; gl_Position = a_position; }",
            "flat in vec3 c; flat in int a; flat in uvec2 b; out vec4 o; void main() { o = vec4(float(a) * 0.1, float(b.y) / 255.0, c.xz); }",
        ),
        (
            "centroid, smooth, invariant",
            "invariant gl_Position; in vec4 a_position; in vec4 a_color; centroid out vec4 a; smooth out vec2 b; invariant out vec2 c; void main() { a = a_color; b = a_color.xy; c = a_color.zw; gl_Position = a_position; }",
            "centroid in vec4 a; smooth in vec2 b; in vec2 c; out vec4 o; void main() { o = vec4(a.xy * b, c); }",
        ),
        (
            "unused varyings",
            "in vec4 a_position; in vec4 a_color; out vec4 a; out vec4 unused; void main() { a = a_color; unused = a; gl_Position = a_position; }",
            "in vec4 a; in vec3 missing; out vec4 o; void main() { o = a; }",
        ),
        (
            "functions that nothing calls",
            "in vec4 a_position; in vec4 a_color; in vec3 a_normal; uniform mat4 u; out vec4 a; out vec3 n; vec3 g = vec3(1.0); void unlit() { n = mat3(u) * a_normal + g; } void main() { a = a_color; gl_Position = a_position; }",
            "in vec4 a; in vec3 n; uniform sampler2D s; vec4 lit() { return texture(s, n.xy) * n.z; } out vec4 o; void main() { o = a; }",
        ),
        (
            "never written varying",
            "in vec4 a_position; out vec4 a; void main() { gl_Position = a_position; }",
            "in vec4 a; out vec4 o; void main() { o = vec4(0.5) + a * 0.0; }",
        ),
        (
            "attribute types",
            "in vec4 a_position; in float a_f; in ivec3 a_i; in uvec2 a_u; in mat2x3 a_m; in int a_one; out vec4 v; void main() { v = vec4(a_f, float(a_i.y) * 0.1, float(a_u.x) * 0.1, a_m[1].z + float(a_one) * 0.1); gl_Position = a_position; }",
            "in vec4 v; out vec4 o; void main() { o = v; }",
        ),
        (
            "explicit attribute locations",
            "layout(location = 3) in vec4 a_position; layout(location = 1) in vec4 other; out vec4 v; void main() { v = other; gl_Position = a_position; }",
            "in vec4 v; out vec4 o; void main() { o = v; }",
        ),
        (
            "vertex id",
            "in vec4 a_position; out vec4 v; void main() { float k = float(gl_VertexID) + float(gl_InstanceID); v = vec4(k / 6.0, fract(k * 0.3), 0.5, 1.0); gl_Position = a_position; }",
            "in vec4 v; out vec4 o; void main() { o = v; }",
        ),
        (
            "position read back and depth",
            "in vec4 a_position; out vec4 v; void main() { gl_Position = a_position; gl_Position.z = -0.3; gl_Position.xyz *= 2.0; gl_Position.w *= 2.0; gl_PointSize = 3.0; v = gl_Position + gl_PointSize * 0.01; }",
            "in vec4 v; out vec4 o; void main() { o = vec4(v.xy * 0.2 + 0.5, gl_FragCoord.z, v.w * 0.3); }",
        ),
        (
            "perspective",
            "in vec4 a_position; in vec4 a_color; out vec4 v; void main() { v = a_color; float w = 1.0 + a_color.x; gl_Position = vec4(a_position.xy, 0.2, 1.0) * w; }",
            "in vec4 v; out vec4 o; void main() { o = vec4(v.xyz, gl_FragCoord.w); }",
        ),
        (
            "uniforms shared by the stages",
            "uniform vec4 a; uniform float only_here; layout(std140) uniform B { vec4 c; mat2 m; }; in vec4 a_position; out vec4 v; void main() { v = a * 0.3 + c * only_here; gl_Position = a_position; }",
            "layout(std140) uniform B { vec4 c; mat2 m; }; uniform float other; uniform vec4 a; in vec4 v; out vec4 o; void main() { o = v * 0.5 + a * 0.1 + other * 0.1 + vec4(m[1], c.xy) * 0.1; }",
        ),
        (
            "vertex textures",
            "uniform sampler2D s; uniform highp sampler2DShadow s2; uniform highp isampler2D s3; in vec4 a_position; in vec4 a_color; out vec4 v; void main() { v = texture(s, a_color.xy) * 0.5 + textureLod(s, a_color.yz, 1.0) * 0.2 + texture(s2, vec3(a_color.xy, 0.5)) * 0.2 + vec4(texelFetch(s3, ivec2(1, 2), 0) & 31) / 99.0; gl_Position = a_position; }",
            "in vec4 v; out vec4 o; void main() { o = v; }",
        ),
        (
            "output of two components",
            "in vec4 a_position; in vec4 a_color; out vec4 v; void main() { v = a_color; gl_Position = a_position; }",
            "in vec4 v; layout(location = 0) out vec4 o; layout(location = 1) out vec2 second; void main() { o = v; second = v.xy; }",
        ),
    ];
    table
        .iter()
        .map(|(name, vertex, fragment)| Case {
            name: (*name).to_owned(),
            vertex: format!("#version 300 es\n{vertex}\n"),
            fragment: format!("#version 300 es\nprecision highp float; precision highp int;\n{fragment}\n"),
        })
        .collect()
}

/// All of them.
pub fn all() -> Vec<Case> {
    use super::cases;
    let lists = [
        language(),
        uniforms(),
        interfaces(),
        textures(),
        cases::builtin_functions(),
        cases::matrix_functions(),
        cases::constructors(),
        cases::operators(),
    ];
    lists.into_iter().flatten().collect()
}
