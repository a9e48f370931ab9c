//! `worker`: the process that draws for `serve` and `golden`. Not for people.

use super::args::ShaderArgs;
use super::exit::{Exit, Failure};
use super::golden::DeviceArgs;
use crate::golden::jobs;
use crate::worker::{
    Device, DrawingJobs, Job, Program, Request, UnknownJob, WireJob, WorkerCommand, answer_jobs, respond,
};

#[derive(Clone, Debug, clap::Args)]
pub(super) struct WorkerArgs {
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub shaders: ShaderArgs,
}

pub(super) fn run(args: &WorkerArgs) -> Result<Exit, Failure> {
    let mut device = Device::new(|| args.device.open());
    let shaders = args.shaders.into();
    let mut drawing = DrawingJobs::new(args.shaders.into());
    let doing = device.doing();
    answer_jobs(doing, |WireJob { kind, job }| match kind.as_str() {
        jobs::Job::KIND => respond(job, |job: jobs::Job| job.run(&mut device, &shaders)),
        Request::KIND => respond(job, |request| drawing.answer(request, &mut device)),
        _ => Err(UnknownJob(kind)),
    })?;
    Ok(Exit::Done)
}

/// How workers of `program` are started; `flags` are those of their device and whatever else decides about pictures.
pub(super) fn command(program: Program, flags: Vec<String>, device: &DeviceArgs) -> WorkerCommand {
    let mut arguments = vec!["worker".to_owned()];
    arguments.extend(flags);
    arguments.extend(["--timeout".to_owned(), device.timeout.to_string()]);
    WorkerCommand::new(program, arguments, device.timeout())
}
