"""Reading WinoBias: numbered lines with a person and a pronoun in brackets, in a pro and an anti file.

Only the pronoun should differ between the two files, so a sentence is kept once, with its blank, and the
pronoun of the pro file says which pole the stereotype is. What is wrong with a line is said in the column
`flags`; a line is left out (column `dropped`) only where its blank cannot be asked alone.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from equipoise.data.poles import Poles
from equipoise.data.reading import File, own_table, read_text
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.blank import BLANK
from equipoise.text.gendered import FEMALE, MALE

DATASET = "winobias"
TYPES, SPLITS = ("1", "2"), ("dev", "test")
SEVERAL = "several pronouns"

FLAGS = {
    "several-pronouns": "a second pronoun tells the gender, so the sentence is left out",
    "same-pronoun": "the pro and the anti file have the same pronoun",
    "form-differs": "the pro and the anti pronoun have different forms",
    "pair-differs": "the pro and the anti file differ by more than the pronoun",
    "gendered-word": "another gendered word stays in the sentence",
    "doubled-article": "an article stands twice",
    "one-occupation": "no second occupation was found",
    "third-occupation": "three occupations stand in the sentence",
    "label-conflict": "most other sentences give the occupation to the other gender",
    "duplicate": "the sentence stands in an earlier line",
}

PERCENT_WOMEN = {
    **{"carpenter": 2, "mechanic": 4, "construction worker": 4, "laborer": 4, "driver": 6, "sheriff": 14},
    **{"mover": 18, "developer": 20, "farmer": 22, "guard": 22, "chief": 27, "janitor": 34, "lawyer": 35},
    **{"cook": 38, "physician": 38, "ceo": 39, "analyst": 41, "manager": 43, "supervisor": 44},
    **{"salesperson": 48, "editor": 52, "designer": 54, "accountant": 61, "auditor": 61, "writer": 63},
    **{"baker": 65, "clerk": 72, "cashier": 73, "counselor": 73, "attendant": 76, "teacher": 78},
    **{"tailor": 80, "librarian": 84, "assistant": 85, "cleaner": 89, "housekeeper": 89, "nurse": 90},
    **{"receptionist": 90, "hairdresser": 92, "secretary": 95},
}
"""Women in % of each occupation in the United States in 2017, as the authors of WinoBias print them.

