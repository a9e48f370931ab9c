//! The canonical text of a trace: one line per operation, equal for equal content however it is stored.

use std::fmt::Write as _;
use std::io::{self, Write};

use sha2::{Digest, Sha256};

use super::{Blob, Call, Element, Error, Function, Op, Reader, Type, Value};

/// The call that ends a frame in the numbering of the canonical text (libtrace's rule, which knows no other).
pub const SWAP_NAME: &[u8] = b"glXSwapBuffers";

/// Writes the canonical text of every operation, and gives back the error that ended the trace, if one did. The line
/// of the operation with the error is left out.
pub fn write_canonical(reader: &mut Reader<'_>, out: &mut impl Write) -> io::Result<Option<Error>> {
    let header = reader.header();
    let (endian, functions, groups) = (header.endian.name(), header.max_functions, header.max_groups);
    writeln!(out, "WIP15 endian={endian} version=0.0 max_functions={functions} max_groups={groups}")?;
    let mut line = String::new();
    let mut frame = 0;
    while let Some(op) = reader.next_op() {
        line.clear();
        match op.and_then(|op| format_op(&mut line, op, &mut frame)) {
            Ok(()) => writeln!(out, "{line}")?,
            Err(error) => return Ok(Some(error)),
        }
    }
    Ok(None)
}

fn format_op(line: &mut String, op: Op<'_>, frame: &mut u64) -> Result<(), Error> {
    match op {
        Op::Function(function) => format_function(line, function),
        Op::Group(group) => {
            push(line, format_args!("G {} {} ", group.index, group.kind));
            format_quoted(line, group.name);
        }
        Op::Call(call) => {
            format_call(line, &call, *frame)?;
            *frame += u64::from(*call.function.name == *SWAP_NAME);
        }
    }
    Ok(())
}

/// Formatting into a `String` does not fail.
fn push(line: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = line.write_fmt(text);
}

fn format_function(line: &mut String, function: &Function) {
    push(line, format_args!("F {} ", function.index));
    format_quoted(line, &function.name);
    push(line, format_args!(" {} (", function.result));
    for (index, kind) in function.arguments.iter().enumerate() {
        push(line, format_args!("{}{kind}", if index == 0 { "" } else { "," }));
    }
    line.push(')');
}

fn format_call(line: &mut String, call: &Call<'_>, frame: u64) -> Result<(), Error> {
    push(line, format_args!("C {} {frame} {} ", call.index.0, call.function.index));
    format_quoted(line, &call.function.name);
    line.push('(');
    for (index, value) in call.arguments().enumerate() {
        line.push_str(if index == 0 { "" } else { ", " });
        format_value(line, &value)?;
    }
    line.push(')');
    let is_void = Type { has_group: false, ..call.function.result } == Type::VOID;
    if let Some(value) = call.result().filter(|_| !is_void) {
        line.push_str(" = ");
        format_value(line, &value)?;
    }
    for (index, extra) in call.extras().enumerate() {
        line.push_str(if index == 0 { " {" } else { ", " });
        format_quoted(line, extra.name);
        push(line, format_args!(":{}:{}", extra.data.size_bytes, digest(&extra.data)?));
    }
    if call.extras().next().is_some() {
        line.push('}');
    }
    Ok(())
}

fn format_value(line: &mut String, value: &Value<'_>) -> Result<(), Error> {
    let is_list = value.kind.is_array && value.kind.base != super::BaseType::Variant;
    line.push_str(if is_list { "[" } else { "" });
    for (index, element) in value.elements.enumerate() {
        line.push_str(if index == 0 { "" } else { ", " });
        format_element(line, &element)?;
    }
    line.push_str(if is_list { "]" } else { "" });
    if let Some(group) = value.group {
        push(line, format_args!("@{group}"));
    }
    Ok(())
}

fn format_element(line: &mut String, element: &Element<'_>) -> Result<(), Error> {
    match element {
        Element::Void => line.push_str("void"),
        Element::UInt(number) => push(line, format_args!("{number}")),
        Element::Int(number) => push(line, format_args!("{number}")),
        Element::Ptr(address) => push(line, format_args!("{address:#x}")),
        Element::Bool(is_true) => push(line, format_args!("{is_true}")),
        Element::Float(number) => push(line, format_args!("f{:08x}", number.to_bits())),
        Element::Double(number) => push(line, format_args!("d{:016x}", number.to_bits())),
        Element::String(bytes) => format_quoted(line, bytes),
        Element::Data(blob) => push(line, format_args!("data({},{})", blob.size_bytes, digest(blob)?)),
        Element::FunctionPtr => line.push_str("fptr"),
        Element::Variant(value) => {
            push(line, format_args!("var<{}>", value.kind));
            format_value(line, value)?;
        }
    }
    Ok(())
}

/// First 16 hexadecimal digits of the SHA-256 of the decompressed bytes.
fn digest(blob: &Blob<'_>) -> Result<String, Error> {
    let hash = Sha256::digest(blob.unpack()?.bytes);
    Ok(hash.iter().take(8).fold(String::new(), |mut text, byte| {
        push(&mut text, format_args!("{byte:02x}"));
        text
    }))
}

fn format_quoted(line: &mut String, bytes: &[u8]) {
    line.push('"');
    for &byte in bytes {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => push(line, format_args!("\\x{byte:02x}")),
            _ => line.push(char::from(byte)),
        }
    }
    line.push('"');
}
