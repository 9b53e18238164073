//! A session as a judge sees it: in order, bounded, and honest about what was cut.

use std::collections::BTreeSet;

use kernel::Timestamp;

use crate::InteractionId;

/// Whose turn it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user.
    User,
    /// The agent.
    Agent,
    /// Anyone else: a tool, the system.
    Other,
}

/// A tool that was called on a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool.
    pub name: String,
    /// What went in or came out, as a JSON text; empty when nobody said.
    pub data: String,
    /// How the call ended; empty when nobody said.
    pub status: String,
}

/// One turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its id, by which a judge cites it.
    pub id: InteractionId,
    /// When it happened.
    pub at: Timestamp,
    /// Whose turn it was.
    pub speaker: Speaker,
    /// What was said.
    pub content: String,
    /// What the user did beside talking; empty when nothing.
    pub action: String,
    /// The tools that were called.
    pub tools: Vec<ToolCall>,
}

/// How much a judge is shown, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Of one text: a turn's words, one tool's data.
    pub text: usize,
    /// Of the whole.
    pub total: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { text: 8_000, total: 120_000 }
    }
}

/// A piece of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A turn, perhaps with shortened texts.
    Turn(Turn),
    /// Turns that had to be left out.
    Gap {
        /// How many.
        turns: usize,
    },
}

/// What a judge is shown of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    entries: Vec<Entry>,
    complete: bool,
}

impl Transcript {
    /// The turns within a budget. The end of a session matters most, then its beginning; the middle goes first, but
    /// never a turn that must be `kept`, because something is asked about it.
    #[must_use]
    pub fn within(budget: Budget, turns: &[Turn], kept: &BTreeSet<InteractionId>) -> Self {
        let shortened: Vec<_> = turns.iter().map(|turn| shorten_turn(turn, budget.text)).collect();
        let chosen = choose(&shortened, budget.total, kept);
        let texts_whole = shortened.iter().zip(turns).all(|(short, whole)| short == whole);
        let complete = texts_whole && chosen.len() == turns.len();
        Self { entries: assemble(shortened, &chosen), complete }
    }

    /// Its pieces, in the order of the session.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The turns that are shown.
    pub fn turns(&self) -> impl Iterator<Item = &Turn> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Turn(turn) => Some(turn),
            Entry::Gap { .. } => None,
        })
    }

    /// Whether nothing of the session had to be cut.
    #[must_use]
    pub const fn evidence_complete(&self) -> bool {
        self.complete
    }
}

fn shorten_turn(turn: &Turn, longest: usize) -> Turn {
    let shorten_tool = |tool: &ToolCall| ToolCall { data: shorten(&tool.data, longest), ..tool.clone() };
    Turn {
        content: shorten(&turn.content, longest),
        action: shorten(&turn.action, longest),
        tools: turn.tools.iter().map(shorten_tool).collect(),
        ..turn.clone()
    }
}

/// The beginning and the end of a text that is too long, and between them how much is missing.
pub(crate) fn shorten(text: &str, longest: usize) -> String {
    let length = text.chars().count();
    if length <= longest {
        return text.to_owned();
    }
    let half = longest / 2;
    let start: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(length.saturating_sub(half)).collect();
    let missing = length.saturating_sub(2 * half);
    format!("{start} [… {missing} characters left out …] {end}")
}

fn weight(turn: &Turn) -> usize {
    let tools: usize =
        turn.tools.iter().map(|tool| tool.name.len() + tool.data.chars().count() + tool.status.len()).sum();
    turn.content.chars().count() + turn.action.chars().count() + tools
}

