"""What a text says happened to a file: created, modified, deleted, renamed or read."""
