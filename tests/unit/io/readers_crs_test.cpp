// SPDX-License-Identifier: GPL-3.0-or-later
#include <geodesic.h>
#include <gtest/gtest.h>
#include <proj.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/io/sources/crs.h"
#include "tests/unit/io/gis_files.h"

namespace tesseray {
namespace {

using testing::proj_transform;

Rectangle around(Vec2 middle, double reach) { return {middle - Vec2{reach, reach}, middle + Vec2{reach, reach}}; }

TEST(UtmZone, HasTheNearestCentralMeridian) {
  EXPECT_EQ(utm_zone(4.84, 45.76).name(), "EPSG:32631");
  EXPECT_EQ(utm_zone(5.9999, 45).name(), "EPSG:32631");
  EXPECT_EQ(utm_zone(6.0001, 45).name(), "EPSG:32632");
  EXPECT_EQ(utm_zone(-78.94, 36.0).name(), "EPSG:32617");
  EXPECT_EQ(utm_zone(151.2, -33.9).name(), "EPSG:32756");
  EXPECT_EQ(utm_zone(-180, 10).name(), "EPSG:32601");
  EXPECT_EQ(utm_zone(179.99, -0.01).name(), "EPSG:32760");
}

TEST(CrsFromText, TakesNoNoticeOfWhiteSpaceAround) {
  const std::string wkt = Crs::from_text("EPSG:25832").wkt();
  for (const std::string& text : {"\n" + wkt, "  " + wkt + "\r\n", "\t\r\n" + wkt, std::string(" EPSG:25832\n")}) {
    EXPECT_EQ(Crs::from_text(text).name(), "EPSG:25832") << text;
  }
}

struct ChoiceCase {
  std::string layer;
  Vec2 lon_lat;
  std::string chosen;
};
class Choice : public ::testing::TestWithParam<ChoiceCase> {};

TEST_P(Choice, IsTheLayersOwnGridOnlyWhereItIsTrueToScale) {
  const auto& [layer, lon_lat, chosen] = GetParam();
  const Vec2 middle = proj_transform("EPSG:4326", layer, lon_lat);
  const double reach = layer == "EPSG:4326" ? 0.01 : 500;
  EXPECT_EQ(choose_environment_crs(Crs::from_text(layer), around(middle, reach)).name(), chosen);
}

INSTANTIATE_TEST_SUITE_P(
    Crs, Choice,
    ::testing::Values(
        ChoiceCase{"EPSG:3946", {4.84, 45.76}, "EPSG:3946"}, ChoiceCase{"EPSG:2154", {4.84, 45.76}, "EPSG:2154"},
        ChoiceCase{"EPSG:2154", {3.0, 42.5}, "EPSG:32631"},  // Lambert 93: 0.1 % in the far south
        ChoiceCase{"EPSG:31467", {9.0, 50}, "EPSG:31467"},   // northing first by its authority
        ChoiceCase{"EPSG:2193", {174, -41}, "EPSG:2193"}, ChoiceCase{"EPSG:4326", {4.84, 45.76}, "EPSG:32631"},
        ChoiceCase{"EPSG:4326", {151.2, -33.9}, "EPSG:32756"}, ChoiceCase{"EPSG:3857", {4.84, 45.76}, "EPSG:32631"},
        ChoiceCase{"EPSG:3857", {9.5, 0.01}, "EPSG:32632"},    // near the equator, too
        ChoiceCase{"EPSG:2263", {-74.0, 40.7}, "EPSG:32618"},  // US survey feet
        ChoiceCase{"EPSG:3035", {-8.6, 41.15}, "EPSG:32629"},  // equal area: 2 % off in Porto
        ChoiceCase{"EPSG:32632", {20, 50}, "EPSG:32634"}));    // a zone far away

// The bounds of houses on either side of the 180th meridian reach around the globe.
TEST(Choice, IsAZoneAtThe180thMeridian) {
  const Crs degrees = Crs::from_text("EPSG:4326");
  const Rectangle taveuni{{-179.999, -16.81}, {179.999, -16.80}};
  EXPECT_EQ(choose_environment_crs(degrees, taveuni).name(), "EPSG:32760");
  EXPECT_EQ(choose_environment_crs(degrees, {{-179.9, -16.81}, {179.99, -16.80}}).name(), "EPSG:32701");
  const Vec2 middle = middle_of(degrees, taveuni);
  EXPECT_NEAR(std::fabs(middle.x), 180, 1e-9);
  const Crs fiji = Crs::from_text("EPSG:3460");
  EXPECT_TRUE(check_environment_crs(fiji, PointTransform(degrees, fiji)(middle)).empty());
  EXPECT_EQ(middle_of(fiji, around({2.0e6, 4.0e6}, 500)), (Vec2{2.0e6, 4.0e6}));
}

TEST(Choice, IsTheAuthoritysDefinitionForEsrisWkt) {
  const Crs esri = Crs::from_text(
      R"(PROJCS["RGF_1993_CC46",GEOGCS["GCS_RGF_1993",DATUM["D_RGF_1993",SPHEROID["GRS_1980",6378137.0,298.257222101]],)"
      R"(PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Lambert_Conformal_Conic"],)"
      R"(PARAMETER["False_Easting",1700000.0],PARAMETER["False_Northing",5200000.0],PARAMETER["Central_Meridian",3.0],)"
      R"(PARAMETER["Standard_Parallel_1",45.25],PARAMETER["Standard_Parallel_2",46.75],)"
      R"(PARAMETER["Latitude_Of_Origin",46.0],UNIT["Meter",1.0]])");
  const Crs chosen = choose_environment_crs(esri, around({1843000, 5175500}, 500));
  EXPECT_EQ(chosen.name(), "EPSG:3946");
  EXPECT_NE(chosen.wkt().find("PROJCRS["), std::string::npos) << "WKT2";
}

