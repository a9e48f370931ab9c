//! Costs, taken in turns: on a machine with other work beside, only what ran in the same minute can be compared.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Result;

/// What one piece of work took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// Time on the wall.
    pub wall: Duration,
    /// Time that the calling thread was on a processor, where the system tells.
    pub thread: Option<Duration>,
}

/// Does `work` and says what it took.
pub(crate) fn cost_of<T>(work: impl FnOnce() -> Result<T>) -> Result<Cost> {
    let (thread, start) = (thread_time(), Instant::now());
    black_box(work()?);
    let wall = start.elapsed();
    let thread = thread.zip(thread_time()).map(|(before, after)| after.saturating_sub(before));
    Ok(Cost { wall, thread })
}

/// On Linux the first number of schedstat counts the nanoseconds on a processor, up to the last tick of some
/// milliseconds, or up to the last time that the thread slept.
fn thread_time() -> Option<Duration> {
    std::thread::sleep(Duration::from_nanos(1));
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// One of several things that are compared. `run` prepares what it needs and returns the cost of the rest.
pub(crate) struct Contender<'a> {
    pub name: &'static str,
    pub run: Box<dyn FnMut() -> Result<Cost> + 'a>,
}

impl<'a> Contender<'a> {
    pub(crate) fn new(name: &'static str, run: impl FnMut() -> Result<Cost> + 'a) -> Self {
        Self { name, run: Box::new(run) }
    }
}

/// What a contender took, round by round.
pub(crate) struct Samples {
    pub name: &'static str,
    pub costs: Vec<Cost>,
}

/// Runs every contender once a round, in alternating order, after one round that does not count.
pub(crate) fn interleave(rounds: usize, mut contenders: Vec<Contender<'_>>) -> Result<Vec<Samples>> {
    let mut samples: Vec<Samples> =
        contenders.iter().map(|contender| Samples { name: contender.name, costs: Vec::new() }).collect();
    for contender in &mut contenders {
        (contender.run)()?;
    }
    for round in 0..rounds {
        let mut turns: Vec<_> = contenders.iter_mut().zip(&mut samples).collect();
        if round % 2 == 1 {
            turns.reverse();
        }
        for (contender, samples) in turns {
            samples.costs.push((contender.run)()?);
        }
    }
    Ok(samples)
}

impl Samples {
    pub(crate) fn walls(&self) -> Vec<f64> {
        self.costs.iter().map(|cost| milliseconds(cost.wall)).collect()
    }

    fn threads(&self) -> Option<Vec<f64>> {
        self.costs.iter().map(|cost| cost.thread.map(milliseconds)).collect()
    }

    /// How many times as long as `base` this takes, on the wall.
    pub(crate) fn ratio_to(&self, base: &Samples) -> Ratio {
        Ratio::new(&self.walls(), &base.walls())
    }

    /// The same for the time of the calling thread, which waiting for a GPU does not count in.
    pub(crate) fn thread_ratio_to(&self, base: &Samples) -> Option<Ratio> {
        Some(Ratio::new(&self.threads()?, &base.threads()?))
    }
}

/// A ratio in two ways.
pub(crate) struct Ratio {
    /// Least over least: what is left when nobody disturbs.
    pub of_minima: f64,
    /// The median of the ratios of each round.
    pub median: f64,
}

impl Ratio {
    fn new(ours: &[f64], base: &[f64]) -> Self {
        let rounds: Vec<f64> = ours.iter().zip(base).map(|(ours, base)| ours / base).collect();
        Self { of_minima: minimum(ours) / minimum(base), median: median(&rounds) }
    }
}

/// Prints one line a contender; ratios are to the first.
pub(crate) fn print_table(samples: &[Samples]) {
    let Some(base) = samples.first() else { return };
    println!("  {:<28} {:>10} {:>10} {:>10}   × first: min, median, thread", "", "min ms", "median ms", "thread ms");
    for each in samples {
        let walls = each.walls();
        let thread = each.threads().map_or("-".to_owned(), |threads| format!("{:.3}", minimum(&threads)));
        let ratio = each.ratio_to(base);
        let thread_ratio = each.thread_ratio_to(base).map_or("-".to_owned(), |ratio| format!("{:.2}", ratio.of_minima));
        println!(
            "  {:<28} {:>10.3} {:>10.3} {thread:>10}   {:.2}, {:.2}, {thread_ratio}",
            each.name,
            minimum(&walls),
            median(&walls),
            ratio.of_minima,
            ratio.median
        );
    }
}

pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

pub(crate) fn minimum(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
