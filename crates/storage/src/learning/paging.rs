//! Reading newest first, a page at a time.

/// Narrows a boxed query to the rows of a period, closed on the ends that it has.
macro_rules! in_period {
    ($query:expr, $period:expr, $time:expr) => {{
        let mut query = $query;
        if let Some(start) = $period.start() {
            query = query.filter($time.ge(start.seconds()));
        }
        if let Some(end) = $period.end() {
            query = query.filter($time.le(end.seconds()));
        }
        query
    }};
}

/// Narrows a boxed query to a slice of the list that descends by (time, key).
macro_rules! newest_first {
    ($query:expr, $slice:expr, $time:expr, $key:expr, |$id:ident| $value:expr) => {{
        let query = $query.order(($time.desc(), $key.desc())).limit(i64::from($slice.rows));
        match &$slice.start {
            ::learning::Start::Offset(rows) => query.offset(i64::from(*rows)),
            ::learning::Start::After(cursor) => {
                let at = cursor.at.seconds();
                let $id = &cursor.key;
                // The first filter bounds the index range; the second leaves out what was seen of the cursor's second.
                query.filter($time.le(at)).filter($time.lt(at).or($key.lt($value)))
            }
        }
    }};
}

pub(super) use {in_period, newest_first};
