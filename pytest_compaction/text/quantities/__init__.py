"""Values in a text: numbers, durations, sizes, dates and times, equal however they are written."""
