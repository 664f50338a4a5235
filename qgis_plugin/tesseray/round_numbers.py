# SPDX-License-Identifier: GPL-3.0-or-later
"""Round numbers for axes and classes. Imports no QGIS."""

from __future__ import annotations

import math

_LEAST_SPAN = 1e-9


def round_step(span: float, parts: int) -> float:
    """1, 2 or 5 times a power of ten: the smallest that divides the span into no more than `parts`."""
    rough = max(span, _LEAST_SPAN) / parts
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
