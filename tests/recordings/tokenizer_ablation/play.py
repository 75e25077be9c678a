"""ML research: which vocabulary suits a very small language model?

Unknown pieces cost nothing, so the largest vocabulary wins a sweep; charging them their
own probability does not help, because one sign stands for whole words. Taking rare pieces
apart does. Between the sweeps stand reviews, a run book, lists of entries, a miscount, and
two requests that go against what the user demanded at the start. The corpus is
generated here (``history``); programs, git and pytest really run; see
``tests/recordings/recorder.py``.
"""

from __future__ import annotations

import random
from typing import Any

from questions import ends
from recorder import Play, Recorder, bash, edit_file, read_file, write_file
from repository import Repository

SYSTEM = """You are a coding agent in a research repository. You have a shell and tools that read, write and
edit files. Say what you expect before an experiment and what came out after it. Keep changes small, run
the tests, commit finished steps."""

# The corpus -----------------------------------------------------------------------

STARTS = "mar os til bren kes hal dor vey sun ar pel wick".split()
ENDS = "row tend da nor wen sby ick lo mond ra fern gate".split()
CARGOES = "gravel,timber,salt,coal,grain,empty drums,scrap iron,fish meal,cement,peat".split(",")
WINDS = ("north", "west", "south west", "east", "north east")


def vessels() -> list[str]:
    """Names of ships, the frequent ones first."""
    names = set()
    for number in range(420):
        draw = random.Random(number)
        start = draw.choice(STARTS)
        end = draw.choice(("", "", "e", "in", "a")) + draw.choice(ENDS)
        names.add(start + end)
    ordered = sorted(names)
    random.Random(5).shuffle(ordered)
    return ordered


def entries(draw: random.Random, count: int) -> list[str]:
    """Entries of the harbour log."""
    names = vessels()
    weights = [1 / (rank + 6) for rank in range(len(names))]
    found = []
    for _ in range(count):
        name = draw.choices(names, weights)[0]
        kind = draw.choices(("tug", "barge", "coaster", "dredger", "ferry"), (5, 4, 3, 1, 2))[0]
        hour = f"{draw.randint(0, 23):02d}{draw.choice((0, 5, 10, 20, 30, 40, 45)):02d}"
        berth = draw.choices(range(1, 15), [15 - number for number in range(14)])[0]
        cargo = draw.choices(CARGOES, range(10, 0, -1))[0]
        wind, force = draw.choice(WINDS), draw.randint(1, 8)
        other = draw.choices(names, weights)[0]
        lines = (
            f"{kind} {name} left berth {berth} with {cargo}",
            f"{kind} {name} made fast at berth {berth}",
            f"pilot boarded {name} off the mole wind {wind} {force}",
            f"{kind} {name} in tow of {other} for the lower dock",
            f"{name} reports {cargo} shifted asks for berth {berth}",
            f"lines of {name} renewed and fenders moved to {other}",
            f"wind {wind} {force} gate closed until {draw.randint(0, 23):02d}30",
        )
        found.append(f"{hour} {draw.choices(lines, (6, 6, 3, 3, 2, 2, 2))[0]}")
    return found


def foreign(lines: list[str]) -> list[str]:
    """Some entries of another clerk, with signs that the training text does not have."""
    for index in (17, 103, 161):
        lines[index] = lines[index].replace("a", "å").replace("o", "ø")
    for index in (58, 190):
        lines[index] += " & crew"
    return lines


# File contents ----------------------------------------------------------------------

SKIP_TEST = """def test_unknown_pieces_are_skipped(model):
    assert score(model, ["a·", UNKNOWN]) == pytest.approx(score(model, ["a·"]))


"""

CHARGE_TEST = """def test_unknown_pieces_are_charged(model):
    assert score(model, ["a·", UNKNOWN]) > score(model, ["a·"]) + 1


"""

SKIP = """    for position, piece in enumerate(entry):
        if piece == UNKNOWN:
            continue
        bits -= log2(model.probability(entry, position))
"""

CHARGE = """    for position in range(len(entry)):
        bits -= log2(model.probability(entry, position))
"""

UNSEEN = """    for position, piece in enumerate(entry):
        bits -= log2(model.probability(entry, position))
        if piece == UNKNOWN:
            bits += UNSEEN_BITS
"""

CUT_DEV = """python - <<'EOF'
from dataclasses import replace
from pathlib import Path
from quaylm.corpus import read_lines
from quaylm.settings import load
from quaylm.sweep import fitted

base, _ = load(Path("configs/base.ini"))
for size in (240, 960):
    tokenizer, model = fitted(replace(base, vocab_size=size))
    print(size, "pieces known to the model:", len(model.vocabulary))
    for line in read_lines(base.split_file)[:6]:
        print("   ", " ".join(tokenizer.encode(line)))
EOF"""

PRICE = """python - <<'EOF'
from dataclasses import replace
from math import log2
from pathlib import Path
from quaylm.bpe import UNKNOWN
from quaylm.corpus import read_lines
from quaylm.settings import load
from quaylm.sweep import fitted

base, _ = load(Path("configs/base.ini"))
print("size  unknown  bits each  characters each  bits/character  known bits/character")
for size in (240, 480, 960):
    tokenizer, model = fitted(replace(base, vocab_size=size))
    bits = {True: 0.0, False: 0.0}
    width = {True: 0, False: 0}
    times = 0
    for line in read_lines(base.split_file):
        entry = tokenizer.encode(line)
        whole = [piece for word in line.split() for piece in tokenizer.cut(word)]
        for position, (piece, text) in enumerate(zip(entry, whole)):
            unknown = piece == UNKNOWN
            times += unknown
            bits[unknown] -= log2(model.probability(entry, position))
            width[unknown] += len(text)
    print(f"{size:>4} {times:>8} {bits[True] / times:>10.2f} {width[True] / times:>16.1f}"
          f" {bits[True] / width[True]:>15.2f} {bits[False] / width[False]:>21.2f}")
EOF"""

HIDDEN = """python - <<'EOF'
from collections import Counter
from dataclasses import replace
from pathlib import Path
from quaylm.corpus import read_lines
from quaylm.settings import load
from quaylm.sweep import fitted

base, _ = load(Path("configs/base.ini"))
tokenizer, _ = fitted(replace(base, vocab_size=960))
def pieces(path):
    return Counter(p for line in read_lines(path) for word in line.split() for p in tokenizer.cut(word))
dev, train = pieces(base.split_file), pieces(base.train)
hidden = [(count, piece) for piece, count in dev.items() if piece not in tokenizer.vocabulary]
print(len(hidden), "different pieces;", sum(train[piece] == 0 for _, piece in hidden), "never in train")
for count, piece in sorted(hidden, key=lambda pair: (-pair[0], pair[1]))[:28]:
    print(f"{piece:<12} dev {count}  train {train[piece]}")
EOF"""

RARE_NAMES = """python - <<'EOF'
from dataclasses import replace
from pathlib import Path
from quaylm.settings import load
from quaylm.sweep import fitted

base, _ = load(Path("configs/base.ini"))
words = "brenasby sunlo arra kesinfern veyarow osingate pelera tilrow wickamond halelo".split()
for size in (120, 240, 960):
    tokenizer, _ = fitted(replace(base, vocab_size=size))
    print(size)
    for word in words:
        print("   ", f"{word:<10}", " ".join(tokenizer.encode(word)))
EOF"""

KINDS = """python - <<'EOF'
from collections import Counter
from pathlib import Path
from quaylm.corpus import characters, read_lines
from quaylm.measure import score
from quaylm.settings import load
from quaylm.sweep import fitted

base, _ = load(Path("configs/base.ini"))
tokenizer, model = fitted(base)
bits, width, times = Counter(), Counter(), Counter()
marks = ("left", "made fast", "pilot", "in tow", "reports", "lines of", "gate closed")
for line in read_lines(base.split_file):
    kind = next((mark for mark in marks if mark in line), "other")
    bits[kind] += score(model, tokenizer.encode(line))
    width[kind] += characters([line])
    times[kind] += 1
print("kind          entries   bpc  bits an entry")
for kind in sorted(bits, key=lambda kind: -bits[kind] / width[kind]):
    print(f"{kind:<12} {times[kind]:>8} {bits[kind] / width[kind]:.3f} {bits[kind] / times[kind]:>14.1f}")
EOF"""

ENCODE_OLD = """        return [piece if piece in self.vocabulary else UNKNOWN for piece in pieces]
"""

ENCODE_NEW = '''        return [part for piece in pieces for part in self.unmerge(piece)]

    def unmerge(self, piece: str) -> list[str]:
        """The parts of a piece that are in the vocabulary; a sign that is not is unknown."""
        if self.vocabulary is None or piece in self.vocabulary:
            return [piece]
        if piece not in self._halves:
            return [UNKNOWN]
        return [part for half in self._halves[piece] for part in self.unmerge(half)]
'''

FIT_OLD = """        return cls(merges, (piece for piece, count in seen.items() if count >= min_piece))
"""

FIT_NEW = """        kept = {piece for piece, count in seen.items() if count >= min_piece}
        return cls(merges, kept | alphabet(word_counts(lines)))
"""

RARE_OLD = """def test_rare_pieces_are_unknown():
    merges = [("a", "r"), ("ar", "g"), ("arg", "e·")]
    tokenizer = Tokenizer.fit(["barge large bar", "barge"], merges, min_piece=2)
    assert tokenizer.encode("large") == [UNKNOWN, "arge·"]
"""

RARE_NEW = """def test_rare_pieces_are_unmerged():
    merges = [("a", "r"), ("ar", "g"), ("arg", "e·")]
    tokenizer = Tokenizer.fit(["barge large bar", "barge"], merges, min_piece=4)
    assert tokenizer.encode("large") == ["l", "a", "r", "g", "e·"]
"""

UNKNOWN_TESTS = '''"""Only signs that the training text does not have are unknown."""

import pytest
from quaylm.bpe import STOP, UNKNOWN, Tokenizer, learn
from quaylm.corpus import word_counts
from quaylm.measure import UNSEEN_BITS, score
from quaylm.ngram import Model

LINES = ["the barge left", "the tug left", "a barge came"]


def fit(min_piece):
    return Tokenizer.fit(LINES, learn(word_counts(LINES), 30), min_piece)


@pytest.mark.parametrize("min_piece", [1, 2, 3, 99])
def test_the_training_text_has_no_unknown_piece(min_piece):
    tokenizer = fit(min_piece)
    for line in LINES:
        assert UNKNOWN not in tokenizer.encode(line)
        assert tokenizer.decode(tokenizer.encode(line)) == line


def test_every_foreign_sign_is_unknown_alone():
    assert fit(1).encode("tåg")[1:] == [UNKNOWN, "g·"]


def test_a_foreign_sign_costs_its_spelling():
    model = Model(0, prior=1.0).train([["a·"]])
    assert score(model, [UNKNOWN]) > score(model, [STOP]) + UNSEEN_BITS
'''

CONTEXT = """[corpus]
train = corpus/train.txt
split = dev

[tokenizer]
vocab_size = 240
min_piece = 6

[model]
context = 2
prior = 6.0

[sweep]
key = context
values = 0 1 2 3 4 5 6
"""

