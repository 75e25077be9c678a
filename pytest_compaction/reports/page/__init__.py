"""One self-contained HTML page that shows one or several runs, and every item beside its log."""