TEST(Crs, LeavesOutVerticalParts) {
  const Crs compound = Crs::from_text("EPSG:25832+5783");
  EXPECT_EQ(compound.name(), "EPSG:25832");
  EXPECT_TRUE(compound.is_projected_in_metres());
}

TEST(Crs, UndefinedOnesAreNone) {
  OGRSpatialReference undefined;
  undefined.importFromWkt(R"(LOCAL_CS["Undefined Cartesian SRS",UNIT["Meter",1]])");
  EXPECT_TRUE(Crs::of(&undefined).empty());
  EXPECT_TRUE(Crs::of(nullptr).empty());
  EXPECT_EQ(Crs().name(), "local metres");
  EXPECT_EQ(Crs().wkt(), "");
}

TEST(Transform, AgreesWithProjWhateverTheAxisOrder) {
  for (const auto& [to, p] : {std::pair{"EPSG:32632", Vec2{9.1, 50.2}}, std::pair{"EPSG:31467", Vec2{8.2, 47.9}},
                              std::pair{"EPSG:3035", Vec2{9.1, 50.2}}, std::pair{"EPSG:2263", Vec2{-74.0, 40.7}}}) {
    const Vec2 expected = proj_transform("EPSG:4258", to, p);
    const Vec2 found = PointTransform(Crs::from_text("EPSG:4258"), Crs::from_text(to), around(p, 0.001))(p);
    EXPECT_NEAR(found.x, expected.x, 0.001) << to;
    EXPECT_NEAR(found.y, expected.y, 0.001) << to;
  }
}

// Places outside of the areas of use of all accurate operations from and to the CRS, most of them just over the border.
struct OutsideCase {
  std::string crs, utm;
  Vec2 lon_lat;
};
class Outside : public ::testing::TestWithParam<OutsideCase> {};

TEST_P(Outside, TheAreasOfUseDatumsAreNotTakenAsOne) {
  const auto& [crs, utm, lon_lat] = GetParam();
  const Vec2 there = proj_transform("EPSG:4258", crs, lon_lat), here = proj_transform("EPSG:4258", utm, lon_lat);
  const PointTransform forth(Crs::from_text(crs), Crs::from_text(utm), around(there, 100));
  const PointTransform back(Crs::from_text(utm), Crs::from_text(crs), around(here, 100));
  EXPECT_LT(norm(forth(there) - here), 2);
  EXPECT_LT(norm(back(here) - there), 2);
  EXPECT_EQ(forth.caveat(), "");
  EXPECT_EQ(back.caveat(), "");
}

INSTANTIATE_TEST_SUITE_P(Transform, Outside,
                         ::testing::Values(OutsideCase{"EPSG:2056", "EPSG:25832", {7.6, 47.9}},
                                           OutsideCase{"EPSG:31256", "EPSG:25833", {17.6, 48.15}},
                                           OutsideCase{"EPSG:28992", "EPSG:25831", {4.35, 50.6}},
                                           OutsideCase{"EPSG:31467", "EPSG:25832", {7, 44}}));

TEST(Transform, TakesDatumsAsOneOnlyWithACaveat) {
  const Crs unknown = Crs::from_text("+proj=utm +zone=32 +ellps=bessel");
  const PointTransform transform(unknown, Crs::from_text("EPSG:25832"), around({500000, 5316000}, 100));
  EXPECT_NEAR(transform({500000, 5316000}).x, 500000, 1);
  EXPECT_NE(transform.caveat().find("EPSG:25832"), std::string::npos) << transform.caveat();
}

