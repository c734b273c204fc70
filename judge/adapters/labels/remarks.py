"""What reading a file of labels brings besides labels: rows that give none, what was left out, and what one should know."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.label import Label


@dataclass(frozen=True)
class BadRow:
    """A row or answer that should have been a label and gives none: where it stands, what is wrong and what to do."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(frozen=True)
class LeftOut:
    """Something that is no person's answer, or that nothing says how to read. Equal reasons are counted together."""

    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


@dataclass(frozen=True)
class Told:
    """Something to know about a file as a whole, told once."""

    message: str

    def __str__(self) -> str:
        return self.message


Remark = BadRow | LeftOut | Told
Read = Label | Remark
