//! A preview counts what an erasure would delete.

use super::*;
use crate::Target;
use crate::testing::snapshot::Looked;
use crate::testing::{ada, org, ring};

#[test]
fn a_preview_counts_every_target_and_names_the_agent_playbooks_that_would_lose_a_source() {
    let looked = Looked::at(&[("interactions", 3), ("feed_entries", 9), ("playbook_source_links", 2)]);

    let preview = PreviewErase::new(Arc::new(looked), Arc::new(ring())).preview(&org(), &ada()).unwrap();

    assert_eq!(preview.subject_ref, ring().subject_ref(&org(), &ada()));
    assert_eq!((preview.counts.get(Target::Interactions), preview.counts.total()), (3, 3));
    assert_eq!(preview.agent_playbooks, [AgentPlaybookId(0), AgentPlaybookId(1)]);
}
