// Splits into training, validation and test.
#include "query/split.h"

#include "capi/support/arrays.h"
#include "capi/support/support.h"

namespace gls {
namespace {

Status split_ids(const DLTensor& given, uint64_t seed, const double* shares, size_t num_splits,
                 gls_tensor_t** out) {
  GLS_ASSIGN(const capi::Ids ids, capi::read_ids(given, "ids"));
  GLS_ASSIGN(std::vector<uint8_t> parts, split_by_hash(ids.span, seed, {shares, num_splits}));
  *out = capi::tensor_of(std::move(parts), kUint8).export_dlpack();
  return {};
}

Status split_dataset_links(const Dataset& dataset, const char* edge_type,
                           const gls_link_split_options_t* options, gls_split_t split,
                           gls_tensor_t** links, gls_tensor_t** exclude) {
  GLS_ASSIGN(const size_t type, dataset.edge_type_index(edge_type));
  gls_link_split_options_t given;
  GLS_TRY(capi::read_options(options, "options", &given));
  GLS_TRY(capi::check_flags(given.flags, GLS_LINK_SPLIT_UNDIRECTED, "flags"));
  GLS_TRY(capi::check_reserved(given.reserved));
  GLS_TRY(capi::check_enum(split, GLS_SPLIT_TEST, "split"));
  LinkSplitOptions how;
  how.seed = given.seed;
  how.valid = given.valid;
  how.test = given.test;
  how.supervision = given.supervision;
  how.undirected = (given.flags & GLS_LINK_SPLIT_UNDIRECTED) != 0;
  GLS_ASSIGN(LinkPart found, split_links(dataset, type, how, static_cast<SplitPart>(split)));
  capi::export_two(capi::tensor_of(std::move(found.links), kInt64),
                   capi::tensor_of(std::move(found.exclude), kInt64), links, exclude);
  return {};
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;

extern "C" {

gls_status_t gls_split_ids(const DLTensor* ids, uint64_t seed, const double* shares,
                           size_t num_splits, gls_tensor_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(ids);
    GLS_REQUIRE(shares);
    GLS_REQUIRE(out);
    return gls::split_ids(*ids, seed, shares, num_splits, out);
  });
}

gls_status_t gls_dataset_split_links(const gls_dataset_t* dataset, const char* edge_type,
                                     const gls_link_split_options_t* options, gls_split_t split,
                                     gls_tensor_t** links, gls_tensor_t** exclude,
                                     gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(options);
    GLS_REQUIRE(links);
    GLS_REQUIRE(exclude);
    return gls::split_dataset_links(*dataset->impl, edge_type, options, split, links, exclude);
  });
}

}  // extern "C"
