// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/layer_filter.h"

#include <string>

#include "core/io/sources/passwords.h"

namespace tesseray {

void set_filter(OGRLayer& layer, const SourceName& name, GdalSession& session, const ErrorPlace& place) {
  if (name.filter.empty()) return;
  session.forget();
  const bool is_accepted = layer.SetAttributeFilter(name.filter.c_str()) == OGRERR_NONE;
  // Databases look at a filter with the first feature.
  if (is_accepted) OGRFeatureUniquePtr{layer.GetNextFeature()};
  layer.ResetReading();
  if (is_accepted && session.last_failure().empty()) return;
  session.refuse_locked_meanwhile(name.dataset);
  const std::string why = without_passwords_of(name.dataset, session.last_failure());
  throw Error(ErrorKind::invalid_input, "bad_filter",
              "the filter \"" + name.filter + "\" is not valid" + (why.empty() ? "" : " (" + why + ")"),
              "correct the |subset= part", place);
}

}  // namespace tesseray
