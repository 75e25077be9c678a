"""What compaction costs and saves where requests are read from a prefix cache."""
