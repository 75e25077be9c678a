"""Spanish. Experimental."""

import re
from typing import Final

from pytest_compaction.text.languages.language import Language, counted, forms, patterns, words

COMMON: Final = frozenset(
    """el la los las un una unos unas del de y o pero no que quien es son era fue está están
    con para por en sobre al este esta estos su sus nos ellos ella yo se más sin si como
    porque también ya debe ser haber hecho han había lo le entre después antes todo todos
    muy bien mismo ni nunca""".split()
)
LANGUAGE: Final = Language(
    code="es",
    common=COMMON,
    clause=re.compile(
        r"[,;!?()]|\.(?=\s|$)|\b(?:pero|sino|porque|aunque|así que)\b|\by(?= (?:es|"
        r"son|queda|usa|ha|han|se)\b)"
    ),
    no_subject=re.compile(
        r"(?:(?:que|eso|esto|esa|este|ella|él|se|ha|han|es|son|sido|fue|finalmente|"
        r"luego|después|y|pero|opción|idea|propuesta|solución|plan)\b|[ ,:])*"
    ),
    no_object=re.compile(r"[ .!]*(?:\w{0,20}ad[oa]s?|por el equipo)?[ .!]*"),
    ahead=re.compile(
        r"\b(?:va a|van a|vamos a|previsto|prevé|próximos? pasos?|por hacer|queda "
        r"por|más tarde|mañana|pronto|todavía no|aún no|debería\w*|quiere\w*|propone\w*|"
        r"hay que|falta|pendiente)\b"
    ),
    done=re.compile(
        r"\b(?:ya|hecho|terminad\w+|acabad\w+|completad\w+|ha sido|han sido|fue|"
        r"se ha|hemos)\b"
    ),
    forms=forms(
        (
            "negated",
            "both",
            r"\b(?:no(?! (?:solo|sólo|más de|menos de)\b)|nunca|jamás|ningun[oa]?|"
            r"ningún|nada|nadie|tampoco|ni|prohibid\w+|prohíbe|evit\w+|impid\w+|desactiv\w+|"
            r"deshabilit\w+|imposible)\b",
        ),
        (
            "negated",
            "after",
            r"\b(?:sin|salvo|excepto|en (?:vez|lugar) de(?:l)?)\b (?P<old>(?:(?:el|"
            r"la|los|las|un|una) )?[^\s,;.]{1,40}(?: (?:s|ms|seconds|minutes|hours)\b)?)",
        ),
        (
            "rejected",
            "both",
            r"\b(?:rechaz\w+|abandon\w+|descart\w+|anul\w+|cancel\w+|revert\w+|revirti\w+|"
            r"retirad\w+|desech\w+|excluid\w+)\b",
        ),
        (
            "rejected",
            "before",
            r"\b(?:es|son|era|está|están) (?:\w+ )?(?:fals[oa]s?|erróne[oa]s?|obsolet[oa]s?|"
            r"incorrect[oa]s?|anticuad[oa]s?)\b",
        ),
        ("rejected", "rest", r"\bes falso que\b"),
        ("replaced", "after", r"\bde (?P<old>\d[^,;:()]{0,30}?) a (?=\d)"),
        (
            "replaced",
            "after",
            r"\b(?:pas\w+|migr\w+|cambi\w+) de(?:l)? (?P<old>[^,;:()]{1,40}?) (?:a|"
            r"al|hacia)\b",
        ),
        (
            "replaced",
            "before",
            r"\b(?:fue|fueron|ha sido|es|son) (?:reemplazad|sustituid)[oa]s? por\b|"
            r"\b(?:reemplazad|sustituid)[oa]s? por\b",
        ),
        (
            "replaced",
            "after",
            r"\b(?:reemplaz\w+|sustitu\w+)\b (?:a )?(?P<old>[^,;]{1,40}?) (?:por|"
            r"con)\b",
        ),
        (
            "replaced",
            "after",
            r"\b(?:reemplaza|reemplazó|sustituye|sustituyó)\b(?! por)(?=[^,;]{1,60})",
        ),
        ("replaced", "after", r"(?P<old>[^\s,;()]{1,40}) ?(?:->|→|=>)"),
        (
            "past",
            "after",
            r"\b(?:antes|anteriormente|antiguamente|originalmente|inicialmente|al "
            r"principio|antigu[oa] (?=valor|puerto|límite|versión))\b",
        ),
        (
            "uncertain",
            "both",
            r"\b(?:quizás?|tal vez|probablemente|posiblemente|seguramente|al parecer|"
            r"parece\w*|podría\w*|sería\w*|habría\w*)\b",
        ),
        ("supposed", "rest", r"\b(?:si|en caso de que|suponiendo)\b"),
        ("asked", "both", r"\b(?:por decidir|sin decidir|por aclarar)\b"),
        ("asked", "sentence", r"\? ?$"),
    ),
    stemmer="spanish",
    units=words(
        "ms: milisegundos milisegundo; seconds: segundos segundo; minutes: minutos minuto; hours: "
        "horas hora; weeks: semanas semana; months: meses mes; years: años año; times: veces; "
        "days: días día"
    ),
    numerals=counted(
        "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
        "veinte treinta cuarenta cincuenta sesenta",
    ),
    decimal_comma=True,
    concord=True,
    changes=patterns(
        created="cread|añadid|nuev|escrit|generad",
        modified="modific|cambi|adaptad|editad|actualizad|corregid",
        deleted="eliminad|borrad|elimin",
        renamed="renombrad|movid|->",
        read="leíd|abiert|consultad|revisad",
    ),
)
