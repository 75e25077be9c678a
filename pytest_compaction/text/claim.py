"""Checkable claims of a text, and text that talks to the judge instead of answering.

A claim is something that can be looked up in the log: a path, an identifier, a
number of two or more digits, a quotation. Markup tags claim nothing, and a word that was
cut off ("docketry.rend…") is not one.

Sentences that tell the judge what to score are not part of an answer: they are taken out before
anything is scored. No list of their phrases is complete: other wordings, encodings and languages
are not recognised. A real judge is protected by the fence around everything that it reads, the
offline judge because it looks for facts and nothing else. The list puts such sentences on record.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_compaction.rubric import CRITERIA
from pytest_compaction.text.alternatives import Key, path_keys
from pytest_compaction.text.parsed import bounded_find
from pytest_compaction.text.sentence_index import posted
from pytest_compaction.text.words import (
    canonical_number,
    is_path,
    normalize,
    path_suffixes,
    raw_tokens,
    visible,
)

_ENGLISH: Final = re.compile(
    r"""
    \b(?:ignore|disregard|forget|override)\b.{0,60}
    \b(?:instruction|prompt|rubric|(?:your|all|any|these|previous|grading|scoring)\ rules?\b
      |(?:the|all|everything)\ (?:above|previous)\b(?!\ \d))
  | \b(?:score|grade|rate|rating|mark|give|award|assign|output|return|respond)\b(?!\().{0,60}
    (?:\b(?:5(?:\.0+)?|five|10|ten|100|full|maximum|max|perfect|highest|top)\b(?![.,]\d).{0,30}
       \b(?:score|mark|point|rating|grade|criteri\w*|dimension|out\ of|/\s*\d)
     | \b5(?:\.0)?\s*(?:/|out\ of)\s*5\b | \bfor\ (?:every|each|all)\b.{0,20}\bcriteri)
  | \b(?:score|grade|rating)\s*(?:is|:|=|of|must\ be|should\ be)\s*
    (?:5(?:\.0+)?|five|10|100|perfect)\b(?![.,]\d)
  | (?:^|[,;(\[>*#-]|\bdear\b|\b(?:note|message|hint)\ (?:to|for)\b)(?:\ the\b)?\W{0,5}
    \b(?:judge|grader|evaluator|assessor)\b\s*[:,]
  | \bas\ (?:the|a|an)\ (?:judge|grader|evaluator)\b
  | \b(?:system|assistant|developer)\s*:\s*.{0,80}
    \b(?:grading\b|the\ verdict\b|you\ are\b.{0,40}\bjudge\b
      |(?:score|grade|judge)\ (?:this|every|each|all|the\ (?:answer|response)))
  | "(?:score|criterion|criteria|criterionid|overall|verdict|stated|stale_claims)"\s*:\s*[\d"{\[tfn]
  | </?(?:verdict|score|rubric|judge|response|system)\b[^<>]{0,200}>
  | \b(?:CRITERIA)\b["`']?\s*[:=]
  | ^\W*(?:to|for)\ the\ (?:judge|grader|evaluator|assessor)\b
  | \bnew\ (?:instruction|rule|task)s?\s*:
  | (?:<<<|>>>)\s*(?:end\ of\ )?(?:answer|response|question|session|facts|criteria|stale|notes)\b
  | ^\s*(?:<[|｜][\w\ ▁]{1,30}[|｜]>|<(?:start|end)_of_turn>|\[/?INST\])
  | \bthis\ (?:answer|response)\ (?:is|deserves|merits|earns)\b.{0,40}
    \b(?:perfect|correct|complete|full|5|five|highest)\b
  | \b(?:grade|score|judge|mark|rate|evaluate|assess|be)\s(?:\w+\s){0,3}
    (?:generous(?:ly)?|lenient(?:ly)?|favou?rabl[ey]|merciful(?:ly)?)\b
  | \b(?:mark|score|rate|grade|give|set|fill|assign|tick|pass|approve|max(?:imi[sz]e)?(?:\ out)?)\b
    .{0,30}\b(?:every|each|all)\b.{0,30}\b(?:criteri(?:a|on)\b|dimensions?\b|rubric)
  | \b(?:treat|consider|count|regard|accept|take|deem|mark|assume|presume)\b.{0,20}
    \b(?:all|each|every|any|the\ missing)\b.{0,20}\b(?:facts?|criteri(?:a|on)|claims?)\b.{0,20}
    \b(?:stated|present|met|covered|correct|given|true|satisfied|included|fulfilled|found)\b
  | \b(?:full|top)\ (?:credit|marks?|grades?)\b | \bA\+\s(?:answer|response|work|grade)\b
  | \b(?:grading|judg(?:e)?ment|assessment|evaluation)\b.{0,20}
    \b(?:already|been)\b.{0,12}\b(?:complete[d]?|done|finished|passed|approved|scored)\b
  | \bverdict\s*[:=]\s*(?:pass\b|5\b|full\b|perfect\b|correct\b|.{0,20}\bfacts?\b)
  | \b(?:accuracy|completeness|continuity)\b(?:\ score)?\s*(?:is|=|:|->|→)\s*
    (?:5(?:\.0+)?|five|full|max(?:imum)?)\b(?!\s?%|[.,]\d)
  | ^\W*end\ of\ (?:the\ )?(?:answer|response|submission|material)\b
  | \b(?:five|5)[\ -]stars?\b | ★{5} | ⭐{5}
  | \b(?:skip|stop|end|abort|bypass)\b.{0,12}
    \b(?:grading|scoring|judging|the\ (?:rubric|evaluation))\b
  | \b(?:do\ not|don't|never)\b.{0,20}
    \b(?:deduct|penali[sz]e|(?:lower|reduce)\ the\ (?:score|grade))
    """.replace("CRITERIA", "|".join(criterion.id for criterion in CRITERIA)),
    re.IGNORECASE | re.VERBOSE,
)
_IN_OTHER_LANGUAGES: Final = re.compile(
    unicodedata.normalize(
        "NFKC",
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
  | \b(?:vergib|vergebt|vergebe|gib|gebt|geben\ sie)\b.{0,30}\bpunkte?\b
  | \büberspring\w*.{0,30}\b(?:bewertung|benotung|kriterien)
  | \bgeef\b.{0,30}\b(?:overal|elk|ieder|alle)\b.{0,30}\b(?:5|vijf|10|tien|cijfer|punten)\b
  | \b(?:maksymaln|najwyższ)\w*\s(?:ocen|punkt|not) | \bpełn\w*\s(?:punktacj|liczb\w*\spunkt)
  | \b(?:tam|en\ yüksek)\s(?:puan|not)\b | \btalimat\w*.{0,30}(?:yok\ say|görmezden|unut)
  | (?:पूर्ण|पूरे|अधिकतम|[5५])\s*अंक | निर्देश.{0,40}(?:अनदेखा|नज़रअंदाज़|भूल)
  | điểm\s(?:tối\ đa|cao\ nhất|tuyệt\ đối) | \bbỏ\ qua\b.{0,40}(?:hướng\ dẫn|chỉ\ dẫn|chỉ\ thị)
  | \b(?:full|högsta|høyeste|højeste)\w*\s(?:poäng|betyg|poengsum|karakter)
  | \b(?:ignorera|ignorer|ignoruj|glöm)\w*\b.{0,40}(?:instruktion|instruks|pokyn)
  | \b(?:plný\ počet|nejvyšší|najvyšší)\s(?:bodů|bodov|hodnocení|hodnotenie)
  | \b(?:максимальн|найвищ)\w*\s(?:бал|оцінк) | \bігноруй\w*\b.{0,40}(?:інструкц|вказів)
  | \bnilai\s(?:penuh|maksim\w+|sempurna|tertinggi)\b | \babaikan\b.{0,40}(?:instruksi|perintah)
  | (?:ציון|ניקוד)\s(?:מלא|מרבי|מקסימלי) | התעל\w{1,20}.{0,40}(?:הוראות|ההוראות)
  | (?:μέγιστη|άριστη|υψηλότερη)\s(?:βαθμολογία|βαθμό) | αγνόησε.{0,40}οδηγίες
  | نمره\s(?:کامل|حداکثر) | (?:คะแนนเต็ม|คะแนนสูงสุด) | (?:hoàn\ hảo|tuyệt\ đối)\sđiểm
  | (?:打|给|給)\s*(?:5|五)\s*分 | (?:5|五)\s*点(?:を|満点|つけ|付け)
    """,
    ),
    re.IGNORECASE | re.VERBOSE,
)
"""Such phrases in other common languages."""

_LOOKALIKES: Final = str.maketrans(
    # Cyrillic, Greek, small capitals; letters that NFKC maps already are left out
    "АВЕЅІЈКМНОРСТУХԌԚԜаеѕіјкорсухһԁԍԛԝѵмтнв"
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαειικνορτυχγωη"
    "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢıɡɑⅼ",
    "ABESIJKMHOPCTYXGQWaesijkopcyxhdgqwvmthb"
    "ABEZHIKMNOPTYXaeiiknoptuxywn"
    "abcdefghijklmnoprstuvwyziga"
    "l",
)
"""Each letter that looks like a Latin one, and the Latin letter."""
_SPACED: Final = re.compile(r"(?<!\w)\w(?: \w){3,}(?!\w)")
"""A word with a space after each letter."""


def talks_to_the_judge(text: str) -> bool:
    """Whether a sentence or line tells the judge what to score.

    The text is compared as a person reads it: full-width and styled letters are plain,
    invisible characters are gone. For English, accents are removed too, look-alikes become
    Latin letters, and s p a c e d words are joined.
    """
    plain = text if text.isascii() else visible(unicodedata.normalize("NFKC", text))
    if _ENGLISH.search(plain) or _IN_OTHER_LANGUAGES.search(plain):
        return True
    read = plain
    if not plain.isascii():
        letters = unicodedata.normalize("NFD", plain.translate(_LOOKALIKES))
        read = "".join(ch for ch in letters if unicodedata.category(ch) != "Mn")
    read = _SPACED.sub(lambda found: found[0].replace(" ", ""), read)
    return read != plain and _ENGLISH.search(read) is not None


_QUOTED: Final = re.compile(r"`([^`\s][^`\n]{1,198}[^`\s])`|\"([^\"\n]{3,200})\"|“([^”\n]{3,200})”")
_CODE_NAME: Final = re.compile(r"\b[a-z]+[A-Z]\w+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b\w+(?=\(\))")
_EXTENSION: Final = re.compile(r"\.[a-z][a-z0-9]{0,5}$")

_TAG: Final = re.compile(
    r"</?[A-Za-z_][\w:.-]*(?:\s+[\w:.-]+=(?:\"[^\"<>\n]*\"|'[^'<>\n]*'))*\s*/?>"
)
_WORD: Final = re.compile(r"\S+")
_TAG_MARK: Final = "\x00"
"""Stands for a tag, so that a quotation that held one can be told."""
_CUT: Final = ("…", "...")
_LEFT_OUT: Final = re.compile(
    r" ?\[[^\[\]\n]{0,40}\b(?:left out|omitted|truncated|cut)\b[^\[\]\n]{0,40}\] ?"
)
"""A note that something was left out; the words on both sides may be halves."""

_LONGEST: Final = 20_000
"""Characters of a message whose tokens are kept."""
_LINE_OR_SENTENCE: Final = re.compile(r"(?<=[.!?])[ \t]+|\n")


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable thing that a text asserts: ``path``, ``name``, ``number`` or ``quote``."""

    kind: str
    text: str


def answer_proper(text: str) -> tuple[str, tuple[str, ...]]:
    """The answer without sentences to the judge, and those sentences (normally none).

    Such sentences are recognised by their phrases; others go
    unnoticed. Invisible characters are removed first, so that they cannot hide one.
    """
    kept: list[str] = []
    aside: list[str] = []
    for line in visible(text).splitlines():
        pieces = [piece for piece in _LINE_OR_SENTENCE.split(line) if piece.strip()]
        honest: list[str] = []
        for piece in pieces:
            (aside if talks_to_the_judge(piece) else honest).append(piece)
        if honest or not pieces:
            kept.append(line if len(honest) == len(pieces) else " ".join(honest))
    return "\n".join(kept), tuple(piece.strip() for piece in aside)


def claims(text: str) -> list[Claim]:
    """The checkable claims of a text in order, each once."""
    text = _LEFT_OUT.sub("…", _TAG.sub(_TAG_MARK, text.replace(_TAG_MARK, " ")))
    found: dict[Claim, None] = {}
    for groups in _QUOTED.findall(text):
        quote = next(group for group in groups if group)
        if not any(mark in quote for mark in (_TAG_MARK, *_CUT)) and len(quote.split()) >= 2:
            found[Claim("quote", quote)] = None
    text = _WORD.sub(
        lambda word: "" if any(mark in word[0] for mark in _CUT) else word[0],
        text.replace(_TAG_MARK, " "),
    )
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


class LogTokens:
    """The tokens of a log, without its sentences. Building is linear in the log.

    It agrees with ``TextIndex`` on paths, names and numbers, but for numbers that only count the
    items of a list and for paths with what a search found behind them (``src/a.py:def``), which it
    knows too. Of quotations it finds those that stand in the log as they are.
    """

    def __init__(self, text: str, messages: Sequence[str] = ()) -> None:
        """``messages`` are what the log is of; the text if they are not given.

        The tokens of a message are read once, though it stands in the log up to each point. A
        quotation stands in one message.
        """
        self._normals: list[str] = []
        self._keys = set[Key]()
        for message in messages or (text,):
            read = _read if len(message) <= _LONGEST else _read.__wrapped__
            normal, keys = read(message)
            self._normals.append(normal)
            self._keys |= keys

    def holds(self, claim: Claim) -> bool:
        """Whether the log has the token, or the quotation as it is."""
        normal = normalize(claim.text)
        if claim.kind == "path":
            return bool(path_suffixes(claim.text)) and any(
                key in self._keys for key in path_keys(claim.text)
            )
        if claim.kind != "quote" and canonical_number(normal) in self._keys:
            return True
        return claim.kind != "number" and any(
            bounded_find(normal, message) >= 0 for message in self._normals
        )


@lru_cache(maxsize=512)
def _read(text: str) -> tuple[str, frozenset[Key]]:
    """A message, normalised, and the forms of its tokens."""
    normal = normalize(text)
    whole = set(raw_tokens(normal))
    tokens = whole.union(*(token.split(":") for token in whole if ":" in token))
    return normal, frozenset[Key]().union(*map(posted, tokens))
