"""Where an episode can be looked at: a page, or the command that shows it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from calibration.errors import CalibrationError
from calibration.reports.blocks import Cell

PLACE = "{episode}"


@dataclass(frozen=True, slots=True)
class Link:
    """How to lead to an episode. `template` is an address with `{episode}` in it; None gives the command instead.

    Raises CalibrationError for an address without `{episode}`, or one that is neither of the web nor relative.
    """

    template: str | None = None

    def __post_init__(self) -> None:
        if self.template is None:
            return
        if PLACE not in self.template:
            raise CalibrationError(
                f"link template {self.template!r} names no {PLACE}; write https://HOST/episodes/{PLACE}"
            )
        if urlsplit(self.template.strip()).scheme not in ("", "http", "https"):
            raise CalibrationError(
                f"link template {self.template!r} is no web address; expected https://… or a relative one"
            )

    def cell(self, episode: str) -> Cell:
        """The episode's id with its address, or with the command below it."""
        if self.template is None:
            return Cell(episode, code=True, command=f"judge show {shlex.quote(episode)}")
        return Cell(episode, code=True, href=self.template.strip().replace(PLACE, quote(episode, safe="")))