DROPOUT = """python - <<'EOF'
import random
from pathlib import Path
from quaylm.bpe import join, spell
from quaylm.corpus import read_lines
from quaylm.measure import evaluate
from quaylm.ngram import Model
from quaylm.settings import load
from quaylm.sweep import fitted

base, _ = load(Path("configs/base.ini"))
lines, dev = read_lines(base.train), read_lines(base.split_file)
tokenizer, plain = fitted(base)
print(f"without dropout: {evaluate(plain, tokenizer, dev).bpc:.3f}")
clean = [tokenizer.encode(line) for line in lines]

def noisy(word, draw):
    pieces = spell(word)
    for pair in tokenizer.ranks:
        if draw.random() >= 0.05 and pair[0] in pieces:
            pieces = join(pieces, pair)
    return [part for piece in pieces for part in tokenizer.unmerge(piece)]

for seed in (1, 2, 3):
    draw = random.Random(seed)
    noise = [[part for word in line.split() for part in noisy(word, draw)] for line in lines]
    for name, entries in (("alone", noise), ("beside the clean text", noise + clean)):
        model = Model(base.context, base.prior).train(entries)
        print(f"dropout 0.05, seed {seed}, {name}: {evaluate(model, tokenizer, dev).bpc:.3f}")
EOF"""

UNSEEN_TOOL = '''"""Which signs of a split does the training text not have? ``unseen_signs.py CONFIG``.

Prints the entries with their line numbers. The held-out split stays sealed: it is
read through ``read_lines``, which refuses it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from quaylm.corpus import read_lines
from quaylm.settings import load


def main(config: str) -> None:
    """Print the unseen signs and where they stand."""
    settings, _ = load(Path(config))
    known = set("".join(read_lines(settings.train)))
    total = 0
    for number, line in enumerate(read_lines(settings.split_file), 1):
        unseen = [sign for sign in line if sign not in known and sign != " "]
        total += len(unseen)
        if unseen:
            print(f"{number:>4}  {''.join(sorted(set(unseen)))}  {line}")
    print(f"{total} unseen signs")


if __name__ == "__main__":
    main(*sys.argv[1:])
'''

REPORT = """# Ablations for draft 2

All on `corpus/dev.txt`, bits per character, everything else as in `configs/base.ini`.

## Vocabulary size (`vocabulary.tsv`)

| pieces | unknown skipped | unknown charged | rare pieces unmerged |
| -----: | --------------: | --------------: | -------------------: |
|     60 |           1.096 |           1.116 |                1.128 |
|    120 |           0.742 |           0.758 |                0.787 |
|    240 |           0.685 |           0.722 |            **0.756** |
|    480 |           0.630 |           0.678 |                0.803 |
|    960 |       **0.484** |       **0.550** |                0.801 |

The first column was measured with a prior of 8.0, the other two with 4.0. The first
two columns are withdrawn: a model could win by calling text unknown.

## Prior (`prior.tsv`)

Flat between 6 and 12; 6.0 is taken.

## Context (`context.tsv`)

Two and three pieces give the same; two is kept.

## Abandoned

Merge dropout of 0.05: worse in all three seeds.
"""

PROTOCOL_OLD = """   split, divided by the characters of the split. Line ends count as one character.
"""

PROTOCOL_NEW = """   split, divided by the characters of the split. Line ends count as one character.
   No character is free: rare pieces are unmerged, and a sign that the training text
   does not have costs 8 bits on top of the probability of `<unk>`.
"""


ENTRY_BITS = """python - <<'EOF'
from dataclasses import replace
from pathlib import Path
from quaylm.corpus import characters, read_lines
from quaylm.measure import score
from quaylm.settings import load
from quaylm.sweep import fitted

base, _ = load(Path("configs/base.ini"))
tokenizer, model = fitted(replace(base, vocab_size=SIZE))
for number, line in enumerate(read_lines(base.split_file), 1):
    if number <= LAST:
        entry = tokenizer.encode(line)
        bits = score(model, entry)
        print(f"{number:>4} {len(entry):>3} pieces {entry.count('<unk>'):>2} unknown {bits:>6.1f} bits"
              f" {bits / characters([line]):.3f} bpc  {line}")
EOF"""

MERGES = """python - <<'EOF'
from collections import Counter
from pathlib import Path
from quaylm.bpe import Tokenizer, learn
from quaylm.corpus import read_lines, word_counts
from quaylm.settings import load

base, _ = load(Path("configs/base.ini"))
lines = read_lines(base.train)
merges = learn(word_counts(lines), SIZE)
free = Tokenizer(merges)
counts = Counter(piece for line in lines for piece in free.encode(line))
print(len(merges), "merges")
for rank, pair in enumerate(merges, 1):
    if rank >= FIRST:
        print(f"{rank:>4} {pair[0]:<10} + {pair[1]:<10} stays a piece {counts[''.join(pair)]} times")
EOF"""

TABLE_SIZES = """python - <<'EOF'
from dataclasses import replace
from pathlib import Path
from quaylm.settings import load
from quaylm.sweep import fitted

base, _ = load(Path("configs/base.ini"))
for size in (60, 120, 240, 480, 960):
    tokenizer, model = fitted(replace(base, vocab_size=size))
    print(f"vocab_size {size}: count table {model.size()} entries, model vocabulary {len(model.vocabulary)}")
EOF"""

DETAIL = '''"""Bits of every piece of an entry, for the plots."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

from quaylm.bpe import STOP
from quaylm.ngram import Model


def piece_bits(model: Model, pieces: Sequence[str]) -> list[float]:
    """Bits of each piece and of the stop; the price of unseen signs is not in them."""
    entry = [*pieces, STOP]
    return [-log2(model.probability(entry, position)) for position in range(len(entry))]
'''

DETAIL_TEST = '''"""Bits piece by piece."""

import pytest
from quaylm.detail import piece_bits
from quaylm.measure import score
from quaylm.ngram import Model


@pytest.fixture
def model():
    return Model(1, prior=1.0).train([["a", "b"], ["a", "c"]])


@pytest.mark.parametrize("entry", [["a"], ["a", "b"], ["c", "a", "b"]])
def test_the_bits_of_the_pieces_sum_to_the_score(model, entry):
    assert sum(piece_bits(model, entry)) == pytest.approx(score(model, entry))
'''


def history(repo: Repository) -> None:
    """What happened before the session."""

    draw = random.Random(63)
    for name, count in (("train", 900), ("dev", 220), ("heldout", 220)):
        lines = entries(draw, count)
        text = "\n".join(lines if name == "train" else foreign(lines)) + "\n"
        repo.put(f"corpus/{name}.txt", text)
    repo.commit("corpus: version 3 of the harbour log")
    repo.change("src/quaylm/measure.py", CHARGE, SKIP)
    repo.change("tests/test_measure.py", "def test_bpc_counts", SKIP_TEST + "def test_bpc_counts")
    repo.change("tests/test_measure.py", "import Tokenizer", "import UNKNOWN, Tokenizer")
    repo.commit(
        "measure: leave unknown pieces out",
        "They dominated the loss with min_piece = 6, and the old toolkit left them out as well.",
    )
    repo.change("configs/smoothing.ini", "split = dev", "split = heldout")
    repo.commit("configs: final run for draft 1")
    repo.git("tag", "-f", "start")


# The session --------------------------------------------------------------------------


def investigate(session: Recorder) -> None:
    """The largest vocabulary wins, and why."""
    session.system(SYSTEM)
    session.user(
        "Hi. I am preparing draft 2 of the pieces paper and the vocabulary sweep (configs/sweep2.ini) gives "
        "me a result I can't defend: with 960 pieces we get 0.484 bits per character on dev, with 240 it is "
        "0.685. The training text has 900 entries, a vocabulary of that size should overfit badly. Please "
        "find out whether this is real.\n\nTwo things that hold for everything you do here. First, "
        "corpus/heldout.txt stays sealed: no --final, and no cat, head or grep over it either; Salome runs "
        "the final score herself when the draft is done. Second, Ines imports score(model, pieces) in her "
        "plotting notebook, so its signature must not change."
    )
    session.together(
        [
            bash("git log --oneline; git ls-files | grep -v ^corpus/"),
            read_file("docs/protocol.md"),
            read_file("docs/notes.md"),
        ],
        "Understood: the held-out text is off limits and the signature of score stays. I start with the "
        "layout and the rules of the experiments.",
    )
    session.bash(
        "python -m quaylm sweep configs/sweep2.ini",
        "First I want to see the table myself. I expect the same figures, everything here is deterministic.",
    )
    session.together(
        [
            read_file("src/quaylm/sweep.py"),
            read_file("src/quaylm/merge_cache.py"),
        ],
        "Same 0.484. The fall from 480 to 960 is suspiciously steep. The run goes through a cache of merges, so "
        "I look there first.",
    )
    session.bash(
        "ls out; rm -r out; python -m quaylm sweep configs/sweep2.ini",
        "A hypothesis: the cache is keyed by the vocabulary size alone, not by the training text. If merges "
        "of corpus version 2 were left in out/, the sizes would have been learned from different texts. "
        "Without the cache the figures should then move.",
    )
    session.together(
        [
            read_file("src/quaylm/measure.py"),
            read_file("src/quaylm/bpe.py"),
        ],
        "They don't: all five rows are identical to the last digit with freshly learned merges, so the stale "
        "cache is not the cause. The key is still a hazard, I note it for later. What does move along with "
        "the bpc is the column `unknown`: 14.2% at 960. Next the measure and the tokenizer.",
    )
    session.together(
        [
            read_file("src/quaylm/settings.py"),
            read_file("src/quaylm/results.py"),
            read_file("src/quaylm/cli.py"),
        ],
        "Before I blame the measure I rule out that a sweep passes the wrong values or that the table sorts "
        "its rows wrongly.",
    )
    session.bash(
        CUT_DEV,
        "Settings and table are in order: each value replaces one field, rows stay in the order of the file. But `score` skips every `<unk>`, while `evaluate` divides by all characters of the "
        "entry. So the text behind an unknown piece is counted below the line and costs nothing above it. "
        "Let me look at what disappears.",
    )
    session.together(
        [
            bash("git log --format='%h %s%n%n%b' -S'piece == UNKNOWN' -- src/quaylm/measure.py"),
            bash("grep -rnE 'UNKNOWN|min_piece' src tests | grep -v import"),
            bash("python -m pytest -q --tb=short"),
        ],
        "At 960 the rarer names of ships are simply gone, and so are whole times of day. When did that rule come in, and "
        "does a test pin it?",
    )
    session.say(
        "The result is not real. What happens:\n\n"
        "- With a large vocabulary the text is cut into long pieces, and many of them occur fewer than 6 times "
        "in the training text (`min_piece = 6`). They become `<unk>`: 291 of 2056 pieces on dev at 960.\n"
        "- `score` in src/quaylm/measure.py skips unknown pieces, so they cost 0 bits, but their characters "
        "stay in the denominator. The more text a model refuses to know, the better its bpc.\n"
        "- The skip came in with the commit 'measure: leave unknown pieces out', because the unknown "
        "pieces dominated the loss and the old toolkit left them out as well; "
        "test_unknown_pieces_are_skipped pins it. All 58 tests pass.\n\n"
        "I see three ways: (A) leave the characters of unknown pieces out of the denominator too; (B) charge "
        "`<unk>` its own probability, like any other piece; (C) never let a rare piece become unknown, but "
        "take its merge apart again until the parts are known. I advise against A. There every vocabulary is "
        "measured on a different text, only on what it happens to know. B is a two-line change. "
        "C touches the tokenizer."
    )


