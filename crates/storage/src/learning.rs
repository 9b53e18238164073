//! What agents publish and what was learned from it, in the database.

mod activity;
mod agent_playbooks;
mod columns;
mod feed;
mod interactions;
mod lists;
mod paging;
mod playbook_rows;
mod profiles;
mod publish;
mod requests;
mod search;
pub(crate) mod sessions;
mod source_links;
mod user_playbooks;
pub(crate) mod words;
