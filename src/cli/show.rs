//! `TRACE`, or nothing: the window.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::args::{CommonArgs, PlayArgs, RenderArgs, WindowArgs};
use super::example::Example;
use super::exit::{Exit, Failure, exit_now, outcome};
use super::first_place::{first_draws, first_place};
use super::interrupt;
use super::open::{completeness, open_with_warnings};
use super::render::{choose_size, timeout, trace_path};
use super::whole_file::STDIO;
use super::window_services::Program;
use crate::command::Place;
use crate::format::aerogpu::{DamageTolerance, FrameIndex};
use crate::inspector::{
    AnnotationChoice, FirstView, GpuChoice, InspectorOptions, OpenTrace, Panels, StartOptions, Threads,
};
use crate::window::{CloseHandle, Closed, WindowError, WindowOptions};

pub(super) fn run(args: PlayArgs, common: CommonArgs) -> Result<Exit, Failure> {
    let path = trace_path(&args)?.to_owned();
    if path == Path::new(STDIO) {
        return Err(Failure::usage("the window reads its trace again where it has to: expected a file, not stdin"));
    }
    let (trace, problems) = open_with_warnings(&path, DamageTolerance::Truncation, &common)?;
    let first_place = first_place(&args, &trace, &common)?;
    let draws = first_draws(&args, first_place, &trace, &common)?;
    let exit = completeness(&trace);
    let shader_options = args.render.drawn.options(&trace)?;
    let open = OpenTrace {
        size: choose_size(&args.render, &trace),
        shaders: shader_options,
        problems,
        path: path.clone(),
        trace,
    };
    let WindowArgs { fps, play: plays, quit_after, bare: _, no_notes: _, ref compare, ref beside } = args.render.window;
    let compared = compare.clone();
    let methods = beside.methods(beside.annotate.len())?;
    let paths = beside.annotate.iter().cloned();
    let annotations = paths.zip(methods).map(|(path, method)| AnnotationChoice { path, method }).collect();
    let gpu = gpu_choice(&args.render);
    let panels = panels(&args.render.window);
    // Played from the start, or for so many pictures, it is to show the same each time.
    let first_place = first_place.or((plays || quit_after.is_some()).then_some(Place::end_of(FrameIndex(0))));
    let trace = InspectorOptions { open, annotations, compared, first_place, draws, fps, plays, panels, gpu };
    show(FirstView::Trace(Box::new(trace)), args.render, common, (exit, Some(&path)))
}

/// Opens the window with the start page in it.
pub(super) fn run_start_page(args: PlayArgs, common: CommonArgs) -> Result<Exit, Failure> {
    let WindowArgs { fps, .. } = args.render.window;
    let options = StartOptions { fps, panels: panels(&args.render.window), gpu: gpu_choice(&args.render) };
    show(FirstView::StartPage(options), args.render, common, (Exit::Done, None))
}

fn gpu_choice(render: &RenderArgs) -> GpuChoice {
    GpuChoice {
        backend: render.backend.into(),
        adapter: render.adapter.clone().unwrap_or_default(),
        timeout: timeout(render),
    }
}

fn panels(window: &WindowArgs) -> Panels {
    if window.bare { Panels::Hidden } else { Panels::Shown }
}

/// Opens the window, and says what the program ends with when it is closed: `exit`, if nothing worse has happened to the
/// trace at the path.
fn show(
    first: FirstView,
    render: RenderArgs,
    common: CommonArgs,
    (exit, path): (Exit, Option<&Path>),
) -> Result<Exit, Failure> {
    let messages = common.messages();
    let options = WindowOptions { first, quit_after: render.window.quit_after };
    let host = Arc::new(Program { render, common, example: Example::default() });
    let failed = |error: WindowError| match path {
        Some(path) => Failure::from(error).context(path.display().to_string()),
        None => error.into(),
    };
    let interrupted = Arc::new(AtomicBool::new(false));
    let closed =
        crate::window::run(host, options, |close_handle| close_when_interrupted(close_handle, interrupted.clone()));
    let Closed { error, has_faults, threads } = closed.map_err(failed)?;
    let result = match error {
        _ if interrupted.load(Ordering::Relaxed) => Ok(Exit::Interrupted),
        Some(error) => Err(failed(error)),
        None if has_faults => Ok(exit.worse(Exit::Partial)),
        None => Ok(exit),
    };
    match threads {
        Threads::Ended => result,
        // What it wrote is written. Nothing waits for the driver, nor for what it would do at the end of the process.
        Threads::Busy => exit_now(outcome(result, messages)),
    }
}

/// Has a signal close the window, which saves what was edited and noted, and a second one end the program at once.
fn close_when_interrupted(close_handle: CloseHandle, interrupted: Arc<AtomicBool>) {
    interrupt::handle(move || {
        if interrupted.swap(true, Ordering::Relaxed) {
            exit_now(Exit::Interrupted);
        }
        close_handle.close();
    });
}
