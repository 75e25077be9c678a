"""Fields of meaning: words that speak of the same thing, as a thesaurus groups them."""

from __future__ import annotations

import re
from typing import Final

_FIELDS: Final = {
    name: re.compile(rf"\b(?:{words})\b")
    for name, words in {
        "deputy": r"deput\w*|stands? in|second in command|substitut\w*|vice|fills? in"
        r"|when the (?:boss|chief|head) is",
        "head": r"in charge|leads?|leader|runs? (?:it|the)|manag\w+|responsible|coordinat\w+"
        r"|heads?|boss|chief|organi[sz]\w+|at the helm|has the last word|decides",
        "spare key": r"spare (?:set|keys?)|second (?:set|keys?)|both holders",
        "key": r"keys?|locks? up|unlocks?|opens and closes",
        "second driver": r"second driver|rides? along|co-?driver|takes? over|relieves?"
        r"|way back|passenger seat",
        "driver": r"drives?|driver|driving|at the wheel|steers?",
        "spent": r"spen[dt]\w*|paid|pay|costs?|bill|own pocket|transferred|no discount"
        r"|bought|purchas\w+|charged|receipt|invoice",
        "money": r"money|budget\w*|fund\w*|ceiling|treasurer|grants?|released|sum",
        "meeting place": r"meet|meets|meeting|gathers?|gather|venue|come together"
        r"|keys of|premises|moved (?:in)?to|everybody comes|assembl\w+",
        "supplier": r"firm|company|deliver\w*|suppl\w+|got the order|own van|comes? from|vendor",
        "phone": r"phone|telephone|extension|call|dial|pick(?:s)? up|hotline|reach",
        "people": r"people|volunteers?|helpers?|members?|participants?|help",
        "code": r"gets? into|code|padlock|combination|opens with|lock|pin|door|password",
        "sponsor": r"sponsors?\w*|donors?|patrons?|backers?|pays for|logo|behind us",
        "machine": r"machines?|devices?|borrow(?:ed)?|lent|lends?|on loan|in the yard",
        "insurance": r"polic(?:y|ies)|insur\w+|insured|cover\b",
        "music": r"music|bands?|songs?|singers?|choirs?|playlists?|records?|orchestras?|jazz"
        r"|albums?|guitars?|pianos?|fiddles?|drums?",
        "papers": r"papers?|documents?|binders?|folders?|notebooks?|files?|cabinets?|index cards?",
        "tools": r"tools?|shops?|chains?|stores?|markets?|rental|hire|second-hand|catalogues?",
        "messages": r"let .{0,30}know|tell|inform|notes?|chats?|e?-?mails?|calls?|letters?|posters?"
        r"|messages?|newsletters?|invit\w+",
        "food": r"food|eat|meals?|cook\w*|lunch|dinner|soups?|stews?|pies?|cakes?|salads?"
        r"|snacks?|buffets?|sandwich\w*|serve",
        "drink": r"drinks?|tea|teas|coffee|juices?|wines?|beers?|lemonade|cider",
        "travel": r"travel|get there|trains?|buses|bus|cars?|bikes?|bicycles?|ferr(?:y|ies)"
        r"|trams?|ways?|journeys?|trips?|planes?|flights?|taxis?",
        "light": r"light\w*|lamps?|candles?|lanterns?|bulbs?|neon|spotlights?",
        "gift": r"gifts?|presents?|give|vouchers?|flowers|herbs?|plants?|chocolates?|books?|thank",
        "time of day": r"when|mornings?|evenings?|afternoons?|nights?|weekends?|early|late|dawn",
        "place to stay": r"stay|sleep|hotels?|tents?|hostels?|inns?|cabins?|guest ?houses?",
        "colour": r"colou?rs?|paint|red|blue|green|yellow|white|black|pastel\w*|bright",
        "learning": r"learn|courses?|videos?|books?|manuals?|tutorials?|workshops?|lessons?",
    }.items()
}
_WISHES: Final = tuple(_FIELDS)[tuple(_FIELDS).index("music") :]


def fields_of(normal: str) -> list[str]:
    """The fields of facts that a normalised text touches, the more specific first."""
    return [name for name in _FIELDS if name not in _WISHES and _FIELDS[name].search(normal)]


def in_field(normal: str, field: str) -> bool:
    """Whether a normalised text touches a field."""
    return _FIELDS[field].search(normal) is not None


def tastes_of(normal: str) -> list[str]:
    """The fields of tastes that a normalised text touches."""
    return [name for name in _WISHES if _FIELDS[name].search(normal)]