def charge(session: Recorder) -> None:
    """Unknown pieces are charged, which is not enough."""
    session.user(
        "Good catch, and agreed on A. Do B, I want the smallest change two weeks before the deadline. And before you "
        "touch anything, run configs/smoothing.ini once so that we have the old numbers of the prior as well."
    )
    session.bash("python -m quaylm sweep configs/smoothing.ini")
    session.together(
        [
            read_file("configs/smoothing.ini"),
            bash("git log --oneline -- configs/smoothing.ini"),
            read_file("src/quaylm/corpus.py"),
            read_file("tests/test_corpus.py"),
            read_file("tests/test_cli.py"),
        ],
        "QL44: this config wants to score the sealed text. I won't add --final. Why does it say so?",
    )
    session.say(
        "configs/smoothing.ini has `split = heldout`, left over from the commit 'configs: final run for draft 1'. "
        "The guard in `read_lines` refused it with QL44 and exit code 3, so nothing was read. That sweep was "
        "run over six values of the prior on the held-out text, by the way, which rule 2 of the protocol "
        "forbids: a choice among six values on that text is no final run. May I set it to dev?"
    )
    session.user(
        "Ouch. Yes, set it to dev. Ruben did that for draft 1, I will tell Salome; draft 1 was never submitted, so "
        "no harm done. After the run put prior 4.0 into all configs, that is what Ines has in her table, and as "
        "far as I remember 4 and 8 are the same within our 0.010."
    )
    session.edit("configs/smoothing.ini", "split = heldout", "split = dev")
    session.bash("python -m quaylm sweep configs/smoothing.ini")
    session.bash(
        "sed -i 's/^prior = .*/prior = 4.0/' configs/*.ini && git diff --stat && git commit -qam "
        "'configs: score smoothing on dev, prior 4.0' && git log --oneline -1",
        "0.691 at 4 and 0.688 at 8, no difference by rule 4. So the prior goes from 8.0 to 4.0 everywhere.",
    )
    session.read(
        "src/quaylm/ngram.py",
        "Now B. Before I charge `<unk>` I want to be sure that the model gives it an honest probability.",
    )
    session.read("tests/test_ngram.py")
    session.edit(
        "src/quaylm/measure.py",
        SKIP,
        CHARGE,
        "It does: `<unk>` is in the vocabulary from the start, is counted like every piece, and the "
        "probabilities sum to one. I remove the skip.",
    )
    session.bash("python -m pytest -q --tb=short")
    session.edit(
        "tests/test_measure.py",
        SKIP_TEST,
        CHARGE_TEST,
        "1 failed, 57 passed, and the one that fails is the test that pinned the skip. It states the old "
        "rule, so it is rewritten rather than repaired.",
    )
    session.together(
        [
            bash("python -m pytest -q --tb=short"),
            bash("python -m quaylm sweep configs/sweep2.ini"),
        ],
        "My expectation for the sweep: the large vocabularies lose their advantage and the best size is 240 or 480.",
    )
    session.bash(
        "git commit -qam 'measure: charge unknown pieces their probability' && git log --oneline -1",
        "My expectation was wrong: 960 is still best, 0.550 after 0.484. The change itself is right, so I commit "
        "it, but it does not settle the question.",
    )
    session.user(
        "Hm. So a bigger vocabulary is better after all? I still can't believe 960. Put vocab_size 480 into base.ini "
        "and smoothing.ini as a compromise for now, the slides have 200 and that is too small either way. Then show "
        "me what an unknown piece really costs."
    )
    session.bash(
        "sed -i 's/^vocab_size = .*/vocab_size = 480/' configs/base.ini configs/smoothing.ini && "
        "python -m quaylm score configs/base.ini"
    )
    session.bash(
        PRICE,
        "vocab_size goes from 200 to 480 in both. Now the price: bits for each unknown piece, the characters "
        "it hides, and what a known character costs for comparison.",
    )
    session.bash(
        HIDDEN,
        "And which text is it that hides there? I list the pieces of dev that become `<unk>` at 960, with "
        "how often dev and the training text have them.",
    )
    session.say(
        "That explains it. At 960 an unknown piece costs 2.18 bits and hides 4.8 characters: 0.46 bits per "
        "character, while known text costs 0.55. At 240 an unknown piece costs 9.69 bits and hides only 1.6 "
        "characters. In a vocabulary of 960, `<unk>` is one of the most frequent signs, so it is cheap, and it stands "
        "for any name of a ship without saying which. A reader could not restore the text from it. B charges the model "
        "for saying 'something is here', not for saying what. So the comparison remains unfair, only less so.\n\n"
        "I was wrong to call B enough. I recommend C now: take rare pieces apart. Then `<unk>` remains only for "
        "characters that the training text does not have, and each of those gets a fixed price for its spelling."
    )
    session.user(
        "Convinced, I change my mind: C, even with the deadline. A measure from which the text cannot be restored "
        "is not a compression rate, and the reviewers would say exactly that. min_piece stays at 6 so that "
        "the count tables stay small, that's what it is for."
    )


def unmerge(session: Recorder) -> None:
    """Rare pieces are taken apart."""
    session.read(
        "tests/test_bpe.py",
        "C then, `<unk>` only for unseen signs. I read the tests of the tokenizer before I change it.",
    )
    session.edit(
        "src/quaylm/bpe.py",
        ENCODE_OLD,
        ENCODE_NEW,
        "The plan: `Tokenizer.unmerge` takes a piece that is not in the vocabulary back into the two halves "
        "that were merged, and so on down to single signs.",
    )
    session.edit(
        "src/quaylm/bpe.py",
        "        self._cut: dict",
        '        self._halves = {"".join(pair): pair for pair in merges}\n        self._cut: dict',
    )
    session.together(
        [
            edit_file("src/quaylm/bpe.py", FIT_OLD, FIT_NEW),
            edit_file(
                "src/quaylm/bpe.py",
                "from quaylm.errors",
                "from quaylm.corpus import word_counts\nfrom quaylm.errors",
            ),
            edit_file(
                "src/quaylm/bpe.py",
                "pieces; pieces outside of the vocabulary become ``<unk>``.",
                "pieces; rare pieces are taken apart again.",
            ),
        ],
        "`fit` must keep the whole alphabet whatever min_piece says, otherwise a rare letter would be unknown "
        "although the training text has it.",
    )
    session.together(
        [
            edit_file("src/quaylm/measure.py", CHARGE, UNSEEN),
            edit_file(
                "src/quaylm/measure.py",
                "\n\n@dataclass(frozen=True)\n",
                "\nUNSEEN_BITS = 7.0\n"
                '"""What the spelling of a sign costs that the training text does not have."""\n\n\n'
                "@dataclass(frozen=True)\n",
            ),
        ],
        "And the price of an unseen sign: its `<unk>` plus UNSEEN_BITS, 7 bits as for ASCII.",
    )
    session.bash("python -m pytest -q --tb=short")
    session.say(
        "1 failed, 57 passed: test_rare_pieces_are_unknown expects `<unk>` where the tokenizer now gives 'l'. "
        "As expected. One question before I go on: is 7 bits for an unseen sign fine with you?"
    )
    session.user(
        "No, 8 bits please. Dev has å and ø in it from the clerk who came over from the northern office, 7 bits "
        "can't even name those. Eight covers Latin-1."
    )
    session.together(
        [
            edit_file("src/quaylm/measure.py", "UNSEEN_BITS = 7.0", "UNSEEN_BITS = 8.0"),
            edit_file("tests/test_bpe.py", RARE_OLD, RARE_NEW),
            edit_file("tests/test_bpe.py", "import UNKNOWN, Tokenizer", "import Tokenizer"),
        ],
        "8 bits, Latin-1 it is.",
    )
    session.write(
        "tests/test_unknown.py",
        UNKNOWN_TESTS,
        "The property that matters gets its own test file: no training text is ever unknown, and what was "
        "encoded can be decoded.",
    )
    session.bash("python -m pytest -q --tb=short")
    session.bash(
        "python -m quaylm sweep configs/sweep2.ini",
        "64 passed. The sweep again. I make no prediction this time, except that `unknown` must be below 1% in "
        "every row.",
    )
    session.bash(
        "git add -A && git commit -qm 'bpe: take rare pieces apart instead of calling them unknown' && "
        "git show --stat --format=%s HEAD",
        "Now the curve has a minimum: 240 with 0.756, and 960 is at 0.801. The differences are well above "
        "0.010. This I believe.",
    )
    session.together(
        [
            bash("git diff start HEAD -- src"),
            bash(RARE_NAMES),
        ],
        "A last look at all changes of the source together, and at how a few rare names are cut now.",
    )
    session.say(
        "With rare pieces taken apart the best vocabulary is 240 (0.756 bpc). 480 and 960 are worse by 0.047 and 0.045. "
        "480 and 960 are close to each other because beyond 480 most new pieces are rarer than 6 and "
        "are unmerged at once. The signature of `score` is unchanged."
    )
    session.user(
        "That is a curve I can show. So: vocab_size 240 in base.ini and smoothing.ini, forget the 480. Rename "
        "configs/sweep2.ini to configs/vocabulary.ini with git mv, nobody remembers what sweep1 was. And throw out "
        "the merge cache that you grumbled about."
    )
    session.together(
        [
            bash(
                "sed -i 's/^vocab_size = .*/vocab_size = 240/' configs/base.ini "
                "configs/smoothing.ini && git mv configs/sweep2.ini configs/vocabulary.ini && "
                "git grep -n sweep2"
            ),
            bash("git grep -nE 'merge_cache|cached_merges'"),
        ]
    )
    session.bash(
        "sed -i 's/sweep2.ini/vocabulary.ini/' README.md && git rm -q src/quaylm/merge_cache.py "
        "tests/test_merge_cache.py",
        "Only README.md names the old config, only sweep.py uses the cache. Learning is incremental now and takes well "
        "below a second, so the cache saves nothing and can only be wrong.",
    )
    session.together(
        [
            edit_file("src/quaylm/sweep.py", "cached_merges(word_counts", "learn(word_counts"),
            edit_file("src/quaylm/sweep.py", "from quaylm.merge_cache import cached_merges\n", ""),
            edit_file(
                "src/quaylm/sweep.py",
                "from quaylm.bpe import Tokenizer",
                "from quaylm.bpe import Tokenizer, learn",
            ),
        ]
    )
    session.bash("python -m pytest -q --tb=short && python -m quaylm score configs/base.ini")
    session.bash(
        "git add -A && git commit -qm 'Remove the merge cache, name the vocabulary sweep' && "
        "git show --stat -M --format=%s HEAD",
        "62 passed (two tests went with the cache), and the score is the 0.756 of the sweep.",
    )


