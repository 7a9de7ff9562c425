"""Mirroring: blanks turned by hand-made examples, and an exchange of words that undoes itself."""

import pytest

from equipoise.text.rewriting.mirroring import Mirror

MIRROR = Mirror()


@pytest.mark.parametrize(
    ("text", "turned", "is_possessive"),
    [
        ("The nurse lost [MASK] keys.", "The nurse lost [MASK] keys.", True),
        ("The doctor gave [MASK] the book.", "The doctor gave [MASK] the book.", False),
        (
            "John lost [MASK] keys and his wife laughed.",
            "Patricia lost [MASK] keys and her husband laughed.",
            True,
        ),
        ("The actress saw [MASK].", "The actor saw [MASK].", False),
    ],
)
def test_a_blank_is_turned_with_its_text(text: str, turned: str, is_possessive: bool) -> None:
    blank = MIRROR.blank(text)
    assert blank is not None
    assert (blank.text, blank.is_possessive) == (turned, is_possessive)


@pytest.mark.parametrize(
    "text",
    ["[MASK] is pregnant.", "The doctor examined [MASK] prostate.", "Ask whether he or [MASK] may come."],
)
def test_what_the_rewriter_leaves_alone_has_no_mirror_image(text: str) -> None:
    assert MIRROR.blank(text) is None


def test_a_definitional_sentence_does_not_exempt_its_neighbour() -> None:
    text = "Ovarian cancer is rare. The welder took [MASK] gloves."
    blank = MIRROR.blank(text)
    assert blank is not None
    assert blank.text == text


@pytest.mark.parametrize(
    ("text", "is_turned"),
    [
        ("John Smith lost [MASK] keys, and Smith was angry.", True),
        ("On Monday Mary Brown left [MASK] house in July.", True),
        ("They saw Xyzzi and the axe hit [MASK].", False),
        ("With Clinton away, [MASK] office was empty.", False),
        ("Zxyvra Allen met the mayor before [MASK] left.", False),
        ("He read 'Gullivra's Travels' on [MASK] way to Ramallah.", True),
        ("Percent of Americans who liked [MASK] speech about Medicare.", True),
        ("UofH gave [MASK] a prize.", True),
        ("i hope oluchi found [MASK] keys", False),
        ("Mary was pregnant. Later [MASK] left.", False),
    ],
)
def test_a_text_that_would_mix_genders_is_not_turned(text: str, is_turned: bool) -> None:
    assert (MIRROR.blank(text) is not None) == is_turned
    sentence = text.replace("[MASK]", "her")
    assert (MIRROR.sentence(sentence).text != sentence) == is_turned


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("With Merkel away, [MASK] office was empty.", "With Obama away, [MASK] office was empty."),
        ("Graham left, and Graham's boat sank [MASK].", "Gwyn left, and Gwyn's boat sank [MASK]."),
        ("Dr. John T. Strzalka lost [MASK] pen.", "Dr. Patricia T. Strzalka lost [MASK] pen."),
        ("Cuthbert and Zhihao met [MASK].", "Hermione and Jiayi met [MASK]."),
        ("My uncle and his wife Courtney met [MASK].", "My aunt and her husband Courtney met [MASK]."),
    ],
)
def test_a_name_that_tells_the_gender_tells_the_other_one_in_the_mirror(text: str, turned: str) -> None:
    blank = MIRROR.blank(text)
    assert blank is not None
    assert blank.text == turned
    filled = text.replace("[MASK]", "her")
    assert MIRROR.sentence(filled).original == filled


@pytest.mark.parametrize(
    "text", ["Mary saw the welder when [MASK] came.", "When [MASK] came, Mary saw the welder."]
)
def test_hidden_spans_go_where_their_words_go(text: str) -> None:
    start = text.index("welder")
    blank = MIRROR.blank(text, 0, ((start, start + 6),))
    assert blank is not None
    assert "Mary" not in blank.text
    ((begin, end),) = blank.hidden
    assert blank.text[begin:end] == "welder"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("The mother said [MASK], too, left.", ", too"),
        ("Mary saw [MASK] welder.", "welder"),
        ("[MASK], alone, left with the king.", ","),
    ],
)
def test_a_hidden_span_right_after_the_blank_goes_with_it(text: str, hidden: str) -> None:
    start = text.index(hidden)
    blank = MIRROR.blank(text, 0, ((start, start + len(hidden)),))
    assert blank is not None
    ((begin, end),) = blank.hidden
    assert blank.text[begin:end] == hidden


def test_another_blank_stays_a_blank() -> None:
    blank = MIRROR.blank("My [MASK] married a [MASK].", 1)
    assert blank is not None
    assert blank.text == "My [MASK] married a [MASK]."


@pytest.mark.parametrize("is_possessive", [True, False])
def test_the_exchange_undoes_itself(is_possessive: bool) -> None:
    words = [word for pair in MIRROR.pairs for word in pair] + ["his", "her", "him", "hers", "Mary", "table"]
    turned = [MIRROR.word(word, is_possessive=is_possessive) for word in words]
    assert [MIRROR.word(word, is_possessive=is_possessive) for word in turned] == words
    assert len(set(turned)) == len(set(words))


def test_her_has_the_partner_that_the_blank_asks_for() -> None:
    assert MIRROR.word("her", is_possessive=True) == "his"
    assert MIRROR.word("Her", is_possessive=False) == "Him"
    assert MIRROR.word("Mary", is_possessive=False) == "James"
    assert MIRROR.word("mark", is_possessive=False) == "mark"
