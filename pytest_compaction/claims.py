"""Checkable claims of a text, and text that talks to the judge instead of answering.

A claim is something that can be looked up in the log: a path, an identifier, a
number of two or more digits, a quotation. Sentences that tell the judge what to
score are not part of an answer: they are taken out before anything is scored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pytest_compaction.matching import TextIndex
from pytest_compaction.rubric import CRITERIA
from pytest_compaction.text import is_path, normalize, raw_tokens, visible

_QUOTED: Final = re.compile(r"`([^`\s][^`\n]{1,198}[^`\s])`|\"([^\"\n]{3,200})\"|“([^”\n]{3,200})”")
_CODE_NAME: Final = re.compile(r"\b[a-z]+[A-Z]\w+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b\w+(?=\(\))")
_EXTENSION: Final = re.compile(r"\.[a-z][a-z0-9]{0,5}$")

_TO_THE_JUDGE: Final = re.compile(
    r"""
    \b(?:ignore|disregard|forget|override)\b.{0,60}
    \b(?:instruction|prompt|rubric|(?:your|all|any|these|previous|grading|scoring)\ rules?\b
      |(?:the|all|everything)\ (?:above|previous)\b(?!\ \d))
  | \b(?:score|grade|rate|rating|mark|give|award|assign|output|return|respond)\b.{0,60}
    (?:\b(?:5|five|10|ten|100|full|maximum|max|perfect|highest|top)\b.{0,30}
       \b(?:score|mark|point|rating|grade|criteri\w*|dimension|out\ of|/\s*\d)
     | \b5(?:\.0)?\s*(?:/|out\ of)\s*5\b | \bfor\ (?:every|each|all)\b.{0,20}\bcriteri)
  | \b(?:score|grade|rating)\s*(?:is|:|=|of|must\ be|should\ be)\s*
    (?:5(?:\.0+)?|five|10|100|perfect)\b(?![.,]\d)
  | (?:^|[,;(\[>*#-]|\bdear\b|\b(?:note|message|hint)\ (?:to|for)\b)(?:\ the\b)?\W{0,5}
    \b(?:judge|grader|evaluator|assessor)\b\s*[:,]
  | \bas\ (?:the|a|an)\ (?:judge|grader|evaluator)\b
  | \b(?:system|assistant|developer)\s*:\s*.{0,80}\b(?:score|grade|judge|verdict)
  | "(?:score|criterion|criteria|criterionid|overall|verdict)"\s*:
  | </?(?:verdict|score|rubric|judge|response|system)\b[^<>]{0,200}>
  | \b(?:CRITERIA)\b["`']?\s*[:=]
  | ^\W*(?:to|for)\ the\ (?:judge|grader|evaluator|assessor)\b
  | \bnew\ (?:instruction|rule|task)s?\s*:
  | (?:<<<|>>>)\s*(?:end\ of\ )?(?:answer|response|question|session|facts|criteria|stale|notes)\b
  | ^\s*(?:<[|｜][\w\ ▁]{1,30}[|｜]>|<(?:start|end)_of_turn>|\[/?INST\])
  | \bthis\ (?:answer|response)\ (?:is|deserves|merits|earns)\b.{0,40}
    \b(?:perfect|correct|complete|full|5|five|highest)\b
    """.replace("CRITERIA", "|".join(criterion.id for criterion in CRITERIA)),
    re.IGNORECASE | re.VERBOSE,
)
_IN_OTHER_LANGUAGES: Final = re.compile(
    r"""
    \b(?:ignorier|missacht|vergiss(?!t)|negeer|vergeet|ignor[aeo]|oubli|olvid|esque[cç]|dimentic|игнорир
       |забуд|zignoruj)\w*\b.{0,60}
    \b(?:anweisung|instrukt|instru[cç]|istruzion|consigne|vorgabe|regeln|aanwijzing|инструкц
       |указани|polece)
  | (?:忽略|无视|無視|忘记).{0,20}(?:指令|指示|说明|提示|规则|規則)
  | (?:指示|命令|ルール).{0,20}(?:無視|忘れ) | (?:지시|명령|규칙).{0,20}무시
  | تجاهل.{0,40}(?:التعليمات|الأوامر|القواعد)
  | \b(?:volle|h[öo]chste?|hoogste|maximale|beste?)\w*
    \s(?:punktzahl|note|wertung|bewertung|score|cijfer)
  | \bpunkte?\b.{0,40}\bkriteri | \bkriteri\w*.{0,40}\bpunkte?\b
  | \b(?:note|nota|puntuaci[óo]n|puntaje|pontua[çc][ãa]o|punteggio|voto|calificaci[óo]n)
    \s(?:maxim\w*|m[áa]xim[ao]|massim[ao]|parfaite|perfect[ao]|perfeita|pien[ao])\b
  | \b(?:максимальн|высш|наивысш)\w*\s(?:оценк|балл)
  | (?:满分|滿分|最高分|満点|만점|최고 점수) | (?:الدرجة|العلامة)\s(?:الكاملة|القصوى|النهائية)
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""The same in the languages that are met most; no list of this kind is complete."""
_LINE_OR_SENTENCE: Final = re.compile(r"(?<=[.!?])[ \t]+|\n")


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable thing that a text asserts: ``path``, ``name``, ``number`` or ``quote``."""

    kind: str
    text: str


def answer_proper(text: str) -> tuple[str, tuple[str, ...]]:
    """The answer without what is said to the judge, and those sentences (normally none).

    Invisible characters are removed first, so that they cannot hide such a
    sentence.
    """
    kept: list[str] = []
    aside: list[str] = []
    for line in visible(text).splitlines():
        pieces = [piece for piece in _LINE_OR_SENTENCE.split(line) if piece.strip()]
        honest = [piece for piece in pieces if not _to_the_judge(piece)]
        aside += [piece.strip() for piece in pieces if _to_the_judge(piece)]
        if honest or not pieces:
            kept.append(line if len(honest) == len(pieces) else " ".join(honest))
    return "\n".join(kept), tuple(aside)


def _to_the_judge(piece: str) -> bool:
    return bool(_TO_THE_JUDGE.search(piece) or _IN_OTHER_LANGUAGES.search(piece))


def claims(text: str) -> list[Claim]:
    """The checkable claims of a text in order, each once."""
    found: dict[Claim, None] = {}
    for groups in _QUOTED.findall(text):
        quote = next(group for group in groups if group)
        if len(quote.split()) >= 2:
            found[Claim("quote", quote)] = None
    for name in _CODE_NAME.findall(text):
        found[Claim("name", name)] = None
    for token in raw_tokens(normalize(text)):
        if is_path(token) and (_EXTENSION.search(token) or token.count("/") >= 2):
            found[Claim("path", token)] = None
        elif "_" in token.strip("_"):
            found[Claim("name", token)] = None
        elif re.fullmatch(r"\d[\d,.]*\d", token):
            found[Claim("number", token)] = None
    return list(found)


def unsupported(claims_made: Iterable[Claim], log: TextIndex) -> list[Claim]:
    """The claims that the log does not contain."""
    return [claim for claim in claims_made if not _supported(claim, log)]


def _supported(claim: Claim, log: TextIndex) -> bool:
    if claim.kind == "path":
        return log.has_path(claim.text)
    if claim.kind == "quote":
        return log.contains(claim.text) or log.states([claim.text])
    if claim.kind == "name":
        return log.has_token(claim.text) or log.contains(claim.text)
    return log.has_token(claim.text)
