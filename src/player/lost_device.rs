//! A device that is lost while a submission is played: whatever is asked of its player from there on is told so.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::{Player, PlayerError};
use crate::command::Place;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::gpu::{AdapterChoice, BackendChoice, Gpu};
use crate::replay::DEFAULT_SIZE;

const REASON: &str = "it was removed";

#[track_caller]
fn assert_lost<T>(result: Result<T, PlayerError>) {
    let Err(error) = result else { panic!("a lost device is drawing") };
    assert_eq!(error.to_string(), format!("the device was lost: {REASON}"));
    assert_eq!(error.kind(), ErrorKind::ReplayFailed);
    assert!(error.is_of_device());
}

#[test]
fn a_device_that_is_lost_in_mid_submission_is_told() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/aerogpu/scenes/seed-102.aerogputrace");
    let trace = Arc::new(Trace::open(&path).unwrap());
    let gpu = Arc::new(Gpu::open(BackendChoice::Noop, &AdapterChoice::Best, Duration::from_secs(10)).unwrap());
    let mut player = Player::new(trace.clone(), gpu.clone(), DEFAULT_SIZE).unwrap();
    player.seek(Place::at_draw(FrameIndex(0), 0)).unwrap();
    gpu.lose(REASON);
    assert_lost(player.render(FrameIndex(0)));
    assert_lost(player.render(FrameIndex(1)));
    assert_lost(player.seek(Place::at_draw(FrameIndex(0), 0)));
    drop(player);
    let opened = Player::new(trace, gpu, DEFAULT_SIZE);
    assert_lost(opened.and_then(|mut player| player.render(FrameIndex(0))));
}
