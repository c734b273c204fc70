"""The forms that labels are read from and written to, by the names of `--from` and `--to`."""

from __future__ import annotations

from judge.adapters.labels.argilla import ARGILLA
from judge.adapters.labels.form import Form
from judge.adapters.labels.healthbench import HEALTHBENCH
from judge.adapters.labels.inspect import INSPECT, SCOUT
from judge.adapters.labels.label_studio import LABEL_STUDIO
from judge.adapters.labels.langfuse import LANGFUSE
from judge.adapters.labels.mlflow import MLFLOW
from judge.adapters.labels.source import Source
from judge.adapters.labels.table import CSV, JSONL
from judge.errors import InputError
from rubrics.explaining import suggestion

# In the order in which a file is tried: the most particular first.
FORMS: dict[str, Form] = {
    "healthbench": HEALTHBENCH, "label-studio": LABEL_STUDIO, "argilla": ARGILLA, "mlflow": MLFLOW, "langfuse": LANGFUSE,
    "jsonl": JSONL, "inspect": INSPECT, "scout": SCOUT, "csv": CSV,
}  # fmt: skip


def form_named(name: str) -> Form:
    """The form of that name. Raises InputError with what there is."""
    if name not in FORMS:
        raise InputError(f"form {name!r}: expected one of {', '.join(FORMS)}{suggestion(name, FORMS)}")
    return FORMS[name]


def form_of(source: Source) -> str:
    """The form that a file looks like. Raises InputError if it looks like none: nothing is guessed."""
    if source.holds_json:
        value = source.first_value()
        found = next((name for name, form in FORMS.items() if form.looks and form.looks(value)), None)
        shows = (
            f"an object with {', '.join(list(value)[:8])}" if isinstance(value, dict) else "no object that can be read"
        )
    else:
        head = next(source.rows(), None)
        cells = [cell.strip() for cell in head[1]] if isinstance(head, tuple) else []
        found = next((name for name, form in FORMS.items() if form.looks_table and form.looks_table(cells)), None)
        shows = f"a table with {', '.join(cells[:8])}" if len(cells) > 1 else "neither JSON nor a table with a header"
    if found is None:
        raise InputError(
            f"{source.name}: begins with {shows}, which looks like no known form; say which with --from: {', '.join(FORMS)}"
        )
    return found
