//! Bytes → commands, whatever the ABI.

use std::ops::ControlFlow;

use super::a3a0::{self, Stream};
use super::reference::{self, decode_packets};
use super::{Abi, AbiError};
use crate::command::Command;

/// Who is given commands, one by one, and says with each whether more are wanted.
pub trait CommandSink {
    /// What whoever has the commands decoded is told when no more are wanted.
    type Break;

    /// A command, which stands at the absolute file offset `offset`.
    fn command(&mut self, offset: u64, command: Command) -> ControlFlow<Self::Break>;

    /// A packet at `offset` that cannot be decoded. Where those behind it can be all the same, and more are wanted, they
    /// follow.
    fn damage(&mut self, offset: u64, error: AbiError) -> ControlFlow<Self::Break>;
}

/// Gives the commands of a Packet record, whose payload lies at the absolute file offset `offset`, to `sink` in their
/// order.
#[inline(always)]
pub fn decode<S: CommandSink>(payload: &[u8], offset: u64, sink: &mut S) -> ControlFlow<S::Break> {
    match Abi::detect(payload) {
        Abi::Reference => {
            let mut packets = decode_packets(payload, offset);
            loop {
                let at = packets.offset();
                // Commands and errors go separate ways at once: together they would be copied around for every draw.
                match packets.next() {
                    Some(Ok((offset, packet))) => match reference::lower(packet, offset) {
                        Ok(command) => sink.command(at, command)?,
                        Err(error) => damage(at, error, sink)?,
                    },
                    Some(Err(error)) => damage(at, error, sink)?,
                    None => return ControlFlow::Continue(()),
                }
            }
        }
        Abi::A3a0 => decode_stream(payload, offset, sink),
        Abi::Agpc => damage(offset, AbiError::Retired { offset }, sink),
    }
}

#[cold]
#[inline(never)]
fn damage<S: CommandSink>(at: u64, error: AbiError, sink: &mut S) -> ControlFlow<S::Break> {
    sink.damage(at, error)
}

/// Whether a Packet record carries out a submission's work: a whole stream.
#[inline]
pub fn runs_as_submission(payload: &[u8]) -> bool {
    Abi::detect(payload) == Abi::A3a0
}

/// Gives the commands of a submission's stream, which lies at the absolute file offset `offset`, to `sink`. An empty
/// stream has none.
#[cold]
#[inline(never)]
pub fn decode_stream<S: CommandSink>(bytes: &[u8], offset: u64, sink: &mut S) -> ControlFlow<S::Break> {
    // The recorder writes an empty one for a descriptor that it cannot make sense of.
    if bytes.is_empty() {
        return ControlFlow::Continue(());
    }
    let stream = match Stream::parse(bytes, offset) {
        Ok(stream) => stream,
        Err(error) => return sink.damage(offset, error.into()),
    };
    let (mut packets, minor) = (stream.packets(), stream.header.minor());
    loop {
        let at = packets.offset();
        // Commands and errors go separate ways at once, here too.
        match packets.next() {
            Some(Ok(packet)) => match a3a0::lower(&packet, minor) {
                Ok(command) => sink.command(at, command)?,
                Err(error) => damage(at, error, sink)?,
            },
            Some(Err(error)) => damage(at, error.into(), sink)?,
            None => return ControlFlow::Continue(()),
        }
    }
}
