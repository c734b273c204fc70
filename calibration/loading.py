"""Calibrations from files and back."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from calibration.calibration import Calibration
from calibration.errors import CalibrationError


def load(path: str | Path) -> Calibration:
    """The calibration in a JSON file. Raises CalibrationError that names the field that is wrong."""
    path = Path(path)
    try:
        text = path.read_bytes()
    except OSError as error:
        raise CalibrationError(f"{path}: can't be read: {error.strerror}") from None
    try:
        found = Calibration.from_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the document"
        raise CalibrationError(
            f"{path}: is no calibration: {where}: {first['msg']}; make one with `judge calibrate GRADES --labels LABELS -o FILE`"
        ) from None
    if found.identified().id != found.id:
        raise CalibrationError(
            f"{path}: its content is not that of calibration {found.id}: it was changed by hand; fit it again"
        )
    return found
