"""French. Experimental."""

import re
from typing import Final

from pytest_compaction.text.languages.language import Language, counted, forms, patterns, words

COMMON: Final = frozenset(
    """le la les un une des du de et ou mais ne pas que qui est sont était été avec pour par
    dans sur au aux ce cette ces son sa ses leur nous vous ils elle elles je on il se plus
    sans si comme donc car aussi déjà doit être avoir fait ont avait lors entre après avant
    tout tous très bien même""".split()
)
LANGUAGE: Final = Language(
    code="fr",
    common=COMMON,
    clause=re.compile(
        r"[,;!?()]|\.(?=\s|$)|\b(?:mais|cependant|toutefois|donc|parce que|puisque|"
        r"car)\b|\bet(?= (?:est|sont|reste|utilise|a|ont|on|nous|il|elle)\b)"
    ),
    no_subject=re.compile(
        r"(?:(?:qui|que|cela|ça|ce|cette|elle|il|ils|on|nous|a|ont|est|sont|été|"
        r"était|finalement|puis|ensuite|et|mais|option|idée|proposition|solution|"
        r"plan|l'\w+)\b|[ ,:])*"
    ),
    no_object=re.compile(r"[ .!]*(?:\w{0,20}ées?|par l'équipe)?[ .!]*"),
    ahead=re.compile(
        r"\b(?:va|vont|allons|prévu\w*|prévoit|prochaine? étapes?|à faire|reste "
        r"à|plus tard|demain|bientôt|pas encore|devrait|devraient|souhaite|veut|"
        r"propose\w*|il faut|doit encore|ensuite,? il)\b"
    ),
    done=re.compile(
        r"\b(?:déjà|fait|terminé\w*|achevé\w*|fini\w*|a été|ont été|avons|a (?:ajouté|"
        r"modifié|corrigé|changé))\b"
    ),
    forms=forms(
        (
            "negated",
            "both",
            r"\b(?:pas(?! (?:seulement|plus de|moins de)\b)|jamais|aucune?|nulle? "
            r"part|rien|personne n|ni|interdit\w*|interdi\w+|défendu\w*|évit\w+|empêch\w+|"
            r"désactiv\w+|renonc\w+|impossible)\b",
        ),
        ("negated", "both", r"\bn(?:e |')[^\s,;]{1,30} (?:plus|guère)\b"),
        (
            "negated",
            "after",
            r"\b(?:sans|sauf|hormis|au lieu d(?:e|u|es|')|plutôt qu(?:e|'))\b ?(?P<old>(?:(?:le|"
            r"la|les|l'|un|une) ?)?[^\s,;.]{1,40}(?: (?:s|ms|seconds|minutes|hours)\b)?)",
        ),
        (
            "rejected",
            "both",
            r"\b(?:rejet\w+|abandonn\w+|écart\w+|annul\w+|refus\w+|retir(?:é|ée|és|"
            r"ées)|révoqu\w+|supprimé\w* du plan|exclu\w*)\b",
        ),
        (
            "rejected",
            "before",
            r"\b(?:est|sont|était|étaient) (?:\w+ )?(?:faux|fausses?|erronée?s?|obsolètes?|"
            r"dépassée?s?|incorrecte?s?)\b",
        ),
        ("rejected", "rest", r"\bil est faux que\b"),
        ("replaced", "after", r"\bde (?P<old>\d[^,;:()]{0,30}?) à (?=\d)"),
        (
            "replaced",
            "after",
            r"\b(?:pass\w+|migr\w+|bascul\w+) d(?:e |u |')(?P<old>[^,;:()]{1,40}?) "
            r"(?:à|vers|au)\b",
        ),
        (
            "replaced",
            "before",
            r"\b(?:est|sont|a été|ont été) remplacée?s? par\b|\bremplacée?s? par\b",
        ),
        ("replaced", "after", r"\bremplac(?:e|er|ent|é|ée|és|ait)\b (?P<old>[^,;]{1,40}?) par\b"),
        ("replaced", "after", r"\bremplac(?:e|ent|era|ait)\b(?! par)(?=[^,;]{1,60})"),
        ("replaced", "after", r"(?P<old>[^\s,;()]{1,40}) ?(?:->|→|=>)"),
        (
            "past",
            "after",
            r"\b(?:autrefois|auparavant|à l'origine|initialement|anciennement|jadis|"
            r"ancien(?:ne)? (?=valeur|port|limite|version))\b",
        ),
        (
            "uncertain",
            "both",
            r"\b(?:peut-être|probablement|sans doute|éventuellement|apparemment|semble\w*|"
            r"pourrai\w+|serai\w+|aurai\w+|il paraît)\b",
        ),
        ("supposed", "rest", r"\b(?:si|s'il|au cas où|à supposer)\b"),
        ("asked", "rest", r"\best-ce que\b"),
        ("asked", "both", r"\b(?:à décider|à clarifier|pas décidé|en suspens)\b"),
        ("asked", "sentence", r"\? ?$"),
    ),
    stemmer="french",
    units=words(
        "ms: millisecondes milliseconde; seconds: secondes seconde; minutes: minutes minute; "
        "hours: heures heure; days: jours jour; weeks: semaines semaine; months: mois; years: ans "
        "an; bytes: octets; times: fois"
    ),
    numerals=counted(
        "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
        "vingt trente quarante cinquante soixante",
    ),
    decimal_comma=True,
    concord=True,
    changes=patterns(
        created="créé|ajouté|nouveau|écrit|généré",
        modified="modifi|chang|adapté|édité|mis à jour|corrigé",
        deleted="supprim|effacé|retiré",
        renamed="renommé|déplacé|->",
        read="lu|ouvert|consulté|examiné",
    ),
)
