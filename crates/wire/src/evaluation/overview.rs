//! A request for the overview.

use evaluation::overview::InvalidSourceSets;
use evaluation::{Bucket, OverviewQuery, Part, SourceSet, SourceSets};
use kernel::{AgentVersion, Label, Source, Timestamp, Window};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{Fields, Invalid};

/// One cohort of request sources.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct EvaluationSourceSetRequest {
    /// What it is called.
    #[schema(min_length = 1, max_length = 255)]
    pub label: String,
    /// The sources; an empty text is the source of requests that named none.
    pub sources: Vec<String>,
}

impl EvaluationSourceSetRequest {
    fn read(self, fields: &mut Fields) -> Option<SourceSet> {
        let label = fields.required("label", self.label.as_str(), Label::new);
        let sources = fields.each("sources", self.sources, |fields, source| {
            fields.required("", source.as_str(), Source::new)
        });
        Some(SourceSet { label: label?, sources: sources? })
    }
}

/// A request for the overview of a window.
#[derive(Debug, Deserialize, ToSchema)]
pub struct GetEvaluationOverviewRequest {
    /// The first second of the window.
    pub from_ts: i64,
    /// The last second of the window.
    pub to_ts: i64,
    /// Only sessions of this version of the agent; shadow comparisons are counted whatever the version.
    pub agent_version: Option<String>,
    /// `hour`, `day` or `week`; `week` unless said.
    pub bucket: Option<String>,
    /// Whether shadow verdicts are read; true unless said.
    pub include_shadow: Option<bool>,
    /// Whether the lists that grow with the number of sessions are filled; true unless said.
    pub include_sessions: Option<bool>,
    /// Cohorts to compare.
    pub source_sets: Option<Vec<EvaluationSourceSetRequest>>,
}

const fn part(is_wanted: Option<bool>) -> Part {
    match is_wanted {
        None | Some(true) => Part::Included,
        Some(false) => Part::LeftOut,
    }
}

impl GetEvaluationOverviewRequest {
    /// The valid request.
    pub fn parse(self) -> Result<OverviewQuery, Invalid> {
        let mut fields = Fields::of_body();
        let (from, to) = (Timestamp::from_seconds(self.from_ts), Timestamp::from_seconds(self.to_ts));
        let window = fields.required("to_ts", (from, to), |(from, to)| Window::new(from, to));
        let agent_version = fields.name("agent_version", self.agent_version, AgentVersion::new);
        let bucket = fields.optional("bucket", self.bucket, |text| {
            Bucket::parse(text.trim()).ok_or("must be hour, day or week")
        });
        let sets =
            fields.each("source_sets", self.source_sets.unwrap_or_default(), |fields, set| set.read(fields));
        let source_sets = sets.and_then(|sets| read_sets(&mut fields, sets));
        let query = || {
            Some(OverviewQuery {
                window: window?,
                agent_version: agent_version?,
                bucket: bucket?.unwrap_or(Bucket::Week),
                shadow: part(self.include_shadow),
                sessions: part(self.include_sessions),
                source_sets: source_sets?,
            })
        };
        let query = query();
        fields.finish(query)
    }
}

fn read_sets(fields: &mut Fields, sets: Vec<SourceSet>) -> Option<SourceSets> {
    match SourceSets::new(sets) {
        Ok(sets) => Some(sets),
        Err(wrong) => {
            let set = match wrong {
                InvalidSourceSets::DuplicateLabel { set }
                | InvalidSourceSets::NoSources { set }
                | InvalidSourceSets::SourceTwice { set, .. } => set,
            };
            fields.refuse(&["source_sets", &set.to_string()], wrong);
            None
        }
    }
}