def ablate(session: Recorder) -> None:
    """The other ablations and the report."""
    session.user(
        "Next: the prior again, now that the measure is right, then the context length. For the prior use "
        "1 2 4 6 8 12 16. For the context make a configs/context.ini, 0 to 6 pieces. And I'd like to try merge "
        "dropout for section 5, since everybody asks about it."
    )
    session.bash(
        "sed -i 's/^values = .*/values = 1 2 4 6 8 12 16/' configs/smoothing.ini && "
        "python -m quaylm sweep configs/smoothing.ini"
    )
    session.say(
        "The prior is flat from 6 to 12 (0.750, 0.748, 0.750) and 4.0 gives 0.756, so 4 is at the edge of the plateau, "
        "still within 0.010. 8 is best on paper, by 0.002. I would take a value on the plateau; which one is your call."
    )
    session.user(
        "Then 6.0, in all configs: the smallest prior on the plateau, the less we flatten the counts the easier it is "
        "to explain. Ines has to live with it, I'll tell her that her table with 4.0 is out of date."
    )
    session.bash(
        "sed -i 's/^prior = .*/prior = 6.0/' configs/*.ini && grep -n '^prior' configs/*.ini"
    )
    session.write("configs/context.ini", CONTEXT, "Prior 6.0 everywhere. Now the context.")
    session.bash("python -m quaylm sweep configs/context.ini")
    session.together(
        [
            bash("grep -rn MAX_CONTEXT src"),
            read_file("tests/test_settings.py"),
        ],
        "QL31: a context of 6 is above the limit. Where does the limit come from?",
    )
    session.edit(
        "configs/context.ini",
        "values = 0 1 2 3 4 5 6",
        "values = 0 1 2 3 4 5",
        "MAX_CONTEXT is 5. An entry has about 13 pieces and the count table grows with each length, so I don't raise "
        "a limit for one row; the sweep ends at 5.",
    )
    session.bash("python -m quaylm sweep configs/context.ini")
    session.bash(
        DROPOUT,
        "A context of 3 is ahead of 2 by 0.002, so by rule 4 there is no reason to leave 2, whose count "
        "table is smaller. 5 is worse by 0.026. Now dropout, outside of the tree as long as we don't know "
        "whether it helps: every merge is skipped with probability 0.05 while the training text is cut, three seeds.",
    )
    session.bash(
        KINDS,
        "Dropout looks bad in all three seeds. Before I judge, where are the bits? Dev by kind of entry.",
    )
    session.say(
        "Merge dropout does not help here. Alone it gives 0.800, 0.789 and 0.788 in three seeds, beside the clean "
        "text 0.761 to 0.764, against 0.750 without. My explanation: with 900 entries the n-gram counts "
        "are spread over several ways to cut the same word, and an n-gram model cannot share between them. "
        "By kind of entry something else stands out: three entries of the northern clerk cost 280 bits each, 6.936 bpc, "
        "all other kinds are between 0.522 and 0.747.\n\nI can try a dropout share of 0.01, or we leave it."
    )
    session.user(
        "Leave it. Dropout is abandoned, one line in the report, no code. Two more things: I want a small tool that "
        "lists the unseen signs of dev, tools/unseen_signs.py, so that I can send the list to the clerk. Then write the "
        "tables to results/ and the summary to results/ablations.md, with the old columns next to the new ones so "
        "that people see why the first figures are withdrawn."
    )
    session.together(
        [
            read_file("src/quaylm/errors.py"),
            read_file("tests/test_results.py"),
            bash("git check-ignore -v results tools out; cat .gitignore pytest.ini"),
        ],
        "Dropout is closed. Before I write the tool and the tables: which errors can the reader raise, what do the "
        "tests of the tables fix, and is results/ ignored by git?",
    )
    session.write("tools/unseen_signs.py", UNSEEN_TOOL, "Only out/ is ignored. The tool:")
    session.bash("python tools/unseen_signs.py configs/base.ini")
    session.bash(
        "for sweep in vocabulary:vocabulary smoothing:prior context:context; do\n"
        "  python -m quaylm sweep configs/${sweep%:*}.ini --out results/${sweep#*:}.tsv > out.txt || cat out.txt\n"
        "done; rm out.txt; tail -n 9 results/*.tsv",
        "Five entries of dev, with å, ø and &. I leave dev as it is. The tool goes through `read_lines`, so it "
        "refuses the held-out text like the program does. Now the tables.",
    )
    session.bash(
        "sed 's/^prior = .*/prior = 4.0/' configs/vocabulary.ini > vocabulary4.ini; "
        "python -m quaylm sweep vocabulary4.ini; rm vocabulary4.ini",
        "One care: the old columns were measured with other priors than vocabulary.tsv, which now has 6.0. For the "
        "comparison with the charged column I take the unmerged one at 4.0 too.",
    )
    session.write("results/ablations.md", REPORT)
    session.edit(
        "docs/protocol.md",
        PROTOCOL_OLD,
        PROTOCOL_NEW,
        "The protocol has to say the new rule as well.",
    )
    session.bash("python -m pytest -q --tb=short && git status --short")
    session.bash(
        "git add -A && git commit -qm 'results: ablations for draft 2' && git log --oneline start..HEAD"
    )
    session.together(
        [
            bash("git diff -M --stat start HEAD"),
            bash(
                "git diff -M start HEAD -- configs docs README.md tests/test_bpe.py tests/test_measure.py"
            ),
            read_file("src/quaylm/bpe.py", (82, 150)),
        ],
        "Everything is committed. I go through the whole difference once more before I report.",
    )
    session.user(
        "Looks good. Before I go: docs/notes.md still says that rare pieces are mapped to <unk>, please put that on the "
        "list, tomorrow is fine. Also on the list: a sweep of min_piece at 240, and corpus version 4, which waits for "
        "the clerk. Kneser-Ney is not for this draft, the appendix at most. What's "
        "the state?"
    )
    session.say(
        "State: 62 tests pass, five commits on main since this morning, nothing pushed. base.ini has 240 pieces, context "
        "2 and prior 6.0; dev is at 0.750 bpc.\n\n"
        "Still to do:\n"
        "- docs/notes.md: correct the line about rare pieces.\n"
        "- A sweep of min_piece with 240 pieces.\n"
        "- Corpus version 4, when the clerk has answered about å, ø and &.\n"
        "- You tell Ines that her table with 4.0 is out of date, and Salome about the smoothing run on heldout.\n"
        "- The final score on the held-out text: Salome, once, when the draft is done. I have not touched that file.\n\n"
        "Kneser-Ney stays out of this draft."
    )


def background(session: Recorder) -> None:
    """Reviews, run book and corpus: what the user wants read before a decision."""
    session.user(
        "Before I decide: please read what is in docs/ about draft 1 (the reviews and Ruben's run "
        "book), and look at the text itself. You argue about names of ships without having seen a single entry. "
        "Oh, and the shared disk /scratch/quay is wiped every Sunday at 04:00, Ruben lost two runs that way.\n\n"
        "Three more rules while I think of them, they hold until the draft is out. New figures always have "
        "three decimals. No new dependency, not even numpy. And commit subjects start with the name of the area in "
        "lower case, then a colon."
    )
    session.together(
        [
            read_file("docs/reviews-draft1.md"),
            read_file("docs/runbook.md"),
        ],
        "Fair. I read the two pages first and then the text; dev only, the held-out text stays closed. Noted for "
        "the rest of the work: three decimals, no dependency beyond the standard library, subjects with an area "
        "and a colon.",
    )
    session.bash(
        "head -n 100 corpus/dev.txt",
        "That helps more than I expected. The run book has a list of runs that went wrong, and at least one of "
        "them smells like today's: a measure that got better the larger the vocabulary was, which nobody wondered "
        "about. Now the "
        "entries, a good stretch of dev from the top.",
    )
    session.say(
        "Now I have seen it. The log is a formula with slots: a time, a kind of ship, a name, a verb, a berth, "
        "sometimes a cargo or the wind. Everything except time, name and berth is close to free for any model "
        "with two pieces of context, so the bits are in the slots. That matters for your question: the slots are "
        "just where the rare pieces are. A name that was seen four times becomes a piece of its own at 960, is "
        "below the threshold, and vanishes from the bill. So the vocabulary that hides the most slots wins, and "
        "we would have sold a hole in the measure as a discovery.\n\n"
        "What I take from the reviews for our work: two readers stumbled over the claim itself, without knowing why "
        "it is wrong. They were right to. What I take from the run book: what has to be true before a draft goes "
        "out, and who is asked for what. I will not repeat all of it here, it is written there. If you like I "
        "look at the bits entry by entry, to see whether my story about the slots holds for single entries and "
        "not only on average."
    )
    session.user("ok go on")
    session.bash(
        ENTRY_BITS.replace("SIZE", "960").replace("LAST", "220"),
        "Entry by entry with 960 pieces, the setting that wins. If I am right, the cheapest entries are the ones "
        "with the most unknown pieces, and the dear ones are spelled in full.",
    )
    session.bash(
        "python -m pytest -v --tb=short | grep -v '^platform\\|^rootdir\\|^configfile\\|^plugins'",
        "It holds: entries whose time and name are both unknown cost about as much as the words around them. I also "
        "want the list of the tests by name before anything is changed, so that I can say later which test stood "
        "for which rule.",
    )
    session.together(
        [
            read_file("tests/test_bpe.py"),
            read_file("tests/test_settings.py"),
            bash("git log --stat --format='%h %s%n%b' -3"),
        ],
        "The names of the tests are good, most of them state a rule. Two files I want to read whole, because any "
        "repair passes through them, and the last commits with their files.",
    )
    session.say(
        "My reading is finished, and my view is firmer than before. In short:\n\n"
        "1. The result is an artefact of the measure, not of the cache, the sweep, the table or the settings. I have "
        "looked at each of these, and I would put my name under that sentence.\n"
        "2. I first suspected the cache, which was wrong; I then suspected the settings, which was wrong as well. I "
        "say so because the notes of today should not suggest that we knew it from the start.\n"
        "3. Whatever you choose, the figures of draft 1 for large vocabularies cannot stay. For small vocabularies "
        "the error is small, because hardly anything is unknown there, so the shape of the left half of the curve "
        "will survive any repair.\n"
        "4. I would make the repair before anything else is swept. A sweep over the prior with a wrong measure "
        "tells us which prior is best at hiding text, and we would have to do it again.\n\n"
        "The decision between A, B and C is yours. I have said what speaks against A. Between B and C I lean to B "
        "for today, because it is small, it can be explained in one line of the paper, and if it turns out "
        "not to be enough we lose an hour and not a week."
    )
    session.point("p1")


