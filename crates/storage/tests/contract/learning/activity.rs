//! Reading back what was published, newest first.

use std::sync::Arc;

use kernel::{AgentVersion, ExperimentId, Period, RequestId, SessionId, Source};
use learning::{
    ActivityReader, Arm, Attribution, Cursor, InteractionFilter, InteractionId, ListRequests, PageLimit,
    PageRequest, Publication, PublishedInteraction, Purpose, RequestFilter, Slice, Start, TokenCount, Turns,
};
use storage::{Database, on_both};

use super::publish::a_turn_with_everything;
use super::{happened, publish, request_id, said, session, turn, user};
use crate::{at, org};

fn all<K>() -> Slice<K> {
    Slice { rows: 1000, start: Start::default() }
}

fn listed(database: &Database, filter: &RequestFilter) -> Vec<String> {
    let rows = database.requests(&org("acme"), filter, &all()).unwrap();
    rows.iter().map(|row| row.request.request_id.to_string()).collect()
}

fn seen(database: &Database, filter: &InteractionFilter) -> Vec<i64> {
    let rows = database.interactions(&org("acme"), filter, &all()).unwrap();
    rows.iter().map(|row| row.created_at.seconds()).collect()
}

on_both! {
    fn requests_are_listed_without_their_turns_when_nobody_wants_them(db) {
        publish(&db.database, "acme", said("ada", "s", "r", 1)).unwrap();
        let without = RequestFilter { turns: Turns::LeftOut, ..RequestFilter::default() };

        let listed = db.database.requests(&org("acme"), &without, &all()).unwrap().remove(0);

        assert_eq!((listed.request.request_id, listed.interactions), (request_id("r"), vec![]));
    }

    fn what_was_published_is_read_back_as_it_was(db) {
        let body = a_turn_with_everything();
        let given = Publication {
            source: Source::new("web").unwrap(),
            agent_version: AgentVersion::new("v1").unwrap(),
            purpose: Purpose::EvaluationOnly,
            attribution: Some(Attribution { experiment: ExperimentId::new("exp").unwrap(), arm: Arm::Treatment }),
            interactions: vec![happened(20, body.clone()), happened(10, turn("User", "hi"))],
            ..said("ada", "s", "r", 1)
        };

        let ids = publish(&db.database, "acme", given.clone()).unwrap().interactions;

        let read = db.database.requests(&org("acme"), &RequestFilter::default(), &all()).unwrap().remove(0);
        assert_eq!(read.request.request_id, request_id("r"));
        assert_eq!(read.request.session, session("ada", "s"));
        assert_eq!((read.request.source, read.request.agent_version), (given.source, given.agent_version));
        assert_eq!((read.request.purpose, read.request.attribution), (given.purpose, given.attribution));
        assert_eq!(read.request.created_at, at(10));
        let expected = PublishedInteraction {
            interaction_id: ids[0],
            user: user("ada"),
            request_id: request_id("r"),
            created_at: at(20),
            output_tokens: Some(TokenCount(3)),
            body,
        };
        assert_eq!(read.interactions[0], expected);
        assert_eq!(read.interactions[1].output_tokens, None);
        assert_eq!(read.interactions.iter().map(|turn| turn.interaction_id).collect::<Vec<_>>(), ids);
    }

    fn requests_descend_by_time_then_by_id_and_carry_their_own_turns(db) {
        for (request, seconds) in [("b", 10), ("a", 10), ("c", 5), ("B", 10)] {
            publish(&db.database, "acme", said("ada", "s", request, seconds)).unwrap();
        }

        assert_eq!(listed(&db.database, &RequestFilter::default()), ["b", "a", "B", "c"]);
        let rows = db.database.requests(&org("acme"), &RequestFilter::default(), &all()).unwrap();
        assert!(rows.iter().all(|row| row.interactions.len() == 1 && row.interactions[0].request_id == row.request.request_id));
    }

    fn requests_are_filtered_by_user_session_id_and_time(db) {
        publish(&db.database, "acme", said("ada", "s", "r1", 10)).unwrap();
        publish(&db.database, "acme", said("bob", "s", "r2", 20)).unwrap();
        publish(&db.database, "acme", said("ada", "t", "r3", 30)).unwrap();
        publish(&db.database, "umbrella", said("ada", "s", "r1", 40)).unwrap();
        let every = RequestFilter::default;
        let ada = Some(user("ada"));
        let s = Some(SessionId::new("s").unwrap());
        let span = |start, end| Period::new(Some(at(start)), Some(at(end))).unwrap();

        let cases = [
            (every(), vec!["r3", "r2", "r1"]),
            (RequestFilter { user: ada.clone(), ..every() }, vec!["r3", "r1"]),
            (RequestFilter { session: s.clone(), ..every() }, vec!["r2", "r1"]),
            (RequestFilter { user: ada, session: s, ..every() }, vec!["r1"]),
            (RequestFilter { request: Some(request_id("r2")), ..every() }, vec!["r2"]),
            (RequestFilter { period: span(20, 30), ..every() }, vec!["r3", "r2"]),
            (RequestFilter { period: span(11, 19), ..every() }, vec![]),
        ];

        for (filter, expected) in cases {
            assert_eq!(listed(&db.database, &filter), expected, "{filter:?}");
        }
    }

    fn pages_follow_each_other_by_cursor_without_gap_or_repeat(db) {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        for (request, seconds) in names.iter().zip([1, 2, 2, 2, 2, 3, 3]) {
            publish(&db.database, "acme", said("ada", "s", request, seconds)).unwrap();
        }
        let list = ListRequests::new(Arc::new(db.database.clone()));

        let mut read = Vec::new();
        let mut start = Start::default();
        loop {
            let asked = PageRequest { limit: PageLimit::new(2).unwrap(), start };
            let page = list.list(&org("acme"), &RequestFilter::default(), asked).unwrap();
            read.extend(page.rows.iter().map(|row| row.request.request_id.to_string()));
            let Some(next) = page.next else { break };
            start = Start::After(next);
        }

        assert_eq!(read, ["g", "f", "e", "d", "c", "b", "a"]);
    }

    fn an_offset_counts_rows_off(db) {
        for (request, seconds) in [("a", 1), ("b", 2), ("c", 3)] {
            publish(&db.database, "acme", said("ada", "s", request, seconds)).unwrap();
        }

        let slice: Slice<RequestId> = Slice { rows: 1, start: Start::Offset(1) };
        let rows = db.database.requests(&org("acme"), &RequestFilter::default(), &slice).unwrap();

        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].request.request_id, request_id("b"));
    }

    fn interactions_descend_by_time_then_by_id_and_are_filtered(db) {
        let turns = vec![happened(10, turn("User", "a")), happened(30, turn("Agent", "b"))];
        publish(&db.database, "acme", Publication { interactions: turns, ..said("ada", "s", "r1", 1) }).unwrap();
        publish(&db.database, "acme", said("bob", "s", "r2", 20)).unwrap();
        publish(&db.database, "umbrella", said("ada", "s", "r1", 40)).unwrap();

        let every = InteractionFilter::default();
        assert_eq!(seen(&db.database, &every), [30, 20, 10]);
        assert_eq!(seen(&db.database, &InteractionFilter { user: Some(user("ada")), ..every.clone() }), [30, 10]);
        let late = Period::new(Some(at(20)), None).unwrap();
        assert_eq!(seen(&db.database, &InteractionFilter { period: late, ..every.clone() }), [30, 20]);
        let newest = db.database.interactions(&org("acme"), &every, &Slice { rows: 1, start: Start::default() }).unwrap();
        let cursor: Cursor<InteractionId> = Cursor { at: at(30), key: newest[0].interaction_id };
        let rest = db.database.interactions(&org("acme"), &every, &Slice { rows: 9, start: Start::After(cursor) }).unwrap();
        assert_eq!(rest.len(), 2);
    }
}
