"""Has a judge drifted? Its values on frozen anchors, pass by pass, and what else changed meanwhile."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from calibration.calibration import Calibration
from calibration.cusum import FEWEST, TINY, H, K, beginning, cumulative, retest_spread, standardised
from calibration.differing import differences_of
from calibration.errors import CalibrationError
from calibration.figures import Figure
from calibration.items import Floats
from calibration.naming import changes_between
from calibration.records import RecordLike
from calibration.results import Drift
from calibration.values import scores_by_judge

PANEL = "panel"
BASELINE = 30
Pass = Mapping[str, float | None]


def drift(passes: Sequence[Pass], *, judge: str = "", baseline: int = BASELINE, k: float = K, h: float = H) -> Drift:
    """Whether values of the same anchors have moved: each pass against the ones before, at most the first `baseline`.

    A two-sided CUSUM of the standardised paired mean change with slack `k` and threshold `h`. From the eleventh pass on;
    before, only the change from the first pass to the last is given. Each pass over the anchors counts as one, also where
    several are made on a day (10 days of 3 passes are a full baseline); values averaged over samples are one value. Anchors
    without a value (None, or not there) are left out of that pass. Raises CalibrationError if no anchor has a value.
    """
    if baseline < FEWEST:
        raise CalibrationError(f"drift: a baseline of {baseline} passes, expected {FEWEST} or more; 30 are usual")
    names = list(dict.fromkeys(name for one in passes for name in one))
    values = _table(passes, names)
    if np.isnan(values).all():
        raise CalibrationError(
            f"drift{': ' + judge if judge else ''}: no anchor has a value; grade anchors, pass by pass"
        )
    z = standardised(values, baseline=baseline)
    larger = np.maximum(*cumulative(z, k=k))
    above = np.flatnonzero(larger > h)
    at = int(above[0]) if len(above) else None
    began = None if at is None else beginning(z, at)
    enough = len(passes) > FEWEST
    found = Drift(
        judge=judge, passes=len(passes), baseline_passes=min(baseline, max(0, len(passes) - 1)), anchors=len(names),
        first=FEWEST + 1 if enough else 0, statistic=tuple(larger[FEWEST:].tolist()), threshold=h,
        drifted_at=None if at is None else at + 1, began_at=None if began is None else began + 1,
        change=_change(values, baseline if began is None else min(baseline, began), began) if enough else _ends(values),
        ungraded=int(np.isnan(values).sum()), why=_lacking(len(passes), baseline),
    )  # fmt: skip
    return found.model_copy(update={"reads": reading(found)})


def drift_of(
    records: Iterable[RecordLike], *, baseline: int = BASELINE, calibration: Calibration | None = None
) -> tuple[Drift, ...]:
    """The drift of each judge, and of the panel where there are several, from grades of the same episodes again and again.

    In the order in which they were graded: a pass is the k-th grade of each episode. Values are scores in [0, 1] with gates
    left aside. `changed` names what else differs between an episode's first grade and its last, and with a calibration
    between its grader and that of the last grades. Raises CalibrationError if there are no records.
    """
    by_episode: dict[str, list[RecordLike]] = defaultdict(list)
    for record in records:
        by_episode[record.episode_id].append(record)
    if not by_episode:
        raise CalibrationError("drift: there are no grades; grade the anchors once a day, and append to one file")
    values: dict[str, list[dict[str, float | None]]] = {}
    count = max(map(len, by_episode.values()))
    for episode, graded in by_episode.items():
        for place, record in enumerate(graded):
            for name, value in _scores(record).items():
                values.setdefault(name, [{} for _ in range(count)])[place][episode] = value
    ends = [(graded[0], graded[-1]) for graded in by_episode.values()]
    judges = sorted(name for name in values if name != PANEL)
    return tuple(
        _named(drift(_complete(values[name], by_episode), judge=name, baseline=baseline), ends, calibration)
        for name in ((*judges, PANEL) if len(judges) != 1 else judges)
    )


def _scores(record: RecordLike) -> dict[str, float | None]:
    return {**dict.fromkeys(record.panel), **scores_by_judge(record), PANEL: record.ungated}


def _complete(passes: Sequence[Mapping[str, float | None]], episodes: Mapping[str, Sequence[RecordLike]]) -> list[Pass]:
    """Every anchor that was graded in a pass, also those to which this judge gave nothing."""
    return [
        {episode: one.get(episode) for episode, graded in episodes.items() if place < len(graded)}
        for place, one in enumerate(passes)
    ]


def _named(found: Drift, ends: Sequence[tuple[RecordLike, RecordLike]], calibration: Calibration | None) -> Drift:
    about = None if found.judge == PANEL else found.judge
    changed = list(differences_of(ends, judge=about))
    if calibration is not None:
        since = Counter(word for _, last in ends for word in changes_between(calibration, last))
        changed += [
            f"{word}, since the calibration" for word in since if word not in changed and _concerns(word, about)
        ]
    named = found.model_copy(update={"changed": tuple(changed)})
    return named.model_copy(update={"reads": reading(named)})


def _concerns(word: str, judge: str | None) -> bool:
    """Whether a change of the grader can move this judge's answers: not another judge's, and not the pooling."""
    return judge is None or word.startswith(("the prompt", "batching", "method", f"judge {judge} "))


def _table(passes: Sequence[Pass], names: Sequence[str]) -> Floats:
    rows = [[np.nan if (x := one.get(name)) is None else x for name in names] for one in passes]
    return np.array(rows, dtype=float).reshape(len(passes), len(names))


def _lacking(passes: int, baseline: int) -> str:
    if passes <= FEWEST:
        return f"{FEWEST + 1 - passes} more passes over the anchors are needed before a drift can be told"
    if passes <= baseline:
        return f"{baseline + 1 - passes} more passes are needed for a full baseline; until then small drifts go unseen"
    return ""


def _change(values: Floats, baseline: int, began: int | None) -> Figure:
    """The mean paired change of the passes since `began` (else after the baseline), with its interval by the retest spread."""
    from scipy.special import stdtrit

    start = began if began is not None else min(baseline, len(values) - 1)
    before, later = values[: min(baseline, start)], values[start:]
    known = ~np.isnan(before).all(axis=0) & ~np.isnan(later).all(axis=0)
    if not known.any():
        return Figure(value=None, why="no anchor has a value both before and after")
    before, later = before[:, known], later[:, known]
    means = np.nanmean(before, axis=0)
    mean = float((np.nanmean(later, axis=0) - means).mean())
    shares = [1 / np.maximum((~np.isnan(part)).sum(axis=0), 1) for part in (before, later)]
    spread, freedom = (float(one) for one in retest_spread(before, means))
    reach = float(stdtrit(freedom, 0.975)) * spread * float(np.sqrt(np.sum(shares))) / known.sum()
    return Figure(value=mean, low=mean - reach, high=mean + reach, n=int(known.sum()))


def _ends(values: Floats) -> Figure:
    """The mean paired change from the first pass to the last, with its interval by t over the anchors in both."""
    from scipy.special import stdtrit

    moved = values[-1] - values[0]
    moved = moved[~np.isnan(moved)]
    if len(values) < 2 or not len(moved):
        return Figure(value=None, n=len(moved), why="it takes two passes over the same anchors")
    mean = float(moved.mean())
    if len(moved) < 2:
        return Figure(value=mean, n=1, why="one anchor is too few for an interval")
    reach = float(stdtrit(len(moved) - 1, 0.975)) * float(moved.std(ddof=1)) / np.sqrt(len(moved))
    return Figure(value=mean, low=mean - reach, high=mean + reach, n=len(moved))


def reading(found: Drift) -> str:
    """What it means in a sentence or two."""
    who = "the panel" if found.judge == PANEL else f"judge {found.judge}" if found.judge else "the judge"
    size = _sized(found.change)
    if found.drifted_at is not None:
        said = [
            f"{who} has drifted: since pass {found.began_at} its values are {size} (seen at pass {found.drifted_at})"
        ]
    elif found.statistic:
        said = [f"{who} is steady over {found.passes} passes: values are {size}"]
    else:
        said = [f"whether {who} drifts can't be told yet"]
        said += [f"from the first pass to the last its values are {size}"] if found.change.value is not None else []
    said += [found.why] if found.why else []
    said += [f"what else changed: {'; '.join(found.changed)}"] if found.changed else []
    return ". ".join(one[:1].upper() + one[1:] for one in said)


def _sized(change: Figure) -> str:
    if change.value is None:
        return f"not comparable ({change.why})"
    if abs(change.value) < TINY:
        return "the same on average"
    interval = "" if change.low is None or change.high is None else f" ({change.low:+.3f} to {change.high:+.3f})"
    return f"{abs(change.value):.3f} {'higher' if change.value > 0 else 'lower'}{interval}"
