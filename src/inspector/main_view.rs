//! The window's content: the start page until a trace is open, then the inspector.

use std::sync::Arc;

use egui::Ui;

use super::example::ExampleTask;
use super::start_page::{StartChoice, StartPage};
use super::{Closed, GpuChoice, Inspector, InspectorOptions, OpenTrace, Panels, Services, Threads, Wake};
use crate::player::DrawSelection;

/// Setup of the start page, and a trace that is opened from it.
#[derive(Clone)]
pub struct StartOptions {
    /// Frames per second while playing.
    pub fps: f64,
    /// Whether there is anything but the picture.
    pub panels: Panels,
    /// The GPU that pictures are made on.
    pub gpu: GpuChoice,
}

/// First contents of a window.
pub enum FirstView {
    /// The start page.
    StartPage(StartOptions),
    /// A trace.
    Trace(Box<InspectorOptions>),
}

/// The content of one window.
pub struct MainView {
    services: Arc<dyn Services>,
    wake: Wake,
    view: View,
}

enum View {
    Start(Box<StartPage>, StartOptions),
    Trace(Box<Inspector>),
}

impl FirstView {
    /// The GPU that is asked for.
    pub fn gpu(&self) -> &GpuChoice {
        match self {
            Self::StartPage(options) => &options.gpu,
            Self::Trace(options) => &options.gpu,
        }
    }
}

impl MainView {
    /// The content that a window begins with. `wake` is called from other threads when there is something new to draw.
    pub fn new(services: Arc<dyn Services>, first: FirstView, wake: Wake) -> std::io::Result<Self> {
        let view = match first {
            FirstView::StartPage(options) => View::Start(Box::new(StartPage::new(&services, &wake)?), options),
            FirstView::Trace(options) => {
                View::Trace(Box::new(Inspector::new(services.clone(), *options, wake.clone())?))
            }
        };
        Ok(Self { services, wake, view })
    }

    /// The inspector, once a trace is open.
    pub fn inspector(&self) -> Option<&Inspector> {
        match &self.view {
            View::Start(..) => None,
            View::Trace(inspector) => Some(inspector),
        }
    }

    /// Returns the window's title.
    pub fn title(&self) -> String {
        self.inspector().map_or_else(|| "aerogpu-replay".to_owned(), Inspector::title)
    }

    /// Draws everything and does what was asked for.
    pub fn ui(&mut self, ui: &mut Ui) {
        let (page, options) = match &mut self.view {
            View::Trace(inspector) => return inspector.ui(ui),
            View::Start(page, options) => (page, options.clone()),
        };
        let Some(choice) = page.ui(ui) else { return };
        let (opened, task) = match choice {
            StartChoice::Trace(path) => (self.services.open_trace(&path), None),
            StartChoice::Example(task) => (self.services.open_example(), Some(task)),
        };
        match opened.and_then(|open| self.inspect(open, options, task, ui)) {
            Ok(inspector) => self.view = View::Trace(Box::new(inspector)),
            Err(message) => {
                if let View::Start(page, _) = &mut self.view {
                    page.say(message);
                }
            }
        }
        ui.ctx().request_repaint();
    }

    fn inspect(
        &self,
        open: OpenTrace,
        StartOptions { fps, panels, gpu }: StartOptions,
        task: Option<ExampleTask>,
        ui: &Ui,
    ) -> Result<Inspector, String> {
        let options = InspectorOptions {
            open,
            annotations: Vec::new(),
            compared: None,
            first_place: task.map(ExampleTask::place),
            draws: DrawSelection::All,
            fps,
            plays: false,
            panels,
            gpu,
        };
        let inspector = Inspector::new(self.services.clone(), options, self.wake.clone());
        let mut inspector = inspector.map_err(|error| error.to_string())?;
        if let Some(task) = task {
            inspector.act(task.action(), ui);
        }
        Ok(inspector)
    }

    /// Closes the window, or asks first what is to become of what was not saved.
    pub fn close_requested(&mut self) {
        match &mut self.view {
            View::Start(page, _) => page.quit(),
            View::Trace(inspector) => inspector.close_requested(),
        }
    }

    /// Whether the user wants the window closed.
    pub fn has_quit(&self) -> bool {
        match &self.view {
            View::Start(page, _) => page.has_quit(),
            View::Trace(inspector) => inspector.has_quit(),
        }
    }

    /// Forgets what was on a GPU that is gone; it is made anew when it is drawn.
    pub fn forget_textures(&mut self) {
        if let View::Trace(inspector) = &mut self.view {
            inspector.forget_textures();
        }
    }

    /// Keeps what is to be taken up the next time, and ends the threads.
    pub fn close(self) -> Closed {
        match self.view {
            View::Start(..) => Closed { error: None, has_faults: false, threads: Threads::Ended },
            View::Trace(inspector) => inspector.close(),
        }
    }
}
