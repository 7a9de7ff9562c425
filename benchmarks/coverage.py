"""How often intervals hold the truth and verdicts are wrong, by simulation: `python -m benchmarks.coverage`.

Every cell draws data with a known truth 4,000 times (or as often as the first argument says) and asks the
library's own functions: a share of .95 then has a standard error of .0034. Prints a table and writes
`coverage.json` beside this file; of an interval both also say how often the truth lay below it and above it.

Clusters are equal (12 items each), unequal (1 to 60 items in even steps) or skewed (1 to 60 in equal ratios:
half of the items in one cluster of seven). `icc` is the share of the variance that lies between clusters.

A share has two intervals to choose from. Log-odds with the t of the clusters' mean are right around one half,
too wide for rare hits in few clusters (.99 for a share of .05 in five), and too narrow where hits fill a few
clusters (.88 for .05 with an icc of .4 in ten unequal or thirty). The beta-binomial model is right for rare
hits and too wide around one half in clusters that are alike (.98 to 1.0). So it is the model where at most
half of the clusters hold a hit or a miss, and else the shorter one. Also tried, on 132 cells like these:

- the model for every share: above .97 in 32 cells, and .91 to .93 in five;
- log-odds in place of the shorter one: above .97 in 43, up to .995; the model there for shares below a limit
  from .1 to .25: above .97 in 46 to 53;
- the shorter one everywhere: below .93 in 17, as low as .88, where hits fill a few clusters;
- the model's shortest interval, of the share or of its arcsine, in place of the one with equal tails: .98 for
  a share of .05 and .82 for one of .2 with an icc of .8, in five equal clusters;
- Jeffreys' prior of the correlation (beta of 1/2 and 1/2): .91 around one half in five skewed clusters; one
  that thinks correlations near 1 rare: .90 for a share of .1 with an icc of .8 in thirty unequal clusters;
- Wilson's for the effective number of items, or log-odds with Satterthwaite's t: .84 to .92 for rare hits.

The prior was chosen among eight by other draws of such cells. In cells that are not below (7 and 20 clusters,
an icc of .05, .2 or .7, a share of .35), 1,000 draws each, the rule held .929 to .981.

Shares that two factors cross keep log-odds, but have Wilson's interval where rows and columns are alike
(log-odds there: .974 in 8 x 12). In 45 cells that are not below (effects of standard deviation 0 to 2,
shares from .08 to .5; 1,500 draws) that held .919 to .989; .919 is a share of .17 in 8 x 12 whose rows have
a deviation of 2.

Eight cells lie outside their range, five of them by less than their own standard error. The others (.974 to
.978: a share of .2 with an icc of .8 in ten equal or unequal and in five skewed clusters) miss the truth at
one end in .021 to .026 of the samples, as an end of a 95 % interval should, and at the other in none to
.001: samples without a hit are common there, and their interval has to reach past .2, since ten clusters
that are wholly alike hold no hit in .025 of the samples of a share of .31. To hold .97 at most, the first
end would have to be missed more often than the .025 that it stands for. Eight other choices of tails (.0275
to .04, at both ends or at that one, wherever it is the model or where most clusters are of one kind) were
compared on these draws, the first 2,500 of 64 cells of shares: they leave five to seven cells outside, the
rule here nine. Fewest has the model with tails of .03 at both ends, a 94 % interval: it moves what lay just
beyond .97, not the cells farthest out (.980 stays .980). It was not taken: the draws that would have chosen
it are those that judge it, and an end that stands for .025 would be missed more often.

Where clusters hold almost only hits or only misses, no interval can be in range for every share, since a
sample has hardly more values than there are clusters: of ten, at most two are hits in .891 of the samples of
a share of .12, and at most three in .976; an interval whose ends rise with the hits covers the one or the
other. The rule here, with an icc of .8 in five or ten clusters and shares from .1 to .5 in steps of .04 (55
cells that are not below, 1,500 draws each), holds .925 to .987, .959 on average.

The two ends are not missed alike where hits are rare: for a share of .05 the lower one is missed in up to
.06, the upper one hardly ever. Where a decision rests on one end, that is what it risks.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from equipoise.stats.equivalence import verdict_on
from equipoise.stats.means import Mean, difference_of_means, mean_with_interval, share_with_interval

LATEST = Path(__file__).parent / "coverage.json"
DRAWS = 4000
COVERAGE = (0.93, 0.97)
TOO_FEW = (0.0, 0.0)
MARGIN = 1e-9
"""So narrow a margin that nothing is equivalent: what is left are the words lower and higher."""

POWER_SHIFT, POWER_BETWEEN, POWER_ITEMS = 0.48, 0.4, 10
"""The case of power: ten items a cluster around 0.48, of variance 1, clusters of standard deviation 0.4.

