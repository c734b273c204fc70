"""What the real libraries write: `python -m tests.judge.labels.real` in an environment that has one of them makes its files anew.

The files in `exports/` were made by argilla 2.8.0, langfuse 5.2.0, mlflow-skinny 3.17.2, inspect_ai 0.3.285 and
label-studio-sdk 2.1.2, so that reading them is tested without these packages.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

EXPORTS = Path(__file__).parent / "exports"
ANN, BEN = "6f2a2f6e-5b0e-4e0e-9c35-0f7b9c1d2a01", "6f2a2f6e-5b0e-4e0e-9c35-0f7b9c1d2a02"
TIME = "2026-01-01T00:00:00.000Z"
MILLISECONDS = 1767225600000


def argilla() -> dict[str, Any]:
    """Records with submitted, draft and discarded responses, nested, flattened, and as the server's model has them."""
    import argilla as rg
    from argilla._models import RecordModel
    from argilla._models._record._response import UserResponseModel
    from argilla.records._io import GenericIO

    def said(question: str, value: Any, user: str, status: str = "submitted") -> Any:
        return rg.Response(question, value, user_id=uuid.UUID(user), status=status)

    records = [
        rg.Record(
            id="a1", fields={"reply": "We refunded 48.00."}, metadata={"inclusion_probability": 0.25, "stratum": "passes"},
            responses=[
                said("amount", "yes", ANN), said("amount", "no", BEN), said("tone", 4, ANN), said("overall", "pass", ANN),
                said("amount_note", "states 48.00", ANN), said("topics", ["refund", "mail"], ANN),
            ],
            suggestions=[rg.Suggestion("amount", "yes", agent="gpt", score=0.9)],
        ),
        rg.Record(
            id="a2", fields={"reply": "Hello."},
            responses=[said("amount", "yes", ANN, "draft"), said("amount", None, BEN, "discarded"), said("tone", 1, BEN)],
        ),
    ]  # fmt: skip
    server = RecordModel(
        external_id="a1", fields={"reply": "We refunded 48.00."}, metadata={}, status="completed",
        responses=[
            UserResponseModel(values={"amount": {"value": "yes"}, "tone": {"value": 4}}, status="submitted", user_id=ANN),
            UserResponseModel(values={"amount": {"value": "no"}}, status="draft", user_id=BEN),
        ],
    )  # fmt: skip
    return {
        "argilla_nested.json": GenericIO.to_list(records, flatten=False),
        "argilla_flat.json": [dict(sorted(record.items())) for record in GenericIO.to_list(records, flatten=True)],
        "argilla_server.json": [json.loads(server.model_dump_json(exclude={"suggestions"}))],
    }


def langfuse() -> dict[str, Any]:
    """Pages of scores as versions 2 and 3 of the API give them."""
    from langfuse.api.commons.types import score as v2
    from langfuse.api.scores.types import score_v3 as v3

    common = {
        "source": "ANNOTATION",
        "timestamp": TIME,
        "created_at": TIME,
        "updated_at": TIME,
        "environment": "default",
    }
    ann = {**common, "author_user_id": "ann", "comment": "states 48.00"}
    old = [
        v2.Score_Boolean(**ann, id="1", trace_id="t1", name="amount", value=1, string_value="True"),
        v2.Score_Categorical(**ann, id="2", trace_id="t1", name="tone", value=0, string_value="warm"),
        v2.Score_Numeric(**{**ann, "comment": None}, id="3", trace_id="t1", name="overall", value=0.75),
        v2.Score_Numeric(**{**ann, "source": "EVAL"}, id="4", trace_id="t1", name="amount", value=0.5),
        v2.Score_Numeric(**{**ann, "source": "API"}, id="5", trace_id="t1", name="amount", value=1),
        v2.Score_Boolean(
            **ann, id="6", trace_id="t1", observation_id="o1", name="amount", value=0, string_value="False"
        ),
        v2.Score_Boolean(**ann, id="7", session_id="s1", name="amount", value=0, string_value="False"),
        v2.Score_Text(**ann, id="8", trace_id="t1", name="remark", string_value="fine"),
    ]
    part = {**ann, "project_id": "p"}
    new = [
        v3.ScoreV3_Boolean(**part, id="1", name="amount", value=False, subject={"kind": "trace", "id": "t1"}),
        v3.ScoreV3_Categorical(**part, id="2", name="tone", value="warm", subject={"kind": "trace", "id": "t1"}),
        v3.ScoreV3_Numeric(**part, id="3", name="stars", value=4.0, subject={"kind": "trace", "id": "t1"}),
        v3.ScoreV3_Boolean(
            **part, id="4", name="amount", value=True, subject={"kind": "observation", "id": "o1", "trace_id": "t1"}
        ),
    ]
    meta = {"page": 1, "limit": 50, "totalItems": len(old), "totalPages": 1}
    return {
        "langfuse_v2.json": {"data": [json.loads(score.json()) for score in old], "meta": meta},
        "langfuse_v3.json": {"data": [json.loads(score.json()) for score in new], "meta": {"cursor": None}},
    }


