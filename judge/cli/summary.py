"""What a run came to: counted as records pass, in flat memory, and shown as a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from judge.record import GradeRecord

if TYPE_CHECKING:
    from rich.console import Console


@dataclass
class Mean:
    """A mean over the values that are there; how many are not is counted beside it."""

    total: float = 0.0
    n: int = 0
    without: int = 0

    def add(self, value: float | None) -> None:
        """Count one value, or its absence."""
        if value is None:
            self.without += 1
        else:
            self.total += value
            self.n += 1

    @property
    def value(self) -> float | None:
        """The mean; None without values."""
        return self.total / self.n if self.n else None


@dataclass
class Summary:
    """The counts and means of a run."""

    score: Mean = field(default_factory=Mean)
    reward: Mean = field(default_factory=Mean)
    escalated: Counter[bool | None] = field(default_factory=Counter)
    calibrated: bool = False
    criteria: dict[str, Mean] = field(default_factory=dict)
    passed: Counter[bool | None] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    closed_gates: Counter[str] = field(default_factory=Counter)
    unreadable: int = 0
    kept: int = 0
    usd: float = 0.0
    unpriced: int = 0
    tokens: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    avoided: int = 0

    def add(self, record: GradeRecord) -> None:
        """Count one record."""
        self.score.add(record.score)
        if record.calibration is not None:
            self.calibrated = True
            self.reward.add(record.reward)
            self.escalated[record.escalate] += 1
        self.passed[record.passed] += 1
        for criterion, value in record.values.items():
            if criterion in record.not_applicable or criterion in record.skipped:
                continue
            self.criteria.setdefault(criterion, Mean()).add(value)
        self.failures.update({f"{f.kind} ({f.blame})": 1 for f in record.failures})
        self.flags.update(record.flags)
        self.closed_gates.update(record.closed_gates)
        self.usd += record.cost.usd_at_least
        self.unpriced += record.cost.usd is None
        self.calls += record.cost.calls
        self.avoided += record.cost.avoided_calls
        self.tokens.update(
            input=record.cost.input_tokens, cached=record.cost.cached_tokens, output=record.cost.output_tokens
        )

    @property
    def episodes(self) -> int:
        """How many records there are."""
        return self.score.n + self.score.without

    @property
    def money(self) -> str:
        """What was spent, "at least" where a price is unknown."""
        return f"{'at least ' if self.unpriced else ''}${self.usd:.4f}"

    def to_dict(self) -> dict[str, Any]:
        """The same for machines."""
        return {
            "episodes": self.episodes, "graded": self.score.n, "ungraded": self.score.without, "unreadable": self.unreadable,
            "kept": self.kept, "mean_score": self.score.value,
            **({"mean_reward": self.reward.value, "without_reward": self.reward.without, "escalate": self.escalated[True],
                "stand": self.escalated[False]} if self.calibrated else {}),
            "passed": self.passed[True], "failed": self.passed[False], "open": self.passed[None],
            "criteria": {name: {"mean": m.value, "n": m.n, "without": m.without} for name, m in self.criteria.items()},
            "closed_gates": dict(self.closed_gates), "failures": dict(self.failures), "flags": dict(self.flags),
            "cost": {"usd_at_least": round(self.usd, 6), "unpriced_episodes": self.unpriced, "calls": self.calls,
                     "avoided_calls": self.avoided, **{f"{k}_tokens": v for k, v in self.tokens.items()}},
        }  # fmt: skip

    def show(self, console: Console) -> None:
        """The table of means per criterion, and the counts below it."""
        from rich.table import Table

        table = Table(title=None, header_style="bold", box=None, pad_edge=False)
        for name, justify in (
            ("criterion", "left"),
            ("mean", "right"),
            ("", "left"),
            ("n", "right"),
            ("no verdict", "right"),
        ):
            table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
        for criterion, mean in self.criteria.items():
            shut = f"  closed the gate {self.closed_gates[criterion]}x" if self.closed_gates[criterion] else ""
            table.add_row(criterion, number(mean.value), bar(mean.value) + shut, str(mean.n), str(mean.without or ""))
        table.add_row(
            "[bold]score[/bold]",
            number(self.score.value),
            bar(self.score.value),
            str(self.score.n),
            str(self.score.without or ""),
        )
        if self.calibrated:
            table.add_row(
                "[bold]reward[/bold]", number(self.reward.value), bar(self.reward.value), str(self.reward.n),
                str(self.reward.without or ""),
            )  # fmt: skip
        console.print(table)
        for line in self._lines():
            console.print(line, highlight=False)

    def _lines(self) -> list[str]:
        said = f"{self.score.n} of {self.episodes + self.unreadable} episodes graded"
        said += f", {self.score.without} without a score" if self.score.without else ""
        said += f", {self.unreadable} unreadable" if self.unreadable else ""
        said += f" ({self.kept} from the earlier run)" if self.kept else ""
        lines = [said]
        if self.passed[True] or self.passed[False]:
            lines.append(f"passed {self.passed[True]}, failed {self.passed[False]}, open {self.passed[None]}")
        if self.escalated[True] or self.escalated[False]:
            lines.append(f"{self.escalated[False]} grades may stand, {self.escalated[True]} need another look")
        elif self.calibrated:
            lines.append(
                "which grades may stand could not be certified with the labels there are (see judge plan --certify)"
            )
        if self.failures:
            lines.append("failures: " + counted(self.failures))
        if self.flags:
            lines.append("flags: " + counted(self.flags))
        if self.calls or self.avoided:
            tokens = (
                f"{self.tokens['input']:,} tokens in ({self.tokens['cached']:,} cached), {self.tokens['output']:,} out"
            )
            lines.append(f"{self.calls} calls, {self.avoided} answered from the ledger; {tokens}; {self.money}")
        return lines


def counted(counter: Counter[str]) -> str:
    """`a 3, b 1`, most first."""
    return ", ".join(f"{name} {count}" for name, count in counter.most_common())


def number(value: float | None) -> str:
    """A value with three digits, or a dash for none."""
    return "–" if value is None else f"{value:.3f}"


def bar(value: float | None, width: int = 20) -> str:
    """A bar of up to `width` blocks for a value in [0, 1]."""
    return "" if value is None else "█" * round(value * width)
