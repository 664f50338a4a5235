# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics of errors by the definitions of docs/comparison.md."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

NAN = float("nan")


@dataclass
class ErrorFigures:
    """Figures of one group of measurements, dB; NaN where one is not defined."""

    n: int = 0
    mean_db: float = NAN
    std_db: float = NAN
    rmse_db: float = NAN
    mae_db: float = NAN
    median_db: float = NAN
    p10_db: float = NAN
    p90_db: float = NAN
    correlation: float = NAN

    def differs_from(self, other: ErrorFigures, tolerance_db: float) -> bool:
        """Whether a figure differs by more than the tolerance, or is defined in one of them alone."""
        mine = np.array([getattr(self, f.name) for f in fields(self)], dtype=float)
        theirs = np.array([getattr(other, f.name) for f in fields(self)], dtype=float)
        return not np.allclose(mine, theirs, rtol=0, atol=tolerance_db, equal_nan=True)


@dataclass
class DistanceLine:
    """The straight line over log10 of the distance that fits levels best; NaN where there is none."""

    db_per_decade: float = NAN
    std_db: float = NAN  # of the levels about it, with n − 2


def line_over_distance(distance_m: np.ndarray, level_db: np.ndarray) -> DistanceLine:
    """By least squares; both of shape (n,). None for less than three values, or for all at one distance."""
    decades = np.log10(np.maximum(distance_m, 1.0))
    n = len(level_db)
    if n < 3 or np.ptp(decades) == 0:
        return DistanceLine()
    about = decades - decades.mean()
    slope = float(about @ level_db / (about @ about))
    rest = level_db - level_db.mean() - slope * about
    return DistanceLine(slope, float(np.sqrt(rest @ rest / (n - 2))))


def figures_of(predicted_db: np.ndarray, measured_db: np.ndarray) -> ErrorFigures:
    """Of errors predicted − measured, both of shape (n,) in dB."""
    error_db = predicted_db - measured_db
    n = len(error_db)
    if n == 0:
        return ErrorFigures()
    found = ErrorFigures(n=n, mean_db=float(error_db.mean()), rmse_db=float(np.sqrt(np.mean(error_db**2))),
                         mae_db=float(np.abs(error_db).mean()))
    found.p10_db, found.median_db, found.p90_db = (float(v) for v in np.percentile(error_db, (10, 50, 90)))
    if n > 1:
        found.std_db = float(error_db.std(ddof=1))
        if predicted_db.std() > 0 and measured_db.std() > 0:
            found.correlation = float(np.corrcoef(predicted_db, measured_db)[0, 1])
    return found
