"""Names for the people of WinoBias as the code of the skew and stereotype study gives them (its Table 1).

The person in brackets gets the name of the label's gender. The other one gets a name by the stereotype of the
occupation, so that both may be called alike, and keeps the occupation where it stands after another article.
The code counts tailors among the men. It can also write a reversed copy of every sentence; the printed scores
are those without.
"""

from collections.abc import Mapping

from equipoise.data.sets.winobias import PERCENT_WOMEN
from equipoise.text.sides import FEMALE, MALE

_ARTICLES = ("The ", "the ", "a ", "A ")
_TAILOR = "tailor"
_HALF = 50


def with_published_names(text: str, person: str, own: str, *, names: Mapping[str, str]) -> str:
    """The sentence with a name for each of its people; `names` is by gender, `own` that of the referent."""
    text = text.replace(person, own)
    for occupation, name in _occupations(names):
        for article in _ARTICLES:
            text = text.replace(article + occupation, name)
    return text.strip()


def _occupations(names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each occupation with the name of its stereotype, men's first, in the order of the published list."""
    spelled = {one: one.upper() if one == "ceo" else one for one in PERCENT_WOMEN}
    men = [one for one, share in PERCENT_WOMEN.items() if share <= _HALF]
    women = [one for one, share in PERCENT_WOMEN.items() if share > _HALF and one != _TAILOR]
    return [(spelled[one], names[MALE]) for one in (*men, _TAILOR)] + [(one, names[FEMALE]) for one in women]