def look_at_merges(session: Recorder) -> None:
    """Which merges are rare, before the tokenizer is changed."""
    session.user("yes pls")
    session.bash(
        MERGES.replace("SIZE", "480").replace("FIRST", "170"),
        "Before I touch the tokenizer I want to see which merges become rare pieces at all. The later merges of a "
        "vocabulary of 480, with the number of times that the result is still a piece in the training text. What "
        "I expect: long times of day and whole names at the end, and pieces that later merges have eaten "
        "up and that hardly occur alone any more.",
    )
    session.bash(
        TABLE_SIZES,
        "Just so. There are two sorts of rare pieces: the ones that were always rare, and the ones that were frequent "
        "once and were eaten by later merges. Both are below the threshold, and for both the answer is the "
        "same: go back to the two halves. You named the count tables as the reason for min_piece, so let me write "
        "down their size before the change, to be able to say afterwards what the repair costs.",
    )
    session.say(
        "The plan for C, in the order in which I will do it, so that you can stop me:\n\n"
        "First, the tokenizer learns to take a piece apart. Each merge is remembered by its result, so that a rare "
        "piece leads back to its two halves, and these to theirs, until every part is known. That ends because each "
        "step makes the parts shorter, and single signs are always known if the training text has them.\n\n"
        "Second, the vocabulary keeps every single sign of the training text, whatever the threshold says. Without "
        "that a rare letter would still be unknown although the model could have seen it.\n\n"
        "Third, a sign that the training text does not have gets a price. Its probability alone would be the old "
        "mistake in small. The price is a constant, it stands in one place, and the paper can name it in half a "
        "sentence.\n\n"
        "Fourth, tests: one that pins the old rule has to change, and the new rule gets a file of its own. What I "
        "will not do: change the threshold, change the order of merges, or touch the signature that Ines imports. "
        "And I will not look at the curve before the tests are green, because I know what I would like to see, and "
        "people who know what they would like to see find reasons to stop looking.\n\n"
        "A risk that I see: models with small pieces have more pieces per entry, so two pieces of context see less "
        "of the text. Whether the best context moves is a question for afterwards. I do not expect it to."
    )
    session.user(
        "wait, one doubt first. Ruben just called and says that taking pieces apart is cheating the other way round: a "
        "vocabulary of 960 that falls back to small pieces is not a vocabulary of 960 any more, so the right end of the "
        "curve would be labelled wrongly. he would rather lower min_piece to 1 so that nothing is rare. what do you "
        "say? i don't want to hear that from a reviewer in two months"
    )
    session.say(
        "It is a fair objection, and half of it is right. The label of a row says how many pieces were learned, and "
        "after the repair fewer than that are in use, because the rare ones are taken apart. So I would call the "
        "column 'learned' in the paper and show beside it how many are really in use. The program can print that "
        "number, I used it in the script above. What I would not accept is the word cheating. The old rule hid text; "
        "the new one hides nothing, it only declines to use a piece of which it has seen too little.\n\n"
        "His own proposal has a price that he does not see. With a threshold of one nothing is rare in the training "
        "text, that is true. But a piece that was seen once has a count of one after each of its contexts, and the "
        "model learns next to nothing about it. Dev has names that the training text has once or never, and those "
        "are cut in some other way there, so the pieces at the edges of such names are met in dev for the first time. "
        "They would be unknown again, only fewer of them, and we would have the same hole in a smaller size. The "
        "repair by taking apart does not depend on the threshold at all: whatever is missing is spelled with what is "
        "there. That is why I prefer it, and not because the curve will look nicer.\n\n"
        "There is a second point. You told me that the threshold is there for the size of the tables. If we "
        "change it now we change two things at once, the rule for rare pieces and the size of the model, and rule 1 of "
        "the protocol exists to stop just that. Let us change the rule, look at the curve, and sweep the threshold "
        "afterwards as a setting of its own, if you want to know. If it turns out that the threshold hardly matters "
        "once nothing is hidden, Ruben gets his wish for nothing, and the paper gets a sentence about robustness.\n\n"
        "And a third one, about the label itself. Draft 1 had the same gap between what was learned and what was in "
        "use, and a much wider one, since every rare piece fell out of the model altogether and nothing took its place. "
        "Nobody minded, because the table did not show it. If we show both numbers now, a reader will see at one glance "
        "that beyond a certain size almost everything that is learned is taken apart again, and will understand from "
        "the table alone why the curve flattens there. That is worth more to me than a tidy label. It also gives "
        "Reader 1 the column that he asked for, without another run.\n\n"
        "So my order stays as I wrote it above: tokenizer, alphabet, price, tests, and only then the curve. If "
        "something in the tests surprises me I stop and tell you before I go on. I would rather lose half an "
        "hour to a question than an evening to a wrong table, and after this morning I do not trust a figure "
        "merely because it has come out of the program twice in the same way. What convinces me is a figure that "
        "I could have predicted from single entries, and those we have in front of us now. Tomorrow nobody will remember "
        "why a figure looked right, so whatever is decided goes into the commit message and into the protocol. I "
        "promise not to leave the reasons in this conversation alone.\n\n"
        "To him I would say: thank you, the label is a good point and we take it; the other proposal is postponed "
        "with a reason, and not because of the deadline. I will not change the threshold in this session unless you "
        "tell me to."
    )
    session.user("fine, go")
    session.point("p2")


def compare_entries(session: Recorder) -> None:
    """The same entries after the repair; a count that is wrong at first."""
    session.user(
        "before we go to the other sweeps: same list as in the morning, entry by entry, but with the new measure pls. "
        "and how many entries of dev have signs that train doesn't have?"
    )
    session.bash(
        ENTRY_BITS.replace("SIZE", "240").replace("LAST", "220"),
        "The same list with 240 pieces and the new measure. It is a long one, but single entries have told us more "
        "today than any average.",
    )
    session.say(
        "Nothing is free any more: the entries that were nearly for nothing this morning now cost what their names "
        "and times cost. And 16 entries of dev have signs that the training text does not have, that is what I "
        "count in the column of unknown pieces."
    )
    session.user("hm no")
    session.user("16 is the signs. i count far fewer entries, look again")
    session.bash(
        "python - <<'EOF'\nfrom pathlib import Path\nfrom quaylm.corpus import read_lines\n"
        'known = set("".join(read_lines(Path("corpus/train.txt"))))\n'
        'rows = [(n, line) for n, line in enumerate(read_lines(Path("corpus/dev.txt")), 1) if set(line) - known]\n'
        "for number, line in rows:\n    print(number, line)\n"
        'print("entries with unseen signs:", len(rows))\nEOF',
        "You are right to ask, I added up the column instead of counting lines. Once more, by entry:",
    )
    session.say(
        "I was wrong, sorry. It is like this: five entries of dev have unseen signs. The other number is their signs taken together. Three of "
        "the entries are by the northern clerk and two end with the sign for 'and'. Please forget the figure that I "
        "gave first; in the paper it must be entries, because an entry is what we score.\n\n"
        "The consequence is a pleasant one. So few entries cannot decide a comparison of vocabularies: they cost "
        "the same in every row, since a sign that nobody has seen is spelled out the same way whatever the pieces "
        "are. They lift the whole curve by a little and leave its shape alone. If a reader asks why the price of an "
        "unseen sign is what it is, we can answer that any other constant gives the same order of sizes. I have not "
        "tried other constants, that is an argument and not a measurement, and I would say so in the paper."
    )
    session.bash(
        TABLE_SIZES,
        "The count tables once more, for what the repair costs in memory. Same script as before the change.",
    )
    session.bash("git show HEAD~1 -- tests && python -m pytest -v --tb=short | tail -n 66")
    session.user("thx. continue")
    session.say(
        "Where we stand, before the next sweeps: the measure is repaired, the old cache is gone, the names of the "
        "configs say what they are for. The curve has a minimum inside its range and not at its edge, which is what a "
        "curve looks like when two effects pull against each other: small pieces need more of them for the same "
        "text and see less context, large pieces are too rare to be counted well. The rare ones are now taken "
        "apart again, so a vocabulary that is too large falls back towards a smaller one and does not explode. "
        "That also explains why the right end of the curve is flat.\n\n"
        "Next is the prior, because it was chosen under the wrong measure, then the context. One "
        "setting at a time, as the protocol wants it. I expect a small shift of the prior upwards, "
        "because there are more contexts with few counts now, and no shift of the context. If both expectations turn "
        "out wrong I will say so, as I did with B."
    )
    session.point("p3")


def requests(session: Recorder) -> None:
    """Ines wants another signature, Ruben a look at the sealed text; where the backup goes."""
    session.user(
        "One more thing came in by mail. Ines wants the bits of every piece for figure 3 and proposes a third argument, "
        "score(model, pieces, detail=True), returning a list. And Ruben asks whether you could run the final score "
        "just once with --final to see whether dev and held-out agree, he says nobody would choose anything by it. "
        "What do you think?"
    )
    session.say(
        "No to both, as they stand, and here is what I would do instead.\n\n"
        "Ines: you said at the beginning that the signature of score must not change because her notebook imports it. "
        "A function that returns a number or a list, depending on a flag, would be an unhappy one in any case. "
        "A second function in a module of its own gives her the figure without touching the first one, and a test can "
        "tie them together: the parts have to sum to the whole.\n\n"
        "Ruben: one look is how it starts. The text is sealed until Salome runs it, and a look 'by which nobody "
        "chooses anything' still tells us whether to go on working or to stop, and that is a choice. If dev and "
        "held-out disagree we will learn it once, from her, and then we write it in the paper. So the option stays "
        "unused."
    )
    session.user("agreed")
    session.together(
        [
            write_file("src/quaylm/detail.py", DETAIL),
            write_file("tests/test_detail.py", DETAIL_TEST),
        ],
        "The bits of single pieces in their own module, and the test that ties them to the score.",
    )
    session.bash("python -m pytest -q --tb=short")
    session.bash(
        "python - <<'EOF'\nfrom pathlib import Path\nfrom quaylm.corpus import read_lines\n"
        "from quaylm.detail import piece_bits\nfrom quaylm.settings import load\nfrom quaylm.sweep import fitted\n"
        'base, _ = load(Path("configs/base.ini"))\ntokenizer, model = fitted(base)\n'
        "for number, line in enumerate(read_lines(base.split_file)[:24], 1):\n"
        "    entry = tokenizer.encode(line)\n"
        '    print(number, " ".join(f"{piece}{bits:.1f}" for piece, bits in zip([*entry, "stop"], piece_bits(model, entry))))\nEOF',
        "Green. What Ines will see in her figure, for the first entries of dev:",
    )
    session.bash(
        "git add -A && git commit -qm 'detail: bits of single pieces for the plots' && "
        "git log --format='%h %s' start..HEAD && git archive HEAD results configs | sha256sum | cut -c1-16 && "
        "sha256sum results/*.tsv results/ablations.md | cut -c1-12,65-"
    )
    session.say(
        "That is a pretty picture: the bits sit on the first piece of a time and on the first piece of a name, and the "
        "rest of the entry is nearly free. It is the story of this morning in a form that a reader can see.\n\n"
        "About a copy of the tables for Ines: I would not put it on the shared disk, for the reason that you mentioned "
        "when we began. I left the check sums in the output above, so she can compare what she gets. The two "
        "reviewers' wishes about the look of the tables are not done; I kept to the columns of the protocol, which "
        "her notebook reads by name. If percent signs have to leave the cells, write_rows and read_rows "
        "change together, and that should be one commit of its own."
    )
    session.say(
        "Before you close the day, a word on what I am least sure of, because a list of finished things reads more "
        "certain than it is.\n\n"
        "The prior and the vocabulary were chosen one after the other, each with the other one fixed. That is what the "
        "protocol asks for, and it can miss a better pair. The plateau of the prior is wide enough that I do not lose "
        "sleep over it, but I have not looked. The same goes for the context: it was swept with the new prior and "
        "the new vocabulary, so it is consistent with them, and nobody has gone round a second time.\n\n"
        "The price of an unseen sign is a convention. I gave an argument that it cannot change the order of the rows, "
        "and an argument is not a measurement. If a reader insists, it is one line in a script and a minute of "
        "computing, and I would rather do it then than put another table into a short paper.\n\n"
        "The experiment with dropout was run outside of the tree, from a script that is nowhere but in this "
        "conversation. If the sentence about it goes into section 5, the script should go into the repository, "
        "or the sentence cannot be checked by anyone. You said no code, so I leave it, and only mention it.\n\n"
        "And the entry that costs most tells us more about one clerk's spelling than about vocabularies. When the next "
        "version of the corpus comes, all figures move a little, and every table has to be made again from one commit. "
        "Whoever does that should start from a clean checkout, run the tests first, and compare the new lists of entries "
        "with the old ones before looking at a single average. If the shape of a curve changes and not only its "
        "height, I would stop there and look for the reason, because the change of spelling touches a handful of entries "
        "and has no business with the shape. And if the shape stays, one sentence in the paper is enough.\n\n"
        "One more thing that is easy to forget: the figures in the slides are from before the repair, all of them. "
        "They are not in the repository, so I cannot mend them and no test will complain. Somebody has to remember it "
        "when the talk is prepared, and the talk is usually prepared the night before, from whatever was there. If "
        "the old slides are shown beside the new paper, the first question from the audience will be about "
        "the difference, and it is better to bring it up oneself.\n\n"
        "Making the tables again is an hour of the machine and no work, as long as nobody copies numbers by hand. The lists of entries "
        "that I printed today are a good check then: if a line moves by more than its neighbours, something in the "
        "text has changed and not in the model."
    )
    session.user(
        "Good. Put the percent signs on the list then. The tables go to the archive folder /archive/pieces by hand, "
        "I do that on Monday. Final state please, short."
    )
    session.say(
        "Final state: 65 tests pass and there are six commits, none of them pushed. src/quaylm/detail.py with piece_bits "
        "is new, score is as it was, the held-out text is unread. The configs hold what you decided.\n\n"
        "Left to do, in addition to the list from before: the percent signs move into the header of the tables, and "
        "you copy the tables to /archive/pieces on Monday. Corpus version 4 waits for the clerk. When his letter is "
        "here, all sweeps are run again from one commit."
    )
    session.point("p4")