Source: Zhao et al. 2018 from the Bureau of Labor Statistics; the tailors are called sewers there.
"""

_NAME = re.compile(r"pro_stereotyped_type(\d)\.txt\.(\w+)")
_LINE = re.compile(r"\s*(\d+)\s+(.*\S)")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_DOUBLED = re.compile(r"\b(the|an?)\s+(?:the|an?)\b", re.IGNORECASE)
# The pronouns that the code of the skew and stereotype study looks for: reflexives are not among them.
_PUBLISHED = re.compile(r"\[(he|she|him|his|her|He|She|His|Her)\]")


class FilePair(NamedTuple):
    """The two files of one type and split."""

    pro: Path
    anti: Path
    type: str
    split: str


@dataclass(frozen=True)
class _Line:
    """One line of a file: its number, its text with brackets, the people and pronouns in brackets."""

    number: int
    body: str
    persons: tuple[str, ...]
    pronouns: tuple[str, ...]

    @property
    def plain(self) -> str:
        """The sentence without brackets and with every pronoun alike."""
        return _spaced(
            _BRACKETS.sub(lambda match: "_" if self._is_pronoun(match[1]) else match[1], self.body)
        )

    @property
    def blanked(self) -> str:
        """The sentence with a blank for the first pronoun."""
        pronouns = iter([BLANK, *self.pronouns[1:]])
        return _spaced(
            _BRACKETS.sub(lambda match: next(pronouns) if self._is_pronoun(match[1]) else match[1], self.body)
        )

    @property
    def profession(self) -> str:
        """The person that the pronoun stands for, without an article."""
        return _ARTICLE.sub("", self.persons[0])

    def _is_pronoun(self, content: str) -> bool:
        return content.strip().lower() in self.pronouns


def published_pairs(source: Source) -> list[FilePair]:
    """The files of the published data set: both types, both splits."""
    pairs = []
    for kind in TYPES:
        for split in SPLITS:
            names = (f"{side}_stereotyped_type{kind}.txt.{split}" for side in ("pro", "anti"))
            pro, anti = (source.path(name) for name in names)
            pairs.append(FilePair(pro, anti, kind, split))
    return pairs


def pairs_at(path: Path) -> list[FilePair]:
    """The files at a path that are named as the published ones: of a folder, or a single pro file."""
    candidates = sorted(path.iterdir()) if path.is_dir() else [path]
    pairs = []
    for pro in candidates:
        named = _NAME.fullmatch(pro.name)
        if named is None:
            continue
        anti = pro.with_name(pro.name.replace("pro_", "anti_", 1))
        if not anti.exists():
            raise UserError(f"{pro} has no {anti.name} beside it.", "Put the pro and the anti file together.")
        pairs.append(FilePair(pro, anti, named[1], named[2]))
    return pairs


def read_winobias(pairs: Sequence[FilePair], poles: Poles) -> pd.DataFrame:
    """Every sentence of the files with its blank, form, occupations, stereotype and flags."""
    read = [(pair, pro, anti) for pair in pairs for pro, anti in _lines(pair, poles)]
    genders = _genders_of_occupations((pro for _, pro, _ in read), poles)
    finder = re.compile(rf"\b(?:{'|'.join(map(re.escape, _longest_first(genders)))})\b", re.IGNORECASE)
    gendered = _gendered_words(poles)
    rows, seen = [], set()
    for pair, pro, anti in read:
        row = _row(pair, pro, anti, poles=poles) | _occupations(pro, finder)
        flags = [*row["flags"], *_label_flags(row, genders), *_text_flags(pro, row["text"], gendered)]
        key = (row["text"].lower(), row["stereotype"])
        flags += ["duplicate"] if key in seen else []
        seen.add(key)
        rows.append({**row, "flags": ", ".join(flag for flag in FLAGS if flag in flags)})
    return pd.DataFrame(rows).drop(columns="others")


def _lines(pair: FilePair, poles: Poles) -> Iterator[tuple[_Line, _Line]]:
    """The lines of the two files, paired by their order and checked by their number."""
    pro, anti = (_numbered(path, poles) for path in (pair.pro, pair.anti))
    if len(pro) != len(anti):
        raise UserError(
            f"{pair.pro.name} has {len(pro)} sentences, {pair.anti.name} has {len(anti)}.",
            "Give two files that belong together.",
        )
    for one, other in zip(pro, anti, strict=True):
        if one.number != other.number:
            raise UserError(
                f"Sentence {one.number} of {pair.pro.name} stands beside sentence {other.number} of "
                f"{pair.anti.name}.",
                "Number the sentences of both files alike.",
            )
        yield one, other


def _numbered(path: Path, poles: Poles) -> list[_Line]:
    words = _pole_words(poles)
    return [
        _parsed(line, words, where=f"{path}, line {place}")
        for place, line in enumerate(read_text(path).splitlines(), start=1)
        if line.strip()
    ]


def _parsed(line: str, words: Mapping[str, str], *, where: str) -> _Line:
    """The parts of a line; one that has no number, no person or no pronoun is refused."""
    numbered = _LINE.fullmatch(line)
    if numbered is None:
        raise UserError(f"{where}: no number before the sentence.", "Expected: 1 The [nurse] said [she] ...")
    contents = [content.strip() for content in _BRACKETS.findall(numbered[2])]
    pronouns = tuple(content.lower() for content in contents if content.lower() in words)
    persons = tuple(content for content in contents if content.lower() not in words)
    if not pronouns or not persons:
        missing = "pronoun of the poles" if persons else "person"
        raise UserError(f"{where}: no {missing} in brackets.", "Expected: 1 The [nurse] said [she] ...")
    return _Line(int(numbered[1]), numbered[2], persons, pronouns)


def _row(pair: FilePair, pro: _Line, anti: _Line, *, poles: Poles) -> dict[str, Any]:
    """What the two lines say without a look at the other sentences."""
    pronouns = pro.pronouns[0], anti.pronouns[0]
    form = _form(*pronouns, poles)
    flags = ["same-pronoun"] if pronouns[0] == pronouns[1] else []
    flags += ["form-differs"] if not flags and not _shared_forms(*pronouns, poles) else []
    flags += ["pair-differs"] if pro.plain != anti.plain else []
    flags += ["several-pronouns"] if len(pro.pronouns) > 1 else []
    reason = SEVERAL if len(pro.pronouns) > 1 else "" if form else "the pronoun's form is unknown"
    return {
        "item": f"type{pair.type}-{pair.split}-{pro.number}",
        "type": pair.type,
        "split": pair.split,
        "pair": f"type{pair.type}-{pair.split}-{(pro.number + 1) // 2}",
        "text": pro.blanked,
        "form": form,
        "stereotype": _pole_words(poles)[pronouns[0]],
        "published_text": _published_text(pro),
        "published_person": _BRACKETS.findall(pro.body)[0],
        "published_words": " ".join(pronouns),
        "in_published_set": len(_PUBLISHED.findall(pro.body)) == 1,
        "flags": flags,
        "dropped": reason,
    }


def _occupations(line: _Line, finder: re.Pattern[str]) -> dict[str, Any]:
    """The occupation that the pronoun stands for and the other ones of the sentence."""
    named = dict.fromkeys(name.lower() for name in finder.findall(line.plain))
    others = [name for name in named if name != line.profession.lower()]
    return {"profession": line.profession, "other": others[0] if others else "", "others": len(others)}


def _label_flags(row: Mapping[str, Any], genders: Mapping[str, str]) -> list[str]:
    flags = ["label-conflict"] if genders[row["profession"].lower()] != row["stereotype"] else []
    if row["others"] != 1:
        flags.append("one-occupation" if row["others"] == 0 else "third-occupation")
    return flags


def _text_flags(line: _Line, text: str, gendered: frozenset[str]) -> list[str]:
    flags = ["doubled-article"] if _DOUBLED.search(text) else []
    words = set(re.findall(r"[a-z]+", text.replace(BLANK, " ").lower()))
    return [*flags, "gendered-word"] if len(line.pronouns) == 1 and words & gendered else flags


def _form(pro: str, anti: str, poles: Poles) -> str:
    """The form that fits both pronouns; failing that, the only one that fits the first, or nothing."""
    shared = _shared_forms(pro, anti, poles)
    if shared:
        return shared[0]
    alone = [form for form in poles.forms if pro in _words_of_sides(poles, form)[2]]
    return alone[0] if len(alone) == 1 else ""


def _shared_forms(pro: str, anti: str, poles: Poles) -> list[str]:
    """The forms in which one pronoun belongs to the first pole and the other to the second."""
    sides = {form: _words_of_sides(poles, form) for form in poles.forms}
    return [
        form
        for form, (first, second, _) in sides.items()
        if (pro in first and anti in second) or (pro in second and anti in first)
    ]


def _words_of_sides(poles: Poles, form: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The words of the first pole, of the second, and of both."""
    words = poles.at(form)
    first, second = (words[pole] for pole in poles.names[:2])
    return first, second, (*first, *second)


