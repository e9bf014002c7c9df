"""The journal in a schema of a PostgreSQL database, which several nodes may share."""
