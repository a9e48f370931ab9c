//! The event loop's side of the window.

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::ViewportId;
use winit::application::ApplicationHandler;
use winit::dpi::{LogicalSize, PhysicalSize};
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoopProxy};
use winit::window::{Window, WindowId};

use super::presenter::{Painted, Presented, Presenter};
use super::{Closed, WindowError, WindowOptions};
use crate::gpu::{AdapterChoice, BackendChoice, Gpu};
use crate::inspector::{FirstView, GpuChoice, MainView, Panels, Services, Threads, Wake};
use crate::pixels::Size;

/// Size of a new window with all its panels, in points.
const WINDOW_SIZE: LogicalSize<u32> = LogicalSize::new(1280, 840);
/// With less space the panels are of no use any more.
const SMALLEST_SIZE: LogicalSize<u32> = LogicalSize::new(480, 320);
/// A new window with nothing but the picture is about this long: small targets are enlarged by a whole factor.
const BARE_SIDE_PX: u32 = 640;

/// What other threads, and egui itself, ask of the event loop.
#[derive(Clone, Copy, Debug)]
pub(super) enum Request {
    /// To draw, after this time.
    Redraw(Duration),
    /// To close the window without asking, since nobody may be there to answer.
    Quit,
}

pub(super) struct App {
    services: Arc<dyn Services>,
    /// Taken when the window opens.
    start: Option<FirstView>,
    quit_after: Option<u64>,
    proxy: EventLoopProxy<Request>,
    shown: Option<OpenWindow>,
    pictures: u64,
    error: Option<WindowError>,
}

/// What exists once the window does.
struct OpenWindow {
    window: Arc<Window>,
    presenter: Presenter,
    egui: egui_winit::State,
    view: MainView,
    choice: GpuChoice,
    title: String,
    opened: Instant,
    /// When egui wants to draw again of its own accord.
    redraw_at: Option<Instant>,
}

impl App {
    pub(crate) fn new(services: Arc<dyn Services>, options: WindowOptions, proxy: EventLoopProxy<Request>) -> Self {
        let WindowOptions { first, quit_after } = options;
        Self { services, start: Some(first), quit_after, proxy, shown: None, pictures: 0, error: None }
    }

    /// Closes what is open, and says what became of it.
    pub(crate) fn close(self) -> Closed {
        let closed = self.shown.map(|shown| shown.view.close());
        let threads = closed.as_ref().map_or(Threads::Ended, |closed| closed.threads);
        let has_faults = closed.as_ref().is_some_and(|closed| closed.has_faults);
        let of_frame = closed.and_then(|closed| closed.error).map(WindowError::Frame);
        Closed { error: self.error.or(of_frame), has_faults, threads }
    }

    fn open(&self, first: FirstView, event_loop: &ActiveEventLoop) -> Result<OpenWindow, WindowError> {
        let refused = |error: &dyn std::fmt::Display| WindowError::WindowSystem(error.to_string());
        let attributes = Window::default_attributes().with_title("aerogpu-replay");
        let attributes = match &first {
            FirstView::Trace(trace) if trace.panels == Panels::Hidden => {
                attributes.with_inner_size(bare_size(trace.open.size))
            }
            FirstView::Trace(_) | FirstView::StartPage(_) => {
                attributes.with_inner_size(WINDOW_SIZE).with_min_inner_size(SMALLEST_SIZE)
            }
        };
        let window = Arc::new(event_loop.create_window(attributes).map_err(|error| refused(&error))?);
        let choice = first.gpu().clone();
        let presenter = open_presenter(&window, &choice, event_loop)?;
        let proxy = self.proxy.clone();
        // The event loop is gone only when the program ends; nobody is there to be woken then.
        let wake: Wake = Arc::new(move || {
            let _ = proxy.send_event(Request::Redraw(Duration::ZERO));
        });
        let view = MainView::new(self.services.clone(), first, wake).map_err(|error| refused(&error))?;
        let egui = self.make_egui(&window, &presenter);
        Ok(OpenWindow {
            window,
            presenter,
            egui,
            view,
            choice,
            title: String::new(),
            opened: Instant::now(),
            redraw_at: None,
        })
    }

