"""The desk's weekly notebook as a script: a copy for reading, it runs on their machine."""

from pathlib import Path

from boxleave.evaluate import evaluate
from boxleave.settings import load_settings
from boxleave.table import read_table

SETTINGS = Path("experiment.ini")
EXPORT = Path("data/march")

table = read_table(EXPORT)
settings = load_settings(SETTINGS)
result = evaluate(table, settings)
print(f"rows {result.train_rows} + {result.test_rows}")
print(f"auc {result.auc:.2f}, precision {result.precision:.2f}, called {result.called}")
for name, weight in result.weights.items():
    print(f"{name:<16} {weight:+.3f}")
