"""Sources of probes about code: each file asks one question of what a log declares."""
