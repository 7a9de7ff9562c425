"""A list of the user's own: every listed word is exchanged, no other, in its own case."""

from pathlib import Path

import pytest

from equipoise.corpora.documents import Document, Where
from equipoise.data.sets.word_lists import read_swap_list
from equipoise.errors import UserError
from equipoise.mitigations.base import Materials
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.mitigations.tuning import read_texts, turned
from equipoise.text.swaps import WordSwaps

LIST = "male,female\nhe,she\nhis,her\nhim,her\nduke,duchess\nMr.,Ms.\n"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "words.csv"
    path.write_text(LIST)
    return path


def swapped(pairs: Path, text: str, mode: str = "invert") -> str:
    return WordSwaps(read_swap_list(pairs), mode, 0).rewrite(text).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He told the DUKE, who saw her dog.", "She told the DUCHESS, who saw his dog."),
        ("Mr. Hill saw her.", "Ms. Hill saw him."),  # the sentence says which partner of her is meant
        ("The king and the theatre stay.", "The king and the theatre stay."),  # not listed, or inside a word
        ("He's his own man.", "She's her own man."),
    ],
)
def test_listed_words_are_exchanged_and_no_others(pairs: Path, text: str, expected: str) -> None:
    assert swapped(pairs, text) == expected


def test_the_account_leads_back(pairs: Path) -> None:
    rewritten = WordSwaps(read_swap_list(pairs), "augment", 0).rewrite("His duke saw her.")
    assert rewritten.original == "His duke saw her."
    assert rewritten.texts == ("His duke saw her.", "Her duchess saw him.")


def test_two_words_a_line_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "swaps.txt"
    path.write_text("guy \t girl \nboy\tgirl\ngirl boy\n")
    assert read_swap_list(path) == {"guy": ("girl",), "boy": ("girl",), "girl": ("boy",)}


def test_the_list_of_winobias_is_read() -> None:
    path = Path(__file__).parents[2].parent / "shared" / "data" / "winobias" / "generalized_swaps.txt"
    if not path.is_file():
        pytest.skip("the public data sets are not here")
    partners = read_swap_list(path)
    assert (partners["he"], partners["aunt"], partners["uncle"]) == (("she",), ("uncle",), ("aunt",))
    assert set(partners["her"]) == {"his", "him"}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("duke,duchess\nduke,lady\n", "'duke' would become 'duchess' or 'lady'"),
        ("duke,duke\n", "line 2: 'duke' and 'duke' are not two words to exchange"),
        ("duke,\n", "line 2: 'duke' and '' are not two words"),
    ],
)
def test_a_list_that_says_two_things_is_refused(tmp_path: Path, rows: str, said: str) -> None:
    path = tmp_path / "words.csv"
    path.write_text(f"male,female\n{rows}")
    with pytest.raises(UserError, match=said):
        read_swap_list(path)


def test_a_training_is_rewritten_by_the_list(pairs: Path) -> None:
    texts = [f"The duke saw him on day {number}." for number in range(20)]
    documents = [Document(str(at), text, {}, Where("x", at)) for at, text in enumerate(texts)]
    method = Counterfactual(mode="invert", pairs=str(pairs))
    read = read_texts(Materials(documents), method, method.mode)
    assert all(piece.startswith("The duchess saw her on day") for piece in read.train)
    assert "36 changes by the words of words.csv" in read.account[0]
    kept, changes = turned(documents, "substitute", 0, method.files)
    assert {text.split()[1] for text in kept} == {"duke", "duchess"}
    assert changes == 2 * sum("duchess" in text for text in kept)
    with pytest.raises(UserError, match="cannot be used in the mode 'neutral'"):
        Counterfactual(mode="neutral", pairs=str(pairs))
