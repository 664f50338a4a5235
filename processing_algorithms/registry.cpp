// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/registry.h"

#include "core/base/error.h"
#include "processing_algorithms/run/spelling.h"

namespace tesseray {

Tool coveragestudy();
Tool tileenvironment();
Tool computevisibility();
Tool predictcoverage();
Tool comparewithdrivetest();
Tool bestserver();
Tool coverageraster();
Tool coveragebydistrict();
Tool fingerprints();
Tool visiblefrom();
Tool explainpoint();
Tool traceimage();
Tool importantenna();
Tool exportscene();

const std::vector<Tool>& all_tools() {
  static const std::vector<Tool> tools{
      coveragestudy(),         // the whole row in one go
      tileenvironment(),       // buildings, terrain → environment
      computevisibility(),     // environment → who sees whom
      predictcoverage(),       // environment, transmitters → path loss
      comparewithdrivetest(),  // path loss, drive test → errors
      bestserver(),            // path loss of several transmitters → who serves where
      coverageraster(),        // path loss → GeoTIFF
      coveragebydistrict(),    // path loss, districts → covered ground and inhabitants of each
      fingerprints(),          // path loss of several transmitters → vectors to match, and where queries fit
      visiblefrom(),           // one point of the map or tile → what it sees
      explainpoint(),          // one point of the map → its rays
      traceimage(),            // transmitters, receiver points → exact rays: the reference
      importantenna(),         // antenna file → checked pattern
      exportscene(),           // environment → scene file for a bare machine
  };
  return tools;
}

const Tool& find_tool(std::string_view id) {
  std::vector<std::string> ids;
  for (const Tool& tool : all_tools()) {
    if (tool.id == id) return tool;
    ids.push_back(tool.id);
  }
  throw Error(ErrorKind::invalid_input, "unknown_tool",
              "there is no tool '" + std::string(id) + "'" + did_you_mean(id, ids),
              "run 'tesseray list' to see all tools");
}

}  // namespace tesseray
