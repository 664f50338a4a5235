// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstddef>
#include <string>
#include <utility>

#include "core/io/results/result_layers.h"
#include "core/io/results/styles.h"

namespace tesseray {

namespace {

using enum ColumnType;

// A row of fingerprints.
struct PlaceRow {
  const FingerprintPlace* place = nullptr;
  std::span<const Signature> signatures;
};

Field<PlaceRow> signature_field(const std::string& name, const std::string& description, std::size_t transmitter,
                                double Signature::*member) {
  return {{name, real, description},
          [transmitter, member](const PlaceRow& row) { return Value::real(row.signatures[transmitter].*member); }};
}

// The columns of one transmitter, by its number in the span of transmitters.
void add_signature_fields(const PredictedTransmitter& transmitter, std::size_t number, bool with_elevation,
                          std::vector<Field<PlaceRow>>& fields) {
  const std::string start = std::string(1, 't').append(std::to_string(transmitter.transmitter_id)).append("_"),
                    of = " of " + transmitter.name;
  fields.push_back(signature_field(start + "power_dbm", "Received power" + of + "; NULL where it is not heard, dBm",
                                   number, &Signature::power_dbm));
  fields.push_back(
      signature_field(start + "delay_ns", "Delay of the first ray" + of + ", ns", number, &Signature::delay_ns));
  fields.push_back(signature_field(start + "azimuth_deg",
                                   "Azimuth the strongest ray" + of + " comes from, from true north, degrees", number,
                                   &Signature::azimuth_deg));
  if (!with_elevation) return;
  fields.push_back(signature_field(start + "elevation_deg",
                                   "Elevation the strongest ray" + of + " comes from, up positive, degrees", number,
                                   &Signature::elevation_deg));
}

}  // namespace

Layer fingerprints_layer(const std::string& name, const PathLossLayer& path_loss, const Fingerprints& fingerprints) {
  Layer layer{.name = name,
              .description = "What all transmitters bring to each place, one row per place",
              .geometry = LayerGeometry::point_z,
              .made_from_predictions = true};
  layer.styles = styles::fingerprints();
  std::vector<Field<PlaceRow>> fields = {
      {{"tile_id", integer, "Tile"}, [](const PlaceRow& row) { return Value::integer(row.place->tile_id); }},
      {{"kind", text, "ground, wall or roof"},
       [](const PlaceRow& row) { return Value::text(to_text(row.place->kind)); }},
      {{"transmitter_count", integer, "Transmitters that are heard"},
       [](const PlaceRow& row) { return Value::integer(row.place->heard); }},
  };
  const bool with_elevation = fingerprints.have_elevations();
  for (std::size_t t = 0; t < path_loss.transmitters.size(); ++t) {
    add_signature_fields(path_loss.transmitters[t], t, with_elevation, fields);
  }
  return with_rows<PlaceRow>(
      std::move(layer), path_loss.frame.origin, fingerprints.places().size(),
      [&fingerprints](std::size_t i) {
        return PlaceRow{&fingerprints.places()[i], fingerprints.at(i)};
      },
      std::move(fields), [](const PlaceRow& row, GeometryEncoder& encoder) { encoder.point(row.place->position); });
}

Layer located_layer(const std::string& name, const PathLossLayer& path_loss, const Fingerprints& fingerprints,
                    const std::vector<LocatedQuery>& located) {
  using L = LocatedQuery;
  Layer layer{.name = name,
              .description = "Where measured fingerprints fit best, one row per query",
              .geometry = LayerGeometry::point_z,
              .made_from_predictions = true};
  layer.styles = styles::located();
  const auto number = [](const char* field, const char* description, double FingerprintMatch::*member) {
    return Field<L>{{field, real, description},
                    [member](const L& l) { return l.match ? Value::real((*l.match).*member) : Value(); }};
  };
  std::vector<Field<L>> fields = {
      {{"query", text, "Query, as its rows call it"}, [](const L& l) { return Value::text(l.name); }},
      {{"tile_id", integer, "The likeliest tile; NULL where nothing could be compared"},
       [&fingerprints](const L& l) {
         return l.match ? Value::integer(fingerprints.places()[l.match->best].tile_id) : Value();
       }},
      {{"transmitter_count", integer, "Transmitters that were measured and are known"},
       [](const L& l) { return l.match ? Value::integer(l.match->transmitters) : Value(); }},
      number("mismatch", "Root mean square difference at the likeliest tile, in standard deviations",
             &FingerprintMatch::mismatch),
      number("spread_m", "Root mean square distance of the likeliest tiles from the point, m",
             &FingerprintMatch::spread_m),
      {{"error_m", real, "Distance in the plan from the query's own place; NULL where it has none, m"},
       [](const L& l) { return Value::real(l.error_m()); }},
  };
  return with_rows<L>(
      std::move(layer), path_loss.frame.origin, located.size(),
      [&located](std::size_t i) -> const L& { return located[i]; }, std::move(fields),
      [](const L& l, GeometryEncoder& encoder) {
        if (l.match) {
          encoder.point(l.match->position);
        } else {
          encoder.null();
        }
      });
}

}  // namespace tesseray