def mlflow() -> dict[str, Any]:
    """Assessments by people, a judge and code, alone and inside a trace."""
    from mlflow.entities import (
        AssessmentSource,
        Expectation,
        Feedback,
        Trace,
        TraceData,
        TraceInfo,
        TraceLocation,
        TraceState,
    )

    times = {"create_time_ms": MILLISECONDS, "last_update_time_ms": MILLISECONDS + 60_000}

    def by(kind: str, name: str) -> Any:
        return AssessmentSource(source_type=kind, source_id=name)

    def said(name: str, value: Any, source: Any, **more: Any) -> Any:
        return Feedback(name, value, source=source, trace_id="tr-1", **times, **more)

    ann, ben = by("HUMAN", "ann@example.com"), by("HUMAN", "ben@example.com")
    alone = [
        said("amount", True, ann, rationale="states 48.00"),
        said("tone", 4, ann),
        said("overall", "pass", ben, metadata={"episode_id": "a1", "inclusion_probability": "0.25"}),
        said("amount", "yes", by("LLM_JUDGE", "gpt")),
        said("length", 0.5, by("CODE", "length.py")),
        Feedback("amount", error="timeout", source=ben, trace_id="tr-1", **times),
        said("amount", True, ben, valid=False),
        Expectation("expected_response", "48.00", source=ann, trace_id="tr-1", **times),
    ]
    info = TraceInfo(
        trace_id="tr-1", trace_location=TraceLocation.from_experiment_id("0"), request_time=MILLISECONDS, state=TraceState.OK,
        execution_duration=5, assessments=alone[:5], tags={"episode_id": "a1"},
    )  # fmt: skip
    trace = Trace(info=info, data=TraceData(spans=[]))
    return {
        "mlflow_assessments.json": [assessment.to_dictionary() for assessment in alone],
        "mlflow_trace.json": [json.loads(trace.to_json())],
    }


def inspect() -> dict[str, Any]:
    """A log in which people edited scores, beside scores of scorers."""
    from inspect_ai.dataset import Sample  # noqa: F401 - loads what the log's models need
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, ProvenanceData, edit_score
    from inspect_ai.scorer import Score, ScoreEdit

    def sample(name: str, epoch: int, **scores: Any) -> Any:
        return EvalSample(id=name, epoch=epoch, input="q", target="x", uuid=f"{name}-{epoch}", scores=scores)

    def by(author: str) -> Any:
        return ProvenanceData(author=author, timestamp=TIME)

    log = EvalLog(
        status="success",
        eval=EvalSpec(
            created=TIME, task="refunds", dataset=EvalDataset(samples=2), model="mockllm/model", config=EvalConfig(epochs=1),
            eval_id="e", run_id="r", task_id="t",
        ),
        samples=[
            sample("a1", 1, match=Score(value="I"), people=Score(value="C", explanation="fine", metadata={"rater": "cleo"})),
            sample("a2", 1, match=Score(value="C"), people=Score(value="P"), broken=Score.unscored(reason="grader_failed")),
        ],
    )  # fmt: skip
    edit_score(
        log,
        "a1",
        "match",
        ScoreEdit(value="C", explanation="right all the same", provenance=by("ann")),
        recompute_metrics=False,
    )
    edit_score(
        log, "a2", "review", ScoreEdit(value={"amount": True, "tone": 4}, provenance=by("ben")), recompute_metrics=False
    )
    return {"inspect_log.json": json.loads(log.model_dump_json(exclude_none=True))}


