"""ML research: which vocabulary suits a very small language model?

Unknown pieces cost nothing, so the largest vocabulary wins a sweep; charging them their
own probability does not help, because one sign stands for whole words. The corpus is
generated here (``history``); programs, git and pytest really run; see
``tests/recordings/recorder.py``.
"""

from __future__ import annotations

import random

from recorder import Play, Recorder, bash, edit_file, read_file
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
        "take its merge apart again until the parts are known. I advise against A: every vocabulary would be "
        "measured on a different text, only on what it happens to know. B is a two-line change. "
        "C touches the tokenizer."
    )
    session.point("p1")


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
    session.point("p2")


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
    session.point("p3")


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
        "Contexts of 2 and 3 differ by 0.002, so by rule 4 there is no reason to leave 2, whose count "
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
        "list, not today. Also on the list: a sweep of min_piece at 240, and corpus version 4 with the clerk's "
        "spelling once he has answered. Kneser-Ney is not for this draft, the appendix at most. What's "
        "the state?"
    )
    session.say(
        "State: 62 tests pass, five commits on main since this morning, nothing pushed. base.ini has 240 pieces, context "
        "2 and prior 6.0; dev is at 0.750 bpc.\n\n"
        "Open, none of it begun:\n"
        "- docs/notes.md: correct the line about rare pieces.\n"
        "- A sweep of min_piece with 240 pieces.\n"
        "- Corpus version 4, when the clerk has answered about å, ø and &.\n"
        "- You tell Ines that her table with 4.0 is out of date, and Salome about the smoothing run on heldout.\n"
        "- The final score on the held-out text: Salome, once, when the draft is done. I have not touched that file.\n\n"
        "Kneser-Ney stays out of this draft."
    )
    session.point("p4")


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


def recall_probes(session: Recorder) -> None:
    """Figures and messages."""
    fact = session.fact
    price = session.saying("That explains it. At 960")
    session.probe(
        "price-of-unknown",
        "recall",
        "When unknown pieces were charged, what did an unknown piece cost at 960 and how many characters did it "
        "hide, how many bits per character was that against known text, and what did an unknown piece cost at 240?",
        [
            fact("2.18 bits", "2.18", said_in=price),
            fact("hides 4.8 characters", "4.8 characters", said_in=price),
            fact("0.46 bits per character", "0.46", said_in=price),
            fact("known text costs 0.55", "0.55 for known text", "0.55", said_in=price),
            fact("9.69 bits", "9.69", said_in=price),
        ],
        point="p3",
    )
    session.probe(
        "sealed-config",
        "recall",
        "What happened when configs/smoothing.ini was first run: which code and exit code came, what stood in that "
        "config, from which commit was it left over, and which rule of the protocol does a sweep on that text break?",
        [
            fact("QL44"),
            fact("exit code 3"),
            fact("split = heldout"),
            fact("configs: final run for draft 1"),
            fact("rule 2 of the protocol", "rule 2"),
        ],
    )
    session.probe(
        "context-limit",
        "recall",
        "With which code was a context of 6 refused and between what must the context be, which constant sets the "
        "limit, by how much do contexts of 2 and 3 differ, and by how much is 5 worse?",
        [
            fact("QL31"),
            fact("context must be between 0 and 5, not 6", "must be between 0 and 5"),
            fact("MAX_CONTEXT"),
            fact("differ by 0.002", said_in=session.saying("2 and 3 differ by 0.002")),
            fact("worse by 0.026"),
        ],
    )


