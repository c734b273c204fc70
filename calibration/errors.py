"""The errors of calibration.

ValueError
└── CalibrationError        what was given can't be used: who, what, expected, and what to do
    ├── LabelError          a label that can't be read or does not fit
    └── OtherGraderError    grades of another grader or outside the calibration's scope
"""


class CalibrationError(ValueError):
    """What was given can't be used for calibrating; the sentence says what was expected and what to do."""


class LabelError(CalibrationError):
    """A label that can't be read, or whose level is not on the scale."""


class OtherGraderError(CalibrationError):
    """The grades come from another grader than the calibration was fitted on, or lie outside its scope."""
