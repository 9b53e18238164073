DROP TABLE reference_keys;
