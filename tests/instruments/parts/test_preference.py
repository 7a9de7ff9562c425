"""Preferences between pairs: shares in per cent with ties apart, groups of pairs."""

import numpy as np
import pandas as pd
import pytest

from equipoise.instruments.parts.estimates import Spec
from equipoise.instruments.parts.preference import (
    pair_groups,
    preference_estimate,
    preferred,
    tie_estimate,
)

ROWS = pd.DataFrame(
    {
        "score": [0.5, -0.1, 2.0, 1e-10, np.nan],
        "category": ["gender", "gender", "age", "age", "age"],
        "direction": "stereo",
        "cluster": list("abcde"),
        "flags": ["", "casing", "", "", ""],
        "tokens_stereotype": [5, 5, 5, 5, 5],
        "tokens_counterpart": [5, 5, 6, 5, 5],
    }
)


def test_a_tie_is_no_preference() -> None:
    assert preferred(ROWS["score"]).tolist()[:3] == [1.0, 0.0, 1.0]
    assert preferred(ROWS["score"]).isna().tolist() == [False, False, False, True, True]


def test_shares_are_per_cent_of_what_has_a_preference() -> None:
    share = preference_estimate(Spec("metric-score", neutral=50.0), ROWS["score"], ROWS)
    assert (share.value, share.n, share.dropped) == (pytest.approx(200 / 3), 3, 2)
    ties = tie_estimate({}, ROWS["score"], ROWS)
    assert (ties.value, ties.n, ties.dropped, ties.better) == (25.0, 4, 1, "none")
    assert tie_estimate({}, ROWS["score"], ROWS, within=0.2).value == 50.0


def test_groups_are_shown_where_they_tell_something_apart() -> None:
    sizes = [(dict(groups), len(rows)) for groups, rows in pair_groups(ROWS)]
    assert sizes == [
        ({}, 5),
        ({"category": "gender"}, 2),
        ({"category": "age"}, 3),
        ({"items": "without flagged"}, 4),
        ({"items": "flagged"}, 1),
        ({"items": "equal token counts"}, 4),
    ]
    plain = ROWS.query("category == 'gender' and flags == ''")
    assert [dict(groups) for groups, _ in pair_groups(plain)] == [{}]