    fn make_egui(&self, window: &Window, presenter: &Presenter) -> egui_winit::State {
        let context = egui::Context::default();
        let proxy = self.proxy.clone();
        context.set_request_repaint_callback(move |info| {
            let _ = proxy.send_event(Request::Redraw(info.delay));
        });
        let scale = window.scale_factor() as f32;
        let largest = presenter.gpu().largest_side_px() as usize;
        egui_winit::State::new(context, ViewportId::ROOT, window, Some(scale), window.theme(), Some(largest))
    }

    fn redraw(&mut self, event_loop: &ActiveEventLoop) {
        let Some(shown) = &mut self.shown else { return };
        shown.redraw_at = None;
        let presented = shown.draw();
        match presented {
            Presented::Shown => self.pictures += 1,
            Presented::Skipped => {}
            Presented::SurfaceLost => self.replace_surface(event_loop),
            Presented::Refused(error) => {
                self.error.get_or_insert(WindowError::Surface(error));
                event_loop.exit();
            }
        }
        self.check_gpu(event_loop);
        let Some(shown) = &mut self.shown else { return };
        if shown.view.has_quit() {
            event_loop.exit();
        }
        if let Some(wanted) = self.quit_after {
            if self.pictures >= wanted {
                event_loop.exit();
            }
            shown.window.request_redraw();
        }
    }

    fn replace_surface(&mut self, event_loop: &ActiveEventLoop) {
        let Some(shown) = &mut self.shown else { return };
        match shown.presenter.gpu().instance.create_surface(shown.window.clone()) {
            Ok(surface) => shown.presenter.replace_surface(surface),
            Err(error) => {
                self.error.get_or_insert(WindowError::WindowSystem(error.to_string()));
                event_loop.exit();
            }
        }
        shown.window.request_redraw();
    }

    /// A lost device is opened anew, and egui with it, for its textures were there; what is shown stays the same.
    fn check_gpu(&mut self, event_loop: &ActiveEventLoop) {
        let Some(shown) = &self.shown else { return };
        let error = match shown.presenter.gpu().check("window", Default::default()) {
            Ok(()) => return,
            Err(crate::gpu::GpuError::DeviceLost(reason)) => {
                log::warn!("the window's device was lost ({reason}): reopening it");
                match open_presenter(&shown.window, &shown.choice, event_loop) {
                    Ok(presenter) => {
                        let egui = self.make_egui(&shown.window, &presenter);
                        if let Some(shown) = &mut self.shown {
                            (shown.presenter, shown.egui) = (presenter, egui);
                            shown.view.forget_textures();
                            shown.window.request_redraw();
                        }
                        return;
                    }
                    Err(error) => error,
                }
            }
            Err(error) => error.into(),
        };
        self.error.get_or_insert(error);
        event_loop.exit();
    }
}

impl OpenWindow {
    /// What has happened since the last picture. The window's size is the one that was told last: asking for it panics
    /// in the window library where somebody has destroyed the window.
    fn take_input(&mut self) -> egui::RawInput {
        let pixels_per_point = egui_winit::pixels_per_point(self.egui.egui_ctx(), &self.window);
        let native = self.window.scale_factor() as f32;
        let [width, height] = self.presenter.size_px().map(|side| side as f32 / pixels_per_point);
        let input = self.egui.egui_input_mut();
        input.time = Some(self.opened.elapsed().as_secs_f64());
        let is_visible = width > 0.0 && height > 0.0;
        input.screen_rect = is_visible.then(|| egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width, height)));
        input.viewport_id = ViewportId::ROOT;
        input.viewports.entry(ViewportId::ROOT).or_default().native_pixels_per_point = Some(native);
        input.take()
    }

    /// Lets the content draw, and shows it.
    fn draw(&mut self) -> Presented {
        let input = self.take_input();
        let context = self.egui.egui_ctx().clone();
        let mut output = context.run_ui(input, |ui| self.view.ui(ui));
        self.egui.handle_platform_output(&self.window, std::mem::take(&mut output.platform_output));
        let primitives = context.tessellate(std::mem::take(&mut output.shapes), output.pixels_per_point);
        let textures = std::mem::take(&mut output.textures_delta);
        let title = self.view.title();
        if title != self.title {
            self.window.set_title(&title);
            self.title = title;
        }
        self.window.pre_present_notify();
        self.presenter.present(Painted { primitives, textures, pixels_per_point: output.pixels_per_point })
    }
}

