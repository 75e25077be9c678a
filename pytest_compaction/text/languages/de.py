"""German."""

import re
from typing import Final

from pytest_compaction.text.languages.language import Language, forms, patterns, words

_ONES: Final = "ein zwei drei vier fünf sechs sieben acht neun".split()
_SMALL: Final = "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split()
_TENS: Final = "zwanzig dreissig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
_NUMERALS: Final = (
    {word: number for number, word in enumerate(_SMALL, start=2)}
    | {f"{word}zehn": number for number, word in enumerate("drei vier fünf".split(), start=13)}
    | {word: 10 * number for number, word in enumerate(_TENS, start=2)}
    | {
        f"{one}und{ten}": 10 * tens + ones
        for tens, ten in enumerate(_TENS, start=2)
        for ones, one in enumerate(_ONES, start=1)
    }
    | {"hundert": 100, "tausend": 1000}
)
_REPLACED: Final = "(?:ersetzt|ersetzte|ersetzten|ersetzen|ausgetauscht|abgelöst|ablösen)"

COMMON: Final = frozenset(
    """der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine
    keinen ist sind war waren wird werden wurde wurden hat haben hatte mit von vom zu zum zur auf
    aus bei beim für im in an am als auch noch nur schon sich es er sie wir ich ihr man dass ob wenn
    weil durch über unter nach vor bis so wie was wo dort hier jetzt nun dann doch soll sollen kann
    können muss müssen darf dürfen statt bitte diese dieser dieses alle seit ohne mehr sehr bereits
    worden sondern""".split()
)
LANGUAGE: Final = Language(
    code="de",
    common=COMMON,
    clause=re.compile(
        r"(?<!\bplanen)(?<!\bplant)(?<!\bgeplant ist)(?<!\bvorgesehen),"
        r"|[;!?()]|\.(?=\s|$)|:(?=\s)|(?<= )-(?= )"
        r"|\b(?:aber|sondern|jedoch|weil|denn|stattdessen)\b"
        r"|\bund(?= (?:ist|wird|bleibt|nutzt|hat|haben|soll|läuft|verwendet|jetzt|nun|dann)\b"
        r"| \S+ (?:gewählt|genommen|genutzt|verwendet|eingeführt)\b)"
    ),
    no_subject=re.compile(
        r"(?:(?:das|der|die|dieser|dieses|diese|wurden?|wird|werden|ist|sind|war|waren|hat|haben|aber|"
        r"dann|später|schliesslich|letztlich|und|doch|also|inzwischen|jedoch|wir|team|man|es|er|sie|"
        r"wieder|auch|als|am|ende|option|vorschlag|idee|ansatz|lösung|plan)\b|[ ,:])*"
    ),
    no_object=re.compile(
        r"[ .!]*(?:(?:worden|wurden?|ist|sind|war|waren|haben|hat|hatten?|werden)[ .!]*){0,2}"
    ),
    ahead=re.compile(
        r"\b(?:soll(?:en|te|ten)?|(?:muss|müssen) noch|noch (?:zu|nicht|offen)|(?:ge)?plant|planen|"
        r"nicht (?:erledigt|fertig|gemacht|begonnen|umgesetzt)|"
        r"vorgesehen|als nächstes|nächste[rn]? schritte?|später|morgen|demnächst|steht noch aus|"
        r"ausstehend|todo|werden wir|wird noch|beabsichtigt|wollen|will|möchten?|vorgeschlagen)\b"
    ),
    done=re.compile(
        r"\b(?:erledigt|fertig|abgeschlossen|bereits|schon|wurden?|worden|hat|habe|haben|"
        r"(?:ist|sind) (?:jetzt|nun|umgesetzt|eingebaut))\b"
    ),
    forms=forms(
        (
            "negated",
            "both",
            r"\b(?:nicht(?! (?:nur|mehr als|weniger als|länger als|später als|über|unter)\b)|"
            r"kein(?:e[mnrs]?)?(?! (?:anderer|geringerer)\b)|nie|niemals|keinesfalls|keineswegs|"
            r"niemand\w*|nichts|nirgends|unmöglich|unverändert\w*|unangetastet|unberührt|vermeide\w*|vermieden|verhinder\w*|verzichte\w*|"
            r"deaktivier\w*|abgeschaltet|stillgelegt|verboten|verbietet|untersagt|unzulässig|tabu|weigert\w*)\b",
        ),
        ("negated", "after", r"\b(?:weder|ausser|mit ausnahme)\b"),
        (
            "negated",
            "after",
            r"\bohne (?P<old>[^,;]{1,60}? zu \w{1,40}|(?:(?:d\w\w|ein\w*) )?[^\s,;.]{1,40})",
        ),
        (
            "rejected",
            "both",
            r"\b(?:verworfen\w*|verwarf(?:en)?|verwirft|verwerfen|abgelehnt\w*|lehnten?|lehnt|ablehn\w*|"
            r"aufgegeben|zurückgezogen|zurückgenommen|zurückgerollt|rückgängig|gestrichen\w*|fallengelassen|"
            r"fallen gelassen|ausgeschlossen\w*|storniert|widerrufen|abgebrochen|abgewählt)\b",
        ),
        (
            "rejected",
            "before",
            r"\b(?:ist|sind|war|waren) (?:\w+ )?(?:falsch|unwahr|überholt|veraltet|"
            r"hinfällig|unzutreffend|ein irrtum)\b",
        ),
        (
            "rejected",
            "rest",
            r"\b(?:falsch|unwahr|nicht wahr|nicht richtig|ein irrtum)(?: ist)?, dass\b",
        ),
        ("replaced", "after", r"\bvo[nm] (?P<old>\d[^,;:()]{0,30}?) (?:auf|zu) (?=\d)"),
        (
            "replaced",
            "after",
            r"\bvo[nm] (?P<old>[^,;:()]{1,40}?) (?:auf|zu|nach|zum|zur|in) "
            r"(?=[^,;]{1,60}\b(?:umgestellt|gewechselt|migriert|umgezogen|umbenannt|verschoben|geändert|"
            r"gestiegen|gesunken|umgestiegen)\b)",
        ),
        (
            "replaced",
            "after",
            r"\b(?:gewechselt|wechselten?|wechselt|umgestellt|migriert|umgestiegen) vo[nm] "
            r"(?P<old>[^,;:()]{1,40}?) (?:auf|zu|nach|zum|zur)\b",
        ),
        (
            "replaced",
            "after",
            r"\b(?:statt|anstatt|anstelle|an stelle) "
            r"(?:(?:d\w\w|ein\w*|von|vom|auf|mit|bei|i[mn]) ){0,2}"
            r"(?P<old>[^\s,;.]{1,40}(?: (?:s|ms|min|h|seconds|minutes|hours|days)\b)?)",
        ),
        (
            "replaced",
            "after",
            r"\b(?:ersetzten?|ersetzt|tauschten?) (?P<old>[^,;]{1,40}?) durch\b",
        ),
        (
            "replaced",
            "after",
            rf"(?P<old>[^\s,;]{{1,40}}) durch [^,;]{{1,40}}? (?:zu )?{_REPLACED}\b",
        ),
        (
            "replaced",
            "before",
            r"\b(?:wurden?|wird|werden|ist|sind)\b(?=[^,;]{0,40}\b(?:durch|von)\b[^,;]{1,60}\b"
            r"(?:ersetzt|abgelöst|ausgetauscht|verdrängt)\b)",
        ),
        (
            "replaced",
            "before",
            r"\b(?:wurden?|wird|werden|ist|sind) (?:(?!nicht|nie)\w+ )?(?:ersetzt|abgelöst)\b",
        ),
        (
            "replaced",
            "after",
            r"\b(?:(?:soll(?:en)?|wird|werden)(?=[^,;]{0,99} (?:ersetzen|ablösen)\b)|"
            r"hat|haben|hatten?|(?<=, )(?:weil|da|dass|der|die|das)) "
            r"(?:(?!durch\b)[^\s,;]{1,40} ){0,4}?"
            r"(?P<old>(?!durch\b|\d)[^\s,;]{1,40}) (?:ersetzt|ersetzen|abgelöst|ablösen|ablöst)\b",
        ),
        (
            "replaced",
            "after",
            r"(?:^|[,;:] ?)(?:im|in|am|an|seit|ab|bei|auf|jetzt|nun|inzwischen|künftig|damit|dort) "
            r"(?:[^\s,;]{1,40} ){0,3}?(?:ersetzte?n?|löste?n?|verdrängte?n?) "
            r"(?:(?:d\w\w|ein\w*) )?[^\s,;]{1,40} (?P<old>(?!durch\b)[^,;]{1,40})",
        ),
        ("replaced", "before", r"\b(?:ersetzt|abgelöst) (?:durch|von)\b"),
        (
            "replaced",
            "after",
            r"\b(?:ersetzt|ersetzte|ersetzten|löst|löste|verdrängt)\b"
            r"(?= (?!durch\b|werden\b|worden\b|wurden?\b)[^\s,;.])",
        ),
        ("replaced", "after", r"(?P<old>[^\s,;()]{1,40}) ?(?:->|→|=>)"),
        (
            "past",
            "after",
            r"\b(?:früher|vormals|ehemals|ursprünglich\w*|anfangs|einst|damals|"
            r"alte[nrs]? (?=wert|port|grenz|version|einstell|zeit))\b",
        ),
        (
            "uncertain",
            "both",
            r"\b(?:vielleicht|möglicherweise|eventuell|vermutlich|wahrscheinlich\w*|wohl|angeblich|"
            r"anscheinend|scheinbar|könnten?|dürften?|unklar|unsicher|womöglich|mutmasslich|"
            r"wären?|hätten?|würden?|zeitweise|im gespräch|erwogen|erwog|diskutiert|in betracht)\b",
        ),
        (
            "claimed",
            "rest",
            r"\b(?:behaupt\w+|gerücht\w*|spekulation\w*|vermutung\w*|unbestätigt\w*|unbelegt\w*|"
            r"nicht (?:bestätigt|belegt|geprüft)(?=:)|hörensagen|angeblich\w*|"
            r"(?:verworfen|widerlegt|veraltet|zurückgezogen)\w* \w+ (?:lautet|sagt|hiess)\w*|"
            r"vielleicht (?:später|irgendwann)|irgendwann (?:einmal|vielleicht)|"
            r"nicht (?:sicher|klar), (?:ob|dass)|zweifelhaft, (?:ob|dass)|"
            r"kein\w* (?:beleg|beweis)\w*)\b",
        ),
        (
            "claimed",
            "sentence",
            r"\b(?:nur ein gerücht|alles (?:nur )?gerüchte|reine spekulation)\b"
            r"|\((?:unbestätigt|nicht (?:bestätigt|geprüft)|gerücht|angeblich)\)",
        ),
        ("supposed", "rest", r"\b(?:wenn|falls|sofern|angenommen|vorausgesetzt)\b"),
        ("asked", "rest", r"\bob\b|\boffene fragen?\b"),
        ("asked", "both", r"\b(?:ungeklärt|zu klären|offen ist|ist offen|bleibt offen|strittig)\b"),
        ("asked", "sentence", r"\? ?$"),
    ),
    stemmer="german",
    units=words(
        "ms: millisekunden millisekunde; seconds: sekunden sekunde; sec: sek; "
        "minutes: minuten minute; hours: stunden stunde std; days: tagen tage tag; "
        "weeks: wochen woche; percent: prozent; months: monaten monate monat; "
        "years: jahren jahre jahr; times: mal"
    ),
    numerals={word: str(number) for word, number in _NUMERALS.items()},
    decimal_comma=True,
    changes=patterns(
        created="erstell|angelegt|neu|hinzugefügt|erzeug|geschrieben",
        modified="(?<!unver)änder|angepasst|bearbeitet|aktualisiert|überarbeitet|ergänzt|modifiziert",
        deleted="gelöscht|entfernt|lösch",
        renamed="umbenannt|verschoben|->",
        read="gelesen|angesehen|geöffnet|geprüft|durchgesehen",
    ),
)
