"""The processes of a run: it is never green because one of them ended before its time."""
