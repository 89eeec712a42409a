// The classes and functions that a pickle may name, and the values they make. Errors do not name
// the place in the file.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "ingest/planetoid/pickle.h"

namespace gls {

// Checks that "module.name" is one of them.
Status check_pickle_global(std::string_view name);

// `callee(*arguments)`
Status call_pickle_global(const PickleValue& callee,
                          const std::vector<const PickleValue*>& arguments, PickleValue* out);
// `callee.__new__(callee, *arguments)`
Status make_pickle_object(const PickleValue& callee,
                          const std::vector<const PickleValue*>& arguments, PickleValue* out);
// `target.__setstate__(state)`
Status set_pickle_state(const PickleValue& state, PickleValue* target);

}  // namespace gls