A t test over the cluster means, the best there is for equal clusters, sees it in .76 of all cases with 10
clusters and in .998 with 30.
"""

NOTABLE = 0.01
"""A chance of a sample without any hit from which on it is written beside the cell."""

Rng = np.random.Generator
Codes = NDArray[np.intp]
Trial = Callable[[Rng], str]

HELD, BELOW, ABOVE, NO_INTERVAL = "held", "truth below", "truth above", "no interval"
CLAIMED, SILENT = "claimed", "silent"
COUNTED = (HELD, CLAIMED)
"""What one trial came to, and which of it is counted."""


@dataclass(frozen=True)
class Cell:
    """One simulated case: what is counted, how often it should come true, and one trial of it."""

    what: str
    case: str
    at_least: float
    at_most: float
    trial: Trial
    remark: str = ""


@dataclass(frozen=True)
class Row:
    """The share of trials in which it came true."""

    what: str
    case: str
    draws: int
    share: float
    at_least: float
    at_most: float
    remark: str = ""
    truth_below: float = 0.0
    truth_above: float = 0.0

    @property
    def reached(self) -> bool:
        """Whether the share lies in the range that was asked for."""
        return self.at_least <= self.share <= self.at_most


def main(draws: int = DRAWS) -> None:
    """Run all cells, print them and write them down."""
    rows = []
    with ProcessPoolExecutor() as pool:
        for row in pool.map(partial(numbered, draws=draws), range(len(list(cells())))):
            rows.append(row)
            print(line(row), flush=True)
    LATEST.write_text(json.dumps([asdict(row) | {"reached": row.reached} for row in rows], indent=2) + "\n")
    print(f"{sum(row.reached for row in rows)} of {len(rows)} cells lie in their range.")


def numbered(number: int, *, draws: int) -> Row:
    """The cell of a number, which is also its seed: the same draws whichever process makes them."""
    return simulated(list(cells())[number], draws=draws, seed=number)


def simulated(cell: Cell, *, draws: int, seed: int) -> Row:
    """One cell, drawn as often as asked."""
    rng = np.random.default_rng([2026, seed])
    times = Counter(cell.trial(rng) for _ in range(draws))
    share, below, above = (
        sum(times[word] for word in words) / draws for words in (COUNTED, (BELOW,), (ABOVE,))
    )
    return Row(cell.what, cell.case, draws, share, cell.at_least, cell.at_most, cell.remark, below, above)


def line(row: Row) -> str:
    """A row of the printed table."""
    asked = f"{row.at_least:.2f} to {row.at_most:.2f}"
    outside = "" if row.reached else "  outside"
    missed = (
        f"  missed {row.truth_below:.3f} + {row.truth_above:.3f}" if row.truth_below + row.truth_above else ""
    )
    remark = f" ({row.remark})" if row.remark else ""
    return f"{row.what:34} {row.case:48} {row.share:.3f}  {asked}{missed}{outside}{remark}"


def cells() -> Iterator[Cell]:
    """All cells, kind by kind."""
    yield from mean_cells()
    yield from crossed_cells()
    yield from share_cells()
    yield from difference_cells()
    yield from error_cells()
    yield from power_cells()
    yield from crossed_share_cells()
    yield from share_cells(((0.05, 0.4),))
    yield from share_cells(((0.1, 0.1), (0.1, 0.4), (0.2, 0.8)))


def mean_cells() -> Iterator[Cell]:
    """Coverage of a mean; with three clusters there must be no interval, so it covers never."""
    for n_clusters in (3, 5, 10, 30):
        for shape in SIZES:
            for icc in (0.0, 0.1, 0.5):
                low, high = COVERAGE if n_clusters >= 5 else TOO_FEW
                trial = partial(mean_trial, n_clusters=n_clusters, shape=shape, icc=icc)
                yield Cell("mean", f"{n_clusters} {shape} clusters, icc {icc}", low, high, trial)


def crossed_cells() -> Iterator[Cell]:
    """Coverage of a mean of items crossed by two factors, all there or with up to half of a row missing."""
    for shape in ((5, 8), (8, 12), (10, 10), (20, 40)):
        for sds in ((0.0, 0.0), (0.3, 0.0), (1.0, 0.0), (0.0, 1.0), (0.3, 0.3), (1.0, 1.0)):
            for gaps in (False, True):
                name = f"{shape[0]} x {shape[1]}, sd {sds[0]} and {sds[1]}{', gaps' if gaps else ''}"
                yield Cell("crossed mean", name, *COVERAGE, partial(crossed_trial, shape, sds, gaps=gaps))


SHARES = ((0.5, 0.0), (0.5, 0.1), (0.5, 0.4), (0.2, 0.1), (0.2, 0.4), (0.05, 0.1))
"""Shares of hits and the intraclass correlation of their clusters."""


def share_cells(shares: Sequence[tuple[float, float]] = SHARES) -> Iterator[Cell]:
    """Coverage of a share of clustered hits."""
    for n_clusters in (5, 10, 30):
        for shape in SIZES:
            for share, icc in shares:
                name = f"{share} in {n_clusters} {shape} clusters, icc {icc}"
                trial = partial(share_trial, share=share, n_clusters=n_clusters, shape=shape, icc=icc)
                no_hit = chance_of_no_hit(share, SIZES[shape](n_clusters), icc)
                remark = f"{no_hit:.1%} of samples without a hit" if no_hit >= NOTABLE else ""
                yield Cell("share", name, *COVERAGE, trial, remark)


def crossed_share_cells() -> Iterator[Cell]:
    """Coverage of a share of hits crossed by two factors."""
    for shape in ((5, 8), (8, 12), (20, 40)):
        for log_odds in (0.0, -1.4):
            for sds in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)):
                truth = share_of(log_odds, sds)
                name = f"{truth:.2f} in {shape[0]} x {shape[1]}, sd {sds[0]} and {sds[1]}"
                trial = partial(crossed_share_trial, shape, sds, log_odds=log_odds, truth=truth)
                yield Cell("crossed share", name, *COVERAGE, trial)


def difference_cells() -> Iterator[Cell]:
    """Coverage of a difference of two means whose sides share clusters, or have clusters of their own."""
    for n_clusters in (6, 10, 30):
        for shape in SIZES:
            for within in (True, False):
                name = f"{n_clusters} {shape} clusters, sides {'within' if within else 'between'}"
                trial = partial(difference_trial, n_clusters=n_clusters, shape=shape, within=within)
                yield Cell("difference of means", name, *COVERAGE, trial)


def error_cells() -> Iterator[Cell]:
    """How often a verdict claims a difference where there is none."""
    for n_clusters in (5, 10, 20, 30):
        for shape in SIZES:
            for icc in (0.0, 0.1, 0.5):
                most = (0.06 if shape == "equal" else 0.07) if n_clusters >= 10 else 0.07
                trial = partial(claims, n_clusters=n_clusters, shape=shape, icc=icc)
                name = f"{n_clusters} {shape} clusters, icc {icc}"
                yield Cell("difference claimed, none there", name, 0.0, most, trial)


def power_cells() -> Iterator[Cell]:
    """How often a verdict claims a difference that is there."""
    for n_clusters, least in ((10, 0.73), (30, 0.99)):
        name = f"{n_clusters} equal clusters, shift {POWER_SHIFT}"
        yield Cell("difference claimed, one there", name, least, 1.0, partial(sees, n_clusters=n_clusters))


SIZES: dict[str, Callable[[int], Codes]] = {
    "equal": lambda n: np.full(n, 12),
    "unequal": lambda n: np.linspace(1, 60, n).round().astype(np.intp),
    "skewed": lambda n: np.geomspace(1, 60, n).round().astype(np.intp),
}


def codes_of(n_clusters: int, shape: str) -> Codes:
    """The cluster of every item."""
    return np.repeat(np.arange(n_clusters), SIZES[shape](n_clusters))


def clustered(rng: Rng, codes: Codes, icc: float) -> NDArray[np.float64]:
    """Values of mean 0 and variance 1, of which the share `icc` is their cluster's."""
    of_clusters = rng.normal(size=codes.max() + 1)
    return np.sqrt(icc) * of_clusters[codes] + np.sqrt(1 - icc) * rng.normal(size=len(codes))