TEST(Transform, TellsOfGridsThatAreNotInstalled) {
  const char* grid = "uk_os_OSTN15_NTv2_OSGBtoETRS.tif";
  const bool is_missing = std::string_view(proj_grid_info(grid).format) == "missing";
  const Crs national = Crs::from_text("EPSG:27700"), degrees = Crs::from_text("EPSG:4326");
  for (const std::string& caveat : {PointTransform(national, degrees, around({651400, 313150}, 100)).caveat(),
                                    PointTransform(degrees, national, around({1.716, 52.658}, 0.001)).caveat()}) {
    EXPECT_EQ(caveat.find(grid) != std::string::npos, is_missing) << caveat;
    EXPECT_EQ(caveat.find("off by 2 m instead of 1 m") != std::string::npos, is_missing) << caveat;
  }
}

TEST(Transform, TellsOfNoGridWhereItsOperationIsAsGood) {
  const Crs degrees = Crs::from_text("EPSG:4326");
  for (const auto& [crs, p] : {std::pair{"EPSG:25832", Vec2{9, 48}}, std::pair{"EPSG:2154", Vec2{4.8, 45.7}},
                               std::pair{"EPSG:2056", Vec2{7.4, 46.9}}, std::pair{"EPSG:21781", Vec2{7.4, 46.9}},
                               std::pair{"EPSG:28992", Vec2{4.9, 52.4}}, std::pair{"EPSG:3006", Vec2{18, 59.3}},
                               std::pair{"EPSG:3857", Vec2{9, 48}}, std::pair{"EPSG:6344", Vec2{-93, 45}},
                               std::pair{"EPSG:28355", Vec2{145, -37.8}}, std::pair{"EPSG:23030", Vec2{-3.7, 40.4}}}) {
    EXPECT_EQ(PointTransform(degrees, Crs::from_text(crs), around(p, 0.01)).caveat(), "") << crs;
  }
}

std::string with_grids(const std::string& grids) {
  return "+proj=tmerc +lat_0=0 +lon_0=6 +k=1 +x_0=2500000 +ellps=bessel +nadgrids=" + grids + " +units=m +type=crs";
}

TEST(Crs, NeedsItsOwnGrids) {
  try {
    Crs::from_text(with_grids("nowhere.gsb"), {.field = "CRS"});
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "missing_grid");
    EXPECT_NE(error.message().find("nowhere.gsb, which is not installed"), std::string::npos) << error.message();
    EXPECT_EQ(error.place().field, "CRS");
  }
  for (const char* grids : {"@nowhere.gsb", "@nowhere.gsb,null", "null"}) {
    EXPECT_FALSE(Crs::from_text(with_grids(grids)).empty()) << grids;
  }
  EXPECT_FALSE(Crs::from_text("+proj=utm +zone=32 +ellps=bessel +towgs84=598,74,418,0,0,0,0 +type=crs").empty());
}

// PROJ does not come back from a box without width at 180°.
TEST(Transform, TakesTheAreaOfASinglePoint) {
  const Crs degrees = Crs::from_text("EPSG:4326");
  for (const double longitude : {180.0, -180.0, 179.9999999}) {
    for (const double latitude : {90.0, 66.0, -17.0}) {
      const Crs map = latitude == 90 ? Crs::from_text("EPSG:3995") : utm_zone(longitude, latitude);
      const Vec2 point{longitude, latitude};
      const PointTransform transform(degrees, map, Rectangle{point, point});
      EXPECT_LT(norm(transform(point) - PointTransform(degrees, map)(point)), 1e-6) << longitude << ", " << latitude;
      EXPECT_EQ(transform.caveat(), "");
    }
  }
  const Crs national = Crs::from_text("EPSG:27700");
  const Vec2 norwich{1.29, 52.63};
  const PointTransform of_point(degrees, national, Rectangle{norwich, norwich});
  const PointTransform of_town(degrees, national, around(norwich, 0.01));
  EXPECT_EQ(of_point(norwich), of_town(norwich));
  EXPECT_EQ(of_point.caveat(), of_town.caveat());
}

TEST(Transform, BetweenEqualsKeepsEveryBit) {
  const PointTransform same(Crs::from_text("EPSG:32632"), Crs::from_text("EPSG:32632"));
  EXPECT_TRUE(same.is_identity());
  const Vec2 p{500000.1234567891, 5000000.987654321};
  EXPECT_EQ(same(p), p);
  EXPECT_TRUE(PointTransform(Crs(), Crs()).is_identity());
}

TEST(Transform, GivesNaNForPointsThatCannotBe) {
  const PointTransform transform(Crs::from_text("EPSG:4326"), Crs::from_text("EPSG:32632"));
  std::vector<Vec2> points = {{9, 50}, {std::nan(""), 3}, {9, 91}};
  transform.apply(points);
  EXPECT_TRUE(std::isfinite(points[0].x));
  EXPECT_TRUE(std::isnan(points[1].x));
  EXPECT_TRUE(std::isnan(points[2].x));
}

