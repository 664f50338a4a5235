// SPDX-License-Identifier: GPL-3.0-or-later
// The |subset= part of a source: which of a layer's features are read.
#pragma once

#include <ogrsf_frmts.h>

#include "core/base/error.h"
#include "core/io/sources/gdal_session.h"
#include "core/io/sources/source_name.h"

namespace tesseray {

// Lets the layer give only features that the name's filter chooses, from the first one on; all without a filter.
// Throws Error("bad_filter") at `place` for a filter that the source does not understand.
void set_filter(OGRLayer& layer, const SourceName& name, GdalSession& session, const ErrorPlace& place);

}  // namespace tesseray
