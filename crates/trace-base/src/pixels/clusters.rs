//! The largest connected group of marked pixels, row by row.

/// Groups marked pixels that touch, also at corners. Pixels come in reading order.
///
/// ```text
///  above    ██..██      runs of the row above, each in a cluster
///  current  .██.█.      runs of this row join the clusters that they touch
/// ```
#[derive(Default)]
pub(super) struct Clusters {
    above: Vec<Run>,
    current: Vec<Run>,
    /// For each cluster the one it was joined to, itself if it stands alone.
    parents: Vec<u32>,
    sizes: Vec<u64>,
    largest: u64,
}

/// Marked pixels side by side: columns `start..end`.
#[derive(Clone, Copy)]
struct Run {
    start: u32,
    end: u32,
    cluster: u32,
}

impl Clusters {
    /// Marks the pixel in column `x` of the current row.
    pub(crate) fn mark(&mut self, x: u32) {
        match self.current.last_mut() {
            Some(run) if run.end == x => run.end += 1,
            _ => self.current.push(Run { start: x, end: x + 1, cluster: 0 }),
        }
    }

    /// Goes on to the next row.
    pub(crate) fn end_row(&mut self) {
        if self.current.is_empty() {
            self.above.clear();
            return;
        }
        let above = std::mem::take(&mut self.above);
        let mut current = std::mem::take(&mut self.current);
        let mut first = 0;
        for run in &mut current {
            run.cluster = self.new_cluster(u64::from(run.end - run.start));
            // Runs above that end before this one starts touch no later run either.
            first += above.iter().skip(first).take_while(|upper| upper.end < run.start).count();
            for upper in above.iter().skip(first).take_while(|upper| upper.start <= run.end) {
                self.join(upper.cluster, run.cluster);
            }
        }
        self.current = above;
        self.current.clear();
        self.above = current;
    }

    /// Pixels in the largest cluster of the rows that have ended.
    pub(crate) fn largest(&self) -> u64 {
        self.largest
    }

    fn new_cluster(&mut self, size: u64) -> u32 {
        let cluster = self.parents.len() as u32;
        self.parents.push(cluster);
        self.sizes.push(size);
        self.largest = self.largest.max(size);
        cluster
    }

    fn root(&mut self, mut cluster: u32) -> u32 {
        loop {
            let parent = self.parents.get(cluster as usize).copied().unwrap_or(cluster);
            if parent == cluster {
                return cluster;
            }
            let grandparent = self.parents.get(parent as usize).copied().unwrap_or(parent);
            if let Some(entry) = self.parents.get_mut(cluster as usize) {
                *entry = grandparent;
            }
            cluster = grandparent;
        }
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let size = self.sizes.get(b as usize).copied().unwrap_or(0);
        if let (Some(parent), Some(total)) = (self.parents.get_mut(b as usize), self.sizes.get_mut(a as usize)) {
            *parent = a;
            *total += size;
            self.largest = self.largest.max(*total);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn largest(rows: &[&str]) -> u64 {
        let mut clusters = Clusters::default();
        for row in rows {
            for (x, _) in (0..).zip(row.chars()).filter(|(_, mark)| *mark == '#') {
                clusters.mark(x);
            }
            clusters.end_row();
        }
        clusters.largest()
    }

    #[test]
    fn touching_pixels_are_one_cluster() {
        assert_eq!(largest(&[]), 0);
        assert_eq!(largest(&["....", "...."]), 0);
        assert_eq!(largest(&["#.#.", ".#.#"]), 4, "corners touch");
        assert_eq!(largest(&["#..#", "#..#"]), 2);
        assert_eq!(largest(&["#..#", "#..#", "####"]), 8, "joined below");
        assert_eq!(largest(&["####", "....", "##.#"]), 4, "an empty row parts");
        assert_eq!(largest(&["#.#.#.#.#", "#########", "........."]), 14);
        assert_eq!(largest(&["##", "##", "..", "##"]), 4);
    }
}
