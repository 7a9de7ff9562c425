"""Capitalised words that bear a name without being a person: works, bands, firms, streets and families."""

from collections.abc import Mapping

from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.names.neighbourhood import (
    LONGEST_RUN,
    PLACES_RULED,
    POSSESSIVES,
    QUOTES,
    RANKS,
    STREETS,
    Neighbourhood,
    is_capital,
)

WORKS = word_set("names: works")
"""Before a name these say that it is the name of a work or a band (the series John from Cincinnati)."""
WORKS_OR_OTHERWISE = word_set("names: works or otherwise")
"""Of those, the ones that are verbs or stand before persons too: a word before them must say noun."""
BEFORE_WORKS = word_set("names: before works")
POINTING = word_set("names: pointing")
"""Before the word for a work they leave no room for its title (after this episode Alice left)."""
APPEARING = word_set("names: appearing")
"""Before `in` and `on` these say that a work follows (she appeared in Annie)."""
PRESENTING = word_set("names: presenting")
CALLED = word_set("names: called")
OF_A_WORK = APPEARING | WORKS - WORKS_OR_OTHERWISE | word_set("names: of a work")
"""Words that say somewhere in a sentence that it lists works."""
IN_TITLES = word_set("names: in titles")
"""Small words that only a title writes with a capital letter."""
LINKS = word_set("names: links")
ARTICLES = frozenset(["the", "a", "an"])
OWNERS = frozenset(["His", "Her", "Their", "My", "Its"])
READ = frozenset(["read", "reading", "reads", "reread", "wrote", "novel", "book", "heard", "sang"])
VERSUS = frozenset(["vs", "versus"])
BEFORE_LISTED_WORKS = QUOTES | {",", "in", "on"}
OPENING = WORKS | PRESENTING | VERSUS | QUOTES | {"", "in", "on", "as"}
FOLLOWING = LINKS | VERSUS | {"("}
"""Before and after a name, without these and without a capital after it, there is no title."""
FAMILIES = word_set("names: families")
FARTHEST_CUE = 40
YEAR_DIGITS = 4
APOSTROPHES = frozenset("'’")


def run_end(near: Neighbourhood) -> tuple[int, bool]:
    """Find where the run of capitalised words ends, and whether it ends in a possessive."""
    end, possessive = near.after, near.possessive
    while not possessive and end < near.after + LONGEST_RUN and is_capital(near.at(end)):
        possessive = near.at(end).endswith(POSSESSIVES)
        end += 1
        if near.at(end) in POSSESSIVES:
            return end + 1, True
    return end, possessive or near.at(end) in APOSTROPHES


def in_title(near: Neighbourhood) -> bool:
    """Whether the candidate opens the title of a work or the name of a band or firm."""
    if (
        near.next == "by" and near.low in READ and is_capital(near.at(near.after + 1))
    ):  # I read Emma by Jane Austen
        return True
    if near.low not in OPENING and near.previous not in OPENING and near.next not in FOLLOWING:
        return near.precedes_capital and (in_headline(near) or linked(near, run_end(near)[0]))
    if after_work(near) or in_headline(near):
        return True
    if near.low in {"in", "on"} and near.at(near.place - 1).lower() in APPEARING:
        return not run_end(near)[1]
    if near.low in PRESENTING or (near.low == "as" and near.at(near.place - 1).lower() in CALLED):
        end, possessive = run_end(near)
        return possessive and is_capital(near.at(end))
    if near.next not in LINKS and near.next != "(" and not is_capital(near.next):
        return False
    end, _ = run_end(near)
    return linked(near, end)


def after_work(near: Neighbourhood) -> bool:
    """The film Carrie, the series Martin of the Marsh, the song ``Maria''; not: to play Maria."""
    place = near.place - 1 if near.previous in QUOTES else near.place
    work = near.at(place).lower() if place < near.place else near.low
    if work not in WORKS or (near.possessive and not is_capital(near.next)):
        return False
    before = near.at(place - 1)
    if work in WORKS_OR_OTHERWISE:
        return before.lower() in BEFORE_WORKS or before.isupper()
    return before.lower() not in POINTING


def in_headline(near: Neighbourhood) -> bool:
    """Bart Has Two Mommies, Homer vs. Patty: a small word with a capital beside the name, or versus."""
    following = near.next
    if following in VERSUS or follows_versus(near):
        return not is_capital(following)
    small = is_capital(following) and following.istitle() and following.lower() in IN_TITLES
    return small and not near.possessive and is_capital(near.at(near.after + 1))


def follows_versus(near: Neighbourhood) -> bool:
    """Whether `versus` or its abbreviation stands before the candidate."""
    if near.previous:
        return near.previous in VERSUS
    return near.at(near.index - 1) == "." and near.at(near.index - 2) in VERSUS


def linked(near: Neighbourhood, end: int) -> bool:
    """Molly Moore and Her Merry Band; Alfie (2004); in a list of works Malcolm in the Middle too."""
    link, article, word = (near.at(end + step) for step in range(3))
    if link == "and" and article in OWNERS and is_capital(word):
        return True
    if link == "(":
        dated = len(article) == YEAR_DIGITS and article.isdigit() and word == ")"
        return dated and lists_works(near)
    capital = is_capital(word) and not word.isupper() and word.lower() not in RANKS
    titled = link in LINKS and article in ARTICLES and capital
    return titled and near.previous in BEFORE_LISTED_WORKS and lists_works(near)


def lists_works(near: Neighbourhood) -> bool:
    """Whether a word of the same sentence before the candidate speaks of works."""
    for index in range(near.index - 1, max(-1, near.index - FARTHEST_CUE), -1):
        token = near.at(index)
        if token in {".", "!", "?"}:
            return False
        if token.lower() in OF_A_WORK:
            return True
    return False


def of_family(near: Neighbourhood) -> bool:
    """The two Percy sisters: a surname."""
    return near.next.lower() in FAMILIES and not near.possessive


def in_address(near: Neighbourhood, classes: Mapping[str, str]) -> bool:
    """Dukes of Brittany; Duke Street, Douglas; in Bonnie Doon, Edmonton."""
    if near.low == "of":
        return near.at(near.place - 1).lower() in PLACES_RULED
    if near.previous == ",":
        before = near.at(near.place - 1)
        return is_capital(before) and before.lower() in STREETS and near.next in {",", ".", ";", ")", ""}
    if near.low not in {"in", "near"} or near.possessive:
        return False
    end, possessive = run_end(near)
    larger = near.at(end + 1)
    listed = near.at(end) == "," and is_capital(larger) and near.at(end + 2) in {",", ".", ")"}
    return listed and not possessive and larger not in classes
