DROP TABLE credentials;
DROP TABLE organizations;