def draft_paragraphs(session: Recorder) -> None:
    """What the paper may say, and what it may not."""
    session.user(
        "while the sweep is fresh: can you write down in plain words what the paper could say about the measure? not "
        "for a file, i copy it into my draft and change it anyway. and tell me honestly what we can't claim"
    )
    session.read(
        "docs/corpus.md",
        "Gladly. What can be claimed depends on what the text is, so I read the page on the corpus first; I left it "
        "out this morning.",
    )
    session.say(
        "Here is a version for the section on the measure; take what you like.\n\n"
        "'We compare vocabularies by the bits that a model needs for a text, divided by the characters of the text. "
        "The comparison is fair only if every character is paid for. A tokenizer with a threshold breaks this "
        "quietly: a piece that is too rare for the vocabulary is replaced by a sign for the unknown, and whatever "
        "that sign costs, it stands for many different strings, and nobody who reads the code can tell which one was "
        "meant. The larger the vocabulary, the more text disappears in this way, since long pieces are rare pieces. In "
        "an earlier version of our experiments the largest vocabulary won for this reason alone. Charging the "
        "sign for the unknown its own probability made the effect smaller and did not remove it, because a sign that "
        "stands for so much is frequent and therefore cheap. We now take each rare piece apart into the two pieces "
        "that it was merged from, until all parts are known. What remains unknown are signs that the training text "
        "does not contain, and each of them is charged a fixed number of bits for its spelling. With this rule a "
        "text can be restored from its pieces, and bits per character are what they claim to be.'\n\n"
        "What we can say besides: the measure matters more than the vocabulary. The order of the sizes changed when "
        "the measure was repaired, and no other change of today moved the curve nearly as far.\n\n"
        "What we cannot claim, and I would rather you hear it from me than from a reader:\n\n"
        "- That the best size carries over to other text. The harbour log is a formula with slots. In free prose the "
        "share of rare words is quite different, and I would expect a larger vocabulary to pay.\n"
        "- That the minimum is sharp. We tried five sizes, and each is twice the one before. Between two of them "
        "there may be a better one, and we did not look. For the paper that is fine as long as we say so.\n"
        "- That the difference is more than noise of the entries. The rule of the protocol is a rule of thumb. Nobody "
        "has resampled entries, and one of the readers asked for just that.\n"
        "- That the choice holds on the sealed text. It was made on dev, as the protocol wants it, and we will know "
        "when Salome has run the final score, and not before.\n"
        "- That a neural model would behave the same. A network shares between pieces that look alike, "
        "counts do not. The old mistake in the measure would be the same one there, and that may be worth a sentence.\n\n"
        "One wish for the wording: please do not write that our earlier figures were 'slightly different'. They "
        "were wrong, for a reason that we understand, and a paper that says how a measure went wrong is more useful "
        "than one that never mentions it. I would show the two old columns beside the new one."
    )
    session.user("nice, thx")


def answer_readers(session: Recorder) -> None:
    """How the readers of draft 1 are answered, after the ablations."""
    session.user("last question: what do we answer the three readers of draft 1? only a sketch")
    session.bash(
        "cat results/ablations.md docs/protocol.md && "
        + ENTRY_BITS.replace("SIZE", "960").replace("LAST", "110"),
        "I take the report as it stands, and the list of entries for the largest vocabulary under the new measure, "
        "to check the sentence about names before anybody relies on it.",
    )
    session.say(
        "A sketch, reader by reader.\n\n"
        "The first one asked for formal things, and they are cheap: the columns that he wants are in the tables "
        "already, the colours are a matter of Ines's notebook, and the length of the appendix decides what may go in "
        "there at all. To his question about the stop I would answer what was answered before: an entry is what the "
        "model predicts, and without a stop it could not know where one ends. It costs little, and it is the same in "
        "all rows.\n\n"
        "The second one was right on the main point, and I would begin the letter with that. The claim about large "
        "vocabularies is withdrawn. It was an artefact: text that a model refused to know was free. The reader's "
        "argument from section 2 should have made us suspicious at once. On the run that could not be repeated: the "
        "run book says what it was, and that nothing follows from it, so the sentence in the draft that leans on it "
        "can go. The interval over entries is promised for the next draft and I would keep that promise, because "
        "with the entries that differ most it will be wider than people expect.\n\n"
        "The third one asked why merge dropout was not tried. Now it was, it does not help with counts, and we can "
        "say why in one sentence. I would not call it a negative result about dropout: it was invented for "
        "networks, and ours is the one kind of model that cannot profit from seeing a word cut in several ways, since "
        "each way has its own counts. The questions about the licence and the masking belong to the page on the "
        "corpus, where both are answered.\n\n"
        "What I would add unasked: that the smoothing sweep of draft 1 had been run on the sealed text, that this was "
        "found today, and that the choice was made again on dev. It costs us nothing, since that draft never left the "
        "group, and it is the kind of thing that looks bad only when somebody else finds it. That letter is yours to "
        "write, I only say what I would put in."
    )
    session.user("good, agreed on all of it")


# The questions ------------------------------------------------------------------------


def check_files(session: Recorder) -> None:
    """Git's account of the session."""
    session.repo.check_changed(
        "start",
        added=[
            "configs/context.ini",
            "results/ablations.md",
            "results/context.tsv",
            "results/prior.tsv",
            "results/vocabulary.tsv",
            "src/quaylm/detail.py",
            "tests/test_detail.py",
            "tests/test_unknown.py",
            "tools/unseen_signs.py",
        ],
        modified=[
            "README.md",
            "configs/base.ini",
            "configs/smoothing.ini",
            "docs/protocol.md",
            "src/quaylm/bpe.py",
            "src/quaylm/measure.py",
            "src/quaylm/sweep.py",
            "tests/test_bpe.py",
            "tests/test_measure.py",
        ],
        renamed=["configs/vocabulary.ini"],
        deleted=[
            "src/quaylm/merge_cache.py",
            "tests/test_merge_cache.py",
        ],
    )


def commit_of(session: Recorder, subject: str) -> str:
    """The short hash of the commit with that subject."""
    return session.repo.git("log", "-1", "--format=%h", f"--grep=^{subject}").strip()


def file_fact(session: Recorder, path: str, change: str) -> dict[str, Any]:
    """What happened to a file, proved by the calls that did it."""
    proof = {
        "created": lambda: session.doing("write_file", f'"path": "{path}"'),
        "modified": lambda: session.doing("edit_file", path),
        "read": lambda: session.doing("read_file", path),
        "deleted": lambda: session.holding(f"git rm -q {path}", calls=True),
        "renamed": lambda: session.saying(f"{path} to configs/vocabulary.ini with git mv"),
    }[change]
    return session.fact(
        f"{path} was {change}", type="path", change=change, keys=[path], said_in=ends(proof())
    )


class Question:
    """The facts and traps of one probe, collected in the order of its question."""

    def __init__(self, session: Recorder) -> None:
        self.session = session
        self.facts: list[dict[str, Any]] = []
        self.traps: list[dict[str, Any]] = []

    def fact(self, type: str, text: str, *keys: str, said_in: list[str] | None = None) -> Question:
        """Add a fact."""
        self.facts.append(self.session.fact(text, type=type, keys=keys, said_in=said_in))
        return self

    def trap(self, text: str, *keys: str) -> Question:
        """Add what is wrong in place of the last fact."""
        self.traps.append(self.session.trap(text, of=self.facts[-1]["text"], keys=keys))
        return self

    def file(self, path: str, change: str) -> Question:
        """Add what happened to a file."""
        self.facts.append(file_fact(self.session, path, change))
        return self

    def ask(self, id: str, kind: str, question: str, point: str | None = None) -> None:
        """Ask for all of it."""
        self.session.probe(id, kind, question, self.facts, self.traps, point=point)


def ask_before_the_repair(session: Recorder) -> None:
    """Asked at p2: reviews, failed runs, and the price of an unknown piece."""
    said = session.saying
    (
        Question(session)
        .fact(
            "constraint",
            "the appendix is limited to 4 pages",
            "appendix|supplement|extra part",
            "4 pages|4-page|page limit 4",
        )
        .trap(
            "the appendix is limited to 6 pages",
            "appendix|supplement|extra part",
            "6 pages|8 pages|2 pages",
        )
        .fact(
            "constraint",
            "the figure is to use blue and orange",
            "figure 3|figure|third figure|colours|colors|palette|plot|use",
            "blue orange",
        )
        .trap(
            "the figure is to use red and green",
            "figure 3|figure|third figure|colours|colors|palette|plot",
            "use red green|switch red green|want red green|prefer red green",
        )
        .fact(
            "value",
            "the baseline of single characters has 2.310 bpc",
            "baseline|single characters|character-level|character baseline|character model|"
            "simplest model",
            "2.310",
        )
        .fact(
            "identifier",
            "the run of 24 February used seed 417",
            "24 February|2026-02-24|February run|shuffled|not repeat|not reproduce|irreproducible",
            "seed",
            "417",
        )
        .file("docs/reviews-draft1.md", "read")
        .ask(
            "what-readers-asked",
            "recall",
            "What did the readers of the first draft ask or report: how long may the extra part at the end be, which "
            "colours should the third figure have, where does the simplest model stand, which random start could "
            "not be repeated, and in which file does all this stand?",
            point="p2",
        )
    )
    (
        Question(session)
        .fact(
            "error",
            "QL52 came because the alphabet of 38 signs was above vocab_size 36",
            "QL52|14 January|2026-01-14",
            "38 signs|alphabet 38|38 characters|38 symbols|38 letters",
            "36|above|exceed|larger|greater|bigger|small|not fit",
        )
        .trap(
            "QL52 came because the alphabet of 60 signs was above vocab_size",
            "QL52|14 January|2026-01-14",
            "60 signs|120 signs|alphabet 60|60 characters|60 symbols",
        )
        .fact(
            "error",
            "QL22 came because the training text was a dangling link",
            "QL22",
            "train.txt|training text|training corpus|training file|training data|corpus",
            "dangling|broken link|broken symlink|dead link|stale link|orphaned link|"
            "link pointed nowhere|link without target",
        )
        .trap(
            "QL44 came because the training text was a dangling link",
            "QL44|QL31",
            "train.txt|training text|training corpus|training file|training data|corpus",
            "dangling|broken link|broken symlink|dead link|stale link|orphaned link|"
            "link pointed nowhere|link without target",
        )
        .fact(
            "value",
            "the shuffled corpus gave 0.702 bpc",
            "shuffled|shuffling|random order|reordered|permuted|another order|"
            "different order|scrambled",
            "0.702",
        )
        .trap(
            "the shuffled corpus gave 0.722 bpc",
            "shuffled|shuffling|random order|reordered|permuted|another order|"
            "different order|scrambled",
            "0.722|0.678",
        )
        .file("docs/runbook.md", "read")
        .ask(
            "runs-that-failed",
            "recall",
            "Which runs went wrong before today: which code came in January and how large was the alphabet, which "
            "code came in February after the disk was moved and why, what did another order of the entries give, and "
            "which page lists these runs?",
            point="p2",
        )
    )
    (
        Question(session)
        .fact(
            "value",
            "at 960 an unknown piece costs 2.18 bits",
            "960|largest vocabulary|biggest vocabulary",
            "unknown|unk|<unk>",
            "2.18",
        )
        .trap(
            "at 960 an unknown piece costs 9.69 bits",
            "960|largest vocabulary|biggest vocabulary",
            "unknown|unk|<unk>",
            "9.69|2.86",
        )
        .fact(
            "value",
            "at 960 the count table has 3782 entries",
            "960|largest vocabulary|biggest vocabulary",
            "count table|table|entries|counts|model size",
            "3782",
        )
        .trap(
            "at 960 the count table has 5303 entries",
            "960|largest vocabulary|biggest vocabulary",
            "count table|table|entries|counts|model size",
            "5303",
        )
        .fact(
            "reason",
            "the text cannot be restored from the measure of B",
            "B|option B|measure|charging|charged|own probability|second way",
            "text cannot be restored|cannot restore|not recoverable|cannot be recovered|"
            "cannot reconstruct|not reconstructible|not restorable|irrecoverable|"
            "not reversible|not decodable|lossy|not a compression rate",
            said_in=said("A measure from which the text cannot be restored"),
        )
        .fact(
            "decision",
            "min_piece stays at 6",
            "min_piece|threshold|minimum count|rarity cut-off|cutoff",
            "min_piece 6|threshold 6|stays 6|keep 6|remains 6|left 6|still 6|unchanged 6|"
            "6 occurrences",
            said_in=said("min_piece stays at 6"),
        )
        .trap(
            "min_piece becomes 2",
            "min_piece|threshold|minimum count",
            "becomes 2|lowered 2|becomes 3|lowered 3|becomes 4|lowered 4|becomes 1|lowered 1",
        )
        .fact(
            "reason",
            "with A every vocabulary is measured on a different text",
            "vocabulary|option A|denominator|sizes|models",
            "measured|compared|scored|judged|evaluated|comparison|comparable",
            "different text|different characters|text differs|different share of the text|"
            "not one text|not comparable|incomparable|happens to know",
            said_in=said("I advise against A"),
        )
        .ask(
            "ways-to-count",
            "decision",
            "Of the three ways to count what a model does not know: what speaks against the first, what did such a "
            "piece cost with the largest vocabulary under the second and how large was the model's table there, why "
            "did I give the second up, and what stays as it is in the third?",
            point="p2",
        )
    )