impl ApplicationHandler<Request> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let Some(options) = self.start.take() else { return };
        match self.open(options, event_loop) {
            Ok(mut shown) => {
                let size = shown.window.inner_size();
                shown.presenter.resize(size.width, size.height);
                shown.window.request_redraw();
                self.shown = Some(shown);
            }
            Err(error) => {
                self.error = Some(error);
                event_loop.exit();
            }
        }
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, request: Request) {
        match (request, &mut self.shown) {
            (Request::Quit, _) => event_loop.exit(),
            (Request::Redraw(Duration::ZERO), Some(shown)) => shown.window.request_redraw(),
            (Request::Redraw(after), Some(shown)) => {
                if let Some(at) = Instant::now().checked_add(after) {
                    shown.redraw_at = Some(shown.redraw_at.map_or(at, |known| known.min(at)));
                }
            }
            // There is nothing to draw yet.
            (Request::Redraw(_), None) => {}
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _window: WindowId, event: WindowEvent) {
        let Some(shown) = &mut self.shown else { return };
        let wants_repaint = shown.egui.on_window_event(&shown.window, &event).repaint;
        match event {
            WindowEvent::CloseRequested => {
                shown.view.close_requested();
                if shown.view.has_quit() {
                    event_loop.exit();
                } else {
                    // There is a question to be answered; nobody sees it in a window that is minimised.
                    shown.window.set_minimized(false);
                    shown.window.focus_window();
                    shown.window.request_redraw();
                }
            }
            WindowEvent::Destroyed => event_loop.exit(),
            // A change of DPI comes with a new size of its own.
            WindowEvent::Resized(size) => {
                shown.presenter.resize(size.width, size.height);
                shown.window.request_redraw();
            }
            WindowEvent::RedrawRequested => self.redraw(event_loop),
            _ if wants_repaint => shown.window.request_redraw(),
            _ => {}
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let Some(shown) = &mut self.shown else { return };
        if shown.redraw_at.is_some_and(|at| at <= Instant::now()) {
            shown.redraw_at = None;
            shown.window.request_redraw();
        }
        event_loop.set_control_flow(shown.redraw_at.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }
}

/// Opens the GPU that draws the window: the one that plays the trace if it can, else any that can present. A trace
/// can be looked at without a picture, a window without a GPU can't.
fn open_presenter(
    window: &Arc<Window>,
    choice: &GpuChoice,
    event_loop: &ActiveEventLoop,
) -> Result<Presenter, WindowError> {
    let make_display = || -> Box<dyn wgpu::wgt::WgpuHasDisplayHandle> { Box::new(event_loop.owned_display_handle()) };
    let make_surface = |instance: &wgpu::Instance| instance.create_surface(window.clone());
    let open = |backend, adapter: &AdapterChoice| {
        Gpu::open_for_surface(backend, adapter, choice.timeout, make_display, make_surface)
    };
    let opened = open(choice.backend, &choice.adapter);
    let (gpu, surface) = match opened {
        Ok(opened) => opened,
        Err(_) => open(BackendChoice::Auto, &AdapterChoice::default())?,
    };
    log::info!("window: {}", gpu.summary());
    let presenter = Presenter::new(Arc::new(gpu), surface);
    let no_format = || WindowError::WindowSystem("the adapter has no format for the window's surface".to_owned());
    let mut presenter = presenter.ok_or_else(no_format)?;
    let size = window.inner_size();
    presenter.resize(size.width, size.height);
    Ok(presenter)
}

fn bare_size(picture: Size) -> PhysicalSize<u32> {
    let factor = (BARE_SIDE_PX / picture.width_px.max(picture.height_px).max(1)).max(1);
    PhysicalSize::new(picture.width_px * factor, picture.height_px * factor)
}
