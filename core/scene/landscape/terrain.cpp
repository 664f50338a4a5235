// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/scene.h"

namespace tesseray {

double Terrain::height_at(Vec2 p) const { return view().height_at(p); }

}  // namespace tesseray
