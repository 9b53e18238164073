DROP INDEX partner_scores_by_user;
CREATE INDEX partner_scores_by_user ON partner_scores (org_id, user_id);
DROP TABLE audit_events;
DROP TABLE purge_unlinked;
DROP TABLE purge_ledger;
DROP TABLE purge_work;
DROP TABLE purge_operations;
DROP TABLE search_exposures;
