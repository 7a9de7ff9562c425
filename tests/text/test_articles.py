"""The article follows the sound: words whose pronunciation a dictionary gives."""

import pytest

from equipoise.text.languages.en.articles import fix_articles, indefinite_article

AN = (
    "apple engineer actuary uncle umbrella urban urge usher utter utmost only onerous eleven "
    "off-duty "
    "honest honesty honor honour honorary hour hourly heir heiress hors-d'oeuvre "
    "uninteresting unimportant unidentified uninvited unissued unlawful unusual under "
    "MRI X-ray FBI NHS HIV LED SMS MP MBA M.D. MSc EMT HR EU A-level L-shaped F-16 RSVP "
    "8 11 18 80 8-year-old 11,000 1800s 18th Italian O'Brien eye Uber iPhone"
)
A = (
    "unique unit union unicorn uniform universal university unanimous unilateral unidirectional "
    "European eulogy euro ewe one one-off once user used useful usual utensil utility utopia Utah "
    "uranium urine urology Uruguayan ubiquitous Ugandan ukulele "
    "house horse hammer hospital Honolulu year yellow dog nurse PhD TV CEO DVD T-shirt "
    "UK US UN UFO URL USB U-turn UNICEF UNESCO NASA NATO FEMA SIM ROM SWAT HUGE SMALL "
    "1 7 12 110 1,100"
)


@pytest.mark.parametrize("word", AN.split())
def test_words_that_take_an(word: str) -> None:
    assert indefinite_article(word) == "an"


@pytest.mark.parametrize("word", A.split())
def test_words_that_take_a(word: str) -> None:
    assert indefinite_article(word) == "a"


def test_the_article_follows_the_first_word_of_a_phrase() -> None:
    assert indefinite_article("unemployed nurse") == "an"
    assert indefinite_article(" one-eyed engineer") == "a"
    assert indefinite_article('"honest" mistake') == "an"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            "A honest clerk left an university for a hour.",
            "An honest clerk left a university for an hour.",
        ),
        ('"A engineer needs a MRI," it said.', '"An engineer needs an MRI," it said.'),
        ("It took a 11-day trip. An one-way fare.", "It took an 11-day trip. A one-way fare."),
        ('It is a "unusual" case.', 'It is an "unusual" case.'),
    ],
)
def test_fix_articles_mends_only_what_is_wrong(given: str, expected: str) -> None:
    assert fix_articles(given) == expected
    assert fix_articles(expected) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Vitamin A is good for the eyes.",
        "Grow an herb or a herb, in a hotel or an hotel.",
        "It was a HUGE mistake and an HIV test.",
        "A HOUSE IS FOR SALE.",
        "Choose a, b or c.",
        "She is, a.k.a. the boss, in L.A. again.",
        "",
    ],
)
def test_fix_articles_leaves_these_alone(sentence: str) -> None:
    assert fix_articles(sentence) == sentence
