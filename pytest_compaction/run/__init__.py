"""Running a case: feeding, compaction, answers and verdicts."""
