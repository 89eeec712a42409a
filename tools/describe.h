// What a dataset is made of, as a document that tables and --json are both made from.
#pragma once

#include <string>

#include "session.h"

namespace gls::tool {

// Types, columns, sets, layouts and sizes of the dataset that was opened at `place`: a folder, or
// servers, which do not tell sizes of layouts.
Json describe_dataset(const Dataset& dataset, const std::string& place);
// Tables of it.
std::string describe_in_tables(const Json& description);
// One line.
std::string describe_briefly(const Json& description);

}  // namespace gls::tool
