# SPDX-License-Identifier: GPL-3.0-or-later
"""Coverage by district, against areas that OGR cuts from the path losses that it was made from."""

import math
import shutil
import sqlite3
import unittest

import numpy
from osgeo import ogr, osr

from tesseray_process import SCENE, PipelineTest, json_lines, made, module_folder, rows, tesseray

ogr.UseExceptions()

# Shapes in the prediction's CRS: a slanted border, a border at 45° and one along tiles part the whole square.
PARTS = {
    "north-west": "POLYGON((340300 6020700,340300 6020440,340471.3 6020517.7,340530 6020700,340300 6020700))",
    "south": "POLYGON((340300 6020440,340300 6020300,340700 6020300,340700 6020388.7,340471.3 6020517.7,"
             "340300 6020440))",
    "east": "POLYGON((340700 6020388.7,340700 6020700,340530 6020700,340471.3 6020517.7,340700 6020388.7))",
}
SHAPES = {
    "ring": "POLYGON((340370 6020370,340630 6020370,340630 6020630,340370 6020630,340370 6020370),"
            "(340430 6020440,340460 6020570,340560 6020540,340430 6020440))",
    "islands": "MULTIPOLYGON(((340360 6020360,340420 6020365,340390 6020420,340360 6020360)),"
               "((340561.5 6020561.5,340640 6020600,340600 6020640,340561.5 6020561.5)))",
    "beyond": "POLYGON((340600 6020600,341000 6020600,341000 6021000,340600 6021000,340600 6020600))",
}


def setUpModule():
    """A prediction of two transmitters, made once."""
    global ENVIRONMENT, SITES, PREDICTION
    folder = module_folder()
    ENVIRONMENT, SITES = folder / "environment.gpkg", folder / "sites.csv"
    PREDICTION = folder / "prediction.gpkg"
    SITES.write_text("name,x,y,height_m,frequency_mhz,erp_dbm\nWest,340450,6020500,30,1800,43\n"
                     "Ost,340560,6020520,30,1800,43\n", encoding="utf-8")
    made("tileenvironment", *SCENE, "--environment", ENVIRONMENT)
    predict(PREDICTION)


def predict(output, *options):
    """Without rays over the roofs there is ground that none reaches."""
    made("predictcoverage", "--environment", ENVIRONMENT, "--transmitters", SITES, "--transmitters-crs", "EPSG:25832",
         "--max-bounces", 1, "--over-rooftop", "none", "--max-scatterings", 0, "--output", output, *options)


def epsg(code):
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(code)
    reference.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return reference


def ground():
    """Of each ground tile its polygon and {transmitter: power} where anything arrives."""
    names = {row["transmitter_id"]: row["name"] for row in rows(PREDICTION, "transmitters")}
    tiles = {}
    source = ogr.Open(str(PREDICTION))
    for feature in source.GetLayerByName("path_loss"):
        if feature["kind"] != "ground":
            continue
        outline, powers = tiles.setdefault(feature["tile_id"], (feature.GetGeometryRef().Clone(), {}))
        outline.FlattenTo2D()
        if feature["received_power_dbm"] is not None:
            powers[names[feature["transmitter_id"]]] = feature["received_power_dbm"]
    return [tiles[tile] for tile in sorted(tiles)]


def quantile(pieces, fraction):
    """The least power that, with weaker ones, is on this part of the ground; pieces: (power or None, area)."""
    pieces = sorted((-numpy.inf if power is None else power, area) for power, area in pieces)
    sums = numpy.cumsum([area for _, area in pieces])
    power = pieces[int(numpy.searchsorted(sums, fraction * sums[-1]))][0]
    return None if numpy.isinf(power) else power


