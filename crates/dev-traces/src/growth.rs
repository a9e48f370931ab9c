//! Traces that can be made any size, in which each command depends on as little as in a small one: what is done with them
//! must take as much longer as they are larger, and no more.

use aerogpu_trace::abi::a3a0::resources::DestroyResource;

use super::clearing_frames::target_and_left_half;
use super::scene::{RED, Scene, rectangle, vertices};
use super::streams::{R8G8B8A8, Stream, StreamOfTests, recording};

/// Frames of submissions, each of which draws over what the one before shows.
pub fn chained_submissions(frames: u32) -> Vec<u8> {
    let stream = |frame| {
        let mut stream = Stream::new();
        if frame == 0 {
            target_and_left_half(&mut stream);
        }
        stream.draw(0, if frame % 2 == 0 { 6 } else { 3 }).present();
        stream.finish()
    };
    let streams: Vec<Vec<u8>> = (0..frames).map(stream).collect();
    recording(streams.iter().map(Vec::as_slice))
}

/// Frames of packets of Appendix A, each of which draws over what the one before shows.
pub fn chained_packets(frames: u32) -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 0.0, 1.0), RED)).bind(1);
    for frame in 0..frames {
        if frame > 0 {
            scene.begin();
        }
        scene.draw(0, if frame % 2 == 0 { 6 } else { 3 }).end();
    }
    scene.finish()
}

/// Two frames: one makes so many textures, the next destroys them.
pub fn many_resources(count: u32) -> Vec<u8> {
    let (mut makes, mut ends) = (Stream::new(), Stream::new());
    for handle in 1..=count {
        makes.texture(handle, R8G8B8A8, [4, 4], [1, 1]);
        ends.put(DestroyResource { handle, reserved: 0 });
    }
    makes.targets(&[1], 0).present();
    ends.present();
    let frames = [makes, ends].map(Stream::finish);
    recording(frames.iter().map(Vec::as_slice))
}
