ALTER TABLE session_judgings DROP COLUMN asked_version;