// Grid north of a transverse Mercator projection: tan γ = tan(λ − λ₀) sin φ on the sphere; on the ellipsoid the next
// term of the series, (cos²φ)(1 + 3η²)/3 · (λ − λ₀)³ sin φ, is all that counts at these distances.
TEST(Convergence, OfUtmFollowsTheSeries) {
  for (const Vec2 place : {Vec2{-78.94, 36.0}, Vec2{-83.9, 36.0}, Vec2{-79.0, -51.0}, Vec2{-81.0, 20.0}}) {
    const Crs utm = utm_zone(place.x, place.y);
    const GridGeometry grid(utm);
    const auto found = grid.at(proj_transform("EPSG:4326", utm.name(), place));
    ASSERT_TRUE(found);
    const double dl = radians(place.x - -81.0), phi = radians(place.y), e2 = 0.00669437999014;
    const double eta2 = e2 / (1 - e2) * std::cos(phi) * std::cos(phi);
    const double series =
        dl * std::sin(phi) * (1 + dl * dl * std::cos(phi) * std::cos(phi) * (1 + 3 * eta2 + 2 * eta2 * eta2) / 3);
    EXPECT_NEAR(found->convergence_deg, degrees(series), 2e-5) << place.x << " " << place.y;
    EXPECT_NEAR(found->axes_deg, 90, 1e-6);
  }
}

TEST(Convergence, OfLambertsConeIsItsConstantTimesTheLongitude) {
  // EPSG:3946: γ = n (λ − 3°), n from the two standard parallels 45.25° and 46.75° on GRS 80.
  const double e = std::sqrt(0.00669438002290);
  const auto m = [&](double phi) { return std::cos(phi) / std::sqrt(1 - e * e * std::sin(phi) * std::sin(phi)); };
  const auto t = [&](double phi) {
    const double s = e * std::sin(phi);
    return std::tan(pi / 4 - phi / 2) / std::pow((1 - s) / (1 + s), e / 2);
  };
  const double one = radians(45.25), other = radians(46.75);
  const double n = (std::log(m(one)) - std::log(m(other))) / (std::log(t(one)) - std::log(t(other)));
  const auto found =
      GridGeometry(Crs::from_text("EPSG:3946")).at(proj_transform("EPSG:4171", "EPSG:3946", {4.84, 45.76}));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->convergence_deg, n * (4.84 - 3.0), 1e-6);
}

struct FactorCase {
  const char* definition;  // what PROJ computes factors from without a fault
  const char* crs;
  double tolerance_deg;  // an equal-area grid's axes are not quite the directions that they have in the map plane
};

TEST(Scale, AgreesWithProjsFactors) {
  PJ_CONTEXT* context = proj_context_create();
  for (const FactorCase& c :
       {FactorCase{"+proj=utm +zone=32 +ellps=GRS80", "EPSG:25832", 1e-6},
        FactorCase{"+proj=tmerc +lat_0=0 +lon_0=9 +k=1 +x_0=3500000 +ellps=bessel", "EPSG:31467", 1e-6},
        FactorCase{"+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80", "EPSG:3035", 2e-3}}) {
    const Vec2 place{11.5, 48.1};
    PJ* projection = proj_create(context, c.definition);
    const PJ_COORD radian = proj_coord(radians(place.x), radians(place.y), 0, 0);
    const PJ_FACTORS factors = proj_factors(projection, radian);
    const PJ_COORD position = proj_trans(projection, PJ_FWD, radian);
    proj_destroy(projection);
    const auto found = GridGeometry(Crs::from_text(c.crs)).at({position.xy.x, position.xy.y});
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->convergence_deg, degrees(factors.meridian_convergence), c.tolerance_deg) << c.crs;
    EXPECT_NEAR(found->east_scale * found->north_scale, factors.areal_scale, 1e-6) << c.crs;
    EXPECT_LE(found->east_scale, factors.tissot_semimajor + 1e-7) << c.crs;
    EXPECT_GE(found->east_scale, factors.tissot_semiminor - 1e-7) << c.crs;
  }
  proj_context_destroy(context);
}

TEST(GivenCrs, IsAcceptedWithAnIssueWhereItsScaleIsSoSo) {
  const Crs lambert93 = Crs::from_text("EPSG:2154");
  EXPECT_TRUE(check_environment_crs(lambert93, proj_transform("EPSG:4326", "EPSG:2154", {4.84, 45.76})).empty());
  const auto issues = check_environment_crs(lambert93, proj_transform("EPSG:4326", "EPSG:2154", {9.2, 41.6}));
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].code, "scale_of_crs");
}

}  // namespace
}  // namespace tesseray
