// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/progress.h"

namespace tesseray {

Progress& no_progress() {
  static Progress silent;
  return silent;
}

}  // namespace tesseray