/// The positions of the turns to show: those that must be, then from both ends inwards while there is room.
fn choose(turns: &[Turn], total: usize, kept: &BTreeSet<InteractionId>) -> BTreeSet<usize> {
    let weights: Vec<_> = turns.iter().map(weight).collect();
    let mut chosen: BTreeSet<usize> = turns
        .iter()
        .enumerate()
        .filter(|(_, turn)| kept.contains(&turn.id))
        .map(|(position, _)| position)
        .collect();
    let weigh = |position: &usize| weights.get(*position).copied().unwrap_or_default();
    let mut spent: usize = chosen.iter().map(weigh).sum();
    for position in from_both_ends(turns.len()).filter(|position| !kept_at(turns, *position, kept)) {
        let heavier = spent.saturating_add(weigh(&position));
        if heavier > total {
            break;
        }
        spent = heavier;
        chosen.insert(position);
    }
    chosen
}

fn kept_at(turns: &[Turn], position: usize, kept: &BTreeSet<InteractionId>) -> bool {
    turns.get(position).is_some_and(|turn| kept.contains(&turn.id))
}

/// Last, first, last but one, second, and so on.
fn from_both_ends(length: usize) -> impl Iterator<Item = usize> {
    (0..length).map(move |step| if step % 2 == 0 { length - 1 - step / 2 } else { step / 2 })
}

fn assemble(turns: Vec<Turn>, chosen: &BTreeSet<usize>) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(chosen.len() + 1);
    for (position, turn) in turns.into_iter().enumerate() {
        if chosen.contains(&position) {
            entries.push(Entry::Turn(turn));
        } else if let Some(Entry::Gap { turns }) = entries.last_mut() {
            *turns += 1;
        } else {
            entries.push(Entry::Gap { turns: 1 });
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judging::testing::{turn, user_turn};

    fn budget(text: usize, total: usize) -> Budget {
        Budget { text, total }
    }

    fn shown(transcript: &Transcript) -> Vec<i64> {
        transcript.turns().map(|turn| turn.id.0).collect()
    }

    fn ten_turns() -> Vec<Turn> {
        (1..=10).map(|id| user_turn(id, "0123456789")).collect()
    }

    #[test]
    fn a_session_that_fits_is_shown_whole_and_says_so() {
        let transcript = Transcript::within(budget(10, 100), &ten_turns(), &BTreeSet::new());

        assert!(transcript.evidence_complete());
        assert_eq!(shown(&transcript), (1..=10).collect::<Vec<_>>());
    }

    #[test]
    fn a_session_that_is_too_long_loses_its_middle_and_says_where() {
        let transcript = Transcript::within(budget(10, 50), &ten_turns(), &BTreeSet::new());

        assert!(!transcript.evidence_complete());
        assert_eq!(shown(&transcript), [1, 2, 8, 9, 10]);
        assert_eq!(transcript.entries()[2], Entry::Gap { turns: 5 });
    }

    #[test]
    fn a_turn_that_is_asked_about_is_never_cut_away() {
        let asked = BTreeSet::from([InteractionId(5)]);

        let transcript = Transcript::within(budget(10, 30), &ten_turns(), &asked);

        assert_eq!(shown(&transcript), [1, 5, 10]);
    }

    #[test]
    fn a_long_text_keeps_both_its_ends_and_says_how_much_is_missing() {
        let turns = [user_turn(1, &format!("{}{}{}", "a".repeat(5), "é".repeat(30), "z".repeat(5)))];

        let transcript = Transcript::within(budget(10, 100), &turns, &BTreeSet::new());

        let content = &transcript.turns().next().unwrap().content;
        assert_eq!(content, "aaaaa [… 30 characters left out …] zzzzz");
        assert!(!transcript.evidence_complete());
    }

    #[test]
    fn tool_data_counts_and_is_cut_too() {
        let tool = ToolCall { name: "search".to_owned(), data: "x".repeat(40), status: String::new() };
        let turns = [Turn { tools: vec![tool], ..turn(1, Speaker::Agent, "") }];

        let cut = Transcript::within(budget(10, 100), &turns, &BTreeSet::new());
        let left_out = Transcript::within(budget(100, 10), &turns, &BTreeSet::new());

        assert!(cut.turns().next().unwrap().tools[0].data.contains("30 characters left out"));
        assert_eq!(left_out.entries(), [Entry::Gap { turns: 1 }]);
    }
}
