//! The event loop's side of the window.

use std::sync::Arc;
use std::time::Instant;

use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::{Window, WindowId};

use super::keys::Action;
use super::pacing::Pacing;
use super::presenter::{Presented, Presenter};
use super::{WindowError, WindowOptions};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::gpu::Gpu;
use crate::pixels::Size;
use crate::player::{Player, Until};

/// A new window's larger side is about this long: small targets are enlarged by a whole factor.
const WINDOW_SIDE_PX: u32 = 640;

pub(super) struct App {
    trace: Arc<Trace>,
    options: WindowOptions,
    shown: Option<Shown>,
    frame: FrameIndex,
    pacing: Pacing,
    pictures: u64,
    error: Option<WindowError>,
}

/// What exists once the window does.
struct Shown {
    window: Arc<Window>,
    player: Player,
    presenter: Presenter,
}

impl App {
    pub fn new(trace: Arc<Trace>, options: WindowOptions) -> Self {
        let pacing = Pacing::new(options.fps);
        let frame = options.first_frame;
        Self { trace, options, shown: None, frame, pacing, pictures: 0, error: None }
    }

    pub fn into_result(self) -> Result<(), WindowError> {
        self.error.map_or(Ok(()), Err)
    }

    fn last_frame(&self) -> FrameIndex {
        FrameIndex(self.trace.frames().len().saturating_sub(1) as u32)
    }

    fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<Shown, WindowError> {
        let refused = |error: &dyn std::fmt::Display| WindowError::WindowSystem(error.to_string());
        let attributes =
            Window::default_attributes().with_title(&self.options.name).with_inner_size(window_size(self.options.size));
        let window = Arc::new(event_loop.create_window(attributes).map_err(|error| refused(&error))?);
        let make_display =
            || -> Box<dyn wgpu::wgt::WgpuHasDisplayHandle> { Box::new(event_loop.owned_display_handle()) };
        let options = &self.options;
        let make_surface = |instance: &wgpu::Instance| instance.create_surface(window.clone());
        let (gpu, surface) =
            Gpu::open_for_surface(options.backend, &options.adapter, options.timeout, make_display, make_surface)?;
        log::info!("adapter: {}", gpu.summary());
        let gpu = Arc::new(gpu);
        let size = options.size;
        let mut player = Player::new(self.trace.clone(), gpu.clone(), size)?;
        player.set_shader_options(self.options.shaders.clone());
        if let Some(watchdog) = self.options.watchdog.take() {
            player.set_watchdog(watchdog);
        }
        let presenter = Presenter::new(gpu, surface, player.renderer().target_view(), size);
        let mut presenter = presenter.ok_or_else(|| refused(&"the adapter has no format for its surface"))?;
        let size = window.inner_size();
        presenter.resize(size.width, size.height);
        Ok(Shown { window, player, presenter })
    }

    /// Goes to a frame and asks for it to be shown. A frame that cannot be replayed pauses playback and says why.
    fn go_to(&mut self, frame: FrameIndex) {
        self.frame = frame;
        let Some(shown) = &mut self.shown else { return };
        let result = shown.player.seek(frame, Until::EndOfFrame);
        for finding in shown.player.diagnostics().take().findings() {
            log::warn!("{finding}");
        }
        if let Err(error) = &result {
            eprintln!("error: {error}");
            self.pacing.pause();
        }
        let state = match (&result, self.pacing.is_playing()) {
            (Err(_), _) => ", error",
            (Ok(()), true) => ", playing",
            (Ok(()), false) => "",
        };
        let (name, last) = (&self.options.name, self.trace.frames().len());
        let adapter = shown.player.renderer().gpu().summary();
        shown.window.set_title(&format!("{name} – frame {frame}/{last}{state} – {adapter}"));
        shown.window.request_redraw();
        if let Err(error) = result {
            self.error.get_or_insert(error.into());
        }
    }

    fn act(&mut self, action: Action, event_loop: &ActiveEventLoop) {
        let (frame, last) = (self.frame, self.last_frame());
        match action {
            Action::TogglePlay if self.pacing.is_playing() => {
                self.pacing.pause();
                self.go_to(frame);
            }
            Action::TogglePlay => {
                self.pacing.play(Instant::now());
                // Play at the end starts over.
                self.go_to(if frame == last { FrameIndex(0) } else { frame });
            }
            Action::NextFrame => self.go_to(FrameIndex(frame.0 + 1).min(last)),
            Action::PreviousFrame => self.go_to(FrameIndex(frame.0.saturating_sub(1))),
            Action::FirstFrame => self.go_to(FrameIndex(0)),
            Action::LastFrame => self.go_to(last),
            Action::Save => self.save(),
            Action::Quit => event_loop.exit(),
        }
    }

    fn save(&mut self) {
        let Some(shown) = &mut self.shown else { return };
        let saved = match shown.player.read_back() {
            Ok(picture) => (self.options.save)(self.frame, &picture),
            Err(error) => Err(error.to_string()),
        };
        match saved {
            Ok(path) => eprintln!("saved {}", path.display()),
            Err(error) => eprintln!("error: {error}"),
        }
    }

    fn redraw(&mut self, event_loop: &ActiveEventLoop) {
        let Some(shown) = &mut self.shown else { return };
        match shown.presenter.present() {
            Presented::Shown => self.pictures += 1,
            Presented::Skipped => {}
            Presented::SurfaceLost => {
                let gpu = shown.player.renderer().gpu();
                match gpu.instance.create_surface(shown.window.clone()) {
                    Ok(surface) => shown.presenter.replace_surface(surface),
                    Err(error) => {
                        self.error.get_or_insert(WindowError::WindowSystem(error.to_string()));
                        event_loop.exit();
                    }
                }
                shown.window.request_redraw();
            }
        }
        if let Err(error) = shown.player.renderer().gpu().check("window", Default::default()) {
            self.error.get_or_insert(error.into());
            event_loop.exit();
        }
        if let Some(wanted) = self.options.quit_after {
            if self.pictures >= wanted {
                event_loop.exit();
            }
            shown.window.request_redraw();
        }
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.shown.is_some() {
            return;
        }
        match self.open(event_loop) {
            Ok(shown) => {
                self.shown = Some(shown);
                if self.options.plays {
                    self.pacing.play(Instant::now());
                }
                self.go_to(self.frame);
            }
            Err(error) => {
                self.error = Some(error);
                event_loop.exit();
            }
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _window: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => event_loop.exit(),
            // A change of DPI comes with a new size of its own.
            WindowEvent::Resized(size) => {
                if let Some(shown) = &mut self.shown {
                    shown.presenter.resize(size.width, size.height);
                    shown.window.request_redraw();
                }
            }
            WindowEvent::RedrawRequested => self.redraw(event_loop),
            WindowEvent::KeyboardInput {
                event: KeyEvent { logical_key, state: ElementState::Pressed, .. }, ..
            } => {
                if let Some(action) = Action::of(&logical_key) {
                    self.act(action, event_loop);
                }
            }
            _ => {}
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if self.pacing.take_due(Instant::now()) {
            if self.frame < self.last_frame() {
                self.go_to(FrameIndex(self.frame.0 + 1));
            } else {
                self.pacing.pause();
                self.go_to(self.frame);
            }
        }
        event_loop.set_control_flow(self.pacing.next().map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }
}

fn window_size(picture: Size) -> PhysicalSize<u32> {
    let factor = (WINDOW_SIDE_PX / picture.width_px.max(picture.height_px)).max(1);
    PhysicalSize::new(picture.width_px * factor, picture.height_px * factor)
}
