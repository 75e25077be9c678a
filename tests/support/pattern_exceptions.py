"""The patterns that a test of all patterns cannot treat like the others, each with the reason."""

QUESTION = 4000
"""Most characters of a probe's question, as the schema of cases has it."""
BOUNDED = {
    "models.offline.long_memory.answer:_COUNT": QUESTION,
    "models.offline.long_memory.answer:_TOTAL": QUESTION,
    "models.offline.long_memory.days:_AFTER": QUESTION,
    "models.offline.long_memory.lookup:_ASKS": QUESTION,
    "probes.lint_rules.latest:_LAST_CHECK": QUESTION,
    "probes.lint_rules.standing:_ANNOUNCED": QUESTION,
    "probes.lint_rules.standing:_CODE": QUESTION,
    "probes.lint_rules.standing:_COMMENT": QUESTION,
    "probes.lint_rules.standing:_COMMIT": QUESTION,
    "probes.lint_rules.whole:_PURPOSE": QUESTION,
    "probes.lint_rules.wording:_ASKS_BOTH": QUESTION,
    "probes.lint_rules.wording:_ONE_OF_MANY": QUESTION,
    "probes.sources.values:_VALUE_LINE": 120,
    "secrets.blocks:_LINE_BEFORE": 210,
    "secrets.named:_HEAD": 40,
    "secrets.people:_NOBODY": 500,
    "secrets.stated:_OTHER_KEYS": 24,
}
"""Patterns that grow faster or take long, and the most characters that each of them is given."""
MATCHED = {
    "probes.test_commands:_CHECKING": ("", "rule"),
    "probes.test_commands:_TESTING": ("", "rule"),
    "secrets.formatted:_HEADS": ("", "pattern"),
    "secrets.shapes:SHAPES": ("(?ix)[\"']?", "self.rest"),
}
"""Patterns in containers that are only matched at one place.

By name: how they begin, and what their module calls them where it uses them.
"""
ELSEWHERE = (
    "artifacts.known_files: re.compile(translate(pattern))",
    "artifacts.known_files: re.compile(translate(pattern.rstrip('/') + '/*'))",
    "case.remark_forms: re.compile('|'.join(forms), re.IGNORECASE)",
    "case.validation: re.search(strict, value)",
    "case_making.known_secrets: re.compile(f'{_BREAK}?'.join(map(re.escape, self.text)))",
    "models.calls.cache_ratios: re.fullmatch(each['models'], model)",
    "models.offline.long_memory.demands: re.compile(asked)",
    "models.offline.long_memory.demands: re.compile(given)",
    "models.offline.long_memory.lookup: re.compile(asked, re.IGNORECASE)",
    "models.offline.long_memory.lookup: re.compile(given)",
    "models.offline.long_memory.quotes: "
    "re.compile(_NUMBER.format(noun=counted['noun'][:_STEM]), re.IGNORECASE)",
    "models.offline.long_memory.quotes: re.compile(asked, re.IGNORECASE)",
    "models.offline.long_memory.quotes: re.compile(given, re.IGNORECASE)",
    "models.offline.nuggets.forms: re.compile(asked, re.IGNORECASE)",
    "models.offline.nuggets.forms: re.compile(shown, re.IGNORECASE | re.M)",
    "models.wire.refusals: re.compile(pattern or f'\\\\b{name}\\\\b', re.IGNORECASE)",
    "probes.sources.code.standing: re.compile('|'.join("
    "(f'\\\\b{re.escape(each)}\\\\b' for each in names)))",
    "secrets.keys: re.compile(literal)",
    "text.file_changes.changes: re.search(removed, normal)",
    "text.lexicon.vocabulary: re.compile(pattern)",
)
"""Calls whose pattern does not stand in them: quoted words, names of files, own tables."""
