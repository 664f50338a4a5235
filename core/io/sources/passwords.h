// SPDX-License-Identifier: GPL-3.0-or-later
// Passwords and keys of services in sources, which may stand neither in messages nor in what is written.
#pragma once

#include <string>
#include <vector>

namespace tesseray {

// A source with "…" in place of its passwords, as GDAL's drivers of databases and of the web take them:
//   PG:dbname=city password = 'it''s a b'    →  PG:dbname=city password = …
//   postgresql://anna:secret@host/city       →  postgresql://anna:…@host/city
//   MSSQL:server=host;uid=anna;pwd=a b;…     →  MSSQL:server=host;uid=anna;pwd=…;…
//   ODBC:anna/secret@city                    →  ODBC:anna/…@city
//   /vsicurl/https://host/a.tif?token=secret →  /vsicurl/https://host/a.tif?token=…
// Where it is not clear where one ends, what follows is left out, too. Any other text stays as it is.
std::string without_password(const std::string& source);

// What GDAL or a server said of `source`: they repeat of it what they do not understand.
std::string without_passwords_of(const std::string& source, const std::string& message);

// The passwords of all that was given to a run, for what is told of it, wherever that comes from.
class KnownPasswords {
 public:
  void add_those_of(const std::string& source);
  std::string hidden_in(std::string text) const;

 private:
  std::vector<std::string> words_;
};

}  // namespace tesseray
