"""Samples from plain columns and from grades paired with labels."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.errors import CalibrationError
from calibration.estimating import Sample, estimate, sample_of
from calibration.items import Pairing
from calibration.label import Label
from calibration.pairing import pair
from tests.calibration.panels import records_of, simulate


def test_a_value_that_cannot_be_is_refused_with_its_name() -> None:
    for columns, what in (
        (([0.1, 0.2], [1.0]), "2 judged values but 1 of `truth`"),
        (([0.1, np.nan], [1.0, 0.0]), "1 of 2 episodes have no judged value"),
        (([0.1, 7.0], [1.0, 0.0]), "`judged` has a value outside"),
        (([0.1, 0.2], [1.0, 2.0]), "`truth` has a value outside"),
    ):
        with pytest.raises(CalibrationError, match=what):
            Sample.of(*columns)
    with pytest.raises(CalibrationError, match="an inclusion probability is not in"):
        Sample.of([0.1], [1.0], inclusion=[0.0])


def records(n: int = 40):
    return records_of(simulate("corr", n, np.random.default_rng(0), rollouts=2, intraclass=0.3))


def labels(n: int, **about) -> list[Label]:
    return [Label(episode=f"e{i}", rater="ann", level="pass" if i % 3 else "fail", **about) for i in range(n)]


def test_grades_and_labels_make_a_sample() -> None:
    found = sample_of(pair(records(), labels(12, inclusion=0.3)))
    assert (len(found), found.labelled, int(found.labelled_groups.sum())) == (40, 12, 6)
    assert found.rate == pytest.approx(8 / 12)
    assert found.judges is not None
    assert found.judges.shape == (40, 5)
    assert np.allclose(found.judged, found.judges.mean(axis=1))


def test_a_criterion_has_a_sample_of_its_own() -> None:
    labels = [Label(episode="e1", criterion="solved", rater="ann", level="3")]
    found = sample_of(pair(records(), labels), "solved")
    assert found.known_truth.tolist() == [0.5]
    with pytest.raises(CalibrationError, match="no grade has a criterion 'tone', expected one of"):
        sample_of(pair(records(), labels), "tone")


def shut(record):
    return record.model_copy(update={"closed_gates": ("right_state",), "score": 0.0, "passed": False})


def test_an_episode_behind_a_closed_gate_fails_without_a_label() -> None:
    rows = [shut(r) if i >= 30 else r for i, r in enumerate(records())]
    found = sample_of(pair(rows, [*labels(12), Label(episode="e35", rater="ann", level="pass")]))
    assert (found.labelled, int(found.settled.sum())) == (12, 10)
    assert found.judged[30:].tolist() == [0.0] * 10
    assert found.rate == pytest.approx(8 / 12 * 30 / 40)
    assert estimate(found).warnings[0] == "10 episodes failed at a gate"


def test_a_gate_that_is_only_evidence_leaves_value_and_label_as_they_are() -> None:
    rows = [shut(r) if i >= 30 else r for i, r in enumerate(records())]
    pairing = pair(rows, [*labels(12), Label(episode="e35", rater="ann", level="pass")])
    found = sample_of(pairing, closed="as_judged")
    assert found.labelled == 13
    assert found.judged[35] == pytest.approx(rows[35].ungated)


def test_ungraded_episodes_and_labels_for_debugging_are_left_out_and_counted() -> None:
    rows = records()
    rows[39] = rows[39].model_copy(
        update={"ungated": None, "score": None, "judgements": (), "verdicts": (), "panel": ()}
    )
    found = sample_of(pair(rows, [*labels(12), Label(episode="e20", rater="ann", level="fail", stratum="debug")]))
    assert (len(found), found.labelled) == (39, 12)
    assert found.notes == ("1 episode has no grade and is left out", "1 label of the debugging queue is left out")


def test_calibrated_probabilities_may_stand_in_for_the_panels_value() -> None:
    found = sample_of(pair(records(), labels(3)), values={("e1", None): 0.123})
    assert found.judged[1] == 0.123


def test_an_empty_pairing_says_so() -> None:
    with pytest.raises(CalibrationError, match="no grade has a criterion None"):
        sample_of(Pairing((), ()))