def label_studio() -> dict[str, Any]:
    """Results as the SDK makes them for a labelling interface, in tasks as the page on the task format shows them."""
    from label_studio_sdk.label_interface import LabelInterface

    controls = {control.name: control for control in LabelInterface(INTERFACE).controls}

    def result(name: str, key: str, value: Any) -> Any:
        return {**controls[name].label(**{key: value})._dict(), "id": name}

    def annotation(number: int, by: Any, *results: Any, **more: Any) -> Any:
        times = {"created_at": TIME, "updated_at": TIME}
        made = {
            "id": number,
            "completed_by": by,
            "result": list(results),
            "was_cancelled": False,
            "ground_truth": False,
            **times,
        }
        return {**made, "lead_time": 4.2, "result_count": len(results), "task": 1, **more}

    first = [
        annotation(
            11, 7, result("amount", "choices", ["yes"]), result("stars", "rating", 4), result("amount_note", "text", ["states 48.00"]),
            result("share", "number", 0.5), result("verdict", "choices", ["pass"]), result("remarks", "text", ["hm"]),
        ),
        annotation(12, {"id": 8, "email": "ben@example.com"}, result("amount", "choices", ["no"]), ground_truth=True),
        annotation(13, 9, was_cancelled=True),
        annotation(14, 9, result("amount", "choices", ["yes"]), reviews=[{"accepted": False, "annotation": 14}]),
    ]  # fmt: skip
    tasks = [
        {
            "id": 1,
            "data": {"episode_id": "a1", "reply": "We refunded 48.00.", "inclusion_probability": 0.25},
            "annotations": first,
        },
        {
            "id": 2,
            "data": {"reply": "Hello."},
            "annotations": [annotation(21, 7, result("amount", "choices", ["cannot_tell"]))],
        },
    ]
    prediction = {"model_version": "m1", "result": [result("amount", "choices", ["yes"])]}
    return {"label_studio.json": [{**task, "predictions": [prediction], "project": 83} for task in tasks]}


INTERFACE = """<View><Text name="episode" value="$reply"/>
<Choices name="amount" toName="episode"><Choice value="yes"/><Choice value="no"/><Choice value="cannot_tell"/></Choices>
<Choices name="verdict" toName="episode"><Choice value="pass"/><Choice value="fail"/></Choices>
<Choices name="overall" toName="episode"><Choice value="pass"/><Choice value="fail"/></Choices>
<Rating name="stars" toName="episode" maxRating="5"/><Number name="share" toName="episode" min="0" max="1"/>
<TextArea name="amount_note" toName="episode"/><TextArea name="remarks" toName="episode"/></View>"""
MAKERS: dict[str, Callable[[], dict[str, Any]]] = {
    "argilla": argilla, "langfuse": langfuse, "mlflow": mlflow, "inspect_ai": inspect, "label_studio_sdk": label_studio,
}  # fmt: skip


def main() -> None:
    """Write the files of every library that is installed."""
    EXPORTS.mkdir(exist_ok=True)
    for package, make in MAKERS.items():
        if find_spec(package):
            for name, content in make().items():
                EXPORTS.joinpath(name).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
