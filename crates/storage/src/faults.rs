//! Named points at which a crash test can abort the process, as a power cut would.
//!
//! Compiled to nothing unless the feature `faults` is on; then `TOUCHSTONE_FAULT=POINT:N` aborts the process the N-th time
//! it passes POINT, and `TOUCHSTONE_FAULT_COUNT=FILE` appends every point passed to FILE, so that a sweep finds all points by
//! itself.

/// Passes a named point.
#[cfg(not(feature = "faults"))]
pub fn point(_name: &str) {}

/// Passes a named point.
#[cfg(feature = "faults")]
pub fn point(name: &str) {
    armed::pass(name);
}

#[cfg(feature = "faults")]
mod armed {
    use std::collections::HashMap;
    use std::io::Write as _;
    use std::sync::{Mutex, OnceLock};

    struct Plan {
        abort_at: Option<(String, u64)>,
        count_file: Option<std::path::PathBuf>,
        passed: Mutex<HashMap<String, u64>>,
    }

    pub(super) fn pass(name: &str) {
        static PLAN: OnceLock<Plan> = OnceLock::new();
        let plan = PLAN.get_or_init(read_plan);
        if plan.abort_at.is_none() && plan.count_file.is_none() {
            return;
        }
        let Ok(mut passed) = plan.passed.lock() else { return };
        let times = passed.entry(name.to_owned()).or_insert(0);
        *times += 1;
        if let Some(path) = &plan.count_file
            && let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(path)
        {
            let _ = writeln!(file, "{name}:{times}");
        }
        if plan.abort_at.as_ref().is_some_and(|(point, at)| point == name && times == at) {
            std::process::abort();
        }
    }

    fn read_plan() -> Plan {
        let abort_at = std::env::var("TOUCHSTONE_FAULT").ok().and_then(|text| {
            let (point, times) = text.rsplit_once(':')?;
            Some((point.to_owned(), times.parse().ok()?))
        });
        let count_file = std::env::var_os("TOUCHSTONE_FAULT_COUNT").map(Into::into);
        Plan { abort_at, count_file, passed: Mutex::new(HashMap::new()) }
    }
}
