# SPDX-License-Identifier: GPL-3.0-or-later
"""Any layer that QGIS has, as a source that the executable opens and that holds the rows which the screen shows."""
