//! Bytes → words of the preprocessor's language → [`pair::check`]. Most inputs are directives and calls of macros that
//! were defined before, which bytes alone seldom become.

#![no_main]

mod pair;

use libfuzzer_sys::fuzz_target;

/// A byte below their number is a word; any other stands for itself.
const WORDS: [&str; 64] = [
    "\n#define ", "\n#undef ", "\n#if ", "\n#ifdef ", "\n#ifndef ", "\n#elif ", "\n#else\n", "\n#endif\n", "\n#line ",
    "\n#extension ", "\n#pragma ", "\n#error ", "\n#version 300 es\n", "\n#", "\n", " ", "\\\n", "\\\r\n", "/*", "*/", "//",
    "a", "b", "c", "f", "g", "f(", "g(", "f(x)", "g(x,y)", "x", "y", "a(", "(", ")", ",", "defined ", "defined(",
    "__LINE__", "__FILE__", "__VERSION__", "GL_ES", "GL_x", "0", "1", "07", "0x1F", "2u", "1.5", "1e", "&&", "||", "==",
    "+", "-", "*", "/", "%", "<<", ">>", "!", "~", "##", ";",
];

fuzz_target!(|data: &[u8]| {
    let mut text = b"#version 300 es\nout mediump vec4 o;\n".to_vec();
    for byte in data {
        match WORDS.get(usize::from(*byte)) {
            Some(word) => text.extend_from_slice(word.as_bytes()),
            None => text.push(*byte),
        }
    }
    text.extend_from_slice(b"\nvoid main() { o = vec4(1.0); }\n");
    pair::check(pair::VERTEX, &text);
});
