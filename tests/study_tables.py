"""The tables of every study, made by hand and as small as its charts can do with."""

import pandas as pd

NAN = float("nan")
RANKING = pd.DataFrame(
    {
        "instrument": ["sbe"] * 4,
        "quantity": ["ASLD"] * 4,
        "group": ["all", "all", "work", "work"],
        "rank": [2.0, 1.0, 1.0, 2.0],
        "model": ["a", "b", "a", "b"],
        "value": [0.4, 0.1, 0.2, 0.3],
        "low": [0.3, 0.0, 0.1, 0.2],
        "high": [0.5, 0.2, 0.3, 0.4],
        "unit": ["nats"] * 4,
    }
)
CONTROL = pd.DataFrame(
    {
        "instrument": ["tbe", "tbe"],
        "estimate": ["APPD", "guard"],
        "by": ["", "gender"],
        "level": ["", "female"],
        "model_value": [0.3, 0.5],
        "low": [0.2, NAN],
        "high": [0.4, NAN],
        "random_mean": [0.0, 0.1],
        "random_lowest": [-0.1, 0.0],
        "random_highest": [0.1, 0.2],
        "draws": [5, 5],
    }
)
SIZES = pd.DataFrame(
    {
        "design": ["published", "published", "bootstrap", "bootstrap"],
        "category": ["work", "all"] * 2,
        "size": [20] * 4,
        "mean": [1.0, 2.0, 3.0, 4.0],
        "lowest": [0.5, 1.5, 2.5, 3.5],
        "highest": [1.5, 2.5, 3.5, 4.5],
    }
)
PROFESSIONS = pd.DataFrame(
    {
        "part": ["occupation"] * 4,
        "category": ["care", "care", "office", "office"],
        "profession": ["nurse", "nanny", "clerk", "typist"],
        "before": [-0.2, -0.4, 0.0, 0.2],
        "after": [-0.1, -0.2, 0.0, 0.1],
        "seen": [True, False, False, True],
    }
)
ARMS = pd.DataFrame(
    {
        "arm": ["base", "tuned"] * 3,
        "instrument": ["contexts"] * 6,
        "key": ["difference"] * 6,
        "label": ["difference"] * 6,
        "by": ["", "", "category x paper", "category x paper", "category x paper", "category x paper"],
        "level": ["", "", "work x Globe", "work x Globe", "home x Globe", "home x Globe"],
        "mean": [0.5, 0.25, 0.1, 0.2, 0.3, NAN],
        "low": [0.4, 0.2, NAN, NAN, NAN, NAN],
        "high": [0.6, 0.3, NAN, NAN, NAN, NAN],
        "unit": [""] * 6,
    }
)
CLASSIFIERS = pd.DataFrame(
    {
        "side": ["before", "after"] * 2,
        "seed": [0, 0, 0, 0],
        "instrument": ["task", "task", "counterfactual-gap", "counterfactual-gap"],
        "key": ["accuracy", "accuracy", "gap", "gap"],
        "value": [0.9, 0.8, 0.2, 0.1],
        "low": [0.8, 0.7, 0.1, 0.0],
        "high": [1.0, 0.9, 0.3, 0.2],
    }
)
GAIN = pd.DataFrame(
    {"instrument": ["tbe"], "label": ["APPD"], "removed": [0.75], "low": [0.5], "high": [0.9]}
)
PRICE = pd.DataFrame(
    {
        "instrument": ["price"] * 2,
        "label": ["ability", "divergence"],
        "loss": [0.01, NAN],
        "low": [-0.02, 0.1],
        "high": [0.03, 0.2],
    }
)
SKEW = pd.DataFrame(
    {
        "model": ["a", "b"],
        "data": ["d", "d"],
        "variant": ["corrected"] * 2,
        "type": [2, 2],
        "n": [10, 10],
        "dropped": [0, 0],
        "is_meaningful": [True, False],
        **{
            f"{name}{end}": [number, -number]
            for name, number in (
                ("skew", 10.0),
                ("stereotype", 20.0),
                ("absolute_skew", 12.0),
                ("absolute_stereotype", 22.0),
                ("ability", 90.0),
                ("f1_first_pro", 60.0),
                ("f1_first_anti", 50.0),
                ("f1_second_pro", 40.0),
                ("f1_second_anti", 30.0),
            )
            for end in ("", "_low", "_high")
        },
    }
)
WORDS = pd.DataFrame(
    {
        "word": ["pregnancy", "pregnancy"],
        "column": ["base", "copies-1"],
        "mean": [-0.4, -0.2],
        "low": [-0.5, NAN],
        "high": [-0.3, NAN],
        "published": [-0.41, NAN],
    }
)
TABLES = {
    "models": {"ranking": RANKING},
    "control": {"control": CONTROL},
    "sample-size": {"sample-size": SIZES},
    "professions": {"professions": PROFESSIONS},
    "domain": {"domain": ARMS},
    "corpus-bias": {"corpus-bias": ARMS},
    "corpus-classifiers": {"corpus-classifiers": ARMS},
    "reminders": {"reminders": ARMS, "words": WORDS},
    "resolution": {"resolution": ARMS},
    "downstream": {"classifiers": CLASSIFIERS},
    "before-after": {"gain": GAIN, "price": PRICE},
    "skew": {"skew": SKEW},
}