def place_of(truth: float, mean: Mean) -> str:
    """Where the truth lies, seen from the interval."""
    if mean.low <= truth <= mean.high:
        return HELD
    if truth < mean.low:
        return BELOW
    return ABOVE if truth > mean.high else NO_INTERVAL


def mean_trial(rng: Rng, *, n_clusters: int, shape: str, icc: float) -> str:
    """One mean of clustered values."""
    codes = codes_of(n_clusters, shape)
    return place_of(0.0, mean_with_interval(clustered(rng, codes, icc), [codes.tolist()]))


def crossed_trial(
    shape: tuple[int, int], standard_deviations: tuple[float, float], rng: Rng, *, gaps: bool
) -> str:
    """One mean of crossed values: row effect, column effect and a rest of variance 1."""
    rows, columns = (part.ravel() for part in np.indices(shape))
    effects = [sd * rng.normal(size=n) for sd, n in zip(standard_deviations, shape, strict=True)]
    values = effects[0][rows] + effects[1][columns] + rng.normal(size=len(rows))
    if gaps:
        values[rng.random(len(rows)) < rng.uniform(0, 0.5, size=shape[0])[rows]] = np.nan
    return place_of(0.0, mean_with_interval(values, [rows.tolist(), columns.tolist()]))


def share_trial(rng: Rng, *, share: float, n_clusters: int, shape: str, icc: float) -> str:
    """One share of hits, whose chance in each cluster is drawn from a beta distribution."""
    codes = codes_of(n_clusters, shape)
    chances = np.full(n_clusters, share)
    if icc > 0:
        certainty = (1 - icc) / icc
        chances = rng.beta(share * certainty, (1 - share) * certainty, size=n_clusters)
    hits = rng.random(len(codes)) < chances[codes]
    return place_of(share, share_with_interval(hits, [codes.tolist()]))


