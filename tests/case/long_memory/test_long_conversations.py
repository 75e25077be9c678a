"""Reading a long conversation takes time in line with its text, and bounded memory."""

import json
import subprocess
import sys

import pytest
from support.long_conversations import write

READ = """
import json, resource, sys, time
from pathlib import Path
from pytest_compaction.case.files import conversations

def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

before, start = most(), time.process_time()
((_, case),) = conversations(Path(sys.argv[1]), "talk")
seconds = time.process_time() - start
text = sum(len(message.text) for message in case.messages)
print(json.dumps([seconds, (most() - before) / text, len(case.messages)]))
"""


def measured(folder):
    """Seconds of the processor, memory as a multiple of the text, and the number of messages."""
    command = [sys.executable, "-c", READ, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.exhaustive
def test_ten_times_the_text_takes_ten_times_as_long_and_at_most_eight_times_its_memory(tmp_path):
    found = [
        measured(write(tmp_path / str(tokens), tokens, plans=plans))
        for tokens, plans in ((100_000, 1), (1_000_000, 1), (10_000_000, 10))
    ]
    assert all(multiple <= 8 for _, multiple, _ in found)
    (short, _, few), (long, _, many) = found[1], found[2]
    assert 9 < many / few < 11
    assert long < 25 * short  # seconds at this scale are not exact
