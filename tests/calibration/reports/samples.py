"""Made-up results to report on: every noun filled in by hand, so that the report is tested without the arithmetic behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from calibration.calibration import Calibration, Candidate, Escalation, HeldOut, LabelSet, Scope
from calibration.figures import Figure
from calibration.items import Item, LeftOut, Pair, Pairing
from calibration.maps import CurveMap
from calibration.reports import Findings, gather
from calibration.results import (
    Agreement,
    AltTest,
    Bias,
    Ceiling,
    Difference,
    Disagreement,
    Estimate,
    JudgeDiagnosis,
    PanelDiagnosis,
    Plan,
    Queued,
    StateAudit,
    Transport,
)

JUDGES = ("gpt-large", "claude-mid", "qwen-small")
CRITERIA = ("amount_stated", "policy_followed", "tone")


def figure(value: float | None, half: float = 0.08, n: int = 120, why: str = "") -> Figure:
    """A figure with an interval of that half width."""
    if value is None:
        return Figure(value=None, n=n, why=why or "one class only")
    return Figure(value=value, low=value - half, high=value + half, n=n)


def agreement(criterion: str | None, kappa: float | None = 0.72, *, n: int = 120, **more: Any) -> Agreement:
    """Panel and people, at this kappa."""
    people = {"raw": figure(0.88), "kappa": figure(0.74), "alpha": figure(0.73), "ac2": figure(0.8)} | more.pop(
        "people", {}
    )
    given: dict[str, Any] = {
        "a": "panel", "b": "people", "criterion": criterion, "n": n, "tasks": n // 2, "levels": ("no", "yes"),
        "confusion": ((30, 8), (6, 76)), "raw": figure(0.87), "rate_a": figure(0.66), "rate_b": figure(0.62),
        "kappa": figure(kappa), "weighted_kappa": figure(kappa), "alpha": figure(kappa), "alpha_nominal": figure(kappa),
        "alpha_interval": figure(kappa), "ac1": figure(0.75), "ac2": figure(0.77), "tpr": figure(0.93), "tnr": figure(0.78),
        "youden": figure(0.71), "pearson": figure(0.7), "spearman": figure(0.69), "kendall": figure(0.6),
        "ceiling": Ceiling(raters=3, n=40, **people), "coverage": 0.96,
    }  # fmt: skip
    return Agreement(**(given | more))


def heldout(
    key: str, *, signal: bool = True, brier: float = 0.14, youden: Figure | None = None, n: int = 120
) -> HeldOut:
    """Held-out figures of one map."""
    return HeldOut(
        key=key, n=n, tasks=n // 2, base_rate=0.62, brier=figure(brier, 0.03), reference_brier=0.235, accuracy=figure(0.84),
        youden=youden or figure(0.68), signal=signal,
    )  # fmt: skip


def pairing(
    criteria: Sequence[str] = CRITERIA, *, n: int = 120, rate: float = 0.62, ungraded: int = 5, overall: bool = True
) -> Pairing:  # fmt: skip
    """`n` labelled episodes of each criterion and of the whole, among ten times as many judged ones."""
    rng = np.random.default_rng(3)
    asked: list[str | None] = [*criteria, None] if overall else [*criteria]
    truth = {c: rng.permutation(np.arange(n) < round(rate * n)).astype(float) for c in asked}
    items = tuple(_item(f"task-{i // 2}/{i % 2}", c) for i in range(10 * max(n, 3)) for c in asked)
    pairs = tuple(
        Pair(_item(f"task-{i // 2}/{i % 2}", c), truth[c][i], {"person:ann": truth[c][i]})
        for c in asked
        for i in range(n)
    )
    left = [
        LeftOut(
            "no grade: no verdict of a judge: timeout (infra)",
            tuple(_name(f"lost-{i}", c) for c in asked for i in range(ungraded)),
        )
    ]
    return Pairing(pairs, items, tuple(left) if ungraded else (), ("task-1/0/tone",) if "tone" in criteria else ())


def _name(episode: str, criterion: str | None) -> str:
    return episode if criterion is None else f"{episode}/{criterion}"


def _item(episode: str, criterion: str | None) -> Item:
    return Item(
        episode, episode.partition("/")[0], criterion, dict.fromkeys(JUDGES, 0.5), 0.5, JUDGES, {}, fingerprint="f" * 16,
        rubric="refund_reply", tags=("accuracy",), levels={"no": 0.0, "yes": 1.0},
    )  # fmt: skip


def predictions(found: Pairing) -> dict[tuple[str, str | None], float]:
    """Probabilities that are about right, for every labelled item."""
    rng = np.random.default_rng(5)
    shift = np.where([p.truth > 0.5 for p in found.pairs], 1.4, -1.0)
    p = 1 / (1 + np.exp(-(shift + rng.normal(0, 1.2, len(found.pairs)))))
    return {(x.item.episode, x.item.criterion): float(v) for x, v in zip(found.pairs, p, strict=True)}


def calibration(criteria: Sequence[str] = CRITERIA, **more: Any) -> Calibration:
    """A calibration with a map for each criterion and for the whole."""
    keys = [*criteria, "overall"]
    given: dict[str, Any] = {
        "id": "ab12cd34ef56ab78", "method": "m" * 16, "grader": {"judge:gpt-large": "1" * 16, "template": "2" * 16},
        "models": {"gpt-large": ("gpt-large-2026-05",), "claude-mid": ("claude-mid-4",), "qwen-small": ("qwen-small",)},
        "scope": Scope(rubrics={"refund_reply": "r" * 16}, criteria=dict.fromkeys(criteria, "f" * 16)), "truth": "people",
        "panel": JUDGES, "maps": {key: CurveMap(rung="weighted_platt", weights=dict.fromkeys(JUDGES, 1.0), n=120) for key in keys},
        "labels": LabelSet(n=480, tasks=60, raters=3, ids_hash="9" * 16), "heldout": tuple(heldout(key) for key in keys),
        "candidates": tuple(_candidates("overall")), "escalation": escalation(), "created": "2026-05-04T10:00:00+00:00",
    }  # fmt: skip
    return Calibration(**(given | more))


def _candidates(key: str) -> list[Candidate]:
    rows = [("mean", 0.171), ("weighted_platt", 0.146), ("ridge", 0.142), ("isotonic", 0.166), ("venn_abers", 0.155)]
    return [
        Candidate(
            key=key,
            rung=rung,
            brier=brier,
            error=0.008,
            accuracy=0.8,
            n=120,
            chosen=rung == "weighted_platt",
            why=_why(rung),
        )
        for rung, brier in rows
    ]


def _why(rung: str) -> str:
    return {
        "weighted_platt": "the simplest within one standard error of the best",
        "ridge": "better by less than its error",
    }.get(rung, "")


def escalation(threshold: float | None = 0.82, why: str = "") -> Escalation:
    """A curve that falls from 97% to 80%."""
    shares = np.linspace(0.1, 1, 10)
    curve = tuple(
        (round(0.97 - 0.45 * s, 3), round(s, 2), round(0.98 - 0.17 * s, 3), round(0.86 - 0.12 * abs(s - 0.4), 3))
        for s in shares
    )
    return Escalation(
        threshold=threshold, target=0.85, delta=0.1, coverage=None if threshold is None else 0.41,
        agreement=None if threshold is None else figure(0.93, 0.05), n=118, tasks=60, curve=curve, why=why,
    )  # fmt: skip


def panel(criterion: str | None = None, judges: Sequence[str] = JUDGES, **more: Any) -> PanelDiagnosis:
    """Judges whose errors are correlated."""
    m = len(judges)
    rng = np.random.default_rng(m)
    table = tuple(tuple(1.0 if i == j else round(0.2 + 0.05 * abs(i - j), 2) for j in range(m)) for i in range(m))
    about = tuple(
        JudgeDiagnosis(
            judge=j, n=120, accuracy=figure(0.82), tpr=figure(0.9), tnr=figure(0.7), youden=figure(0.6),
            severity=figure(float(rng.normal(0, 0.1)), 0.04), gain=figure(0.002, 0.004), adds_nothing=k == m - 1,
        )
        for k, j in enumerate(judges)
    )  # fmt: skip
    given: dict[str, Any] = {
        "criterion": criterion, "judges": about, "n": 120, "tasks": 60, "error_correlation": table, "agreement": table,
        "mean_correlation": figure(0.31), "effective": figure(1.9, 0.3), "variance": {"episode": 0.5, "judge": 0.1, "rest": 0.4},
        "dependability": {1: (0.5, 0.4), 3: (0.75, 0.7), 5: (0.83, 0.78)},
        "reads": f"{m} judges err together at .31, and are worth 1.9 that err independently.",
    }  # fmt: skip
    return PanelDiagnosis(**(given | more))


def estimate(**more: Any) -> Estimate:
    """A corrected rate that the raw one is not inside of."""
    given: dict[str, Any] = {
        "method": "ppi++", "value": 0.62, "low": 0.55, "high": 0.69, "labelled": 120, "judged": 1200, "tasks": 60, "naive": 0.74,
        "labels_only": figure(0.61, 0.09),
    }  # fmt: skip
    return Estimate(**(given | more))


def parts(criteria: Sequence[str] = CRITERIA) -> dict[str, Any]:
    """Everything beside the calibration and the pairing."""
    return {
        "agreements": [agreement(c) for c in (*criteria, None)],
        "panels": [panel(c) for c in (None, *criteria)],
        "estimates": [estimate(), estimate(method="bayes", value=0.63, low=0.56, high=0.7)],
        "differences": [Difference(first="v2", second="v1", value=0.06, low=-0.01, high=0.13, naive=0.11, paired_tasks=40)],
        "biases": [
            Bias(name="length", judge="panel", slope=figure(0.06, 0.03), p_value=0.001, flagged=True,
                 reads="panel gives 0.06 more per standard deviation of length than people do"),
            *(Bias(name="position", judge=j, slope=figure(0.01 * k, 0.03), p_value=0.4) for k, j in enumerate(JUDGES)),
        ],
        "alt_tests": [AltTest(judge="gpt-large", criterion=None, epsilon=0.2, winning_rate=0.67, advantage=0.8,
                              passes=True, raters=3, n=60)],
        "transports": [Transport(policy="v2", policy_step=400, n=40, tasks=40, residual=figure(-0.02), p_value=0.6, holds=True, failures=22,
                                 reads="nothing speaks against it")],
        "disagreements": [
            Disagreement(episode=f"task-{k}/0", task=f"task-{k}", criterion="tone", kind="judges_pass_people_fail", panel=0.9, people=0.0,
                         p=0.8, detail="panel 0.9, people 0.0", reason="The reply thanks the customer and apologises.")
            for k in range(4)
        ],
        "plan": Plan(wish="a half width of .05", labels=180, labels_alone=246, have=120, reads="",
                     queue=(Queued(episode="task-70/0", inclusion=0.1, stratum="middle", why="at random"),)),
        "state": state(),
    }  # fmt: skip


def state() -> StateAudit:
    """An audit with one suspect goal and two that can be gamed."""
    suspect = Disagreement(
        episode="task-9/0", task="task-9", kind="state_fails_people_pass", panel=0.9, people=1.0, state=0.0
    )
    gamed = [
        Disagreement(
            episode=f"task-{k}/1", task=f"task-{k}", kind="state_passes_people_fail", panel=0.4, people=0.0, state=1.0
        )
        for k in (3, 4)
    ]
    return StateAudit(
        n=100, tasks=50, state_hidden=True, agreement=agreement(None, 0.5, a="panel", b="state"), suspect_goals=(suspect,),
        gamed=tuple(gamed), baselines={"no_op": figure(0.72), "length": figure(0.55)}, empty_goals=("task-20",),
        intraclass=figure(0.4), within_tasks=figure(0.68),
    )  # fmt: skip


def findings(criteria: Sequence[str] = CRITERIA, **more: Any) -> Findings:
    """A whole report of these criteria; `more` replaces parts."""
    found = more.pop("pairing", None) or pairing(criteria)
    given = {"predictions": predictions(found), **parts(criteria), **more}
    return gather(given.pop("calibration", None) or calibration(criteria), found, **given)


def few_parts(**more: Any) -> Findings:
    """A report of one criterion with nothing but `more`, which is soon drawn."""
    made = more.pop("calibration", None) or calibration(("tone",), escalation=None)
    return gather(made, pairing(("tone",), n=20), **more)