class CoverageByDistrict(PipelineTest):
    def districts(self, shapes, code=25832, name="Stadtteile Süd.gpkg", population=None, field="name"):
        """A file of districts by name, in the CRS of this code."""
        file = self.folder / name
        source = ogr.GetDriverByName("GPKG" if name.endswith("gpkg") else "GeoJSON").CreateDataSource(str(file))
        layer = source.CreateLayer("districts", epsg(code) if code else None, ogr.wkbUnknown)
        layer.CreateField(ogr.FieldDefn(field, ogr.OFTString))
        if population:
            kinds = {float: ogr.OFTReal, str: ogr.OFTString}
            layer.CreateField(ogr.FieldDefn("inhabitants", kinds[type(next(iter(population.values())))]))
        to_code = osr.CoordinateTransformation(epsg(25832), epsg(code)) if code and code != 25832 else None
        for called, wkt in shapes.items():
            feature = ogr.Feature(layer.GetLayerDefn())
            feature[field] = called
            if population and called in population:
                feature["inhabitants"] = population[called]
            if wkt:
                shape = ogr.CreateGeometryFromWkt(wkt)
                if to_code:
                    # A straight line here is none there: corners so often that the difference is below a square metre.
                    shape.Segmentize(5)
                    shape.Transform(to_code)
                feature.SetGeometry(shape)
            layer.CreateFeature(feature)
        source = layer = None
        return file

    def cover(self, districts, *options, source=None):
        output = self.folder / "covered.gpkg"
        return tesseray("coveragebydistrict", "--path-loss", source or PREDICTION, "--districts", districts,
                        "--progress", "json", "--output", output, *options), output

    def test_ground_whose_sides_cross_is_named(self):
        """Tiles that another program has made bow ties of."""
        crossed = self.folder / "crossed.gpkg"
        shutil.copy(PREDICTION, crossed)
        source = ogr.Open(str(crossed), 1)
        layer = source.GetLayerByName("path_loss")
        layer.SetAttributeFilter("kind = 'ground'")
        feature = layer.GetNextFeature()
        corners = feature.GetGeometryRef().GetGeometryRef(0)
        ring, polygon = ogr.Geometry(ogr.wkbLinearRing), ogr.Geometry(ogr.wkbPolygon25D)
        for corner in (0, 2, 1, 3, 0):
            ring.AddPoint(*corners.GetPoint(corner))
        polygon.AddGeometry(ring)
        feature.SetGeometry(polygon)
        layer.SetFeature(feature)
        number = feature.GetFID()
        feature = layer = source = None
        process, _ = self.cover(self.districts(PARTS), source=crossed)
        self.assert_refused(process, "bad_tile", [f"crossed.gpkg, layer path_loss, feature {number}", "cross each other"])

    def test_all_of_a_district_is_100_percent(self):
        """Not 100.00000000000001."""
        corners = [(340360.13 + 13.71 * i, 6020360.29 + 17.83 * j) for i in range(20) for j in range(15)]
        triangles = {f"{x} {y}": f"POLYGON(({x} {y},{x + 7.37} {y + 1.1},{x + 2.3} {y + 9.77},{x} {y}))"
                     for x, y in corners}
        process, output = self.cover(self.districts(triangles, population=dict.fromkeys(triangles, 17.3)))
        self.assert_done(process)
        found = [*rows(output, "district_coverage", order="district_id"),
                 *rows(output, "district_transmitters", order="district_id")]
        shares = [value for row in found for field, value in row.items()
                  if field.endswith("_percent") and value is not None]
        self.assertGreater(shares.count(100), 50)
        self.assertEqual(max(shares), 100)
        self.assertEqual(max(value for row in found for field, value in row.items()
                             if field.startswith("population") and value is not None), 17.3)

    def test_shares_of_what_is_reached_alone_are_told_of(self):
        reached = self.folder / "reached.gpkg"
        predict(reached, "--reached-only")
        districts = self.districts(PARTS, name="one.gpkg")
        process, _ = self.cover(districts, source=reached)
        self.assertIn("REACHED_ONLY", self.warnings(self.assert_done(process))["reached_only"])
        process, _ = self.cover(districts, "--overwrite")
        self.assertNotIn("reached_only", self.warnings(self.assert_done(process)))

    def warnings(self, process):
        return {line["warning"]["code"]: line["warning"]["message"] for line in json_lines(process.stderr)
                if "warning" in line}

    def assert_powers(self, row, pieces, delta):
        """pieces: (power or None, m²) of the district; row: what the tool says of it."""
        whole = sum(area for _, area in pieces)
        reached = [(power, area) for power, area in pieces if power is not None]
        self.assertAlmostEqual(row["reached_percent"], 100 * sum(a for _, a in reached) / whole, delta=delta)
        for column, threshold in (("covered_minus_35", -35), ("covered_minus_52_5", -52.5)):
            covered = sum(area for power, area in reached if power >= threshold)
            self.assertAlmostEqual(row[f"{column}_m2"], covered, delta=delta)
            self.assertAlmostEqual(row[f"{column}_percent"], 100 * covered / whole, delta=delta)
        mean = sum(power * area for power, area in reached) / sum(area for _, area in reached)
        self.assertAlmostEqual(row["mean_dbm"], mean, delta=delta)
        self.assertEqual(row["median_dbm"], quantile(pieces, 0.5))
        self.assertEqual(row["p10_dbm"], quantile(pieces, 0.1))

    def assert_rows(self, output, shapes, delta):
        found = {row["name"]: row for row in rows(output, "district_coverage")}
        alone = {(row["name"], row["transmitter"]): row for row in rows(output, "district_transmitters")}
        self.assertEqual(list(found), list(shapes))
        tiles = ground()
        for called, wkt in shapes.items():
            shape = ogr.CreateGeometryFromWkt(wkt)
            cut = [(outline.Intersection(shape), powers) for outline, powers in tiles]
            cut = [(piece.GetArea(), powers) for piece, powers in cut
                   if not piece.IsEmpty() and piece.GetDimension() == 2]
            row = found[called]
            self.assertAlmostEqual(row["district_m2"], shape.GetArea(), delta=delta)
            self.assertAlmostEqual(row["ground_m2"], sum(area for area, _ in cut), delta=delta)
            self.assertAlmostEqual(row["ground_percent"], 100 * row["ground_m2"] / row["district_m2"], places=9)
            self.assert_powers(row, [(max(powers.values(), default=None), area) for area, powers in cut], delta)
            served = {}
            for area, powers in cut:
                if powers:
                    best = max(powers, key=powers.get)
                    served[best] = served.get(best, 0) + area
            self.assertEqual(row["best_server"], max(served, key=served.get))
            self.assertEqual(row["server_count"], len(served))
            for transmitter in ("West", "Ost"):
                line = alone.pop((called, transmitter), None)
                pieces = [(powers.get(transmitter), area) for area, powers in cut]
                if all(power is None for power, _ in pieces):
                    self.assertIsNone(line)
                    continue
                self.assert_powers(line, pieces, delta)
                self.assertAlmostEqual(line["served_m2"], served.get(transmitter, 0), delta=delta)
        self.assertEqual(alone, {})
        return found

    def test_names_are_found_by_their_usual_fields(self):
        for field in ("District", "Bezirk"):
            with self.subTest(field=field):
                process, output = self.cover(self.districts(PARTS, name=f"{field}.gpkg", field=field), "--overwrite")
                self.assert_done(process)
                self.assertEqual({row["name"] for row in rows(output, "district_coverage")}, set(PARTS))

    def test_areas_and_powers_are_those_that_ogr_cuts(self):
        shapes = {**PARTS, **SHAPES}
        process, output = self.cover(self.districts(shapes), "--thresholds", "-35, -52.5")
        self.assert_done(process)
        found = self.assert_rows(output, shapes, delta=1e-6)
        self.assertIsNone(found["beyond"].get("population"))
        self.assertLess(min(row["reached_percent"] for row in found.values()), 100)
        self.assertLess(found["south"]["covered_minus_35_percent"], 95)
        self.assertIn("districts_overlap", self.warnings(process))

    def test_pairs_that_overlap_are_counted_to_a_thousand(self):
        for count, told in ((45, "990 pairs"), (46, "more than 1000 pairs")):
            with self.subTest(count=count):
                process, _ = self.cover(self.districts({f"d{i}": SHAPES["ring"] for i in range(count)}), "--overwrite")
                self.assert_done(process)
                self.assertTrue(self.warnings(process)["districts_overlap"].startswith(
                    f"{told} of districts overlap, first d0 and d1 ("))

    def test_parts_of_the_whole_add_up_to_it(self):
        process, output = self.cover(self.districts(PARTS))
        self.assert_done(process)
        self.assertEqual(self.warnings(process), {})
        whole = sum(outline.GetArea() for outline, _ in ground())
        self.assertAlmostEqual(sum(row["ground_m2"] for row in rows(output, "district_coverage")), whole, delta=1e-6)
        figures = json_lines(process.stdout)[0]["figures"]
        self.assertAlmostEqual(figures["ground_in_districts_m2"], whole, delta=1e-6)
        self.assertAlmostEqual(figures["ground_m2"], whole, delta=1e-6)
        self.assertEqual([row["threshold_dbm"] for row in figures["covered"]], [-85, -95, -105])

    def test_districts_of_another_crs(self):
        shapes = {**PARTS, **SHAPES}
        process, output = self.cover(self.districts(shapes, 4326, "districts.geojson"), "--thresholds", "-35,-52.5")
        self.assert_done(process)
        self.assert_rows(output, shapes, delta=0.05)
        with sqlite3.connect(output) as database:
            self.assertEqual(database.execute("SELECT geometry_type_name, z, organization_coordsys_id FROM "
                                              "gpkg_geometry_columns JOIN gpkg_spatial_ref_sys USING (srs_id) WHERE "
                                              "table_name = 'district_coverage'").fetchone(),
                             ("MULTIPOLYGON", 0, 25832))

    def test_a_field_of_inhabitants_without_numbers_has_columns_and_a_warning(self):
        for name, nothing in (("null.gpkg", 1.0), ("empty.gpkg", "n/a"), ("nan.gpkg", math.nan)):
            with self.subTest(name=name):
                file = self.districts(PARTS, name=name, population=dict.fromkeys(PARTS, nothing))
                if name == "null.gpkg":
                    ogr.Open(str(file), 1).ExecuteSQL("UPDATE districts SET inhabitants = NULL")
                process, output = self.cover(file, "--overwrite", "--population-field", "inhabitants")
                self.assert_done(process)
                self.assertIn('"inhabitants"', self.warnings(process)["no_population"])
                for row in rows(output, "district_coverage"):
                    self.assertIsNone(row["population"])
                    self.assertIsNone(row["population_minus_95"])

    def test_layers_without_districts_are_called_so(self):
        process, _ = self.cover(self.districts({}, name="empty.gpkg"))
        self.assert_refused(process, "empty_layer", ["empty.gpkg", "has no features"])
        process, _ = self.cover(self.districts({"here": "POINT(340500 6020500)", "nowhere": None}, name="points.gpkg"))
        self.assert_refused(process, "no_polygons", ["points.gpkg", "none of the layer's features is a polygon"])
        far = "POLYGON((500000 6500000,501000 6500000,501000 6501000,500000 6500000))"
        process, _ = self.cover(self.districts({"far": far}, name="far.gpkg"))
        self.assert_refused(process, "districts_elsewhere", ["check the CRS"])

    def test_inhabitants_are_spread_over_the_ground(self):
        file = self.districts(PARTS, population={"south": 1000.0, "east": 0.0})
        process, output = self.cover(file, "--thresholds", "-35,-52.5")
        self.assert_done(process)
        for row in rows(output, "district_coverage"):
            people = {"south": 1000, "east": 0}.get(row["name"])
            self.assertEqual(row["population"], people)
            for column in ("minus_35", "minus_52_5"):
                expected = None if people is None else people * row[f"covered_{column}_m2"] / row["ground_m2"]
                self.assertEqual(row[f"population_{column}"] is None, people is None)
                if people is not None:
                    self.assertAlmostEqual(row[f"population_{column}"], expected, places=9)

    def test_texts_of_inhabitants_have_decimals_where_the_field_says_so(self):
        for texts, numbers in (({"south": "1.250", "east": "0.5"}, (1.25, 0.5)),
                               ({"south": "12.345", "east": "0.250"}, (12.345, 0.25)),
                               ({"south": "12,345", "east": "2,5"}, (12.345, 2.5))):
            process, output = self.cover(self.districts(PARTS, population=texts, name="texts.gpkg"), "--overwrite")
            self.assert_done(process)
            found = {row["name"]: row["population"] for row in rows(output, "district_coverage")}
            self.assertEqual((found["south"], found["east"]), numbers)

    def test_points_with_thousands_are_refused(self):
        """1.234, as it is written in Germany, Spain and Italy."""
        file = self.folder / "people.csv"
        districts = self.districts(PARTS, population={"south": "1.250"})  # not used where there are points

        def counted(text):
            file.write_text("x;y;einwohner\n" + text)
            return self.cover(districts, "--inhabitants", file, "--inhabitants-crs", "EPSG:25832", "--overwrite")

        for sign in (".", ","):
            process, _ = counted(f"340500;6020400;987\n340510;6020400;1{sign}234\n340520;6020400;2{sign}500\n")
            self.assert_refused(process, "ambiguous_number", [f'"1{sign}234"', "people.csv", "line 3", "einwohner"])
        # Decimals of another column do not say what the signs of this one are, but what they cannot be.
        process, _ = counted("340500,5;6020400;1.234\n")
        self.assert_refused(process, "ambiguous_number", ['"1.234"'])
        process, _ = counted("340500.5;6020400;1.234\n")
        self.assert_refused(process, "ambiguous_number", ['"1.234"'])
        process, _ = counted("340500;6020400;1.234\n340510;6020400;0.766\n")
        self.assert_done(process)
        self.assertAlmostEqual(json_lines(process.stdout)[0]["figures"]["inhabitants_in_districts"], 2)

    def inhabitants(self, people, code=4326, name="Adressen.gpkg", field="einwohner"):
        """A file of points: {(x, y): number or None}."""
        file = self.folder / name
        layer_source = ogr.GetDriverByName("GPKG").CreateDataSource(str(file))
        layer = layer_source.CreateLayer("addresses", epsg(code), ogr.wkbPoint)
        layer.CreateField(ogr.FieldDefn(field, ogr.OFTInteger))
        transformation = osr.CoordinateTransformation(epsg(25832), epsg(code))
        for (x, y), number in people.items():
            feature = ogr.Feature(layer.GetLayerDefn())
            if number is not None:
                feature[field] = number
            point = ogr.Geometry(ogr.wkbPoint)
            point.AddPoint_2D(x, y)
            point.Transform(transformation)
            feature.SetGeometry(point)
            layer.CreateFeature(feature)
        layer_source = layer = None
        return file

    def test_inhabitants_as_points_count_where_they_live(self):
        random = numpy.random.default_rng(3)
        # Half a metre from any border, so that no rounding decides.
        shapes = {name: ogr.CreateGeometryFromWkt(wkt) for name, wkt in {**PARTS, **SHAPES}.items()}
        people = {}
        while len(people) < 700:
            place = tuple(random.uniform((340290, 6020290), (340720, 6020710)))
            point = ogr.CreateGeometryFromWkt("POINT(%r %r)" % place)
            if all(shape.GetBoundary().Distance(point) > 0.5 for shape in shapes.values()):
                people[place] = int(random.integers(0, 9)) or None
        tiles = ground()
        middles = numpy.array([(outline.Centroid().GetX(), outline.Centroid().GetY()) for outline, _ in tiles])
        expected = {name: {"people": 0, "minus_35": 0, "minus_52_5": 0} for name in shapes}
        left_out = set()
        for place, number in people.items():
            distances = numpy.hypot(*(middles - place).T)
            if distances.min() > 12:
                left_out.add(place)
                continue
            point = ogr.CreateGeometryFromWkt("POINT(%r %r)" % place)
            near = numpy.flatnonzero(distances < 8)  # a tile's corner is 7 m from its middle
            below = next((tile for tile in near if tiles[tile][0].Contains(point)), distances.argmin())
            power = max(tiles[below][1].values(), default=-numpy.inf)
            for name, shape in shapes.items():
                if shape.Contains(point):
                    expected[name]["people"] += number or 0
                    expected[name]["minus_35"] += (number or 0) * (power >= -35)
                    expected[name]["minus_52_5"] += (number or 0) * (power >= -52.5)
        file = self.districts({**PARTS, **SHAPES}, population={"south": 1e6})
        process, output = self.cover(file, "--thresholds", "-35,-52.5", "--inhabitants", self.inhabitants(people),
                                     "--inhabitants-distance", 12)
        self.assert_done(process)
        found = {row["name"]: row for row in rows(output, "district_coverage")}
        for name, row in found.items():
            self.assertEqual(row["population"], expected[name]["people"], name)
            for column in ("minus_35", "minus_52_5"):
                self.assertEqual(row[f"population_{column}"], expected[name][column], (name, column))
        self.assertLess(0, expected["south"]["minus_35"])
        self.assertLess(expected["south"]["minus_35"], expected["south"]["people"])
        self.assertGreater(len(left_out), 10)
        self.assertIn(f"{len(left_out)} of 700", self.warnings(process)["inhabitants_left_out"])
        figures = json_lines(process.stdout)[0]["figures"]
        self.assertEqual(figures["inhabitants_in_districts"], sum(row["people"] for row in expected.values()))
        self.assertEqual(figures["covered"][0]["covered_inhabitants"],
                         sum(row["minus_35"] for row in expected.values()))

    def test_points_without_a_number_are_one_inhabitant_each(self):
        people = {(340400 + 7 * i, 6020350 + 5 * i): 9 for i in range(12)}
        file = self.inhabitants(people, field="storeys")
        process, output = self.cover(self.districts({"all": "POLYGON((340300 6020300,340700 6020300,340700 6020700,"
                                                            "340300 6020700,340300 6020300))"}), "--inhabitants", file)
        self.assert_done(process)
        self.assertEqual([row["population"] for row in rows(output, "district_coverage")], [12])
        self.assertIn("each of 12 points;", self.warnings(process)["one_inhabitant_each"])

    def test_points_whose_number_is_empty_are_not_taken_for_nobody(self):
        south, north = (340480, 6020350), (340480, 6020650)
        shapes = {"south": "POLYGON((340300 6020300,340700 6020300,340700 6020500,340300 6020500,340300 6020300))",
                  "north": "POLYGON((340300 6020500,340700 6020500,340700 6020700,340300 6020700,340300 6020500))"}
        # The districts' own numbers are those of other people.
        file = self.districts(shapes, population={"south": 1e6, "north": 1e6})

        def counted(people):
            process, output = self.cover(file, "--overwrite", "--inhabitants", self.inhabitants(people))
            self.assert_done(process)
            found = {row["name"]: (row["population"], row["population_minus_95"]) for row in
                     rows(output, "district_coverage")}
            return found, self.warnings(process), json_lines(process.stdout)[0]["figures"]

        found, warnings, figures = counted({south: None, (340490, 6020350): None})
        self.assertEqual(found, {"south": (None, None), "north": (None, None)})
        self.assertIn('2 of 2 inhabited places have no number in the field "einwohner"', warnings["unknown_inhabitants"])
        self.assertNotIn("inhabitants_in_districts", figures)
        found, warnings, figures = counted({south: None, (340490, 6020350): 3, north: None})
        self.assertEqual((found["south"][0], found["north"]), (3, (None, None)))
        self.assertTrue(warnings["unknown_inhabitants"].startswith("2 of 3 "), warnings)
        self.assertEqual(figures["inhabitants_in_districts"], 3)
        found, warnings, _ = counted({south: 3, (340490, 6020350): None})
        self.assertEqual((found["south"][0], found["north"]), (3, (0, 0)))
        self.assertTrue(warnings["unknown_inhabitants"].startswith("1 of 2 inhabited places has no "), warnings)

    def test_the_map_opens_coloured_by_the_first_threshold(self):
        process, output = self.cover(self.districts(PARTS), "--thresholds", "-52.5,-35")
        self.assert_done(process)
        with sqlite3.connect(output) as database:
            styles = database.execute("SELECT styleName, styleQML FROM layer_styles WHERE f_table_name = "
                                      "'district_coverage' ORDER BY useAsDefault DESC, id").fetchall()
        self.assertEqual([name for name, _ in styles][0], "Ground covered at -52.5 dBm")
        self.assertEqual({name for name, _ in styles}, {"Ground covered at -52.5 dBm", "Ground covered at -35 dBm",
                                                        "Median received power", "Best server"})
        self.assertIn('attr="covered_minus_52_5_percent"', styles[0][1])

    def test_bad_polygons_are_repaired_or_left_out_with_a_word(self):
        shapes = {"bow tie": "POLYGON((340400 6020400,340500 6020500,340500 6020400,340400 6020500,340400 6020400))",
                  "twice": "MULTIPOLYGON(((340400 6020400,340500 6020400,340500 6020500,340400 6020500,340400 "
                           "6020400)),((340450 6020400,340550 6020400,340550 6020500,340450 6020500,340450 6020400)))",
                  "line": "LINESTRING(340400 6020400,340500 6020500)",
                  "spike": "POLYGON((340400 6020400,340500 6020500,340600 6020600,340400 6020400))",
                  "nothing": None,
                  "away": "POLYGON((350000 6020000,350100 6020000,350100 6020100,350000 6020000))"}
        process, output = self.cover(self.districts(shapes))
        self.assert_done(process)
        self.assertEqual({row["name"]: row["district_m2"] for row in rows(output, "district_coverage")},
                         {"bow tie": 5000, "twice": 15000})
        warnings = self.warnings(process)
        self.assertEqual(set(warnings), {"invalid_geometry", "not_a_polygon", "no_area", "districts_overlap",
                                         "empty_geometry"})
        self.assertIn("feature 4", warnings["no_area"])
        self.assertIn("1 of 6 districts has no geometry and is left out: nothing", warnings["empty_geometry"])

    def test_districts_without_geometry_are_counted_and_named(self):
        """In a layer whose spatial index knows nothing of them."""
        shapes = {**PARTS, **{f"lost {number}": None for number in range(12)}, "void": "POLYGON EMPTY"}
        process, output = self.cover(self.districts(shapes))
        self.assert_done(process)
        self.assertEqual({row["name"] for row in rows(output, "district_coverage")}, set(PARTS))
        warning = self.warnings(process)["empty_geometry"]
        self.assertIn(f"13 of {len(shapes)} districts have no geometry", warning)
        self.assertIn("lost 0", warning)
        self.assertIn("lost 9, … (13)", warning)
        self.assertNotIn("lost 10", warning)

    def test_results_do_not_depend_on_the_number_of_threads(self):
        file = self.districts({**PARTS, **SHAPES})
        hashes = {json_lines(self.cover(file, "--threads", n, "--overwrite")[0].stdout)[0]["result_hash"]
                  for n in (1, 2, 5)}
        self.assertEqual(len(hashes), 1)

    def test_wrong_input_is_refused(self):
        good = self.districts(PARTS)
        away = {"away": "POLYGON((350000 6020000,350100 6020000,350100 6020100,350000 6020000))"}
        for file, options, code, words in (
                (self.districts(away, name="away.gpkg"), (), "districts_elsewhere", ("EPSG:25832",)),
                (self.districts(PARTS, None, "no_crs.gpkg"), (), "missing_crs", ("DISTRICTS_CRS",)),
                (self.districts(PARTS, name="fewer.gpkg", population={"east": -3.0}), (), "bad_value", ("-3",)),
                (self.districts(PARTS, name="many.gpkg", population={"east": "many"}), (), "bad_value", ("many",)),
                (self.districts(PARTS, name="thousands.gpkg", population={"east": "1,250"}), (), "ambiguous_number",
                 ("1,250",)),
                (self.districts(PARTS, name="points.gpkg", population={"south": "987", "east": "1.250"}), (),
                 "ambiguous_number", ("1.250", "points.gpkg", "inhabitants")),
                (good, ("--name-field", "nmae"), None, ("name",)),
                (good, ("--thresholds", "-80,weak"), "bad_threshold", ("weak", "-85,-95,-105")),
                (good, ("--thresholds", "-80,-80"), "bad_threshold", ("twice",)),
                (good, ("--thresholds", "-95,-85,5"), "bad_threshold", ("-85.5", "+5")),
                (good, ("--thresholds", "-800"), "bad_threshold", ("-300",)),
                (f"{PREDICTION}|layername=transmitters", (), "wrong_geometry", ("DISTRICTS",))):
            with self.subTest(code=code, words=words):
                process, output = self.cover(file, *options)
                self.assert_refused(process, code, words)
                self.assertFalse(output.exists())
        for options, code, words in (
                (("--inhabitants", self.inhabitants({(350000, 6020000): 3}, name="away2.gpkg")), "inhabitants_elsewhere",
                 ("INHABITANTS", "EPSG:25832")),
                (("--inhabitants", self.inhabitants({(340450, 6020450): -3}, name="fewer2.gpkg")), "bad_value", ("-3",)),
                (("--inhabitants", self.inhabitants({(340450, 6020450): 3}), "--population-field", "name"),
                 "inhabitants_twice", ("POPULATION_FIELD",))):
            with self.subTest(code=code):
                process, output = self.cover(good, *options)
                self.assert_refused(process, code, words)
                self.assertFalse(output.exists())
        points = self.folder / "points.gpkg"
        with sqlite3.connect(PREDICTION) as source, sqlite3.connect(points) as copy:
            source.backup(copy)
            copy.execute("DELETE FROM path_loss WHERE kind = 'ground'")
            copy.commit()
        self.assert_refused(self.cover(good, source=points)[0], "no_ground", ("KINDS",))


if __name__ == "__main__":
    unittest.main()
