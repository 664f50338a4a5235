# SPDX-License-Identifier: GPL-3.0-or-later
"""Results open in QGIS with their colours, units, labels and 3D view, and the plugin ships the same styles."""

import pathlib
import sqlite3
import sys
import tempfile

import numpy as np

import qgis_harness as harness
from qgis_harness import EXECUTABLE, SOURCE, QgisTest, run_tests

sys.path.insert(0, str(SOURCE / "scripts"))
import write_styles  # noqa: E402, the folder is known only now

# Field, breaks, unit.
GRADUATED = {
    "path_loss": ("path_loss_db", list(range(60, 151, 10)), "dB"),
    "receiver_path_loss": ("path_loss_db", list(range(60, 151, 10)), "dB"),
    "prediction_error": ("error_db", [-15, -10, -6, -3, 3, 6, 10, 15], "dB"),
    "rays": ("power_dbm", list(range(-130, -39, 10)), "dBm"),
}
CATEGORIZED = {
    "tiles": ("kind", {"ground": "Ground", "roof": "Roof", "wall": "Wall"}),
    "edges": ("kind", {"roof": "Roof edge", "corner": "Vertical corner", "terrain": "Terrain ridge"}),
    "issues": ("action", {"dropped": "Dropped", "repaired": "Repaired", "assumed": "Assumed"}),
}
SINGLE = {"transmitters", "buildings", "vegetation"}
TABLES = {"error_statistics"}

# Machado, Oliveira and Fernandes 2009: how full protanopia, deuteranopia and tritanopia see linear RGB.
COLOR_BLINDNESS = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def lab(colors, blindness=None):
    """CIE L*a*b* (D65) of sRGB colours of shape (n, 3), 0 … 255, as somebody with a colour blindness sees them."""
    srgb = np.asarray(colors, dtype=float) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    if blindness:
        linear = np.clip(linear @ np.array(COLOR_BLINDNESS[blindness]).T, 0, 1)
    to_xyz = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                       [0.0193339, 0.1191920, 0.9503041]])
    ratio = linear @ to_xyz.T / (0.95047, 1.0, 1.08883)
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack((116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])), axis=1)


