"""The figures that de Vassimon Manela et al. (2021) print, by row, beside which a study sets its own.

In Table 2 stereotype and skew are exchanged in the four rows of BERT-U and BERT-A, and those of RoBERTa-large
do not follow from its F1 scores. The rows stand here as printed; `note_on` says what is wrong with one.
"""

from pathlib import Path

Row = tuple[float, ...]

TABLE_1: dict[str, Row] = {
    "RoBERTa": (64.2, 72.2, 92.7, 93.0),
    "RoBERTa-O": (50.2, 71.7, 89.8, 88.7),
    "RoBERTa-large": (78.2, 79.5, 94.9, 94.9),
    "RoBERTa-large-O": (78.2, 79.5, 89.5, 87.3),
    "ALBERT": (39.2, 68.6, 58.7, 75.3),
    "ALBERT-O": (6.2, 67.6, 62.9, 24.1),
    "ALBERT-large": (61.0, 71.2, 19.2, 68.6),
    "ALBERT-large-O": (60.6, 68.9, 31.2, 70.1),
    "ALBERT-xlarge": (64.1, 75.1, 23.3, 69.4),
    "ALBERT-xlarge-O": (69.2, 74.2, 59.4, 76.6),
    "ALBERT-xxlarge": (64.2, 76.9, 95.0, 95.3),
    "ALBERT-xxlarge-O": (78.2, 80.5, 89.0, 90.5),
    "BERT": (58.8, 62.4, 95.3, 95.5),
    "BERT-O": (59.0, 64.7, 95.1, 95.1),
    "BERT-large": (72.6, 74.9, 95.3, 95.5),
    "BERT-large-O": (69.8, 75.1, 95.6, 95.7),
    "XLM-R": (29.7, 69.0, 64.5, 76.7),
    "XLM-R-O": (52.1, 65.1, 64.4, 37.9),
    "XLM-R-large": (62.8, 76.4, 21.7, 69.2),
    "XLM-R-large-O": (64.9, 77.0, 80.1, 84.9),
    "DistilBERT": (41.2, 66.4, 81.0, 79.0),
    "DistilBERT-O": (50.2, 66.1, 81.0, 78.5),
    "BERT-U": (76.6, 65.8, 90.1, 88.6),
    "BERT-UO": (78.8, 77.3, 93.1, 92.3),
    "BERT-A": (75.6, 67.4, 91.8, 90.0),
    "BERT-AO": (75.7, 67.5, 74.9, 54.2),
}
"""F1 on Alice and Bob: type 1 male and female, type 2 male and female."""

TABLE_2: dict[str, Row] = {
    "RoBERTa": (62.9, 27.0, 69.0, 39.3, 32.8, 9.2),
    "RoBERTa-O": (68.0, 60.2, 26.5, 8.5, 12.9, 46.6),
    "RoBERTa-large": (67.0, 52.4, 45.0, 21.5, 26.4, 24.0),
    "RoBERTa-large-O": (66.0, 65.0, 11.2, 7.5, 2.3, 56.1),
    "ALBERT-xxlarge": (71.4, 46.9, 54.8, 16.4, 31.4, 23.5),
    "ALBERT-xxlarge-O": (69.7, 49.2, 51.5, 18.1, 27.0, 24.6),
    "DistilBERT": (64.9, 67.2, 4.8, 5.0, 1.3, 61.2),
    "DistilBERT-O": (64.5, 65.8, 10.0, 12.8, 2.1, 53.8),
    "BERT": (69.3, 58.0, 31.4, 8.2, 17.3, 43.8),
    "BERT-O": (68.4, 58.1, 32.9, 10.5, 16.4, 41.6),
    "BERT-large": (70.0, 57.9, 33.9, 2.8, 21.6, 45.6),
    "BERT-large-O": (69.9, 57.9, 32.5, 5.0, 19.7, 45.1),
    "XLM-R-large-O": (68.0, 56.0, 38.2, 15.7, 17.2, 35.1),
    "BERT-U": (67.8, 63.4, 14.1, 2.8, 57.2, 7.9),
    "BERT-UO": (67.3, 60.4, 26.6, 11.6, 44.8, 11.0),
    "BERT-A": (64.7, 64.5, 14.8, 14.8, 49.8, 0.1),
    "BERT-AO": (65.0, 63.6, 17.9, 15.3, 47.7, 2.0),
}
"""F1 male pro, male anti, female pro, female anti; stereotype and skew as the columns print them."""

TABLE_3: dict[str, Row] = {
    "BERT": (0.156, 0.117, 0.160),
    "BERT-U": (0.062, 0.168, 0.140),
    "BERT-A": (0.281, 0.280, 0.140),
}
"""Share of female pronouns in incompetent, neutral and competent sentences about a "person"."""

ACCURACY: dict[str, float] = {"BERT-U": 0.64, "BERT-A": 0.58}
"""Pronouns right on held-out OntoNotes."""

EXCHANGED = ("BERT-U", "BERT-UO", "BERT-A", "BERT-AO")

_ROWS = {
    "embedded": "BERT",
    "bert-base-uncased": "BERT",
    "bert-large-uncased": "BERT-large",
    "roberta-base": "RoBERTa",
    "roberta-large": "RoBERTa-large",
    "distilbert-base-uncased": "DistilBERT",
    "albert-base-v1": "ALBERT",
    "albert-large-v1": "ALBERT-large",
    "albert-xlarge-v1": "ALBERT-xlarge",
    "albert-xxlarge-v1": "ALBERT-xxlarge",
    "xlm-roberta-base": "XLM-R",
    "xlm-roberta-large": "XLM-R-large",
}


def printed_row(model: str, *, has_prior: bool) -> str:
    """The row that a model has in the paper, -O where answers are divided by the prior; empty for others."""
    name = _ROWS.get(Path(model).name.lower(), "")
    return f"{name}-O" if name and has_prior else name


def note_on(row: str) -> str:
    """What is wrong with a printed row of Table 2; empty for a sound one."""
    if row in EXCHANGED:
        return "stereotype and skew are exchanged in print"
    return "printed means do not follow from the F1 scores" if row == "RoBERTa-large" else ""
