# SPDX-License-Identifier: GPL-3.0-or-later
"""The fictitious town of Tileham, made from formulas and a fixed seed; make_town.py writes its files."""