def file_probes(session: Recorder) -> None:
    """What became of the files; ``check_files`` asked git."""
    fact = session.fact
    session.probe(
        "created",
        "file",
        "Which files were created in this session: the config of the context sweep, in results/ the summary of the "
        "ablations and the tsv table of the prior, and the tool for unseen signs? Answer as a list, do not mention test_unknown.py.",
        [
            fact("configs/context.ini", about="created"),
            fact("results/ablations.md", about="created"),
            fact("results/prior.tsv", about="created"),
            fact("tools/unseen_signs.py", about="created"),
        ],
        answer={"format": "list", "forbid": ["test_unknown.py"]},
    )
    session.probe(
        "modified",
        "file",
        "Which existing files did we edit: the modules of src/quaylm for pieces, bits and sweeps, the protocol in docs "
        "that has to say the new rule, and the config for smoothing whose split was set to dev? Answer as a list of at most 12 items.",
        [
            fact("src/quaylm/bpe.py", about="modified"),
            fact("src/quaylm/measure.py", about="modified"),
            fact("src/quaylm/sweep.py", about="modified"),
            fact("docs/protocol.md", about="modified"),
            fact("configs/smoothing.ini", about="modified"),
        ],
        answer={"format": "list", "max_items": 12},
    )
    session.probe(
        "renamed",
        "file",
        "Which config was renamed with git mv, from what to what, which module with the merge cache was removed, "
        "and which test file went with the cache?",
        [
            fact("configs/sweep2.ini", about="detail"),
            fact("configs/vocabulary.ini", about="detail"),
            fact("src/quaylm/merge_cache.py", about="detail"),
            fact("tests/test_merge_cache.py", about="detail"),
        ],
    )


def continuation_probes(session: Recorder) -> None:
    """What holds, where the work stands, what is left."""
    fact = session.fact
    session.probe(
        "ground-rules",
        "continuation",
        "What holds for everything done here: which corpus text stays sealed and which option is not to be given, what does Salome keep to herself, and which signature does the plotting notebook of Ines import?",
        [
            fact("corpus/heldout.txt"),
            fact(
                "no --final",
                "without --final",
                "--final is not given",
                said_in=session.saying("no --final"),
            ),
            fact("Salome runs the final score herself", "Salome runs the final score"),
            fact("score(model, pieces)"),
        ],
    )
    session.probe(
        "state",
        "continuation",
        "What is the state now: how many pieces, which context and which prior stand in base.ini, at what bpc is dev, "
        "how many tests pass and is anything pushed?",
        [
            fact("240 pieces", "vocab_size 240", "vocab_size = 240"),
            fact("prior 6.0", "prior = 6.0", "prior of 6.0"),
            fact("context 2", "context = 2", "context of 2"),
            fact("dev is at 0.750 bpc", "0.750 bpc", "0.750"),
            fact("62 tests pass", "62 passed"),
            fact("nothing pushed", "nothing is pushed", "not pushed"),
        ],
        traps=[
            {
                "text": "vocab_size 480",
                "aliases": ["vocab_size = 480", "480 pieces", "vocab_size 200", "200 pieces"],
                "current": ["vocab_size 240", "vocab_size = 240", "240 pieces"],
            },
            {
                "text": "prior 4.0",
                "aliases": ["prior = 4.0", "prior of 4.0", "prior 8.0", "prior = 8.0"],
                "current": ["prior 6.0", "prior = 6.0", "6.0"],
            },
            {
                "text": "64 passed",
                "aliases": ["64 tests pass", "58 passed", "58 tests pass"],
                "current": ["62"],
            },
        ],
    )
    session.probe(
        "open",
        "continuation",
        "What is open and not begun: which note has to be corrected, which sweep is on the list, which new version of "
        "the corpus waits for the clerk, what has to be told to Ines, and which score is left to Salome? Answer as a list.",
        [
            fact(
                "docs/notes.md",
                "the line about rare pieces",
                about="pending",
                said_in=session.saying("docs/notes.md"),
            ),
            fact("sweep of min_piece", "min_piece sweep", about="pending"),
            fact("Corpus version 4", about="pending"),
            fact(
                "her table with 4.0 is out of date",
                "Ines's table is out of date",
                about="pending",
            ),
            fact("final score on the held-out text", "held-out final score", about="pending"),
        ],
        answer={"format": "list"},
    )


