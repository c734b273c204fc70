"""Where the product keeps its files: the user's data and cache folders, or one folder of the user's choice."""

from __future__ import annotations

import os
import sys
from pathlib import Path

APP = "rubric-judge"


def data_dir() -> Path:
    """The folder of the store: $RUBRIC_JUDGE_HOME, or the platform's place for user data."""
    return _home() or _platform("XDG_DATA_HOME", ".local/share", "Library/Application Support", "LOCALAPPDATA")


def cache_dir() -> Path:
    """The folder of what can be fetched again, such as model weights: $RUBRIC_JUDGE_HOME/cache, or the platform's place."""
    home = _home()
    return home / "cache" if home else _platform("XDG_CACHE_HOME", ".cache", "Library/Caches", "LOCALAPPDATA")


def _home() -> Path | None:
    home = os.environ.get("RUBRIC_JUDGE_HOME")
    return Path(home).expanduser() if home else None


def _platform(variable: str, linux: str, mac: str, windows: str) -> Path:
    if chosen := os.environ.get(windows if os.name == "nt" else variable):
        return Path(chosen) / APP
    return Path.home() / (mac if sys.platform == "darwin" else linux) / APP
