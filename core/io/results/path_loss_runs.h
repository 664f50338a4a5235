// SPDX-License-Identifier: GPL-3.0-or-later
// What a file's table of runs tells of a layer of path losses: what was written with it, and from what.
#pragma once

#include <ogrsf_frmts.h>

#include <string>
#include <vector>

#include "core/io/sources/gdal_session.h"

namespace tesseray {

// Of a file without such a table, and of another program's table of that name, nothing is known.
class PathLossRuns {
 public:
  // `layer`: the name of that of the path losses. Keeps references to the others.
  PathLossRuns(GDALDataset& dataset, GdalSession& session, std::string layer);

  // The layers that the last run that wrote the path losses wrote; empty where that is not known.
  std::vector<std::string> layers_of_last_run();
  // Whether that run left out tiles that nothing reaches; false where that is not known.
  bool holds_reached_only();
  // Whether the last run that wrote the layer `transmitters` had other parameters of transmitters, or another file of
  // them, than that of the path losses; false where that is not known.
  bool has_other_transmitters(const std::string& transmitters);

 private:
  std::string of_last_run(const std::string& what) const;
  std::vector<std::string> column(const std::string& sql);
  bool is_true(const std::string& sql);

  GDALDataset& dataset_;
  GdalSession& session_;
  std::string layer_;
};

}  // namespace tesseray
