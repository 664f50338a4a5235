// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/readers/transmitter_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "core/base/units.h"
#include "core/io/readers/height_names.h"
#include "core/io/readers/transmitter_names.h"
#include "core/io/sources/text_values.h"
#include "core/scene/frequency_range.h"

namespace tesseray {
namespace {

using Names = std::string_view;

constexpr std::array frequency_aliases = {
    Names("frequency"),       Names("freq"),     Names("carrierfrequency"), Names("centerfrequency"),
    Names("centrefrequency"), Names("frequenz"), Names("frequence"),        Names("frecuencia"),
    Names("frequenza"),       Names("f")};
constexpr std::array erp_aliases = {Names("erp"),           Names("eirp"),     Names("power"),     Names("txpower"),
                                    Names("transmitpower"), Names("leistung"), Names("puissance"), Names("potencia"),
                                    Names("potenza"),       Names("pire")};
constexpr std::array azimuth_aliases = {Names("azimuth"), Names("bearing"),        Names("azi"),
                                        Names("heading"), Names("direction"),      Names("azimut"),
                                        Names("az"),      Names("antennaazimuth"), Names("antazimuth"),
                                        Names("acimut"),  Names("azimute"),        Names("richtung")};
constexpr std::array downtilt_aliases = {Names("downtilt"), Names("tilt"),           Names("totaltilt"),
                                         Names("tiltdown"), Names("mechanicaltilt"), Names("mechanicaldowntilt"),
                                         Names("mechtilt"), Names("mtilt")};
constexpr std::array electrical_tilt_aliases = {Names("electricaltilt"), Names("electricaldowntilt"), Names("etilt")};
constexpr std::array antenna_aliases = {Names("antenna"),     Names("antennatype"),    Names("antennamodel"),
                                        Names("pattern"),     Names("antenne"),        Names("antena"),
                                        Names("antennafile"), Names("antennapattern"), Names("patternfile")};
constexpr std::array polarization_aliases = {Names("polarization"), Names("polarisation"), Names("pol")};
constexpr std::array reference_aliases = {Names("heightreference"), Names("antennaheightreference"),
                                          Names("hoehenbezug"), Names("hohenbezug")};

// In names of fields that say what has a default, so that nobody would miss it.
constexpr std::array azimuth_stems = {Names("azim"),           Names("bearing"),       Names("ausrichtung"),
                                      Names("strahlrichtung"), Names("hauptrichtung"), Names("antennenrichtung"),
                                      Names("acimut"),         Names("orient")};
constexpr std::array tilt_stems = {Names("tilt"), Names("neigung"), Names("absenkung"), Names("kipp"), Names("inclin")};
constexpr std::array antenna_stems = {Names("antennatyp"), Names("antennentyp"), Names("antennafile"),
                                      Names("antennemod"), Names("antennenmod"), Names("pattern"),
                                      Names("diagram")};
constexpr std::array polarization_stems = {Names("polari")};
constexpr std::array frequency_stems = {Names("freq"), Names("frec"), Names("arfcn"), Names("carrier")};
constexpr Names band_stem = "band";
constexpr std::array width_stems = {Names("width"), Names("breite"), Names("ancho"), Names("larg")};
constexpr std::array power_stems = {Names("power"),     Names("pwr"),    Names("eirp"),   Names("leistung"),
                                    Names("puissance"), Names("potenc"), Names("potenz"), Names("dbm")};
// French, Spanish and Italian have one word.
constexpr Names eirp_stem = "eirp", romance_eirp = "pire";
constexpr std::array gain_stems = {Names("gain"), Names("gewinn"), Names("loss"), Names("verlust"), Names("feeder")};
constexpr std::array reference_stems = {Names("heightref"), Names("hoehenbez"), Names("hohenbez")};

constexpr std::array ground_words = {Names("ground"), Names("aboveground"), Names("agl")};
constexpr std::array roof_words = {Names("roof"), Names("aboveroof"), Names("rooftop")};
constexpr std::array sea_words = {Names("sea"), Names("sealevel"), Names("abovesea"), Names("abovesealevel"),
                                  Names("asl"), Names("amsl"),     Names("msl")};

constexpr std::array frequency_names = {Names("hz"), Names("khz"), Names("mhz"), Names("ghz")};
constexpr std::array frequency_units = {Unit{"hz", 1e-6}, Unit{"khz", 1e-3}, Unit{"mhz", 1.0}, Unit{"ghz", 1e3}};
constexpr std::array transmitted_power_names = {Names("dbm"), Names("dbw"),  Names("w"),    Names("mw"),
                                                Names("kw"),  Names("watt"), Names("watts")};
// Milliwatts in any letters but those of megawatts.
constexpr Names milliwatts = "mw", megawatts = "MW";
constexpr std::array linear_power_units = {Unit{milliwatts, 1e-3}, Unit{"w", 1.0},    Unit{"kw", 1e3},
                                           Unit{megawatts, 1e6},   Unit{"watt", 1.0}, Unit{"watts", 1.0}};

bool has_small_letter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

// The unit of bare numbers, as power_dbm takes it. Throws where a name has capitals as words do, which tell nothing.
std::string unit_in_name(const Attribute& powers, ErrorPlace place) {
  if (powers.unit() != milliwatts) return powers.unit();
  const std::string& name = powers.name();
  // The W may be cut off.
  const std::size_t at = name.find_last_of("mM");
  if (name[at] == 'm') return std::string(milliwatts);
  if (has_small_letter(name.substr(0, at)) && !has_small_letter(name.substr(at))) return std::string(megawatts);
  place.field = name;
  throw Error(ErrorKind::invalid_input, "ambiguous_unit",
              "the unit that its name ends with may be megawatts or milliwatts",
              "name it erp_MW for megawatts, erp_mW for milliwatts, or erp_kW", place);
}

// In dBm: from decibels above 1 mW or 1 W, or from watts. Empty for what is none of these.
std::optional<double> power_dbm(double value, std::string_view unit) {
  if (unit.empty() || unit == "dbm") return value;
  if (unit == "dbw") return value + 30.0;
  const Unit* linear = find_unit(linear_power_units, unit);
  if (linear == nullptr || value <= 0) return std::nullopt;
  return decibels(value * linear->factor) + 30.0;
}

// "46", "46 dBm", "20 W"; `unit` is what a bare number is in.
std::optional<double> parse_power_dbm(const std::string& text, std::string_view unit) {
  if (const std::optional<double> bare = parse_number(text)) return power_dbm(*bare, unit);
  const std::string lower = lower_case(text);
  std::size_t at = lower.size();
  while (at > 0 && lower[at - 1] >= 'a' && lower[at - 1] <= 'z') --at;
  const std::string spelled = text.substr(at), own_unit = lower.substr(at);
  const bool has_capital_m = own_unit == milliwatts && spelled.front() == 'M';
  const std::optional<double> value = parse_number(std::string_view(lower).substr(0, at));
  return value ? power_dbm(*value, has_capital_m ? spelled : own_unit) : std::nullopt;
}

bool has_one_of(const std::string& plain, std::span<const Names> stems) {
  return std::any_of(stems.begin(), stems.end(), [&plain](Names stem) { return plain.find(stem) != plain.npos; });
}

bool is_called_eirp(const std::string& plain) {
  return plain.find(eirp_stem) != plain.npos || plain.starts_with(romance_eirp);
}

bool tells_of_frequencies(const std::string& plain) {
  return has_one_of(plain, frequency_stems) || (plain.find(band_stem) != plain.npos && !has_one_of(plain, width_stems));
}

bool tells_of_powers(const std::string& plain) {
  return has_one_of(plain, power_stems) || plain.starts_with("erp") || plain.ends_with("erp");
}

AttributeSearch look_for(const std::string& requested, const char* parameter, std::span<const Names> aliases,
                         std::span<const Names> units = {}) {
  return {requested, parameter, aliases, units, {}};
}

}  // namespace

TransmitterReader::TransmitterReader(PointSource& points, const TransmitterInput& input, AntennaChoice& antennas)
    : points_(points), input_(input), antennas_(antennas) {
  const auto require = [&](const AttributeSearch& wanted, bool has_default, const char* meaning,
                           const char* parameter) {
    std::optional<Attribute> found = points_.find(wanted);
    if (!found && !has_default) {
      throw missing_attribute(points_.fields(), wanted, meaning,
                              std::string("name it with ") + wanted.parameter + ", or give " + parameter + " for all",
                              points_.place());
    }
    return found;
  };
  name_ = points_.find(look_for(input.name_field, "NAME_FIELD", transmitter_name_aliases));
  frequency_ = require(look_for(input.frequency_field, "FREQUENCY_FIELD", frequency_aliases, frequency_names),
                       input.frequency_mhz.has_value(), "frequencies", "FREQUENCY");
  height_ = require(look_for(input.height_field, "ANTENNA_HEIGHT_FIELD", antenna_height_aliases, length_names),
                    input.antenna_height_m.has_value(), "antenna heights", "ANTENNA_HEIGHT");
  erp_ = require(look_for(input.erp_field, "ERP_FIELD", erp_aliases, transmitted_power_names),
                 input.erp_dbm.has_value(), "radiated powers", "ERP");
  if (erp_) erp_unit_ = unit_in_name(*erp_, points_.place());
  azimuth_ = points_.find(look_for(input.azimuth_field, "AZIMUTH_FIELD", azimuth_aliases, angle_names));
  downtilt_ = points_.find(look_for(input.downtilt_field, "DOWNTILT_FIELD", downtilt_aliases, angle_names));
  tilt_is_total_ = downtilt_ && plain_name(downtilt_->name()).find("total") != std::string::npos;
  electrical_tilt_ = points_.find(
      look_for(input.electrical_tilt_field, "ELECTRICAL_TILT_FIELD", electrical_tilt_aliases, angle_names));
  antenna_ = points_.find(look_for(input.antenna_field, "ANTENNA_FIELD", antenna_aliases));
  polarization_ = points_.find(look_for(input.polarization_field, "POLARIZATION_FIELD", polarization_aliases));
  reference_ = points_.find(look_for({}, "", reference_aliases));
}

std::vector<std::string> TransmitterReader::overlooked_gains() const {
  const std::string plain = erp_ ? plain_name(erp_->name()) : "";
  const bool is_called_erp = plain.find("erp") != plain.npos || is_called_eirp(plain);
  if (!erp_ || is_called_erp || !input_.erp_field.empty()) return {};
  std::vector<std::string> overlooked;
  for (const std::string& field : field_names(points_.fields())) {
    if (has_one_of(plain_name(field), gain_stems)) overlooked.push_back(field);
  }
  return overlooked;
}

std::optional<HeightReference> TransmitterReader::overlooked_reference() const {
  if (!height_ || reference_) return std::nullopt;
  std::string plain = plain_name(height_->name());
  if (plain.ends_with(height_->unit())) plain.resize(plain.size() - height_->unit().size());
  const auto says = [&plain](std::span<const Names> words) {
    return std::any_of(words.begin(), words.end(),
                       [&plain](Names word) { return plain.starts_with(word) || plain.ends_with(word); });
  };
  const HeightReference taken = input_.height_reference;
  if (taken != HeightReference::sea && says(sea_words)) return HeightReference::sea;
  if (taken != HeightReference::ground && says(ground_words)) return HeightReference::ground;
  return std::nullopt;
}

std::vector<std::string> TransmitterReader::overlooked_fields() const {
  const std::array read_from = {&name_,     &frequency_,       &height_,  &erp_,          &azimuth_,
                                &downtilt_, &electrical_tilt_, &antenna_, &polarization_, &reference_};
  const auto is_read = [&read_from](const std::string& field) {
    return std::any_of(read_from.begin(), read_from.end(),
                       [&field](const auto* attribute) { return *attribute && (*attribute)->is_read_from(field); });
  };
  std::vector<std::string> overlooked;
  for (const std::string& field : field_names(points_.fields())) {
    const std::string plain = plain_name(field);
    const auto is_like = [&plain](std::span<const Names> stems) { return has_one_of(plain, stems); };
    // Tilts are two, which add up.
    const bool looks_like_one = (!azimuth_ && is_like(azimuth_stems)) || is_like(tilt_stems) ||
                                (!antenna_ && is_like(antenna_stems)) ||
                                (!polarization_ && is_like(polarization_stems)) ||
                                (!reference_ && is_like(reference_stems)) || (!height_ && sounds_like_height(field)) ||
                                (!frequency_ && tells_of_frequencies(plain)) || (!erp_ && tells_of_powers(plain));
    if (looks_like_one && !is_read(field)) overlooked.push_back(field);
  }
  return overlooked;
}

Error TransmitterReader::bad_value(const Attribute& attribute, const OGRFeature& feature, const std::string& message,
                                   const std::string& hint) const {
  ErrorPlace place = points_.place(feature);
  place.field = attribute.name();
  const std::string text = attribute.text(feature).value_or("");
  return {ErrorKind::invalid_input, "bad_value", "\"" + text + "\" " + message, hint, place};
}

Error TransmitterReader::missing_value(const Attribute& attribute, const OGRFeature& feature,
                                       const std::string& parameter) const {
  ErrorPlace place = points_.place(feature);
  place.field = attribute.name();
  return {ErrorKind::invalid_input, "missing_value", "there is no value",
          "fill it in, or give " + parameter + " for all", place};
}

double TransmitterReader::frequency_hz(const OGRFeature& feature) const {
  // To whole hertz: one carrier in MHz and in GHz is the same.
  const auto in_hertz = [](double mhz) { return std::round(mhz * 1e6); };
  if (!frequency_) return in_hertz(*input_.frequency_mhz);
  const Unit* unit = find_unit(frequency_units, frequency_->unit());
  const double mhz_per_unit = unit != nullptr ? unit->factor : 1.0;
  const NumberCell cell = read_number(*frequency_, feature, mhz_per_unit, [&](const std::string& text) {
    return parse_quantity(text, frequency_units, mhz_per_unit);
  });
  if (!cell.unreadable.empty()) throw bad_value(*frequency_, feature, "is not a frequency", "write MHz: 3500");
  if (!cell.value && !input_.frequency_mhz) throw missing_value(*frequency_, feature, "FREQUENCY");
  const double mhz = cell.value ? *cell.value : *input_.frequency_mhz;
  if (!(mhz >= lowest_frequency_mhz && mhz <= highest_frequency_mhz)) {
    throw bad_value(*frequency_, feature, "is not a frequency from 10 MHz to 300 GHz",
                    "bare numbers are MHz; for others name the field frequency_hz or frequency_ghz");
  }
  return in_hertz(mhz);
}

double TransmitterReader::height_m(const OGRFeature& feature, HeightReference reference) const {
  if (!height_) return *input_.antenna_height_m;
  const NumberCell cell = read_length_m(*height_, feature);
  if (!cell.unreadable.empty()) throw bad_value(*height_, feature, "is not a height", "write metres: 25");
  if (!cell.value && !input_.antenna_height_m) throw missing_value(*height_, feature, "ANTENNA_HEIGHT");
  const double metres = cell.value ? *cell.value : *input_.antenna_height_m;
  const bool is_above_sea = reference == HeightReference::sea;
  if (!(metres >= (is_above_sea ? lowest_antenna_height_m : 0.0) && metres <= highest_antenna_height_m)) {
    throw bad_value(*height_, feature,
                    std::string("is not a height of an antenna ") +
                        (is_above_sea ? "above the sea from −500" : "above ground or roof from 0") + " to 10,000 m",
                    "heights count from what ANTENNA_HEIGHT_REFERENCE says");
  }
  return metres;
}

double TransmitterReader::erp_dbm(const OGRFeature& feature) const {
  if (!erp_) return *input_.erp_dbm;
  const std::optional<double> stored = erp_->stored_number(feature);
  const std::optional<std::string> text = erp_->text(feature);
  if (!text && !input_.erp_dbm) throw missing_value(*erp_, feature, "ERP");
  if (!text) return *input_.erp_dbm;
  const std::optional<double> power = stored ? power_dbm(*stored, erp_unit_) : parse_power_dbm(*text, erp_unit_);
  const bool is_unclear = !stored && has_thousands(*text, feature);
  if (!power || is_unclear || *power < lowest_power_dbm || *power > highest_power_dbm) {
    throw bad_value(*erp_, feature, "is not a radiated power", "write dBm, or name the field erp_w for watts");
  }
  return is_called_eirp(plain_name(erp_->name())) ? *power - half_wave_dipole_gain_dbi : *power;
}

double TransmitterReader::angle_deg(const std::optional<Attribute>& attribute, const OGRFeature& feature, double lowest,
                                    double highest) const {
  if (!attribute) return 0;
  const NumberCell cell = read_number(*attribute, feature, 1.0,
                                      [](const std::string& text) { return parse_quantity(text, angle_units, 1.0); });
  const double angle = cell.value.value_or(0);
  if (!cell.unreadable.empty() || angle < lowest || angle > highest) {
    throw bad_value(*attribute, feature,
                    "is not an angle from " + std::to_string(std::lround(lowest)) + "° to " +
                        std::to_string(std::lround(highest)) + "°",
                    "write degrees: azimuths clockwise from true north, downtilts positive below the horizon");
  }
  return angle;
}

HeightReference TransmitterReader::reference(const OGRFeature& feature) const {
  const std::optional<std::string> text = reference_ ? reference_->text(feature) : std::nullopt;
  if (!text) return input_.height_reference;
  const std::string word = plain_name(*text);
  const auto is_one_of = [&word](std::span<const Names> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (is_one_of(ground_words)) return HeightReference::ground;
  if (is_one_of(roof_words)) return HeightReference::roof;
  if (is_one_of(sea_words)) return HeightReference::sea;
  throw bad_value(*reference_, feature, "is not a reference of heights", "write ground, roof or sea");
}

void TransmitterReader::choose_antenna(const OGRFeature& feature, RawTransmitter& transmitter) const {
  const std::optional<std::string> text = antenna_ ? antenna_->text(feature) : std::nullopt;
  transmitter.antenna = input_.antenna;
  if (!text && input_.antenna_name.empty()) return;
  AntennaWish wish{.name = text.value_or(input_.antenna_name),
                   .is_parameter = !text,
                   .frequency_mhz = transmitter.frequency_hz / 1e6,
                   .polarization_is_given = polarization_ && polarization_->text(feature)};
  // Without a value the pattern stays as its file has it.
  if (electrical_tilt_ && electrical_tilt_->text(feature)) {
    wish.electrical_tilt_deg = angle_deg(electrical_tilt_, feature, -90, 90);
  }
  const std::optional<ChosenAntenna> chosen = antennas_.find(wish);
  if (chosen) {
    transmitter.antenna = chosen->kind;
    transmitter.antenna_details = chosen->details;
    transmitter.polarization = chosen->polarization.value_or(transmitter.polarization);
    return;
  }
  const std::string what = "is neither a built-in antenna nor a pattern file in " + antennas_.places(wish.is_parameter);
  const std::string hint =
      "write isotropic, half_wave_dipole, sector_3gpp, short_dipole, beam_80 (its half-power width, from 1° to 179°) "
      "or "
      "the name of a pattern file; ANTENNA_FOLDER says where these are";
  if (text) throw bad_value(*antenna_, feature, what, hint);
  throw Error(ErrorKind::invalid_input, "bad_parameter", "ANTENNA \"" + wish.name + "\" " + what, hint);
}

RawTransmitter TransmitterReader::read(const PointRow& row) const {
  const OGRFeature& feature = row.feature;
  if (!row.problem.empty()) {
    throw Error(ErrorKind::invalid_input, "bad_position", row.problem, "every transmitter needs one point",
                points_.place(feature));
  }
  RawTransmitter transmitter;
  transmitter.feature_id = feature.GetFID();
  transmitter.position = row.position;
  if (name_) transmitter.name = name_->name_in(feature);
  transmitter.reference = reference(feature);
  transmitter.frequency_hz = frequency_hz(feature);
  transmitter.height_m = height_m(feature, transmitter.reference);
  transmitter.erp_dbm = erp_dbm(feature);
  const double azimuth = angle_deg(azimuth_, feature, -360, 360);
  transmitter.azimuth_deg = azimuth < 0 ? azimuth + 360 : azimuth;
  transmitter.downtilt_deg = angle_deg(downtilt_, feature, -90, 90);
  choose_antenna(feature, transmitter);
  // An empty one is no mechanical tilt, as an empty downtilt is.
  if (tilt_is_total_ && downtilt_->text(feature)) {
    transmitter.downtilt_deg -= transmitter.antenna_details.electrical_tilt_deg.value_or(0);
  }
  if (const std::optional<std::string> text = polarization_ ? polarization_->text(feature) : std::nullopt) {
    const std::optional<Polarization> polarization = parse_polarization(*text);
    if (!polarization) {
      throw bad_value(*polarization_, feature, "is not a polarisation",
                      "write vertical, horizontal, slant+45 or slant-45");
    }
    transmitter.polarization = *polarization;
  }
  transmitter.source = points_.place(feature);
  return transmitter;
}

}  // namespace tesseray
