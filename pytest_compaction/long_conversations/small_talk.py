"""Sentences about nothing that is asked for: no numbers, dates, sums or names of whole people."""

from __future__ import annotations

import random
from typing import Final

from pytest_compaction.long_conversations.events.event import Undertaking

_THINGS: Final = tuple(
    """anchor basket cellar engine fabric hammer jacket kettle ladder needle pencil quarry ribbon
    saddle tunnel umbrella valley yarn zipper bridge candle drawer feather glove hinge ink juniper
    knot mirror nest pillow rope sponge tray urn vase wheel doorway envelope fiddle grain jug
    lever magnet napkin pebble rack shelf tile valve wagon bucket cork dial flask gear handle
    jar lid mat nozzle pin reel spool twig""".split()
)
_VERBS: Final = tuple(
    """measure carry sketch borrow sand rinse label wrap stack test photograph copy soak trim
    polish tighten loosen sort weigh cover lift dry fold mark""".split()
)
_TRAITS: Final = tuple(
    """sturdy crooked bright damp narrow heavy smooth noisy fragile plain cheerful dusty stubborn
    tidy clumsy patient restless quiet stiff loose hasty gentle""".split()
)
_TIMES: Final = (
    *("this morning", "after breakfast", "before lunch", "in the evening", "at the weekend"),
    *("on the way home", "during the break", "late at night", "when the rain stopped"),
    *("after work", "while the kettle boiled", "in between"),
)
_WHO: Final = (
    *("my sister", "the neighbour", "a colleague", "my uncle", "the postman", "an old friend"),
    *("the woman next door", "my cousin", "the caretaker", "a student", "the teacher"),
)
_USER: Final = (
    "I looked at {it} {time} and the {part} seemed {trait}.",
    "Could you tell me how to {verb} the {part} without a {thing}?",
    "{Who} thinks that the {part} of {it} should be more {trait}.",
    "What would you do first at {it}, {verb} the {part} or {verb2} the {thing}?",
    "With {it} I am at the point where the {part} and the {part2} do not go together.",
    "I dreamt of {it} again, there was a {trait} {thing} in it.",
    "{First} wants to {verb} the {part} {time}, and I am not sure that it is wise.",
    "How {trait} may the {part} be before one has to {verb} it?",
    "We tried to {verb} the {part2} {time}, and a {thing} got in the way.",
    "Is there a trick to {verb} a {trait} {thing} for {it}?",
    "I am a bit tired of {it}, the {part} keeps me up.",
    "{Who} brought a {thing} and a {thing2} for {it} {time}.",
    "Tell me more about how one can {verb} {part2}.",
    "The {part} looked {trait} {time}, the {part2} rather {trait2}.",
    "I would like a list of what to check on the {part} of {it}.",
    "{First} and I talked about {it} {time} and laughed about the {thing}.",
)
_ASIDE: Final = (
    "{Who} came by {time} with a {trait} {thing}.",
    "It was a {trait} week, and the {thing} in the kitchen is still {trait2}.",
    "I found a {thing} {time} that I had been missing.",
    "The tram was late again, so I sat there with a {thing} and a {thing2}.",
    "{Who} asked whether I could {verb} the {thing}.",
    "My head is full, I even forgot the {thing} {time}.",
    "The weather was {trait}, I stayed in and began to {verb} the {thing}.",
    "There is a {trait} smell in the hall, perhaps from the {thing}.",
    "I cleaned the {thing} {time}, it took ages.",
    "Somebody left a {thing} and a {trait} {thing2} on my stairs.",
)
_ADVICE: Final = (
    "Begin with the {part}, because everything else rests on it.",
    "A {trait} {thing} does no harm as long as you {verb} it now and then.",
    "I would {verb} the {part} {time}, when nobody is in a hurry.",
    "If the {part} feels {trait}, {verb} it gently and wait before you {verb2} it.",
    "People often {verb} the {part2} too early, and then it turns {trait}.",
    "Put the {thing} beside the {thing2}, so that both are at hand.",
    "{First} may be right about the {part}, but ask again {time}.",
    "It is worth a try to {verb} a small piece of the {part2} first.",
    "Keep the {part} away from the {thing}, they do not like each other.",
    "You can {verb} and {verb2} the {part} in one go if two people do it.",
    "A {trait} surface is a sign that the {part} wants rest.",
    "Write on a note what the {part} looked like, then compare {time}.",
    "There is no need to {verb} everything; the {part2} comes first.",
    "For {it} I would rather have a {trait} {part} than a {trait2} one.",
    "A {thing} is enough for this, a {thing2} would be too much.",
    "When you {verb} the {thing}, hold it at the {trait} end.",
    "The {part2} can wait; nothing happens to it before you {verb} it.",
    "Do not worry about the {trait} {thing}, it looks worse than it is.",
    "Ask {who} to hold the {part} while you {verb} it.",
    "Some people {verb} it with a {thing}, others with a {trait} {thing2}.",
    "What matters is that the {part} and the {part2} stay {trait}.",
    "I like the idea, it makes {it} a little more {trait}.",
    "Once the {part} is {trait}, the rest of {it} follows.",
    "Try it in a {trait} corner {time} and tell me how it went.",
)
_HEARD: Final = (
    *("Thank you for telling me.", "Noted, I will bear it in mind.", "Understood."),
    *("That is good to know.", "I have put that with the rest.", "Very well.", "I see."),
    *("All right, I take that down.", "That helps me to follow.", "Fine, thanks."),
)


class SmallTalk:
    """Seeded sentences with slots; about an undertaking, or about the day."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def of_user(self, about: Undertaking, sentences: int) -> str:
        """What the user says or asks about an undertaking."""
        return self._some(_USER, about, sentences)

    def aside(self, about: Undertaking, sentences: int = 1) -> str:
        """What the user says of the day."""
        return self._some(_ASIDE, about, sentences)

    def advice(self, about: Undertaking, sentences: int) -> str:
        """What the assistant says; a longer text may be a list."""
        if sentences > 4 and self._rng.random() < 0.3:
            first, *rest = (self._some(_ADVICE, about, 1) for _ in range(sentences))
            return "\n".join([first, *(f"- {text}" for text in rest)])
        return self._some(_ADVICE, about, sentences)

    def heard(self) -> str:
        """How the assistant takes note of something."""
        return self._rng.choice(_HEARD)

    def _some(self, of: tuple[str, ...], about: Undertaking, count: int) -> str:
        return " ".join(self._filled(self._rng.choice(of), about) for _ in range(count))

    def _filled(self, template: str, about: Undertaking) -> str:
        choose = self._rng.choice
        who = choose(_WHO)
        part, part2 = self._rng.sample(about.parts, 2)
        text = template.format(
            it=choose(about.names),
            part=part,
            part2=part2,
            thing=choose(_THINGS),
            thing2=choose(_THINGS),
            verb=choose(_VERBS),
            verb2=choose(_VERBS),
            trait=choose(_TRAITS),
            trait2=choose(_TRAITS),
            time=choose(_TIMES),
            who=who,
            Who=capitalised(who),
            First=choose(about.people),
        )
        return capitalised(text)


def capitalised(text: str) -> str:
    """The text with a capital at its start; the rest stays as it is."""
    return text[:1].upper() + text[1:]
