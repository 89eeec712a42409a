// Describes a dataset as a document, from which tables and --json are made.
#pragma once

#include <string>

#include "session.h"

namespace gls::tool {

// Types, columns, sets, layouts and sizes of the dataset that was opened at `place`: a folder, or
// servers, which do not report sizes of layouts.
Json describe_dataset(const Dataset& dataset, const std::string& place);
// The description as tables.
std::string describe_in_tables(const Json& description);
// The description in one line.
std::string describe_briefly(const Json& description);

}  // namespace gls::tool
