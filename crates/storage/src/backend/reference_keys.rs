//! What tells apart the secrets that references were made with.

use diesel::prelude::*;
use governance::{KeyCheck, KeyLedger};
use kernel::StoreError;

use super::now;
use crate::database::Database;
use crate::outcome::answer;
use crate::schema::reference_keys;

impl KeyLedger for Database {
    fn examine(
        &self,
        decide: &mut (dyn for<'a> FnMut(&'a [KeyCheck]) -> Option<KeyCheck> + '_),
    ) -> Result<(), StoreError> {
        let (mut conn, _alone) = self.connect_alone()?;
        let known: Vec<String> =
            answer(reference_keys::table.select(reference_keys::key_check).load(&mut conn))?;
        let known: Vec<KeyCheck> = known
            .iter()
            .map(|check| KeyCheck::parse(check))
            .collect::<Result<_, _>>()
            .map_err(|_| StoreError::Corrupt("reference_keys.key_check".to_owned()))?;
        let Some(new) = decide(&known) else { return Ok(()) };
        let row = (reference_keys::key_check.eq(new.as_str()), reference_keys::first_used_at.eq(now(&conn)));
        answer(diesel::insert_into(reference_keys::table).values(row).execute(&mut conn)).map(|_| ())
    }
}
