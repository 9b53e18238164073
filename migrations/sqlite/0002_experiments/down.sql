DROP TABLE experiments;
