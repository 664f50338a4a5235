// SPDX-License-Identifier: GPL-3.0-or-later
// The values of a layer that Tesseray has written, as they must be: what others have changed in it is found out, and is
// not read as a zero.
#pragma once

#include <ogrsf_frmts.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace tesseray {

class LayerValues {
 public:
  // In place of a field's place in the layer.
  static constexpr int missing = -1;

  // `file`: as errors call it; `hint`: what to do where the layer is not as it must be.
  LayerValues(OGRLayer& layer, std::string file, std::string hint);

  // A field's place in the layer, or missing.
  int find(const char* field) const;
  // Throws Error("no_field") where there is none.
  int require(const char* field) const;

  // Also of a field of texts. NaN where the feature has none; what is no finite number is an Error("bad_value").
  double number(const OGRFeature& feature, int field) const;
  // The same where a feature must have one.
  double required_number(const OGRFeature& feature, int field) const;
  std::int64_t required_integer(const OGRFeature& feature, int field) const;
  std::string text(const OGRFeature& feature, int field) const { return feature.GetFieldAsString(field); }

  // SQLite keeps texts in columns of numbers, which GDAL reads as 0. Looks for one in `fields` that are of numbers, in
  // the rows that `filter` leaves (empty: all), in one query; other formats have none.
  void refuse_texts_among_numbers(GDALDataset& dataset, const std::vector<int>& fields,
                                  const std::string& filter) const;

  [[noreturn]] void fail(const std::string& code, const std::string& message, int field,
                         std::optional<std::int64_t> feature) const;

 private:
  [[noreturn]] void fail_for_value(const OGRFeature& feature, int field, const std::string& wanted) const;
  std::string name_of(int field) const { return layer_->GetLayerDefn()->GetFieldDefn(field)->GetNameRef(); }

  OGRLayer* layer_;
  std::string file_, hint_;
};

}  // namespace tesseray
