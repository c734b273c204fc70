"""People's labels in and out: our own CSV and JSON Lines, Label Studio, Argilla, Langfuse, MLflow, Inspect, HealthBench.

Every format is read into the same noun, `calibration.label.Label`, or into a sentence that says why there is none.
"""

from judge.adapters.labels.forms import FORMS
from judge.adapters.labels.naming import Naming
from judge.adapters.labels.reading import read_labels, write_labels
from judge.adapters.labels.remarks import BadRow, LeftOut, Told
from judge.adapters.labels.where import labels_from

__all__ = ["FORMS", "BadRow", "LeftOut", "Naming", "Told", "labels_from", "read_labels", "write_labels"]
