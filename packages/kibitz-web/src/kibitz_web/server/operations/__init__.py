"""What those who run a server look at: logs, health."""
