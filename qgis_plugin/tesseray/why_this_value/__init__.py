# SPDX-License-Identifier: GPL-3.0-or-later
"""The map tool “Why this value?” and its dock."""
