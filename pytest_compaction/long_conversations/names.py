"""Invented people, towns, firms and undertakings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of undertaking: three names for the same thing, and what it is made of."""

    names: tuple[str, str, str]
    parts: tuple[str, ...]


def _kinds(*rows: str) -> tuple[Kind, ...]:
    """Rows of three names and of parts: ``a|b|c: d, e, f``."""
    found: list[Kind] = []
    for row in rows:
        names, parts = row.split(": ")
        first, second, third = names.split("|")
        found.append(Kind((first, second, third), tuple(parts.split(", "))))
    return tuple(found)


KINDS: Final = _kinds(
    "the mural|the wall painting|the painted gable: "
    "primer, scaffolding, pigments, stencils, brushes, varnish",
    "the rowing boat|the old skiff|the wooden tub: oars, planks, caulking, rivets, rudder, keel",
    "the school garden|the vegetable patch|the children's beds: "
    "compost, seedlings, trellis, water butt, hedge, mulch",
    "the puppet show|the marionette play|the little theatre: "
    "curtain, strings, costumes, spotlights, backdrop, props",
    "the attic room|the loft conversion|the room under the roof: "
    "rafters, skylight, insulation, floorboards, plaster, staircase",
    "the street fair|the block party|the day on the square: "
    "benches, lanterns, stalls, posters, bunting, barriers",
    "the bee house|the apiary|the hives behind the orchard: "
    "frames, smoker, wax, veils, feeders, honey jars",
    "the radio play|the audio drama|the piece for the microphone: "
    "script, microphones, sound effects, foam panels, recorder, jingle",
    "the bread oven|the clay oven|the communal bakehouse: "
    "firebricks, clay, chimney, peel, thermometer, logs",
    "the choir trip|the singers' tour|the journey with the choir: "
    "scores, coach, hymn books, robes, pitch pipes, folders",
    "the repair cafe|the mending afternoon|the fix-it bench: "
    "soldering irons, screwdrivers, spare fuses, glue, sewing kit, labels",
    "the village museum|the local history room|the little collection: "
    "showcases, captions, archive boxes, lamps, floor plan, ledgers",
    "the footbridge|the crossing over the stream|the plank walk: "
    "beams, handrail, bolts, footings, gravel, tar",
    "the photo book|the picture volume|the bound album: "
    "scans, negatives, layout, endpapers, slipcase, proofs",
    "the chess club|the board game evenings|the circle with the clocks: "
    "boards, clocks, score sheets, trophies, pairings, tablecloths",
    "the wind turbine|the small windmill|the rotor on the mast: "
    "blades, bearings, mast, inverter, cables, brake",
    "the cookbook|the recipe collection|the kitchen volume: "
    "drawings, index, test batches, tables, binding, foreword",
    "the bike trailer|the cargo cart|the thing behind the bicycle: "
    "hitch, spokes, tarpaulin, frame tubes, reflectors, springs",
    "the stargazing night|the telescope evening|the look at the sky: "
    "telescopes, red lamps, star charts, blankets, tripods, dew caps",
    "the sauna hut|the steam cabin|the log cabin by the water: "
    "stove, cedar boards, ladles, door seals, stones, vents",
    "the language course|the Portuguese lessons|the evening classes: "
    "workbooks, flash cards, recordings, headphones, dictionaries, whiteboard",
    "the quilt|the patchwork cover|the blanket of many hands: "
    "batting, thread, templates, borders, needles, lining",
    "the weather station|the measuring post|the pole with the sensors: "
    "gauges, logger, solar panel, bracket, vane, enclosure",
    "the flea market|the jumble sale|the sale of old things: "
    "crates, price tags, trestles, awnings, hangers, signs",
)
FIRST: Final = tuple(
    """Ines Tobias Marit Jarek Oona Felipe Sunniva Bogdan Amara Lennart Yusra Corin Petra Nuno
    Thandi Rasmus Elodie Kaito Branka Osman Hedda Mirko Saoirse Anton Leila Gustavo Wanda Idris
    Philippa Emeka Tove Radek Noor Silvan Agnes Bashir Linnea Duarte Zofia Henk""".split()
)
FRIENDS: Final = tuple(
    """Alba Bruno Celeste Dario Edda Fabian Greta Hamid Ilka Jonas Katya Ludo Mina Nils Odile Pavel
    Quirin Rosa Stellan Tamsin Ulla Viggo Wilma Xenia Yannick Zeno Aino Bertil Clio Dunya Ewa Fritz
    Gesine Hakan Imke Joris Kirsi Leopold Maeve Niko Orla Piet Rahel Selma Timo Ursin Vesna
    Wouter""".split()
)
"""First names of people of whom nothing is asked; none of them is in ``FIRST``."""
LAST: Final = tuple(
    """Calloway Brandvik Okonjo Pellerin Strand Mazurek Duquesne Halloran Tsukino Verhoeven
    Abara Lindqvist Castellan Rybak Northcote Fenwick Osei Marchetti Dragomir Hallberg Quist
    Varga Eastlake Boateng Kessler Nakarai Sorensen Tillman Ybarra Zawadi Penhale Groth
    Ashdown Bellweather Carrow Dunmore Ellingham Farrow Greaves Holt""".split()
)
FIRMS: Final = tuple(
    """Appleyard Birkin Cotterill Dacre Entwistle Fothergill Garside Hindle Ibbotson Jagger
    Kershaw Lomax Murgatroyd Nuttall Oldroyd Pilling Ramsden Sutcliffe Threlfall Uttley""".split()
)
"""Last names of firms, and of no person."""
TOWNS: Final = tuple(
    """Tarnwick Oldmere Bresholm Kirkhaven Lowdale Marsten Pennaford Quarley Ruddock Sallow
    Thornbeck Ulverby Vexford Wymore Ashgrave Brindle Crossmoor Dellwater Eastry Fallowby
    Gransley Hollin Ivelham Jessop""".split()
)
PLACES: Final = (
    *("the boathouse", "the old fire station", "the parish hall", "the tram depot"),
    *("the reading room", "the dairy", "the signal box", "the gymnasium", "the grain store"),
    *("the tannery", "the music pavilion", "the customs shed", "the print works", "the mill loft"),
)
TRADES: Final = (
    *("Bakery", "Pharmacy", "Bookshop", "Savings Bank", "Brewery", "Nursery", "Ironworks"),
    *("Creamery", "Garage", "Print Shop"),
)
BIRDS: Final = (
    *("Heron", "Lapwing", "Kestrel", "Plover", "Osprey", "Dunlin", "Merlin", "Swift", "Egret"),
    *("Curlew", "Gannet", "Petrel"),
)
CODES: Final = ("Amber", "Cobalt", "Indigo", "Saffron", "Crimson", "Ivory", "Umber", "Ochre")
MACHINES: Final = (
    "Torvik",
    "Hansgar",
    "Belmara",
    "Corvane",
    "Dextra",
    "Levanto",
    "Fjordal",
    "Gelmo",
)
"""Each can stand after the article of a consonant."""
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