def _published_text(line: _Line) -> str:
    """The sentence as the study's code prepares it: brackets off, the last character replaced, a line end."""
    body = line.body[:-1] + " . \n"
    body = _PUBLISHED.sub("{}", body, count=1).replace("[", "").replace("]", "")
    return body.replace("{}", BLANK)


def _genders_of_occupations(lines: Iterable[_Line], poles: Poles) -> dict[str, str]:
    """Each occupation's stereotype: the pole that most of its sentences have."""
    words = _pole_words(poles)
    votes: dict[str, Counter[str]] = {}
    for line in lines:
        votes.setdefault(line.profession.lower(), Counter())[words[line.pronouns[0]]] += 1
    return {occupation: count.most_common(1)[0][0] for occupation, count in votes.items()}


def _pole_words(poles: Poles) -> dict[str, str]:
    """Which of the first two poles a word belongs to."""
    return {
        word: pole for (pole, _), words in poles.words.items() for word in words if pole in poles.names[:2]
    }


def _gendered_words(poles: Poles) -> frozenset[str]:
    """The words of all pairs, generic ones too: what is read as a man mostly leaks a gender all the same."""
    table = own_table("gendered-words.csv")
    return frozenset((*table["male"], *table["female"], *_pole_words(poles)))


def _longest_first(names: Iterable[str]) -> list[str]:
    return sorted(names, key=len, reverse=True)


