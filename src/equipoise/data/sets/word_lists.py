"""The lists of words that stand for either of two poles, such as man and woman."""

from equipoise.data.poles import DEFAULT_POLES, Poles
from equipoise.data.reading import File, read_table, with_columns
from equipoise.data.sets import gbm
from equipoise.data.sources import Source
from equipoise.text.gendered import WordLists, word_lists

PAIRS = "gendered-words.csv"
GENERIC = "generic"
"""The column that names the pole whose word is said of either: host, beside hostess, is said of women too."""


def load_word_lists(source: Source, poles: Poles) -> tuple[WordLists, tuple[File, ...]]:
    """The data set's lists for gender, a user's list, or the words of the poles; and what they came from."""
    own_list = source.beside(PAIRS)
    if own_list is not None:
        return read_word_pairs(own_list, poles), (own_list, poles.path)
    if poles.name != DEFAULT_POLES:
        return word_lists(words_of_poles(poles), poles.path), (poles.path,)
    if source.name == gbm.NAME:
        files = gbm.gbm_word_files(source)
        read = [gbm.read_gbm_words(file) for file in files]
        return word_lists(dict(zip(poles.pair, read, strict=True)), files[0]), files
    shipped = source.beside_or_shipped(PAIRS)
    return read_word_pairs(shipped, poles), (shipped, poles.path)


def words_of_poles(poles: Poles) -> dict[str, tuple[str, ...]]:
    """The words of the first two poles: their nouns where they have any, else every form."""
    has_nouns = all(poles.words.get((pole, "noun")) for pole in poles.pair)
    forms = ("noun",) if has_nouns else poles.forms
    return {pole: tuple(word for form in forms for word in poles.at(form)[pole]) for pole in poles.pair}


def read_word_pairs(file: File, poles: Poles) -> WordLists:
    """The words of a file with a column for each pole but its generic pairs, and those of the poles."""
    table = with_columns(read_table(file, poles.pair), (GENERIC,))
    pairs = table[table[GENERIC].str.strip() == ""]
    own = words_of_poles(poles)
    return word_lists({pole: (*pairs[pole], *own[pole]) for pole in own}, file)