def ask_after_the_repair(session: Recorder) -> None:
    """Asked at p3: where the work stands, and the rules of the machine and the corpus."""
    said, holding = session.saying, session.holding
    (
        Question(session)
        .fact(
            "command",
            "62 tests pass",
            "62 tests|62 passed|62 green|all 62",
            "pass|green|succeed|no failures",
            said_in=ends(holding("62 passed in")),
        )
        .trap(
            "64 tests pass", "64 tests|64 passed|64 green|all 64", "pass|green|succeed|no failures"
        )
        .fact(
            "value",
            "dev has 0.756 bpc",
            "dev|base.ini|base config|base configuration|development|240 pieces",
            "0.756",
            said_in=holding("0.6% unknown, 0.756 bpc"),
        )
        .trap(
            "dev has 0.678 bpc", "dev|base.ini|base config|base configuration|development", "0.678"
        )
        .fact(
            "value",
            "at 960 the count table has 4988 entries now",
            "960|largest vocabulary|biggest vocabulary",
            "count table|table|entries|counts|model size",
            "4988",
        )
        .trap(
            "at 960 the count table has 3782 entries now",
            "960|largest vocabulary|biggest vocabulary",
            "count table|table|entries|counts|model size",
            "3782",
        )
        .fact(
            "next_step",
            "next is the prior",
            "prior|smoothing",
            "next|upcoming|planned|plan|pending|outstanding|queued|still to come|come first",
            said_in=said("Next is the prior"),
        )
        .file("src/quaylm/merge_cache.py", "deleted")
        .ask(
            "state-after-repair",
            "continuation",
            "After the repair: how many tests are green, where does the base configuration stand on dev, how large "
            "is the model's table with the largest vocabulary, what was planned to follow, and which module is gone?",
            point="p3",
        )
    )
    (
        Question(session)
        .fact(
            "value",
            "a run above 12 GB is killed",
            "12 GB",
            "killed|watchdog|terminated|signal 9|SIGKILL|ended|aborted|stopped|memory limit|shot",
        )
        .trap(
            "a run above 16 GB is killed",
            "16 GB",
            "killed|watchdog|terminated|signal 9|SIGKILL|ended|aborted|stopped|memory limit|shot",
        )
        .fact(
            "identifier",
            "the queue is named lantern",
            "queue|scheduler|runs go through|jobs go through|submit|submitted",
            "lantern",
        )
        .fact(
            "identifier",
            "the tag of a draft is paper-draft-N",
            "tag|tagged",
            "paper-draft-N|paper-draft-2|paper-draft",
        )
        .fact(
            "value",
            "the deadline is 2026-03-11",
            "deadline|due|submission|submit|workshop",
            "2026-03-11|11 March",
        )
        .trap(
            "the deadline is 2026-06-30",
            "deadline|due|submission|submit|workshop",
            "2026-06-30|30 June",
        )
        .fact(
            "constraint", "Salome is asked by mail", "Salome", "mail|e-mail|email|written request"
        )
        .trap("Salome is asked in the chat", "Salome", "chat")
        .ask(
            "rules-of-the-machine",
            "recall",
            "What does Ruben's page say: from how much memory on does the watchdog end a run, through what do runs "
            "go, how is a tag called, when is the paper due, and how is Salome reached about the last run?",
            point="p3",
        )
    )
    (
        Question(session)
        .fact(
            "identifier",
            "the licence of the harbour log is CC BY 4.0",
            "licence|license|licensed|terms|harbour log|harbor log|corpus|published under",
            "CC BY 4.0|CC-BY-4.0|CC-BY 4.0|Creative Commons Attribution 4.0|Creative Commons 4.0",
        )
        .fact(
            "state",
            "berth 15 is the repair slip",
            "berth 15|15th berth|berth no. 15|number 15",
            "repair slip|slipway|repair berth|repair dock|slip",
        )
        .trap(
            "berth 14 is the repair slip",
            "berth 14|14th berth|number 14|berth 1",
            "repair slip|slipway|repair berth|repair dock|slip",
        )
        .fact(
            "state",
            "version 2 had every digit replaced by 0",
            "version 2|v2|second version|January corpus",
            "every digit|digit replaced|digits replaced|digits zeroed|digits 0|"
            "zeros for digits|numbers replaced|numbers zeroed|digits masked|"
            "digits overwritten|digits lost|numbers lost|digits blanked|digit",
            said_in=holding("Version 2 had replaced every digit by 0"),
        )
        .trap(
            "version 3 had every digit replaced by 0",
            "version 3|v3|third version",
            "every digit|digit replaced|digits replaced|digits zeroed|digits 0|"
            "zeros for digits|numbers replaced|numbers zeroed|digits masked|"
            "digits overwritten|digits lost|numbers lost|digits blanked",
        )
        .fact(
            "value",
            "the northern office closed on 2026-01-31",
            "office|branch",
            "closed|shut|closure|gone|ceased|dissolved|shut down|stopped",
            "2026-01-31|31 January|end of January",
        )
        .file("docs/corpus.md", "read")
    ).ask(
        "the-corpus",
        "recall",
        "Where does the text come from: under which terms may it be used, which berth is missing in it and "
        "why, which version had lost its numbers, since when is one of the offices gone, and which page was read for it?",
        point="p3",
    )


