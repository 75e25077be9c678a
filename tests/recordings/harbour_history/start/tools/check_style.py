"""Check the chapters against STYLE.md; prints what is wrong and the number of words."""

import re
import sys
from pathlib import Path

STYLE = Path("STYLE.md").read_text(encoding="utf-8")
PER_CHAPTER = int(re.search(r"Chapter: at most (\d+)", STYLE)[1])
TOTAL = int(re.search(r"Total: at most (\d+)", STYLE)[1])
BANNED = re.search(r"Banned words: (.*)", STYLE)[1].split(", ")
KEYS = set(re.findall(r"^\| (S\d\d) ", Path("sources.md").read_text(encoding="utf-8"), re.M))
GRANTED = {
    line.split("|")[1].strip()
    for line in Path("permissions.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| Q") and ("granted" in line or "none needed" in line)
}


def problems(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{path}:{number}"
        for word in BANNED:
            if re.search(rf"\b{word}\b", line, re.I):
                yield f"{where}: E1 banned word {word!r}"
        if re.search("[\u2018\u2019\u201c\u201d]", line):
            yield f"{where}: E2 curly quotation mark"
        if re.search(r"\d", re.sub(r"\[S[^]]*\]", "", line)) and "[S" not in line and line[:1] not in "#(":
            yield f"{where}: E3 figure without a citation"
        for key in re.findall(r"\[(S\d\d)", line):
            if key not in KEYS:
                yield f"{where}: E4 {key} is not in sources.md"
        if re.search(r"\b\d+(st|nd|rd|th)\b", line):
            yield f"{where}: E5 ordinal in a date"
        for quote in re.findall(r"\{(Q\d+)\}", line):
            if quote not in GRANTED:
                yield f"{where}: E6 quotation {quote} is not granted"
        if re.search(r"\b\w+(ization|izing|ized)\b", line):
            yield f"{where}: E7 -ize"


def words(text):
    return len(re.sub(r"\[S[^]]*\]|\{Q\d+\}|^#.*$", "", text, flags=re.M).split())


found, total = [], 0
for path in sorted(Path("chapters").glob("*.md")):
    text = path.read_text(encoding="utf-8")
    found += problems(path, text)
    count = words(text)
    total += count
    print(f"{count:5d} words  {path}")
    if count > PER_CHAPTER:
        found.append(f"{path}: E8 {count} words, {count - PER_CHAPTER} more than {PER_CHAPTER}")
print(f"{total:5d} words in all, at most {TOTAL}")
if total > TOTAL:
    found.append(f"E9 {total - TOTAL} words too many in all")
print(*found, sep="\n")
print(f"{len(found)} problems")
sys.exit(bool(found))
