DROP TABLE subject_barriers;
