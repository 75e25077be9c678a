"""What compaction lost: which facts, of which class, at which compaction, and what room it won."""
