# SPDX-License-Identifier: GPL-3.0-or-later
"""Every name of Qt that the plugin uses is there in PyQt 5 and in PyQt 6, and every enumeration is scoped."""

import qt_names
from qgis_harness import PLUGIN, QgisTest, run_tests


def split(used):
    """The names of Qt, and those of QGIS."""
    qt = {item for item in used if item[0].startswith(qt_names.QT)}
    return qt, {item for item in used - qt if item[0].startswith("qgis.")}


class QtNamesTest(QgisTest):
    @classmethod
    def setUpClass(cls):
        cls.used, cls.forbidden = set(), []
        for file in sorted(PLUGIN.rglob("*.py")):
            used, forbidden = qt_names.used_names(file.read_text(encoding="utf-8"))
            cls.used |= used
            cls.forbidden += [f"{file.name}: {name}" for name in forbidden]
        cls.qt, cls.qgis = split(cls.used)

    def test_names_were_found(self):
        self.assertIn(("qgis.PyQt.QtCore", ("QMetaType", "Type", "Double")), self.qt)
        self.assertGreater(len(self.qgis), 50)

    def test_qt_is_imported_through_qgis_alone(self):
        self.assertEqual([item for item in self.used if item[0].startswith("PyQt")], [])
        self.assertEqual(self.forbidden, [])

    def test_qt5_has_every_name(self):
        self.assertEqual(qt_names.missing_from(self.qt, qt_names.QT), [])

    def test_qt6_has_every_name(self):
        self.assertEqual(qt_names.missing_from_qt6(self.qt), [])

    def test_enumerations_of_qgis_are_scoped(self):
        self.assertEqual(qt_names.unscoped_members(self.qgis), [])

    def test_what_qt6_has_no_more_is_found(self):
        code = ("from qgis.PyQt.QtCore import Qt, QVariant, QProcess, QRegExp\n"
                "from qgis.PyQt.QtGui import QFont\n"
                "from qgis.core import QgsVectorFileWriter\n"
                "a = (Qt.AlignCenter, QVariant.Double, QProcess.FailedToStart, Qt.AlignmentFlag.AlignLeft)\n"
                "b = QFont.Weight.Bold\nc.exec_()\n"
                "d = QgsVectorFileWriter.CreateOrOverwriteFile\n"
                "e = QgsVectorFileWriter.ActionOnExistingFile.CreateOrOverwriteFile\n")
        used, forbidden = qt_names.used_names(code)
        qt, qgis = split(used)
        missing = {".".join(chain) for _, chain in qt_names.missing_from_qt6(qt)}
        self.assertEqual(missing, {"Qt.AlignCenter", "QVariant.Double", "QProcess.FailedToStart", "QRegExp"})
        self.assertEqual(forbidden, [".exec_"])
        self.assertEqual([chain for _, chain, _ in qt_names.unscoped_members(qgis)],
                         [("QgsVectorFileWriter", "CreateOrOverwriteFile")])


if __name__ == "__main__":
    run_tests()
