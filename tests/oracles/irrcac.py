"""Coefficients of irrCAC for tables that stand in JSON on stdin; printed as JSON with 15 digits.

irrCAC pins versions that nothing else here can live with, so that this file is run by an interpreter of its own environment:

    python3 -m venv irrcac && irrcac/bin/python -m pip install irrCAC
    irrcac/bin/python tests/oracles/irrcac.py < tables.json

A table is `{"ratings": [[1, null, …], …], "levels": [1, 2, …], "weights": "identity"}`, units by raters.
"""

from __future__ import annotations

import json
import sys

import pandas as pd
from irrCAC.raw import CAC

DIGITS = 15


def coefficients(table: dict) -> dict:
    """Gwet's AC, Krippendorff's alpha, and Conger's kappa, which for two raters is Cohen's."""
    ratings = pd.DataFrame(table["ratings"], dtype=float)
    found = CAC(ratings, weights=table["weights"], categories=table["levels"], digits=DIGITS)
    return {
        "gwet": float(found.gwet()["est"]["coefficient_value"]),
        "krippendorff": float(found.krippendorff()["est"]["coefficient_value"]),
        "kappa": float(found.conger()["est"]["coefficient_value"]) if ratings.shape[1] == 2 else None,
    }


if __name__ == "__main__":
    json.dump([coefficients(table) for table in json.load(sys.stdin)], sys.stdout)
