-- The version of the agent that was named when somebody last had a session graded. The result carries the version of the
-- session; a grade is good for a day for whoever names either.
ALTER TABLE session_judgings ADD COLUMN asked_version TEXT;
