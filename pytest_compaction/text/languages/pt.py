"""Portuguese. Experimental."""

import re
from typing import Final

from pytest_compaction.text.languages.language import Language, counted, forms, patterns, words

COMMON: Final = frozenset(
    """o a os as um uma uns umas do da dos das de e ou mas não que quem é são era foi está
    estão com para por em no na nos nas sobre ao este esta esse essa seu sua nós eles ela eu
    se mais sem como porque também já deve ser ter feito têm havia lhe entre depois antes
    todo todos muito bem mesmo nem nunca""".split()
)
LANGUAGE: Final = Language(
    code="pt",
    common=COMMON,
    clause=re.compile(
        r"[,;!?()]|\.(?=\s|$)|\b(?:mas|porém|porque|embora|portanto)\b|\be(?= (?:é|"
        r"são|fica|usa|foi|tem|se)\b)"
    ),
    no_subject=re.compile(
        r"(?:(?:que|isso|isto|essa|este|ela|ele|se|foi|foram|é|são|sido|finalmente|"
        r"depois|e|mas|opção|ideia|proposta|solução|plano)\b|[ ,:])*"
    ),
    no_object=re.compile(r"[ .!]*(?:\w{0,20}ad[oa]s?|pela equipe|pela equipa)?[ .!]*"),
    ahead=re.compile(
        r"\b(?:vai|vão|vamos|previsto|prevê|próximos? passos?|por fazer|falta|mais "
        r"tarde|amanhã|em breve|ainda não|deveria\w*|quer|querem|propõe\w*|é preciso|"
        r"pendente|deve ainda)\b"
    ),
    done=re.compile(r"\b(?:já|feito|terminad\w+|acabad\w+|concluíd\w+|foi|foram|fizemos)\b"),
    forms=forms(
        (
            "negated",
            "both",
            r"\b(?:não(?! (?:só|apenas|mais de|menos de)\b)|nunca|jamais|nenhum\w*|"
            r"nada|ninguém|tampouco|nem|proibid\w+|proíbe|evit\w+|imped\w+|desativ\w+|"
            r"desabilit\w+|impossível)\b",
        ),
        (
            "negated",
            "after",
            r"\b(?:sem|salvo|exceto|em (?:vez|lugar) d[eoa]s?)\b (?P<old>(?:(?:o|"
            r"a|os|as|um|uma) )?[^\s,;.]{1,40}(?: (?:s|ms|seconds|minutes|hours)\b)?)",
        ),
        (
            "rejected",
            "both",
            r"\b(?:rejeit\w+|abandon\w+|descart\w+|anul\w+|cancel\w+|revert\w+|retirad\w+|"
            r"recus\w+|excluíd\w+)\b",
        ),
        (
            "rejected",
            "before",
            r"\b(?:é|são|era|está|estão) (?:\w+ )?(?:fals[oa]s?|errad[oa]s?|obsolet[oa]s?|"
            r"incorret[oa]s?|ultrapassad[oa]s?)\b",
        ),
        ("rejected", "rest", r"\bé falso que\b"),
        ("replaced", "after", r"\bde (?P<old>\d[^,;:()]{0,30}?) para (?=\d)"),
        (
            "replaced",
            "after",
            r"\b(?:pass\w+|migr\w+|mud\w+) d[eoa] (?P<old>[^,;:()]{1,40}?) (?:para|"
            r"ao)\b",
        ),
        (
            "replaced",
            "before",
            r"\b(?:foi|foram|é|são) substituíd[oa]s? p(?:or|el[oa])\b|\bsubstituíd[oa]s? "
            r"p(?:or|el[oa])\b",
        ),
        ("replaced", "after", r"\bsubstitu\w+ (?P<old>[^,;]{1,40}?) por\b"),
        ("replaced", "after", r"\b(?:substitui|substituiu)\b(?! por)(?=[^,;]{1,60})"),
        ("replaced", "after", r"(?P<old>[^\s,;()]{1,40}) ?(?:->|→|=>)"),
        (
            "past",
            "after",
            r"\b(?:antes|anteriormente|antigamente|originalmente|inicialmente|no "
            r"início|antig[oa] (?=valor|porta|limite|versão))\b",
        ),
        (
            "uncertain",
            "both",
            r"\b(?:talvez|provavelmente|possivelmente|aparentemente|parece\w*|poderia\w*|"
            r"seria\w*|teria\w*)\b",
        ),
        ("supposed", "rest", r"\b(?:se(?= \w+ (?:for|fosse|houver))|caso|supondo)\b"),
        ("asked", "both", r"\b(?:por decidir|a decidir|por esclarecer)\b"),
        ("asked", "sentence", r"\? ?$"),
    ),
    stemmer="portuguese",
    units=words(
        "ms: milissegundos milissegundo; seconds: segundos segundo; minutes: minutos minuto; "
        "hours: horas hora; days: dias dia; weeks: semanas semana; months: meses mês; years: anos "
        "ano; times: vezes"
    ),
    numerals=counted(
        "dois três quatro cinco seis sete oito nove dez onze doze treze quatorze quinze",
        "vinte trinta quarenta cinquenta sessenta",
    )
    | {"duas": "2"},
    decimal_comma=True,
    concord=True,
    changes=patterns(
        created="criad|adicionad|nov[oa]|escrit|gerad",
        modified="modific|alterad|mudad|editad|atualizad|corrigid",
        deleted="eliminad|apagad|removid|excluíd",
        renamed="renomead|movid|->",
        read="lid|abert|consultad|revist",
    ),
)
