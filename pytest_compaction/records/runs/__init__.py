"""Run files: a header and a line for each record; reading, merging and listing them."""
