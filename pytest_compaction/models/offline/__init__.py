"""The offline model: deterministic rules that extract, retrieve and score."""