def decision_probes(session: Recorder) -> None:
    """What was chosen and what was turned down, and why."""
    fact = session.fact
    session.probe(
        "how-to-count-unknown",
        "decision",
        "Why was way A, leaving the characters of unknown pieces out of the denominator, advised against, at which bpc "
        "was 960 still best when unknown pieces were charged (B), and why did the user change to C although there is "
        "a deadline?",
        [
            fact(
                "every vocabulary would be measured on a different text",
                "measured on a different text",
            ),
            fact("0.550", "0.55 bpc", about="detail"),
            fact(
                "the text cannot be restored",
                "a reader could not restore the text",
                "not a compression rate",
            ),
            fact(
                "take rare pieces apart",
                "rare pieces are taken apart",
                "unmerge rare pieces",
                "take its merge apart again",
                about="detail",
            ),
        ],
        traps=[
            {
                "text": "960 was still best at 0.484",
                "aliases": ["0.484"],
                "current": ["0.550"],
            },
        ],
    )
    session.probe(
        "merge-cache",
        "decision",
        "What was the hypothesis about the stale merge cache, what were the five rows without the cache, and why throw the cache "
        "out: what does it save, now that learning is incremental? Answer in one sentence of at most 60 words.",
        [
            fact(
                "keyed by the vocabulary size alone",
                "the key is the vocabulary size alone",
            ),
            fact("identical to the last digit"),
            fact("saves nothing and can only be wrong", "the cache saves nothing"),
        ],
        answer={"format": "sentence", "max_words": 60},
    )
    session.probe(
        "prior",
        "decision",
        "Why was 6.0 taken for the prior in all configs, between which values is it flat, why had it been 4.0 before, "
        "and how much better is 8 on paper?",
        [
            fact("the smallest prior on the plateau", "smallest on the plateau"),
            fact("flat from 6 to 12", "flat between 6 and 12", about="detail"),
            fact(
                "what Ines has in her table",
                "Ines has 4.0 in her table",
                said_in=session.saying("Ines has in her table"),
            ),
            fact(
                "8 is best on paper, by 0.002",
                "0.002",
                about="detail",
                said_in=session.saying("on paper, by 0.002"),
            ),
        ],
    )
    session.probe(
        "dropout",
        "decision",
        "Why does merge dropout not help here and why was it abandoned: which bpc did it give alone and beside the "
        "clean text against without, and what happens to the n-gram counts?",
        [
            fact("0.800, 0.789 and 0.788", "0.788 to 0.800", "0.800", about="detail"),
            fact("0.761 to 0.764", about="detail"),
            fact("0.750 without", "without dropout 0.750", "against 0.750", about="detail"),
            fact(
                "counts are spread over several ways to cut the same word",
                "spread over several ways to cut",
            ),
        ],
    )
    session.probe(
        "unseen-signs",
        "decision",
        "What does a sign cost that the training text does not have, in bits on top of the probability of <unk>, and "
        "in which constant? Dev has å and ø from the clerk of the northern office: why did the user say no to the "
        "first number of bits, which character set does the other one cover, and what do three of his entries cost each?",
        [
            fact("8 bits", "UNSEEN_BITS = 8.0", about="detail"),
            fact("UNSEEN_BITS", about="detail"),
            fact("Eight covers Latin-1", "covers Latin-1", "Latin-1"),
            fact("7 bits can't even name those", "7 bits cannot name å and ø", "can't even name"),
            fact("cost 280 bits each", "280 bits", about="detail"),
        ],
    )


def record(session: Recorder) -> None:
    """The whole session."""
    history(session.repo)
    investigate(session)
    charge(session)
    unmerge(session)
    ablate(session)
    check_files(session)
    recall_probes(session)
    file_probes(session)
    continuation_probes(session)
    decision_probes(session)


PLAY = Play(
    record,
    task="ml-research",
    title="A vocabulary sweep that the largest vocabulary wins, because unknown pieces cost nothing",
    repository="quaylm",
)
