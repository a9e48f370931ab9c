//! Waiting in a browser: the stack is put aside until a promise is settled.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use js_sys::futures::future_to_promise;
use wasm_bindgen::JsValue;

use super::NoEvent;

/// Outcome of a future. One that is ready at once suspends nothing: OpenGL ES needs no promise integration.
pub(in crate::gpu) fn block_on<T: 'static>(future: impl Future<Output = T> + 'static) -> T {
    let mut future = Box::pin(future);
    if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return value;
    }
    let place = Rc::new(Cell::new(None));
    let kept = place.clone();
    let promise = future_to_promise(async move {
        kept.set(Some(future.await));
        Ok(JsValue::UNDEFINED)
    });
    loop {
        #[expect(deprecated, reason = "it is marked as experimental in this way")]
        let settled = js_sys::futures::jspi_block_on_promise(&promise);
        if let (Ok(_), Some(value)) = (settled, place.take()) {
            return value;
        }
    }
}

/// A value that a callback tells, once.
pub(in crate::gpu) struct Event<T>(Arc<Mutex<Told<T>>>);

/// The callback's end of an [`Event`].
pub(in crate::gpu) struct Teller<T>(Arc<Mutex<Told<T>>>);

struct Told<T> {
    value: Option<Result<T, NoEvent>>,
    waiting: Option<Waker>,
}

/// An event, and what tells it.
pub(in crate::gpu) fn event<T: 'static>() -> (Teller<T>, Event<T>) {
    let place = Arc::new(Mutex::new(Told { value: None, waiting: None }));
    (Teller(place.clone()), Event(place))
}

fn lock<T>(place: &Mutex<Told<T>>) -> MutexGuard<'_, Told<T>> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Teller<T> {
    /// Tells it.
    pub(in crate::gpu) fn tell(self, value: T) {
        lock(&self.0).value = Some(Ok(value));
    }
}

impl<T> Drop for Teller<T> {
    fn drop(&mut self) {
        let mut place = lock(&self.0);
        place.value.get_or_insert(Err(NoEvent::NeverTold));
        let waiting = place.waiting.take();
        drop(place);
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl<T: 'static> Event<T> {
    /// Waits. A page that waits too long ends the worker that all of this runs in.
    pub(in crate::gpu) fn wait(self, _longest: Duration) -> Result<T, NoEvent> {
        block_on(self)
    }
}

impl<T> Future for Event<T> {
    type Output = Result<T, NoEvent>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut place = lock(&self.0);
        match place.value.take() {
            Some(told) => Poll::Ready(told),
            None => {
                place.waiting = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
