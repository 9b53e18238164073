-- Finds the next item of each organization, so that one whose judges are all busy costs the others nothing, however
-- much of its work is due.
CREATE INDEX work_items_by_organization ON work_items (org_id, due_at, work_id) WHERE state = 'waiting';
