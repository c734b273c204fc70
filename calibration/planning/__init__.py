"""How many labels a wish takes, and which episodes to label next."""

from __future__ import annotations

from calibration.planning.plan import plan
from calibration.planning.wishes import Queueing, Wish

__all__ = ["Queueing", "Wish", "plan"]
