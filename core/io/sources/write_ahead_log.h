// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside a database of SQLite's: the log ("city.gpkg-wal"), in which its latest changes stand until they
// are put into it, and the journal ("city.gpkg-journal"), by which changes that were not finished are taken back.
#pragma once

#include <string>

namespace tesseray {

// Throws Error(invalid_input) where there are changes that cannot be read, as in a folder that may not be written to:
// GDAL reads such a database as it was before them. Changes that a program began and was ended in are taken back, as
// the next writer would; where they cannot be, that throws, too. `dataset`: a file, or one with a table
// ("GPKG:city.gpkg:terrain"); others have no log.
void refuse_unread_changes(const std::string& dataset);

// Whether such a log or journal is there with changes in it: an empty one means none.
bool holds_changes(const std::string& log_or_journal);

}  // namespace tesseray
