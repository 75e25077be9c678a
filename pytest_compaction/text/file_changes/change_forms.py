"""The expressions that say what happened to a file, as patterns."""

from __future__ import annotations

import re
from typing import Final

OBJECT_VERBS: Final = {
    "created": r"creat\w*|generat\w*|scaffold\w*|touch|introduc\w*|add(?:ed|s|ing)?|writ\w+|wrote|"
    r"new(?: \w+)? files?|new|committed|saved?|produc\w+|started",
    "modified": r"modif\w*|edit\w*|chang\w*|updat\w*|fix\w*|refactor\w*|extend\w*|adjust\w*|"
    r"patch\w*|rewrit\w*|rewrote|rewritten|correct\w*|rework\w*|amend\w*|adapt\w*|tweak\w*|"
    r"clean\w* up|simplif\w*|touched|expand\w*|appended|trimmed|bump\w*",
    "deleted": r"delet\w*|remov\w*|dropp\w*|drops?|unlink\w*|gone|no longer exists?|erased?",
    "renamed": r"renam\w*|mov(?:e|es|ed|ing)|relocat\w*|becomes?|became|become|goes by|"
    r"now called|now known as",
    "read": r"read(?:s|ing)?|open(?:s|ed|ing)?|look(?:s|ed|ing)|inspect\w*|view(?:s|ed|ing)|"
    r"examin\w*|review(?:s|ed|ing)|stud(?:y|ied|ies)|check(?:s|ed|ing)|analy[sz](?:e|ed|es|ing)|"
    r"explor\w*|"
    r"brows\w*|consult\w*|scann\w*|saw|seen|investigat(?:e|ed|es|ing)|grepp\w*|listed|walked|"
    r"went through",
}
INSIDE: Final = re.compile(
    r"\b(?:to|in|into|inside|within|from)\b(?! (?:this|that|the (?:\w+ )?(?:session|step|round|"
    r"turn))\b)"
)
"""What leads from a verb to the file in which something was done, and not to the time."""
EDIT_VERBS: Final = re.compile(
    r"\b(?:add\w*|wrote|writ\w+|creat\w*|introduc\w*|implement\w*|insert\w*|remov\w*|delet\w*|"
    r"renam\w*|mov\w+|replac\w*|switch\w*|set|rais\w*|lower\w*|now \w+s|uses?|put|"
    r"convert\w*|split\w*|wrap\w*|guard\w*|import\w*|pass\w*|return\w*)\b"
)
VERBS: Final = {change: re.compile(rf"\b(?:{verbs})\b") for change, verbs in OBJECT_VERBS.items()}
PLANNED: Final = re.compile(
    r"\b(?:will|(?<!used )to be|(?:is|are|was|were|has|have|had) to \w+|should|needs? to|todo|"
    r"plan(?:s|ned)?|going to|still to|remaining|pending|"
    r"want(?:s|ed)?|wanted|let's|ideas?|propos\w+|could|not (?:\w+ )?yet)\b"
)
DENIED: Final = re.compile(
    r"\b(?:not|never|n't|nobody|no one|nothing)(?: \w+){0,2}? (?:creat|modif|edit|chang|updat|"
    r"delet|"
    r"remov|renam|mov|writ|touch|wrote|add|read|open)\w*|^there (?:is|was) no\b"
)
NEGATION: Final = re.compile(
    r"\b(?:not|never|\w+n't|no|none|without|nothing|nobody)(?: [\w']+){0,3} $"
)
KEPT: Final = re.compile(
    r"^[^,;:(]{0,40}?\b(?:left|leave|stay(?:s|ed)?|remain(?:s|ed)?|kept|keeps?|is|was|are|were)\b"
    r"[^,;:(]{0,20}?\b(?:untouched|unchanged|unmodified|unaltered|intact|alone|the same|"
    r"as (?:it|they) (?:is|was|are|were|stood|stands?))\b"
)
EXISTED: Final = re.compile(
    r"^[^,;:(]{0,20}?\b(?:existed|(?:was|were) (?:already )?there|(?:is|was) (?:not|no) "
    r"(?:a )?new)\b(?! (?:only|not|no))"
)
"""A file that was there before has not been created."""
LEFT: Final = re.compile(r"\b(?:left|leav(?:e|es|ing)|kept|keeps?) $")
AS_IT_WAS: Final = re.compile(
    r"^ (?:untouched|unchanged|unmodified|unaltered|intact|alone|as (?:it|they) (?:is|was|are|"
    r"were))"
)
LISTED: Final = re.compile(
    r"^[^,;:]{0,20}?\b(?:turned up|turns up|showed up|shows up|appear(?:s|ed)|came up|was listed)\b"
)
"""A file that only turns up somewhere has not been read."""
ASIDE: Final = re.compile(
    r"; |\. |\(|, (?:which|that|who|whose|where)\b(?! (?:is|was|has|had|will|should|must|still)\b)"
)
"""Where a sentence turns from what happened to a file to what is in it, or to something else."""
MODIFIER: Final = re.compile(
    r"^,? ?(?:(?:with|under|in|of|from|along with|together with|including|and) [^,;:]{1,50}? )"
    r"(?=(?:is|was|were|are|has been|have been|had been|got)\b)"
)
CALLS: Final = (
    ("renamed", re.compile(r"(?:^|[\s;&|])(?:git mv|mv|rename\w*|move\w*)\s")),
    ("deleted", re.compile(r"(?:^|[\s;&|])(?:git rm|rm|unlink|delete_?\w*|remove_?\w*)\s")),
    ("created", re.compile(r"^\W*(?=\w*(?:edit|replace))\w+ create\b")),
    ("modified", re.compile(r"(?:sed -i|perl -p?i|>>|tee -a|git apply|patch -p)")),
    (
        "modified",
        re.compile(
            r"^(?:\W*)(?:\w*edit\w*|\w*str_replace\w*|\w*replace\w*|apply_patch|applypatch|"
            r"patch\w*|update_\w+|insert\w*|multiedit|append\w*|search_replace|\* update file)\b"
        ),
    ),
    (
        "created",
        re.compile(
            r"^(?:\W*)(?:write\w*|create\w*|\w+_create|save_file|new_file|\* add file)\b"
            r"|(?:^|[\s;&|])(?:touch|tee|install)\s|(?<![->\d])>\s*(?=[\w./~])|(?:^|\s)cp\s"
        ),
    ),
    (
        "read",
        re.compile(
            r"^(?:\W*)(?:read\w*|view\w*|open_?\w*|get_file\w*|cat_file|show\w*|grep\w*|"
            r"search\w*)\b"
            r"|(?:^|[\s;&|])(?:cat|head|tail|less|more|nl|wc|grep|rg|sed -n|awk|bat|diff|"
            r"git (?:show|diff|blame|log))\s"
        ),
    ),
)
TOOL: Final = re.compile(
    r"^(?:[$%>]\s+|(?:bash|shell|run\w*|exec\w*|terminal|execute\w*|local_shell|sh)\s+|\*\*\* )?"
    r"(?:[a-z]+_[a-z_]+|bash|write|edit|read|create|view|cat|head|tail|sed|grep|rg|git|mv|rm|cp|"
    r"touch|nl|wc|awk|echo|printf|python3?|cd|mkdir|apply_patch|str_replace\w*|multiedit|\*\*\*)\s"
)
