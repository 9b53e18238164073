//! The declaration agrees with itself; its agreement with the schema is tested where the schema is.

use std::collections::HashSet;

use super::*;

fn position(name: &str) -> usize {
    TABLES.iter().position(|table| table.name == name).unwrap()
}

#[test]
fn every_target_is_listed_by_exactly_one_table() {
    for target in Target::ALL {
        let tables = TABLES.iter().filter(|table| table.listed_as() == Some(target)).count();

        assert_eq!(tables, 1, "{target:?}");
        assert_eq!(Target::parse(target.as_str()), Some(target));
    }
}

#[test]
fn no_table_and_no_column_is_declared_twice() {
    let tables: HashSet<_> = TABLES.iter().map(|table| table.name).collect();
    assert_eq!(tables.len(), TABLES.len());
    for table in TABLES {
        let columns: HashSet<_> = table.columns.iter().map(|column| column.name).collect();
        assert_eq!(columns.len(), table.columns.len(), "{}", table.name);
    }
}

#[test]
fn the_columns_of_a_table_are_treated_as_its_rows_are() {
    for table in TABLES {
        for column in table.columns {
            let agrees = match table.role {
                Role::Listed(_) | Role::Attached(_) => column.treatment == Treatment::Delete,
                Role::Link { .. } => column.treatment == Treatment::Unlink,
                Role::Blanked => matches!(column.treatment, Treatment::Blank | Treatment::Keep(_)),
                Role::Kept => matches!(column.treatment, Treatment::Keep(_)),
            };
            assert!(agrees, "{}.{}", table.name, column.name);
        }
    }
}

#[test]
fn whatever_is_kept_says_why() {
    for column in TABLES.iter().flat_map(|table| table.columns) {
        assert!(!matches!(column.treatment, Treatment::Keep("")), "{}", column.name);
    }
}

#[test]
fn every_table_leads_with_its_organization_and_declares_its_key() {
    for table in TABLES {
        // A key ring is a server's, not an organization's.
        let leads = if table.name == "reference_keys" { "key_check" } else { "org_id" };
        assert_eq!(table.key.first(), Some(&leads), "{}", table.name);
        for key in table.key {
            assert!(table.columns.iter().any(|column| column.name == *key), "{}.{key}", table.name);
        }
    }
}

#[test]
fn a_users_rows_can_be_found_in_every_table_that_may_hold_them_and_only_there() {
    for table in TABLES {
        let found = match table.owner {
            Owner::Column(name) => table.columns.iter().any(|column| column.name == name),
            Owner::Nobody => false,
        };
        assert_eq!(found, table.holds_user_rows(), "{}", table.name);
    }
}

#[test]
fn rows_go_before_the_rows_they_point_to() {
    for (first, then) in [
        ("playbook_source_links", "user_playbooks"),
        ("interactions", "requests"),
        ("requests", "sessions"),
        ("shadow_verdicts", "interactions"),
        ("session_outcomes", "sessions"),
        ("profile_words", "profiles"),
    ] {
        assert!(position(first) < position(then), "{first}");
    }
}

#[test]
fn a_blanked_row_no_longer_names_its_user() {
    for table in TABLES.iter().filter(|table| table.role == Role::Blanked) {
        let Owner::Column(owner) = table.owner else { panic!("{} has no owner column", table.name) };

        let blanked =
            table.columns.iter().any(|column| column.name == owner && column.treatment == Treatment::Blank);

        assert!(blanked, "{}", table.name);
    }
}

#[test]
fn a_kept_table_has_no_user_column_but_the_work_row() {
    for table in TABLES.iter().filter(|table| table.role == Role::Kept && table.name != "purge_work") {
        assert!(table.columns.iter().all(|column| column.name != "user_id"), "{}", table.name);
    }
}

#[test]
fn agent_playbooks_stay_as_they_are() {
    let playbooks = TABLES.iter().find(|table| table.name == "agent_playbooks").unwrap();

    assert_eq!(playbooks.role, Role::Kept);
}

#[test]
fn whatever_is_derived_follows_a_declared_table() {
    for derived in DERIVED {
        assert!(TABLES.iter().any(|table| table.name == derived.from), "{}", derived.name);
        assert!(TABLES.iter().all(|table| table.name != derived.name), "{}", derived.name);
    }
}
