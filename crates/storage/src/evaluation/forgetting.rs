//! What goes with a session that is deleted.

use diesel::prelude::*;
use kernel::{SessionId, StoreError, UserId};

use crate::schema::{
    evaluation_results, partner_scores, regeneration_failures, retrieved_learning_results, session_claims,
    session_judgings, session_outcomes, shadow_verdicts,
};
use crate::transaction::OrgTx;

/// Deletes the rows of one session from a table.
macro_rules! delete_from {
    ($table:ident, $tx:expr, $user:expr, $session:expr) => {
        $tx.query(|conn, org| {
            let of_session = $table::table
                .filter($table::org_id.eq(org))
                .filter($table::user_id.eq($user.as_str()))
                .filter($table::session_id.eq($session.as_str()));
            diesel::delete(of_session).execute(conn)
        })?
    };
}

/// Deletes everything that was said of a session; its outcome and the totals follow.
pub(crate) fn forget_session(tx: &mut OrgTx, user: &UserId, session: &SessionId) -> Result<(), StoreError> {
    tx.must_have_admitted(user)?;
    delete_from!(session_outcomes, tx, user, session);
    delete_from!(evaluation_results, tx, user, session);
    delete_from!(retrieved_learning_results, tx, user, session);
    delete_from!(shadow_verdicts, tx, user, session);
    delete_from!(session_judgings, tx, user, session);
    delete_from!(session_claims, tx, user, session);
    delete_from!(regeneration_failures, tx, user, session);
    delete_from!(partner_scores, tx, user, session);
    Ok(())
}
