"""Routes the requests of harbour kiosks to handlers, without HTTP."""
