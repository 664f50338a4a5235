# SPDX-License-Identifier: GPL-3.0-or-later
"""The files in sample_data/ are what its generator makes, and are the town that its README describes."""
import csv
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
from osgeo import gdal, ogr, osr

SAMPLE_DATA = pathlib.Path(__file__).parents[2] / "sample_data"
LAYERS = {"buildings.gpkg": "buildings", "vegetation.gpkg": "vegetation",
          "drive_test_SYNTHETIC.gpkg": "drive_test_SYNTHETIC"}
# The last digit may differ where another libm rounds otherwise.
COORDINATE_TOLERANCE_M, POWER_TOLERANCE_DB = 0.011, 0.11

gdal.UseExceptions()


def features(folder, file):
    source = gdal.OpenEx(str(folder / file), gdal.OF_VECTOR | gdal.OF_READONLY)
    return [(f.items(), f.GetGeometryRef().Clone()) for f in source.GetLayerByName(LAYERS[file])]


def vertices(geometry):
    if geometry.GetGeometryCount():
        return [v for k in range(geometry.GetGeometryCount()) for v in vertices(geometry.GetGeometryRef(k))]
    return geometry.GetPoints(2)


def transmitters(folder):
    with open(folder / "transmitters.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class FreshlyMade(unittest.TestCase):
    """Compares with a town made anew, feature by feature."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.fresh = pathlib.Path(cls.temporary.name)
        subprocess.run([sys.executable, "-B", SAMPLE_DATA / "make_town.py", cls.fresh], check=True)

    def test_vector_layers(self):
        for file in LAYERS:
            kept, made = features(SAMPLE_DATA, file), features(self.fresh, file)
            self.assertEqual(len(kept), len(made), file)
            for number, ((kept_items, kept_shape), (made_items, made_shape)) in enumerate(zip(kept, made)):
                with self.subTest(file=file, feature=number):
                    power, made_power = (i.pop("received_power_dbm", 0.0) for i in (kept_items, made_items))
                    self.assertEqual(kept_items, made_items)
                    self.assertAlmostEqual(power, made_power, delta=POWER_TOLERANCE_DB)
                    numpy.testing.assert_allclose(vertices(kept_shape), vertices(made_shape), rtol=0,
                                                  atol=COORDINATE_TOLERANCE_M)

    def test_terrain(self):
        kept, made = (gdal.Open(str(folder / "dem.tif")) for folder in (SAMPLE_DATA, self.fresh))
        self.assertEqual(kept.GetGeoTransform(), made.GetGeoTransform())
        numpy.testing.assert_allclose(kept.ReadAsArray(), made.ReadAsArray(), rtol=0, atol=0.011)

    def test_transmitters(self):
        self.assertEqual(transmitters(SAMPLE_DATA), transmitters(self.fresh))


class Town(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.buildings = features(SAMPLE_DATA, "buildings.gpkg")
        cls.measurements = features(SAMPLE_DATA, "drive_test_SYNTHETIC.gpkg")

    def test_files_are_small(self):
        self.assertLess(sum(f.stat().st_size for f in SAMPLE_DATA.rglob("*") if f.is_file()), 3_000_000)

    def test_buildings(self):
        self.assertGreater(len(self.buildings), 300)
        self.assertTrue(all(shape.IsValid() for _, shape in self.buildings))
        self.assertEqual(sum(items["height_m"] is None for items, _ in self.buildings), 5)
        self.assertGreater(sum(shape.GetGeometryCount() > 1 for _, shape in self.buildings), 5, "courtyards")
        self.assertGreater(sum(items["base_m"] > 0 for items, _ in self.buildings), 3, "raised parts")

    def test_only_parts_on_top_of_each_other_share_ground(self):
        for k, (items, shape) in enumerate(self.buildings):
            for other_items, other_shape in self.buildings[:k]:
                if shape.Intersects(other_shape) and shape.Intersection(other_shape).Area() > 0.2:
                    self.assertGreaterEqual(items["base_m"], other_items["height_m"], (items, other_items))

    def test_neighbours_share_walls(self):
        rows = [shape for items, shape in self.buildings if items["use"] == "row house"]
        touching = sum(any(a.Touches(b) and a.Intersection(b).Length() > 8 for b in rows if b is not a) for a in rows)
        self.assertEqual(touching, len(rows))

    def test_terrain_has_a_hill_a_valley_and_a_rim_without_data(self):
        dem = gdal.Open(str(SAMPLE_DATA / "dem.tif"))
        heights, no_data = dem.ReadAsArray(), dem.GetRasterBand(1).GetNoDataValue()
        data = heights[heights != no_data]
        self.assertGreater(data.max() - data.min(), 50)
        self.assertTrue(0 < (heights == no_data).sum() < 100)
        self.assertFalse((heights[8:-8, 9:-9] == no_data).any())
        self.assertEqual((dem.GetGeoTransform()[1], dem.GetRasterBand(1).DataType), (5.0, gdal.GDT_Float32))

    def test_transmitters_stand_where_they_say(self):
        rows = transmitters(SAMPLE_DATA)
        self.assertEqual(len(rows), 3)
        geographic, projected = osr.SpatialReference(), osr.SpatialReference()
        geographic.ImportFromEPSG(4326)
        projected.ImportFromEPSG(25832)
        to_town = osr.CoordinateTransformation(geographic, projected)
        for row in rows:
            place = ogr.Geometry(ogr.wkbPoint)
            place.AddPoint_2D(*to_town.TransformPoint(float(row["lat"]), float(row["lon"]))[:2])
            on_a_building = any(shape.Contains(place) for _, shape in self.buildings)
            self.assertEqual(on_a_building, row["height_reference"] == "roof", row["name"])

    def test_drive_test_is_in_the_streets_and_says_that_it_is_synthetic(self):
        self.assertEqual(len(self.measurements), 1500)
        self.assertTrue(all(items["synthetic"] == 1 for items, _ in self.measurements))
        for items, place in self.measurements:
            self.assertFalse(any(shape.Distance(place) < 1.0 for _, shape in self.buildings), items)
        source = gdal.OpenEx(str(SAMPLE_DATA / "drive_test_SYNTHETIC.gpkg"))
        self.assertIn("SYNTHETIC", source.GetLayer(0).GetMetadataItem("DESCRIPTION"))

    def test_drive_test_has_a_floor_and_shadowing(self):
        powers = [items["received_power_dbm"] for items, _ in self.measurements]
        self.assertEqual(min(powers), -110.0)
        self.assertTrue(10 < powers.count(-110.0) < 200)
        for name in {items["transmitter"] for items, _ in self.measurements}:
            own = [items["received_power_dbm"] for items, _ in self.measurements if items["transmitter"] == name]
            self.assertEqual(len(own), 500)
            self.assertGreater(float(numpy.std(own)), 7.0)


class Shadowing(unittest.TestCase):
    def test_deviation_and_correlation_over_distance(self):
        sys.path.insert(0, str(SAMPLE_DATA))
        sys.dont_write_bytecode = True
        from town.empirical_model import SHADOWING_DB, Shadowing as Field
        pairs = {50.0: [], 150.0: []}
        for site in range(40):
            field = Field(f"test {site}")
            for k in range(50):
                x, y = 70.0 * (k % 10), 200.0 * (k // 10)
                for lag, found in pairs.items():
                    found.append((field.at(x, y), field.at(x, y + lag)))
        for lag, found in pairs.items():
            a, b = numpy.array(found).T
            self.assertAlmostEqual(float(numpy.std(a)), SHADOWING_DB, delta=0.35)
            self.assertAlmostEqual(float(numpy.corrcoef(a, b)[0, 1]), math.exp(-lag / 50.0), delta=0.06)


if __name__ == "__main__":
    unittest.main()
