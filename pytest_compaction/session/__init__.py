"""The benchmark session: settings resolved, items made, gate decided."""
