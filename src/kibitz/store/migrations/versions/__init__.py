"""The revisions of the tables, one per version."""