def chance_of_no_hit(share: float, sizes: Codes, icc: float) -> float:
    """The chance that a sample of `share_trial` holds no hit."""
    if icc == 0:
        return float((1 - share) ** sizes.sum())
    certainty = (1 - icc) / icc
    hits, misses = share * certainty, (1 - share) * certainty
    return float(np.exp(betaln(hits, misses + sizes) - betaln(hits, misses)).prod())


def crossed_share_trial(
    shape: tuple[int, int], sds: tuple[float, float], rng: Rng, *, log_odds: float, truth: float
) -> str:
    """One share of hits whose log-odds are the sum of a row's and a column's effect."""
    rows, columns = (part.ravel() for part in np.indices(shape))
    effects = [sd * rng.normal(size=n) for sd, n in zip(sds, shape, strict=True)]
    chances = 1 / (1 + np.exp(-(log_odds + effects[0][rows] + effects[1][columns])))
    hits = rng.random(len(rows)) < chances
    return place_of(truth, share_with_interval(hits, [rows.tolist(), columns.tolist()]))


def share_of(log_odds: float, sds: tuple[float, float]) -> float:
    """The mean chance of a hit over normal effects of these standard deviations."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    chances = 1 / (1 + np.exp(-(log_odds + np.hypot(*sds) * nodes)))
    return float(weights @ chances / weights.sum())


def difference_trial(rng: Rng, *, n_clusters: int, shape: str, within: bool) -> str:
    """One difference of two sides, alternating within clusters or from cluster to cluster."""
    codes = codes_of(n_clusters, shape)
    is_first = (np.arange(len(codes)) if within else codes) % 2 == 0
    return place_of(0.0, difference_of_means(clustered(rng, codes, 0.3), is_first, [codes.tolist()]))


def claims(rng: Rng, *, n_clusters: int, shape: str, icc: float) -> str:
    """Whether a verdict on differences around 0 claims that one is lower or higher."""
    codes = codes_of(n_clusters, shape)
    word = verdict_on(mean_with_interval(clustered(rng, codes, icc), [codes.tolist()]), MARGIN).word
    return CLAIMED if word in ("lower", "higher") else SILENT


def sees(rng: Rng, *, n_clusters: int) -> str:
    """Whether a verdict on the case of power says higher."""
    differences, codes = power_case(rng, n_clusters)
    word = verdict_on(mean_with_interval(differences, [codes.tolist()]), MARGIN).word
    return CLAIMED if word == "higher" else SILENT


def power_case(rng: Rng, n_clusters: int) -> tuple[NDArray[np.float64], Codes]:
    """Differences around the shift of the case of power, and their clusters."""
    codes = np.repeat(np.arange(n_clusters), POWER_ITEMS)
    of_clusters = POWER_BETWEEN * rng.normal(size=n_clusters)
    return POWER_SHIFT + of_clusters[codes] + rng.normal(size=len(codes)), codes


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
