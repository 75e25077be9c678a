"""The end of a session: the gate as tests, the summary, and the files of a run."""
