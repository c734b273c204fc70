"""Labels of every kind, for properties."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import strategies as st

from calibration.label import Label

# Marks that tables, JSON and messages could trip over. No form promises to keep the outer blanks of a name.
names = st.text("aB7,;|\"'=/\\ßé日-. ", min_size=1, max_size=6).map(str.strip).filter(bool)
notes = st.text("ab,;|\"'\\ \t\r\n\u2028\x1fé日😀=", max_size=8)
criteria = st.sampled_from(["tone", "amount", "c1", "a_b.c-d:e", "X"])
# Texts that are read as other answers (true, 4.0, Can't-tell) are covered by the tests of answers.
levels = st.sampled_from(["yes", "no", "1", "4", "warm", "very good, indeed", "cannot_tell", "not_applicable"])
shares = st.floats(0, 1)
times = st.datetimes(
    datetime(1990, 1, 1),
    datetime(2100, 1, 1),
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))]),
)


@st.composite
def sampled(draw: st.DrawFn, *, values: bool = True) -> list[Label]:
    """People's labels, one for a question and person, each episode with one sampling."""
    kinds = labels(values=values, kinds=("person:",))
    some = draw(st.lists(kinds, min_size=1, max_size=4, unique_by=lambda x: (x.episode, x.criterion, x.rater)))
    first = {label.episode: label for label in reversed(some)}
    facts = {episode: {"inclusion": x.inclusion, "stratum": x.stratum} for episode, x in first.items()}
    return [label.model_copy(update=facts[label.episode]) for label in some]


@st.composite
def labels(draw: st.DrawFn, *, values: bool = True, kinds: tuple[str, ...] = ("person:", "", "check:")) -> Label:
    """One label; without `values` only such as have a level."""
    criterion = draw(st.none() | criteria)
    level = draw(levels if criterion else st.sampled_from(["pass", "fail", "cannot_tell", "not_applicable"]))
    value = draw(st.none() | shares) if values else None
    rater = draw(st.sampled_from(kinds)) + draw(names)
    return Label(
        episode=draw(names), criterion=criterion, rater=rater, level=None if value is not None else level, value=value,
        note=draw(notes), inclusion=draw(st.none() | st.floats(0.001, 1)), stratum=draw(st.none() | names),
        at=draw(st.none() | times), used_for=draw(st.sampled_from([None, "tuning", "example"])),
    )  # fmt: skip