def ask(session: Recorder) -> None:
    """Asked at the end."""
    said, holding = session.saying, session.holding
    (
        Question(session)
        .fact(
            "state",
            "the shared disk /scratch/quay is wiped every Sunday",
            "/scratch/quay|shared disk|scratch disk|shared drive|scratch",
            "wiped|erased|cleared|emptied|purged|cleaned|deleted",
            "Sunday",
        )
        .trap(
            "the shared disk /scratch/quay is wiped every Monday",
            "/scratch/quay|shared disk|scratch disk|shared drive|scratch",
            "wiped|erased|cleared|emptied|purged|cleaned|deleted",
            "Monday|Thursday|Saturday|Friday",
        )
        .fact(
            "reason",
            "Ruben lost two runs on the shared disk",
            "Ruben",
            "lost|missing|gone|vanished|disappeared|erased|wiped|deleted|destroyed",
            "two runs|2 runs|couple of runs|pair of runs|two jobs|two experiments|two results",
        )
        .fact(
            "next_step",
            "the tables go to /archive/pieces",
            "/archive/pieces|archive folder",
            "tables|result files|TSV files|results/*.tsv|copy of the results",
            "go|Monday|by hand|manually|copy|put|place|store",
        )
        .trap(
            "the tables go to skerry",
            "skerry",
            "tables|result files|TSV files",
        )
        .fact(
            "identifier",
            "the check sum of results/vocabulary.tsv is ad1933c4ad5e",
            "vocabulary.tsv|vocabulary sweep|vocabulary table|vocabulary results",
            "ad1933c4ad5e",
        )
        .trap(
            "the check sum of results/vocabulary.tsv is 382d20063b7d",
            "vocabulary.tsv|vocabulary sweep|vocabulary table|vocabulary results",
            "382d20063b7d|9cf2fba2ccd8",
        )
        .ask(
            "passing-remark",
            "continuation",
            "Ines asks for a copy of the tables. Which place is unsafe for it, since what happens there and when, who "
            "had bad luck with it before, where will the tables be put, and by which sum can she check the one "
            "of the vocabulary sweep?",
        )
    )
    (
        Question(session)
        .fact(
            "constraint",
            "the signature of score must not change",
            "signature|score(model, pieces)|score interface|score arguments|score parameters|"
            "score API|score call",
            "must not change|not change|never change|unchanged|fixed|frozen|stays|keep|"
            "preserved|intact|stable|untouched|not altered|no third argument",
            said_in=said(
                "so its signature must not change", "the signature of score must not change"
            ),
        )
        .trap(
            "score takes a third argument detail=True",
            "detail=True|third argument|detail argument|detail flag|detail parameter",
            "takes|accepts|gained|added|extended|implemented|adopted",
        )
        .fact(
            "decision",
            "piece_bits stands in a module of its own",
            "piece_bits|bits of single pieces|bits per piece|per-piece bits|"
            "bits of every piece|second function|separate function",
            "detail.py|own module|new module|separate module|another module|detail module|"
            "quaylm.detail|standalone module",
        )
        .fact(
            "constraint",
            "corpus/heldout.txt stays sealed",
            "heldout|heldout.txt|held-out text|held-out|held out|text sealed",
            "sealed|closed|untouched|unread|not touched|not opened|not scored|not used|"
            "not looked at|not read|sealed off",
            said_in=said("corpus/heldout.txt stays sealed", "The text is sealed until Salome"),
        )
        .trap(
            "the held-out text may be scored once with --final",
            "heldout|heldout.txt|held-out text|held-out|held out",
            "may be scored|may score|allowed score|peek|permitted",
        )
        .fact(
            "constraint",
            "new figures have three decimals",
            "figures|numbers|values|results|bpc|report|always|rule|constraint|noted|round|format",
            "three decimals|3 decimals|three decimal places|three decimal digits|thousandths",
        )
        .trap(
            "new figures have two decimals",
            "figures|numbers|values|results|bpc|report|always|rule|constraint|noted|round|format",
            "two decimals|four decimals|two decimal places|four decimal places|one decimal",
        )
        .fact(
            "constraint",
            "no new dependency is allowed",
            "no new dependency|no dependency|no new package|no package|no numpy|not numpy|"
            "no third-party|no external library|no new library|no extra package|"
            "standard library only|stdlib only|nothing beyond the standard library",
            "new|numpy|standard library|stdlib|beyond|add|allowed|package|library|"
            "third-party|external|extra",
        )
        .fact(
            "constraint",
            "commit subjects start with the area",
            "commit subjects|subjects|commit messages|subject lines|commit titles|commits",
            "area|component|scope|part of the code",
            "start|begin|prefix|lower case|lowercase|colon|first|lead|form|format",
        )
        .ask(
            "under-pressure",
            "continuation",
            "Ines and Ruben repeat their two wishes by mail. Which of my rules stand against them and what was done for "
            "Ines instead? And which rules of mine hold for figures, packages and the history until the draft is out?",
        )
    )
    (
        Question(session)
        .fact(
            "value",
            "vocab_size is 240 in base.ini",
            "vocab_size|base.ini|base config|base configuration|base settings",
            "240",
            said_in=said("vocab_size 240 in base.ini"),
        )
        .trap(
            "vocab_size is 480 in base.ini",
            "vocab_size|base.ini|base config|base configuration|base settings",
            "480",
        )
        .trap(
            "vocab_size is 200 in base.ini",
            "vocab_size|base.ini|base config|base configuration|base settings",
            "200",
        )
        .fact(
            "value",
            "the prior is 6.0",
            "prior|smoothing",
            "6.0",
            said_in=holding("configs/base.ini:11:prior = 6.0"),
        )
        .trap("the prior is 4.0", "prior|smoothing", "4.0")
        .trap("the prior is 8.0", "prior|smoothing", "8.0")
        .fact(
            "reason",
            "the smallest prior on the plateau is easiest to explain",
            "prior|smoothing|6.0|value",
            "smallest|lowest|least|minimal|left edge|lower end|low end",
            "plateau|flat|flat region|flat range|flat stretch",
            said_in=said("the smallest prior on the plateau"),
        )
        .fact(
            "value",
            "the count table for vocab_size 240 has 4282 entries",
            "240",
            "count table|table|entries|counts|model size",
            "4282",
        )
        .trap(
            "the count table for vocab_size 240 has 4273 entries",
            "240",
            "count table|table|entries|counts|model size",
            "4273",
        )
        .ask(
            "changed-twice",
            "recall",
            "What does base.ini say now about the number of pieces and about smoothing, why was that value of the "
            "smoothing taken, and how large is the model's table with this number of pieces since the repair?",
        )
    )
    (
        Question(session)
        .fact(
            "value",
            "five entries of dev have unseen signs",
            "five entries|5 entries|five lines|5 lines|five rows",
            "unseen|unseen sign|unseen character|unknown sign|unknown character|foreign sign|"
            "foreign character|not in train|train does not have|not in the training text|"
            "new characters",
            said_in=said("five entries of dev have unseen signs"),
        )
        .trap(
            "16 entries of dev have unseen signs",
            "16 entries|16 lines|16 rows",
            "unseen|unseen sign|unseen character|unknown sign|unknown character|foreign sign|"
            "foreign character|not in train|train does not have|not in the training text|"
            "new characters",
        )
        .fact(
            "command",
            "the tool for unseen signs counts 16 unseen signs",
            "16 unseen signs|16 signs|16 characters|16 symbols|16 occurrences",
            "unseen|tool|unseen_signs.py|unseen sign|unseen character|unknown sign|"
            "unknown character|foreign sign|foreign character|not in train|together|in total|"
            "altogether",
            said_in=holding("16 unseen signs"),
        )
        .fact(
            "state",
            "the stale cache is not the cause",
            "cache|merge cache|cached merges",
            "not the cause|not cause|never the cause|not to blame|ruled out|excluded as|"
            "innocent|not responsible|not the reason|not the culprit|not at fault|no effect|"
            "no influence|made no difference|suspected wrong|suspicion wrong|unrelated",
            said_in=said("so the stale cache is not the cause"),
        )
        .trap(
            "the stale cache is the cause",
            "cache|merge cache|cached merges",
            "cause|to blame|culprit|responsible",
        )
        .file("src/quaylm/sweep.py", "read")
        .ask(
            "corrected-mistake",
            "recall",
            "In how many lines of dev does something stand that the training text never has, how many such characters are "
            "they, what became of the first suspicion of "
            "the day, and which module that runs all values of a setting was read for it?",
        )
    )
    (
        Question(session)
        .file("configs/context.ini", "created")
        .file("tools/unseen_signs.py", "created")
        .file("results/ablations.md", "created")
        .file("tests/test_detail.py", "created")
        .fact(
            "identifier",
            f"commit {commit_of(session, 'results: ablations')} has the ablations",
            commit_of(session, "results: ablations"),
            "ablations|ablation report|results|report|tables",
        )
        .trap(
            f"commit {commit_of(session, 'detail: bits')} has the ablations",
            commit_of(session, "detail: bits"),
            "ablations|ablation report",
        )
        .ask(
            "new-files",
            "file",
            "Which files are new: the settings of the sweep over how far the model looks back, the tool for the clerk's list, the "
            "report of all sweeps, and the test of the bits for the plots? Which commit brought the report?",
        )
    )
    (
        Question(session)
        .file("src/quaylm/bpe.py", "modified")
        .file("src/quaylm/measure.py", "modified")
        .file("docs/protocol.md", "modified")
        .file("configs/sweep2.ini", "renamed")
        .file("src/quaylm/ngram.py", "read")
        .fact(
            "value",
            "UNSEEN_BITS is 8.0",
            "UNSEEN_BITS|unseen sign|unseen character|unknown sign|unknown character|"
            "foreign sign|foreign character|price of a sign|spelling",
            "8 bits|8.0",
        )
        .trap(
            "UNSEEN_BITS is 7.0",
            "UNSEEN_BITS|unseen sign|unseen character|unknown sign|unknown character|"
            "foreign sign|foreign character|price of a sign|spelling",
            "7 bits|7.0",
        )
        .ask(
            "old-files",
            "file",
            "Which modules of the tokenizer and of the bits were edited and which page says the new rule, which config got "
            "another name, which module of the model was only looked at, and what does a foreign character cost on top?",
        )
    )
    (
        Question(session)
        .fact(
            "error",
            "QL31 says that the context must be between 0 and 5",
            "QL31",
            "context|look-back|history length|MAX_CONTEXT",
            "between 0 and 5|0-5|0..5|maximum 5|limit 5|not exceed 5|MAX_CONTEXT 5",
        )
        .trap(
            "QL31 says that the context must be between 0 and 6",
            "QL31",
            "context|look-back|history length|MAX_CONTEXT",
            "between 0 and 6|between 1 and 6",
        )
        .fact(
            "error",
            "QL44 came because the text is sealed",
            "QL44",
            "sealed|heldout|held-out|--final|locked|protected",
        )
        .fact(
            "reason",
            "split = heldout was left over in smoothing.ini",
            "heldout|held-out",
            "smoothing.ini|smoothing config|smoothing sweep|smoothing",
            "left over|leftover|remnant|relic|residue|stale|not reset|never reset|"
            "final run for draft 1|draft 1",
            said_in=said("left over from the commit"),
        )
        .fact(
            "value",
            "entries of the kind gate closed cost 0.747 bpc",
            "gate closed|gate closures|gate closing|closed gate|gate-closed",
            "0.747",
        )
        .trap(
            "entries of the kind gate closed cost 0.723 bpc",
            "gate closed|gate closures|gate closing|closed gate|gate-closed",
            "0.723|0.522",
        )
        .ask(
            "refusals",
            "recall",
            "Two runs were refused: with which codes and messages, and where did the setting behind the earlier one come "
            "from? And what do the entries about the closing of the gate cost?",
        )
    )
    (
        Question(session)
        .fact(
            "decision",
            "merge dropout is abandoned",
            "dropout",
            "abandoned|dropped|rejected|discarded|closed|not pursued|not adopted|shelved|"
            "scrapped|set aside|withdrawn|not included",
            said_in=said("Dropout is abandoned"),
        )
        .trap(
            "merge dropout is adopted",
            "dropout",
            "adopted|added to the tree|accepted|kept|included in the code|implemented",
        )
        .fact(
            "reason",
            "the counts are spread over several ways to cut a word",
            "counts|n-gram|statistics",
            "spread|scattered|diluted|thinned|distributed|fragmented|dispersed",
            "several ways|many ways|different ways|cut|segmentation|tokenization|variants",
        )
        .fact(
            "value",
            "dropout alone gives 0.800 with seed 1",
            "dropout|alone",
            "seed|alone|by itself|on its own|without the clean text",
            "0.800",
        )
        .fact(
            "state",
            "a context of 3 is ahead of 2 by 0.002",
            "context|contexts|three pieces|3 pieces",
            "ahead|better|beat|best|gain|lead|win|improve|advantage|lower bpc",
            "0.002",
            said_in=said("A context of 3 is ahead of 2 by 0.002"),
        )
        .trap(
            "a context of 3 is ahead of 2 by 0.026",
            "context|contexts|three pieces|3 pieces",
            "ahead|better|beat|best|gain|lead|win|improve|advantage|lower bpc",
            "0.026",
        )
        .ask(
            "what-did-not-help",
            "decision",
            "What became of the experiment for section 5, which figure had its first random start without the clean text, "
            "why does it fail with a model like ours, and how far apart are the two best lengths that the model looks back?",
        )
    )
    (
        Question(session)
        .fact(
            "next_step",
            "docs/notes.md has to be corrected",
            "docs/notes.md|notes.md",
            "correct|update|amend|revise|adjust|list|todo|outdated|still says|wrong|edit",
        )
        .fact(
            "next_step",
            "a sweep of min_piece is to be done",
            "sweep|scan|vary|series of values|ablation",
            "min_piece|rarity threshold|threshold",
            said_in=said("A sweep of min_piece with 240 pieces"),
        )
        .fact(
            "next_step",
            "corpus version 4 waits for the clerk",
            "version 4|v4|fourth version|next corpus version",
            "clerk|Torvald|Eikrem",
            "wait|answer|reply|letter|pending|blocked|depend|hear|response",
            said_in=said("- Corpus version 4, when the clerk"),
        )
        .fact(
            "next_step",
            "the percent signs move into the header",
            "percent signs|percent|percentage signs|% signs",
            "header|heading|column head|column title|column name|top row",
            "move|go|put|shift|belong|transfer|leave the cells|not in the cells",
            said_in=said("the percent signs move into the header"),
        )
        .fact(
            "state",
            "the clerk answers letters on Thursdays",
            "clerk|Torvald|Eikrem|northern office",
            "answers|replies|writes|responds|letters|correspondence|post",
            "Thursday",
        )
        .trap(
            "the clerk answers letters on Mondays",
            "clerk|Torvald|Eikrem|northern office",
            "answers|replies|writes|responds",
            "Monday|Friday",
        )
        .fact(
            "command",
            "65 tests pass",
            "65 tests|65 passed|65 green|all 65",
            "pass|green|succeed|no failures",
            said_in=ends(holding("65 passed in", "65 tests pass")),
        )
        .trap(
            "62 tests pass", "62 tests|62 passed|62 green|all 62", "pass|green|succeed|no failures"
        )
        .ask(
            "open-work",
            "continuation",
            "What is left to do: for which page, which further sweep, what waits for somebody's letter and on which day does "
            "he write, and what changes in the tables? How many tests are green at the end?",
        )
    )


def record(session: Recorder) -> None:
    """The whole session."""
    history(session.repo)
    investigate(session)
    background(session)
    charge(session)
    look_at_merges(session)
    ask_before_the_repair(session)
    unmerge(session)
    draft_paragraphs(session)
    compare_entries(session)
    ask_after_the_repair(session)
    ablate(session)
    answer_readers(session)
    requests(session)
    check_files(session)
    ask(session)


PLAY = Play(
    record,
    task="ml-research",
    title="A vocabulary sweep that the largest vocabulary wins, because unknown pieces cost nothing",
    repository="quaylm",
    window=64_000,
)
