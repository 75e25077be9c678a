"""Cases: the data model, case files, and their validation."""
