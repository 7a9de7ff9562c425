"""Capitalised words that name nobody do not keep a text from being mirrored; names of people do."""

import pytest

from equipoise.text.rewriting.mirroring import Mirror

MIRROR = Mirror()


@pytest.mark.parametrize(
    "text",
    [
        "Every Monday the falconer teaches a class in English to [MASK] pupils.",
        "The falconer left Google and said that [MASK] was tired.",
        "The notary drove to Bristol, where [MASK] bought a boat.",
        "A French newspaper wrote that the potter had lost [MASK] dog.",
        "From Vienna to Prague the harpist never closed [MASK] eyes.",
        "When the parcel came from Toyota, [MASK] was out.",
        "The jockey sat outside Wandsworth Station and waited for [MASK] train.",
        "On a rainy day in Grzlov the trapper found [MASK] hat.",
        "The Sopwith stalled, and [MASK] jumped.",
        "Nobody knew the mycologist, so [MASK] paid.",
        "Fishing was all that [MASK] cared for.",
        "Snow covered the yard when [MASK] came down.",
        "The ironing was done before [MASK] left for the periodical room.",
    ],
)
def test_places_languages_firms_and_times_are_no_persons(text: str) -> None:
    assert MIRROR.blank(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "They asked Xanfro whether [MASK] would stay.",
        "The potter and Xanfro said that [MASK] would stay.",
        "Xanfro hoped that [MASK] would get the window seat.",
        "When the French President Clinton left, [MASK] waved.",
        "i think emma said [MASK] was on her way",
        "peter can't find [MASK] charger",
        "Elbenor grumbled that [MASK] had been cheated.",
        "The tenor let [MASK] beard grow.",
        "The sprinter went back on the pill because [MASK] tired easily.",
    ],
)
def test_a_name_that_stays_keeps_the_text_as_it_is(text: str) -> None:
    assert MIRROR.blank(text) is None
