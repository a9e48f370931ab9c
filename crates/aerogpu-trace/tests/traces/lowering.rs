//! Packets become commands, and nothing of them is lost on the way.

use std::collections::BTreeSet;
use std::sync::Arc;

use aerogpu_trace::abi::a3a0::{DisplayFormat, Layout, RestPlace, Rule};
use aerogpu_trace::abi::a3a0::{Elements, RawPacket, VertexBufferBinding};
use aerogpu_trace::abi::{ListedPacket, SubmittedCommands, list_elements};
use aerogpu_trace::command::{Command, Payload, ResourceId, ShaderCode};
use aerogpu_trace::container::Trace;
use trace_base::bytes::{Diagnostics, MemorySource};

use dev_traces::made;
use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![every_packet_is_a_command, every_field_means_something, payloads_and_lists_stay_in_the_file]
}

fn trace(bytes: Vec<u8>) -> Trace {
    Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap()
}

/// Gives every packet of our own traces to `each`.
fn packets(mut each: impl FnMut(&Trace, &ListedPacket<'_>)) {
    for (_, make) in made::ALL {
        let trace = trace(make());
        let (mut commands, mut reader) = (SubmittedCommands::new(&trace), trace.records(trace.stream()));
        while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
            let Some(submitted) = commands.of(&record).unwrap() else { continue };
            let bytes = commands.read(&submitted).unwrap();
            submitted.packets(&bytes).for_each(|packet| each(&trace, &packet.unwrap()));
        }
    }
}

fn every_packet_is_a_command() {
    let mut names = BTreeSet::new();
    packets(|_, packet| {
        let command = packet.command().unwrap_or_else(|error| panic!("{}: {error}", packet.kind.name()));
        assert_eq!(command.name(), packet.kind.name());
        names.insert(command.name());
    });
    let missing: Vec<_> =
        Layout::all().filter(|layout| !names.contains(layout.name)).map(|layout| layout.name).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(names.contains("UNKNOWN"), "opcodes that nobody knows are named and passed over");
}

fn bytes_at(packet: &ListedPacket<'_>, at: u32) -> u32 {
    u32::from_le_bytes(packet.bytes[at as usize..][..4].try_into().unwrap())
}

/// A bit of any field that is not reserved changes the command, or leaves none.
fn every_field_means_something() {
    let mut changed = 0;
    packets(|_, packet| {
        let opcode = u32::from_le_bytes(packet.bytes[..4].try_into().unwrap());
        let Some(layout) = Layout::of(opcode) else { return };
        let before = packet.command().unwrap();
        for (at, field) in layout.fields_in(packet.bytes.len() as u32) {
            let is_read = !matches!(field.spec.rule, Rule::Reserved | Rule::StageEx)
                && field.spec.display != DisplayFormat::Padding
                && field.name != "reserved"
                // Where in no allocation a resource lies means nothing.
                && !(field.name == "backing_offset" && bytes_at(packet, at - 4) == 0);
            if !is_read {
                continue;
            }
            let mut bytes = packet.bytes.to_vec();
            // Two numbers name the geometry stage, and differ in their first bit.
            bytes[at as usize] ^= if field.spec.rule == Rule::Stage { 2 } else { 1 };
            let after = ListedPacket { bytes: &bytes, ..*packet }.command();
            assert_ne!(after.as_ref().ok(), Some(&before), "{}.{}", layout.name, field.name);
            changed += 1;
        }
    });
    assert!(changed > 200, "{changed} fields");
}

/// Bytes in the file that a command names are where the packet has them.
fn payloads_and_lists_stay_in_the_file() {
    let (mut payloads, mut slots) = (0, 0);
    packets(|trace, packet| {
        let opcode = u32::from_le_bytes(packet.bytes[..4].try_into().unwrap());
        let raw = RawPacket { offset: packet.offset, opcode, bytes: packet.bytes };
        let rest = Layout::of(opcode).and_then(|layout| RestPlace::of(&raw, layout)).map(|place| place.bytes(&raw));
        let place = match packet.command().unwrap() {
            Command::Upload(upload) => match upload.payload {
                Payload::Inline(bytes) => bytes,
                Payload::Blob(_) => panic!("a stream's uploads carry their bytes"),
            },
            Command::CreateShader(shader) => match shader.code {
                ShaderCode::Bytecode(bytes) => bytes,
                ShaderCode::Texts(_) => panic!("a stream's shaders are bytecode"),
            },
            Command::CreateLayout(layout) => layout.declaration,
            Command::SetConstants(constants) => constants.values,
            Command::SetVertexBuffers(buffers) => {
                let bytes = trace.read(buffers.slots.bytes.range()).unwrap();
                let wire: Vec<VertexBufferBinding> = Elements::new(rest.unwrap()).unwrap().iter().collect();
                let read: Vec<_> = list_elements(buffers.slots, &bytes).collect();
                assert_eq!(read.len(), wire.len());
                for (read, wire) in read.iter().zip(wire) {
                    let expected = (ResourceId::bound(wire.buffer), wire.stride_bytes, wire.offset_bytes);
                    assert_eq!((read.buffer, read.stride_bytes, read.offset_bytes), expected);
                    slots += 1;
                }
                return;
            }
            _ => return,
        };
        assert_eq!(trace.read(place.range()).unwrap(), rest.unwrap(), "{}", packet.kind.name());
        payloads += 1;
    });
    assert!(payloads >= 6 && slots >= 2, "{payloads} payloads, {slots} slots");
}
