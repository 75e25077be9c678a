"""What happens in the months of an invented user, one family of events a file."""