def _spaced(text: str) -> str:
    """Single spaces, and none before the 's that the published files set apart."""
    return " ".join(text.split()).replace(" 's", "'s")


_ARTICLES = ("The ", "the ", "a ", "A ")
_TAILOR = "tailor"
_HALF = 50


def with_published_names(text: str, person: str, own: str, *, names: Mapping[str, str]) -> str:
    """The sentence with a name for each of its people; `names` is by gender, `own` that of the referent.

    The code of the skew and stereotype study does this for Table 1. The other person gets a name by the
    stereotype of the occupation, so both may have the same name, and keeps the occupation after any other
    article. The code counts tailors among the men.
    """
    text = text.replace(person, own)
    for occupation, name in _named_occupations(names):
        for article in _ARTICLES:
            text = text.replace(article + occupation, name)
    return text.strip()


def _named_occupations(names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each occupation with the name of its stereotype, men's first, in the order of the published list."""
    spelled = {one: one.upper() if one == "ceo" else one for one in PERCENT_WOMEN}
    men = [one for one, share in PERCENT_WOMEN.items() if share <= _HALF]
    women = [one for one, share in PERCENT_WOMEN.items() if share > _HALF and one != _TAILOR]
    return [(spelled[one], names[MALE]) for one in (*men, _TAILOR)] + [(one, names[FEMALE]) for one in women]


STUDIED = "type2-test-"
"""How the names of the sentences begin that the study labelled."""

NAMED = r"type[12]-(?:dev|test)-\d+$"
"""The name of a sentence of WinoBias."""

_OCCUPATIONS = "|".join(map(re.escape, sorted(PERCENT_WOMEN, key=len, reverse=True)))
_MENTION = re.compile(rf"(?:\b(an?)\s+)?\b(?:{_OCCUPATIONS})\b", re.IGNORECASE)


def person_sentences(source: Source, poles: Poles) -> tuple[pd.DataFrame, tuple[File, ...]]:
    """The sentences of both types and splits that can be asked (id, sentence, form), and their files."""
    pairs = published_pairs(source)
    table = read_winobias(pairs, poles)
    asked = table[table["dropped"] == ""]
    texts = [without_occupations(text) for text in asked["text"]]
    known = pd.DataFrame({"id": asked["item"], "sentence": texts, "form": asked["form"]})
    return known, tuple(path for pair in pairs for path in (pair.pro, pair.anti))


def without_occupations(text: str) -> str:
    """The sentence with "person" for every occupation, and "a" for an article before it."""
    return _MENTION.sub(_person, text)


def _person(match: re.Match[str]) -> str:
    if not match[1]:
        return "person"
    return f"{match[1][0]} person"