class StylesTest(QgisTest):
    @classmethod
    def setUpClass(cls):
        """One study with all layers; QGIS with its 3D renderers, as the application has them."""
        harness.start_qgis()
        from qgis._3d import Qgs3D
        from qgis.core import QgsApplication

        Qgs3D.initialize()
        folder = tempfile.TemporaryDirectory(prefix="styles-", ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.study, cls.environment = write_styles.make_study(EXECUTABLE, pathlib.Path(folder.name))
        cls.messages = []
        QgsApplication.messageLog().messageReceived.connect(
            lambda text, tag, level: cls.messages.append(f"{tag}: {text}"))

    def setUp(self):
        super().setUp()
        self._alive = []

    def layer(self, name):
        from qgis.core import QgsVectorLayer

        file = self.environment if name in ("buildings", "vegetation") else self.study
        layer = QgsVectorLayer(f"{file}|layername={name}", name, "ogr")
        self.assertTrue(layer.isValid(), name)
        self._alive.append(layer)  # renderers and symbols belong to their layer, and go with it
        return layer

    def all_layers(self):
        return {name: self.layer(name) for name in [*GRADUATED, *CATEGORIZED, *SINGLE, *TABLES]}

    def apply(self, qml, layer):
        """As from a file: loadNamedStyle would take the default of the layer's GeoPackage before any file."""
        from qgis.PyQt.QtXml import QDomDocument

        document = QDomDocument()
        self.assertTrue(document.setContent(qml)[0])
        applied, message = layer.importNamedStyle(document)
        self.assertTrue(applied, f"{layer.name()}: {message}")

    def test_the_plugin_ships_the_styles_of_the_executable(self):
        shipped = {file.name: file.read_text(encoding="utf-8") for file in write_styles.SHIPPED.glob("*.qml")}
        self.assertEqual(shipped, write_styles.styles_in(self.study, self.environment),
                         "run scripts/write_styles.py when styles were changed in core/io/results/styles.cpp")

    def test_layers_open_styled_and_without_a_message(self):
        self.messages.clear()
        layers = self.all_layers()
        self.assertEqual(self.messages, [])
        for name, layer in layers.items():
            self.assertEqual(layer.crs().authid(), "" if name in TABLES else "EPSG:25832", name)

    def test_shipped_styles_load_without_a_message(self):
        self.messages.clear()
        for file in write_styles.SHIPPED.glob("*.qml"):
            self.apply(file.read_text(encoding="utf-8"), self.layer(file.stem.split("-")[0]))
        self.assertEqual(self.messages, [])

    def test_graduated_legends_have_round_breaks_and_units(self):
        for name, (field, breaks, unit) in GRADUATED.items():
            renderer = self.layer(name).renderer()
            self.assertEqual((renderer.type(), renderer.classAttribute()), ("graduatedSymbol", field), name)
            ranges = renderer.ranges()
            self.assertEqual([r.lowerValue() for r in ranges][1:], breaks, name)
            self.assertEqual([r.upperValue() for r in ranges][:-1], breaks, name)
            labels = [item.label() for item in renderer.legendSymbolItems()]
            self.assertTrue(labels[0].startswith(f"below {breaks[0]} {unit}"), labels)
            self.assertTrue(labels[-1].startswith(f"above {breaks[-1]} {unit}"), labels)
            self.assertEqual(labels[1], f"{breaks[0]} to {breaks[1]} {unit}")
            self.assertTrue(all(f" {unit}" in label for label in labels), labels)

    def test_categories_are_all_values_there_can_be(self):
        for name, (field, values) in CATEGORIZED.items():
            renderer = self.layer(name).renderer()
            self.assertEqual((renderer.type(), renderer.classAttribute()), ("categorizedSymbol", field), name)
            self.assertEqual({c.value(): c.label() for c in renderer.categories()}, values)
        for name in SINGLE:
            self.assertEqual(self.layer(name).renderer().type(), "singleSymbol", name)

    def test_drawing_evaluates_no_expression_per_feature(self):
        from qgis.core import QgsRenderContext

        for name, layer in self.all_layers().items():
            if name in TABLES:
                continue
            context = QgsRenderContext()
            attribute = (GRADUATED.get(name) or CATEGORIZED.get(name) or (None,))[0]
            # The field itself, not an expression that uses it: the renderer looks it up by its number.
            self.assertEqual(layer.renderer().usedAttributes(context), {attribute} if attribute else set(), name)
            for symbol in layer.renderer().symbols(context):
                self.assertFalse(symbol.hasDataDefinedProperties(), name)

    def test_fields_are_shown_with_their_units(self):
        for name, layer in self.all_layers().items():
            file = self.environment if name in ("buildings", "vegetation") else self.study
            with sqlite3.connect(file) as database:
                titles = dict(database.execute("SELECT column_name, title FROM gpkg_data_columns "
                                               "WHERE table_name = ?", (name,)))
            shown = {field.name(): field.alias() for field in layer.fields() if field.name() != "fid"}
            self.assertEqual(shown, titles, name)
        names = self.layer("path_loss").fields()
        self.assertEqual(names.field("path_loss_db").displayName(), "Path loss [dB]")
        self.assertEqual(names.field("field_dbuvm").displayName(), "Field strength [dB(µV/m)]")

    def test_measurements_are_called_by_their_numbers(self):
        """QGIS would take the first text, which is empty for all that are used."""
        self.assertEqual(self.layer("prediction_error").displayExpression(), '"measurement_id"')

    def test_transmitters_are_labelled_by_name(self):
        for name, layer in self.all_layers().items():
            self.assertEqual(layer.labelsEnabled(), name == "transmitters", name)
        settings = self.layer("transmitters").labeling().settings()
        self.assertEqual((settings.fieldName, settings.isExpression), ("name", False))

    def rules_in_space(self, layer):
        """(filter, label, symbol) of a layer's 3D renderer."""
        from qgis._3d import (QgsLine3DSymbol, QgsPoint3DSymbol, QgsPolygon3DSymbol, QgsRuleBased3DRenderer,
                              QgsVectorLayer3DRenderer)
        from qgis.PyQt import sip

        kinds = {"polygon": QgsPolygon3DSymbol, "line": QgsLine3DSymbol, "point": QgsPoint3DSymbol}
        renderer = layer.renderer3D()
        self.assertIsNotNone(renderer, layer.name())
        if renderer.type() == "rulebased":
            rules = sip.cast(renderer, QgsRuleBased3DRenderer).rootRule().children()
            found = [(rule.filterExpression(), rule.description(), rule.symbol()) for rule in rules]
        else:
            found = [("", "", sip.cast(renderer, QgsVectorLayer3DRenderer).symbol())]
        return [(condition, label, sip.cast(symbol, kinds[symbol.type()])) for condition, label, symbol in found]

    def test_the_3d_view_draws_geometries_at_their_own_heights(self):
        from qgis.core import Qgis

        kinds = {Qgis.GeometryType.Polygon: "polygon", Qgis.GeometryType.Line: "line", Qgis.GeometryType.Point: "point"}
        for name, layer in self.all_layers().items():
            if name in TABLES:
                continue
            for _, _, symbol in self.rules_in_space(layer):
                self.assertEqual(symbol.altitudeClamping(), Qgis.AltitudeClamping.Absolute, name)
                if layer.geometryType() in kinds:  # issues are of any kind
                    self.assertEqual(symbol.type(), kinds[layer.geometryType()], name)
                if symbol.type() == "polygon":
                    self.assertEqual((symbol.extrusionHeight(), symbol.offset()), (0, 0), name)

    def test_the_3d_view_has_the_classes_and_colours_of_the_map(self):
        from qgis.core import QgsExpression, QgsExpressionContext, QgsExpressionContextUtils, QgsRenderContext

        for name in [*GRADUATED, *CATEGORIZED]:
            layer = self.layer(name)
            rules = self.rules_in_space(layer)
            drawn = layer.renderer().legendSymbolItems()
            self.assertEqual([label for _, label, _ in rules], [item.label() for item in drawn], name)
            for (_, label, symbol), item in zip(rules, drawn):
                material = symbol.materialSettings()
                self.assertEqual(self.ambient(material).name(), item.symbol().color().name(), f"{name}: {label}")
            # Every feature falls into the same class in space as on the map.
            context = QgsExpressionContext(QgsExpressionContextUtils.globalProjectLayerScopes(layer))
            render = QgsRenderContext()
            renderer = layer.renderer().clone()
            renderer.startRender(render, layer.fields())
            for feature in layer.getFeatures():
                context.setFeature(feature)
                fitting = [symbol for condition, _, symbol in rules if QgsExpression(condition).evaluate(context)]
                on_map = renderer.symbolForFeature(feature, render)
                self.assertEqual([self.ambient(symbol.materialSettings()).name() for symbol in fitting],
                                 [on_map.color().name()] if on_map else [], f"{name} {feature.id()}")
            renderer.stopRender(render)

    def ambient(self, material):
        from qgis._3d import QgsPhongMaterialSettings, QgsSimpleLineMaterialSettings
        from qgis.PyQt import sip

        kinds = {"phong": QgsPhongMaterialSettings, "simpleline": QgsSimpleLineMaterialSettings}
        return sip.cast(material, kinds[material.type()]).ambient()

    def test_buildings_stand_from_base_to_roof_in_the_3d_view(self):
        from qgis.core import QgsAbstract3DSymbol, QgsExpressionContext, QgsExpressionContextUtils

        for name, top in (("buildings", "roof_z"), ("vegetation", "top_z")):
            layer = self.layer(name)
            (_, _, symbol), = self.rules_in_space(layer)
            properties = symbol.dataDefinedProperties()
            context = QgsExpressionContext(QgsExpressionContextUtils.globalProjectLayerScopes(layer))
            features = list(layer.getFeatures())
            self.assertGreater(len(features), 3)
            for feature in features:
                context.setFeature(feature)
                offset, _ = properties.valueAsDouble(QgsAbstract3DSymbol.Property.PropertyHeight, context)
                height, _ = properties.valueAsDouble(QgsAbstract3DSymbol.Property.PropertyExtrusionHeight, context)
                drawn_from = next(feature.geometry().vertices()).z() + offset
                self.assertAlmostEqual(drawn_from, feature["base_z"], places=3)
                self.assertAlmostEqual(drawn_from + height, feature[top], places=3)

    def drawn(self, layer):
        """The layer on the map, as a picture and its place: (QImage, QgsMapToPixel)."""
        from qgis.core import QgsMapRendererParallelJob, QgsMapSettings
        from qgis.PyQt.QtCore import QSize

        settings = QgsMapSettings()
        settings.setLayers([layer])
        settings.setDestinationCrs(layer.crs())
        settings.setOutputSize(QSize(800, 800))
        settings.setOutputDpi(600)  # outlines of 0.2 mm, all that is seen of walls, are some pixels wide
        settings.setExtent(layer.extent())
        job = QgsMapRendererParallelJob(settings)
        job.start()
        job.waitForFinished()
        self.assertEqual(job.errors(), [])
        return job.renderedImage(), settings.mapToPixel()

    def best_features(self, layer, kind, field, better):
        """Of the transmitters' features for each tile the best one: what a map of all of them shall show."""
        best = {}
        for feature in layer.getFeatures(f"\"kind\" = '{kind}'"):
            value, tile = feature[field], feature["tile_id"]
            if isinstance(value, float) and (tile not in best or better(value, best[tile][field]) == value):
                best[tile] = feature
        transmitters = [feature["transmitter_id"] for feature in best.values()]
        self.assertGreater(min(transmitters.count(1), transmitters.count(2)), 0.1 * len(best))
        return list(best.values())

    def assert_tiles_have_the_colour_of(self, layer, field, better):
        ranges = layer.renderer().ranges()
        image, to_pixel = self.drawn(layer)
        # Roofs hide some of the ground, and walls stand over each other; what is not hidden has exactly its class's colour.
        for kind, least_share in (("ground", 0.6), ("wall", 0.6)):
            compared = []
            best = self.best_features(layer, kind, field, better)
            for feature in best:
                pixel = to_pixel.transform(feature.geometry().boundingBox().center())
                expected = next(r for r in ranges if r.lowerValue() <= feature[field] <= r.upperValue())
                shown = image.pixelColor(int(pixel.x()), int(pixel.y()))
                if shown.name() == expected.symbol().color().name():
                    compared.append(expected.label())
            self.assertGreater(len(compared), least_share * len(best), kind)
            self.assertGreater(len(set(compared)), 2, kind)

    def test_tiles_are_drawn_in_the_colours_of_the_transmitter_with_the_least_path_loss(self):
        self.assert_tiles_have_the_colour_of(self.layer("path_loss"), "path_loss_db", min)

    def test_received_power_is_a_second_style_to_choose(self):
        for name in ("path_loss", "receiver_path_loss"):
            layer = self.layer(name)
            of_this_layer, identities, names, _, _ = layer.listStylesInDatabase()
            self.assertEqual(sorted(names[:of_this_layer]), ["Path loss", "Received power"])
            qml, _ = layer.getStyleFromDatabase(identities[names.index("Received power")])
            self.apply(qml, layer)
            self.assertEqual(layer.renderer().classAttribute(), "received_power_dbm")
            self.assertEqual([r.upperValue() for r in layer.renderer().ranges()][:-1], list(range(-120, -29, 10)))
            self.assertEqual(layer.renderer().ranges()[1].label(), "-120 to -110 dBm")
        layer = self.layer("path_loss")
        self.apply((write_styles.SHIPPED / "path_loss-received_power.qml").read_text(encoding="utf-8"), layer)
        self.assert_tiles_have_the_colour_of(layer, "received_power_dbm", max)

    def test_vertical_corners_are_seen_on_the_map(self):
        layer = self.layer("edges")
        layer.setSubsetString("\"kind\" = 'corner'")
        color = next(c.symbol().color() for c in layer.renderer().categories() if c.value() == "corner")
        corners = list(layer.getFeatures())
        self.assertGreater(len(corners), 10)
        image, to_pixel = self.drawn(layer)
        for feature in corners:
            pixel = to_pixel.transform(feature.geometry().boundingBox().center())
            x, y = (min(max(int(at), 0), 799) for at in (pixel.x(), pixel.y()))  # those at the edge are half on it
            self.assertEqual(image.pixelColor(x, y).name(), color.name(), feature.id())

    def colors(self, name):
        return np.array([r.symbol().color().getRgb()[:3] for r in self.layer(name).renderer().ranges()])

    def test_sequential_ramps_grow_evenly_in_lightness_for_every_eye(self):
        for name in ("path_loss", "rays"):
            for blindness in (None, *COLOR_BLINDNESS):
                steps = np.diff(lab(self.colors(name), blindness)[:, 0])
                self.assertTrue((steps < 0).all() or (steps > 0).all(), f"{name}, {blindness}: {steps}")
            normal = np.abs(np.diff(lab(self.colors(name))[:, 0]))
            self.assertLess(normal.max() / normal.min(), 1.5, f"{name}: {normal}")

    def test_errors_diverge_about_zero_for_every_eye(self):
        colors = self.colors("prediction_error")
        for blindness in (None, *COLOR_BLINDNESS):
            seen = lab(colors, blindness)
            lightness = seen[:, 0]
            self.assertEqual(int(lightness.argmax()), 4, blindness)
            self.assertTrue((np.diff(lightness[:5]) > 0).all() and (np.diff(lightness[4:]) < 0).all(), blindness)
            # Too weak and too strong of the same size are never taken for each other: ΔE well above what is noticed.
            for i in range(4):
                self.assertGreater(np.linalg.norm(seen[i] - seen[8 - i]), 15, f"{blindness}, class {i}")


if __name__ == "__main__":
    run_tests()
