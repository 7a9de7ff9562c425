"""The lists of words that stand for a pole, such as man and woman."""

from pathlib import Path

from equipoise.data.poles import DEFAULT_POLES, GENDER_POLES, Poles
from equipoise.data.reading import LINE, File, numbered_lines, read_table, with_columns
from equipoise.data.sets import gbm
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.gendered import WordLists, word_lists

PAIRS = "gendered-words.csv"
PRONOUNS = ("her", "his")
"""Words whose partner depends on the sentence: his or him, her or hers."""

GENERIC = "generic"
"""The column that names the pole whose word is said of either: host, beside hostess, is said of women too."""


def load_word_lists(source: Source, poles: Poles) -> tuple[WordLists, tuple[File, ...]]:
    """The data set's lists for gender, a user's list, or the words of the poles; and what they came from."""
    own_list = source.beside(PAIRS)
    if own_list is not None:
        return read_word_pairs(own_list, poles), (own_list, poles.path)
    if poles.name not in GENDER_POLES:
        return word_lists(words_of_poles(poles), poles.path), (poles.path,)
    if source.name == gbm.NAME:
        files = gbm.gbm_word_files(source)
        read = {pole: tuple(gbm.read_gbm_words(file)) for pole, file in zip(poles.pair, files, strict=True)}
        return word_lists(words_of_poles(poles) | read, files[0]), files
    shipped = source.beside_or_shipped(PAIRS)
    return read_word_pairs(shipped, poles), (shipped, poles.path)


def words_of_poles(poles: Poles) -> dict[str, tuple[str, ...]]:
    """The words of every pole: their nouns where both of the first two have any, else every form.

    They, the third of the default poles, is left out: its pronouns would be asked at blanks for nouns.
    """
    has_nouns = all(poles.words.get((pole, "noun")) for pole in poles.pair)
    forms = ("noun",) if has_nouns else poles.forms
    names = poles.pair if poles.name == DEFAULT_POLES else poles.names
    listed = {pole: [word for form in forms for word in poles.at(form)[pole]] for pole in names}
    return {pole: tuple(words) for pole, words in listed.items() if words}


def read_word_pairs(file: File, poles: Poles) -> WordLists:
    """The words of a file with a column for each pole but its generic pairs, and those of the poles."""
    table = with_columns(read_table(file, poles.pair), (GENERIC,))
    pairs = table[table[GENERIC].str.strip() == ""]
    own = words_of_poles(poles)
    named = [pole for pole in poles.names if pole in table or pole in own]
    return word_lists({pole: (*pairs.get(pole, ()), *own.get(pole, ())) for pole in named}, file)


COLUMNS = ("male", "female")


def read_swap_list(path: Path) -> dict[str, tuple[str, ...]]:
    """The partners of every word, in lower case.

    A CSV or TSV has the columns male and female; any other file two words a line. A word becomes what stands
    to its right; a word that only stands on the right becomes what stands to its left.
    """
    right: dict[str, dict[str, None]] = {}
    left: dict[str, dict[str, None]] = {}
    for line, (one, other) in _pairs(path):
        if not one or not other or one == other:
            raise UserError(
                f"{path}, line {line}: {one!r} and {other!r} are not two words to exchange.",
                "Give two different words in each row.",
            )
        right.setdefault(one, {})[other] = None
        left.setdefault(other, {})[one] = None
    partners = {word: tuple(known) for word, known in {**left, **right}.items()}
    for word, options in partners.items():
        if len(options) > 1 and word not in PRONOUNS:
            raise UserError(
                f"{path}: {word!r} would become {' or '.join(map(repr, options))}.",
                "Give each word one partner; only her and his may have two.",
            )
    return partners


def _pairs(path: Path) -> list[tuple[int, tuple[str, str]]]:
    if path.suffix.lower() in (".csv", ".tsv", ".tab"):
        rows = read_table(path, COLUMNS).to_dict("records")
        return [(row[LINE], (row["male"].strip().lower(), row["female"].strip().lower())) for row in rows]
    pairs = []
    for line, text in numbered_lines(path).items():
        words = text.lower().split()
        if len(words) != 2:
            raise UserError(
                f"{path}, line {line}: {text!r} is not two words.",
                "Write two words a line, or a CSV with the columns male and female.",
            )
        pairs.append((line, (words[0], words[1])))
    return pairs
