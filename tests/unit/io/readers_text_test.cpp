// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include "core/io/readers/readers.h"
#include "core/io/sources/name_spellings.h"
#include "core/io/sources/passwords.h"
#include "core/io/sources/text_values.h"
#include "tests/support/kept_warnings.h"
#include "tests/support/test_folders.h"

namespace tesseray {
namespace {

struct LengthCase {
  const char* text;
  LengthUnit unit;
  double metres;  // NaN: not a length
};
void PrintTo(const LengthCase& length, std::ostream* out) { *out << length.text; }
const double none = std::nan("");

class Lengths : public ::testing::TestWithParam<LengthCase> {};

TEST_P(Lengths, AreReadAsPeopleWriteThem) {
  const auto [text, unit, metres] = GetParam();
  const std::optional<double> length = parse_length_m(text, unit);
  ASSERT_EQ(length.has_value(), !std::isnan(metres)) << text;
  EXPECT_DOUBLE_EQ(length.value_or(0), std::isnan(metres) ? 0 : metres) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Texts, Lengths,
    ::testing::Values(LengthCase{"12", LengthUnit::metre, 12}, LengthCase{"12 m", LengthUnit::metre, 12},
                      LengthCase{"12m", LengthUnit::foot, 12}, LengthCase{"12,5", LengthUnit::metre, 12.5},
                      LengthCase{" 12.5 metres ", LengthUnit::metre, 12.5}, LengthCase{"+3", LengthUnit::metre, 3},
                      LengthCase{"-2.5 m", LengthUnit::metre, -2.5}, LengthCase{"40'", LengthUnit::metre, 40 * 0.3048},
                      LengthCase{"40 ft", LengthUnit::metre, 40 * 0.3048},
                      LengthCase{"40 Feet", LengthUnit::metre, 40 * 0.3048},
                      LengthCase{"40", LengthUnit::foot, 40 * 0.3048},
                      LengthCase{"7'6\"", LengthUnit::metre, 7 * 0.3048 + 6 * 0.0254},
                      LengthCase{"7\u20326\u2033", LengthUnit::metre, 7 * 0.3048 + 6 * 0.0254},
                      LengthCase{"7 ft 6 in", LengthUnit::metre, 7 * 0.3048 + 6 * 0.0254},
                      LengthCase{"36\"", LengthUnit::metre, 36 * 0.0254},
                      LengthCase{"1250 cm", LengthUnit::metre, 12.5}, LengthCase{"12\u00a0m", LengthUnit::metre, 12},
                      LengthCase{"1e1", LengthUnit::metre, 10}, LengthCase{"", LengthUnit::metre, none},
                      LengthCase{"high", LengthUnit::metre, none}, LengthCase{"12-15", LengthUnit::metre, none},
                      LengthCase{"12;15", LengthUnit::metre, none}, LengthCase{"1,234.5", LengthUnit::metre, none},
                      LengthCase{"12 parsecs", LengthUnit::metre, none}, LengthCase{"nan", LengthUnit::metre, none},
                      LengthCase{"inf", LengthUnit::metre, none}, LengthCase{"0x10", LengthUnit::metre, none},
                      LengthCase{"m", LengthUnit::metre, none}, LengthCase{"+-5", LengthUnit::metre, none},
                      LengthCase{"7'13\"", LengthUnit::metre, none}, LengthCase{"1'000", LengthUnit::metre, none},
                      LengthCase{"1e999", LengthUnit::metre, none}));

TEST(Names, OfTransmittersMayBeSpelledInOtherLetters) {
  const char* composed = "M\u00fcller-Stra\u00dfe";
  NameSpellings spellings({"Market", composed, "North", "NORTH", "None", " East "});
  EXPECT_EQ(spellings.known("Market"), "Market");
  EXPECT_EQ(spellings.known("north"), "north") << "either of two";
  EXPECT_EQ(spellings.known("NORTH"), "NORTH");
  EXPECT_EQ(spellings.known("none"), "none") << "a word for nothing";
  EXPECT_EQ(spellings.known("None"), "None");
  EXPECT_EQ(spellings.known("Markt"), "Markt");
  EXPECT_EQ(spellings.known(""), "");
  testing::KeptWarnings warnings;
  spellings.tell("measurements", warnings);
  EXPECT_TRUE(warnings.all.empty());

  EXPECT_EQ(spellings.known("MARKET"), "Market");
  EXPECT_EQ(spellings.known(" market\u00a0"), "Market");
  EXPECT_EQ(spellings.known("Mu\u0308ller-Stra\u00dfe"), composed);
  EXPECT_EQ(spellings.known("M\u00dcLLER-STRASSE"), composed);
  EXPECT_EQ(spellings.known("EAST"), "East");
  spellings.tell("measurements", warnings);
  ASSERT_EQ(warnings.all.size(), 1u);
  EXPECT_NE(warnings.all[0].message.find("5 of the measurements"), std::string::npos) << warnings.all[0].message;
  EXPECT_NE(warnings.all[0].message.find("\"MARKET\" for \"Market\""), std::string::npos) << warnings.all[0].message;
}

struct SourceCase {
  const char *source, *shown;
};
void PrintTo(const SourceCase& source, std::ostream* out) { *out << source.shown; }

class Sources : public ::testing::TestWithParam<SourceCase> {};

TEST_P(Sources, AreShownWithoutPasswords) {
  const auto [source, shown] = GetParam();
  EXPECT_EQ(without_password(source), shown);
  EXPECT_EQ(without_password(shown), shown);
}

INSTANTIATE_TEST_SUITE_P(
    Passwords, Sources,
    ::testing::Values(
        SourceCase{"PG:dbname=city password=pw! host=a", "PG:dbname=city password=… host=a"},
        SourceCase{"PG:dbname=city password=pw!|layername=roofs", "PG:dbname=city password=…|layername=roofs"},
        SourceCase{"PG:dbname=city PASSWORD = pw! host = a", "PG:dbname=city PASSWORD = … host = a"},
        SourceCase{"/vsicurl/https://host/a.tif?x=1&api_key=s3c&y=2", "/vsicurl/https://host/a.tif?x=1&api_key=…&y=2"},
        SourceCase{"/vsizip//vsicurl/https://host/a.zip?X-Amz-Signature=s3c|layername=a",
                   "/vsizip//vsicurl/https://host/a.zip?X-Amz-Signature=…|layername=a"},
        SourceCase{"WFS:https://host/wfs?service=WFS&token=a,b;c", "WFS:https://host/wfs?service=WFS&token=…"},
        SourceCase{"url='https://host/oapif?f=json&apikey=s3c' typename='a'",
                   "url='https://host/oapif?f=json&apikey=…' typename='a'"},
        SourceCase{"city.gpkg|subset=\"key\"=7", "city.gpkg|subset=\"key\"=7"},
        SourceCase{"PG:dbname=city key=id", "PG:dbname=city key=id"},
        SourceCase{"pg:password=p,w;!&x host=a", "pg:password=… host=a"},
        SourceCase{"PG:dbname=city password=p w ! host=a", "PG:dbname=city password=… host=a"},
        SourceCase{"PG:dbname=city password=p\\ w=! host=a", "PG:dbname=city password=… host=a"},
        SourceCase{"PG:dbname=city password='it''s a b' host=a", "PG:dbname=city password=… host=a"},
        SourceCase{"PG:dbname=city password='it\\' s = b' host=a", "PG:dbname=city password=… host=a"},
        SourceCase{"PG:dbname=city password=\"a b\" host=a", "PG:dbname=city password=… host=a"},
        SourceCase{"PG:dbname=city password='not closed host=a", "PG:dbname=city password=…"},
        SourceCase{"PG:password=one user=anna sslpassword=two", "PG:password=… user=anna sslpassword=…"},
        SourceCase{"PG:password=password=one host=a", "PG:password=… host=a"},
        SourceCase{"dbname=city password=pw", "dbname=city password=…"},
        SourceCase{"PG:postgresql://anna:pw!@host:5432/city?sslmode=require",
                   "PG:postgresql://anna:…@host:5432/city?sslmode=require"},
        SourceCase{"postgresql://anna:p@w@host/city", "postgresql://anna:…@host/city"},
        SourceCase{"postgresql://anna:p/w?#@host/city", "postgresql://anna:…@host/city"},
        SourceCase{"postgresql://host:5432/city?user=anna&password=p;w&sslmode=require",
                   "postgresql://host:5432/city?user=anna&password=…&sslmode=require"},
        SourceCase{"postgresql://:pw@/city", "postgresql://:…@/city"},
        SourceCase{"MYSQL:city,user=anna,password=p w,port=3306", "MYSQL:city,user=anna,password=…,port=3306"},
        SourceCase{"MSSQL:server=a;uid=anna;pwd=p w,;database=city", "MSSQL:server=a;uid=anna;pwd=…;database=city"},
        SourceCase{"MSSQL:server=a;PWD={p;w};database=city", "MSSQL:server=a;PWD=…;database=city"},
        SourceCase{"MSSQL:pwd=pw;server=a", "MSSQL:pwd=…;server=a"},
        SourceCase{"ODBC:anna/pw@city,roofs", "ODBC:anna/…@city,roofs"},
        SourceCase{"/vsicurl/https://anna:pw@host/dem.tif", "/vsicurl/https://anna:…@host/dem.tif"},
        SourceCase{"WFS:https://host:8080/a@b?service=wfs", "WFS:https://host:8080/a@b?service=wfs"},
        SourceCase{"roofs.gpkg|layername=passwords|subset=a = 1", "roofs.gpkg|layername=passwords|subset=a = 1"},
        SourceCase{"PG:dbname=city password=", "PG:dbname=city password="}, SourceCase{"=", "="}, SourceCase{"", ""}));

// The plugin's test takes the same names.
TEST(Passwords, AreTheValuesOfTheseNamesInAQuery) {
  std::ifstream names(testing::source_folder() / "tests/support/query_names.csv");
  std::string line;
  std::getline(names, line);
  std::size_t count = 0;
  for (; std::getline(names, line); ++count) {
    const std::size_t comma = line.find(',');
    const std::string name = line.substr(0, comma);
    const std::string value = line.substr(comma + 1) == "1" ? "…" : "s3c";
    for (const char separator : {'?', '&'}) {
      const std::string before = "/vsicurl/https://host/a.tif?x=1" + (separator + name) + "=";
      EXPECT_EQ(without_password(before + "s3c&y=2"), before + value + "&y=2");
    }
  }
  EXPECT_GT(count, 20u);
}

TEST(Messages, AboutASourceAreWithoutItsPasswords) {
  EXPECT_EQ(
      without_passwords_of("PG:dbname=city password=ge heim", R"(missing "=" after "heim" in connection info string)"),
      R"(missing "=" after "…" in connection info string)");
  EXPECT_EQ(without_passwords_of("PG:postgresql://anna:pw%2@host/city", R"(invalid percent-encoded token: "pw%2")"),
            R"(invalid percent-encoded token: "…")");
  EXPECT_EQ(without_passwords_of("PG:dbname=city password=…", "a …"), "a …");
  EXPECT_EQ(without_passwords_of("PG:dbname=city", R"(database "city" does not exist)"),
            R"(database "city" does not exist)");
}

TEST(Messages, AboutARunAreWithoutItsPasswords) {
  KnownPasswords passwords;
  passwords.add_those_of("PG:dbname=city password=geheim");
  passwords.add_those_of("city.gpkg|layername=roofs");
  passwords.add_those_of("MSSQL:server=host;pwd=other;database=city");
  EXPECT_EQ(passwords.hidden_in("PG:dbname=city password=geheim: there is no such file. Give other"),
            "PG:dbname=city password=…: there is no such file. Give …");
  EXPECT_EQ(passwords.hidden_in("city.gpkg, layer roofs: it is empty"), "city.gpkg, layer roofs: it is empty");
}

TEST(Names, MayEndWithAUnit) {
  constexpr std::array<std::string_view, 9> units = {"w", "mw", "kw", "dbm", "dbw", "hz", "khz", "mhz", "ft"};
  const std::pair<const char*, const char*> names[] = {
      {"freq_MHz", "mhz"}, {"f kHz", "khz"}, {"powerDbm", "dbm"}, {"max_dBm", "dbm"}, {"max_dBW", "dbw"},
      {"TX [mW]", "mw"},   {"TX_kW", "kw"},  {"system_W", "w"},   {"power (W)", "w"}, {"height (ft)", "ft"},
      {"shaft", ""},       {"view", ""},     {"FT", "ft"},        {"sector_NW", ""},  {"", ""}};
  for (const auto& [name, unit] : names) EXPECT_EQ(unit_at_end(name, units), unit) << name;
}

TEST(Names, HaveSmallLettersWithMarksToo) {
  EXPECT_EQ(in_small_letters("PANEL Äöß×ÑŸŁŻĲ ΑΩ ЁЖ 電"), "panel äöß×ñÿłżĳ αω ёж 電");
  EXPECT_EQ(in_small_letters("ΏÇĐȘẤԱ"), "ώçđșấա");
  EXPECT_EQ(in_small_letters("A\u0308"), "ä") << "letter and mark apart";
  EXPECT_EQ(in_small_letters("Ißıİ"), "ißıi") << "in no language: the Turkish ones are not those of other tongues";
  EXPECT_EQ(in_small_letters("A\xC4\xC3"), "a\xC4\xC3") << "Latin-1 stays";
}

TEST(Names, ComparePlainly) {
  EXPECT_EQ(plain_name("Antenna-Height (m)"), "antennaheightm");
  EXPECT_EQ(plain_name("building:levels"), "buildinglevels");
  EXPECT_EQ(plain_name("GEBÄUDEHÖHE"), "gebaeudehoehe");
  EXPECT_EQ(plain_name("nb_étages"), "nbetages");
  EXPECT_EQ(plain_name("Hauteur du bâtiment"), "hauteurdubatiment");
  EXPECT_EQ(plain_name("WYSOKOŚĆ"), "wysokosc");
  EXPECT_EQ(plain_name("výška_střechy"), "vyskastrechy");
  EXPECT_EQ(plain_name("GEBA\u0308UDEHO\u0308HE"), "gebaeudehoehe") << "letters and marks apart";
  EXPECT_EQ(plain_name("H\xD6HE"), "h\xD6he") << "Latin-1 stays";
}

TEST(Names, NearestIsSuggestedOnlyWhenNear) {
  const std::vector<std::string> names = {"osm_id", "height_m", "levels"};
  EXPECT_EQ(nearest_name("heigth_m", names), "height_m");
  EXPECT_EQ(nearest_name("HEIGHT", names), "height_m");
  EXPECT_EQ(nearest_name("colour", names), "");
}

TEST(Hstore, ValuesAreFoundByKey) {
  const std::string tags = R"("name"=>"The \"Tall\" one","height"=>"12 m","height:note"=>"a, \\ b","empty"=>"")";
  EXPECT_EQ(hstore_value(tags, "height"), "12 m");
  EXPECT_EQ(hstore_value(tags, "name"), "The \"Tall\" one");
  EXPECT_EQ(hstore_value(tags, "height:note"), "a, \\ b");
  EXPECT_EQ(hstore_value(tags, "empty"), "");
  EXPECT_EQ(hstore_value(tags, "levels"), std::nullopt);
  EXPECT_EQ(hstore_value("\"height", "height"), std::nullopt);
  EXPECT_EQ(hstore_value("", "height"), std::nullopt);
}

}  // namespace
}  // namespace tesseray
