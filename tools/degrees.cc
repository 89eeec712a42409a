#include "degrees.h"

#include <algorithm>
#include <vector>

#include "format.h"
#include "table.h"
#include "tensor_io.h"
#include "text.h"

namespace gls::tool {
namespace {

constexpr int64_t kStep = int64_t{1} << 22;

// The degrees at the side of a layout's rows.
std::vector<int64_t> row_lengths(const Tensor& indptr) {
  const auto* const values = indptr.data<int64_t>();
  std::vector<int64_t> out(static_cast<size_t>(indptr.size(0) - 1));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = values[i + 1] - values[i];
  }
  return out;
}

// The degrees at the other side: how often each node occurs.
std::vector<int64_t> occurrences(const Tensor& indices, int64_t num_nodes, const std::string& stage,
                                 Progress& progress) {
  std::vector<int64_t> out(static_cast<size_t>(num_nodes));
  const int64_t total = indices.size(0);
  for (int64_t begin = 0; begin < total; begin += kStep) {
    const int64_t end = std::min(begin + kStep, total);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t node = integer_at(indices, i);
      if (node < 0 || node >= num_nodes) {
        throw Failure(formatted("{}: index {} is {}, but there are {} nodes; see gls verify", stage,
                                i, node, num_nodes));
      }
      ++out[static_cast<size_t>(node)];
    }
    progress.update(stage, static_cast<uint64_t>(end), static_cast<uint64_t>(total), "edges");
  }
  return out;
}

Json statistics(std::vector<int64_t> degrees) {
  std::sort(degrees.begin(), degrees.end());
  const size_t count = degrees.size();
  if (count == 0) {
    return {{"nodes", 0}};
  }
  int64_t sum = 0;
  for (const int64_t degree : degrees) {
    sum += degree;
  }
  // The smallest degree that at least this share of the nodes does not exceed.
  const auto quantile = [&](size_t percent) {
    const size_t rank = (count * percent + 99) / 100;
    return degrees[std::max<size_t>(rank, 1) - 1];
  };
  const auto zero = std::upper_bound(degrees.begin(), degrees.end(), 0) - degrees.begin();
  return {{"nodes", count},         {"zero", zero},
          {"min", degrees.front()}, {"mean", static_cast<double>(sum) / static_cast<double>(count)},
          {"median", quantile(50)}, {"p90", quantile(90)},
          {"p99", quantile(99)},    {"max", degrees.back()}};
}

}  // namespace

void add_degrees(const Dataset& dataset, Progress& progress, Json& description) {
  for (Json& type : description.at("edge_types")) {
    const std::string name = type.at("name");
    const bool has_csc = type.at("layouts").at(0).at("layout") == "csc";
    const int32_t indptr = has_csc ? GLS_ARRAY_CSC_INDPTR : GLS_ARRAY_CSR_INDPTR;
    const int32_t indices = has_csc ? GLS_ARRAY_CSC_INDICES : GLS_ARRAY_CSR_INDICES;
    const std::string other = has_csc ? type.at("source") : type.at("target");
    const Json rows = statistics(row_lengths(dataset.tensor(indptr, name, "")));
    const Json named =
        statistics(occurrences(dataset.tensor(indices, name, ""), dataset.num_nodes(other),
                               "counting degrees of " + name, progress));
    type["degrees"] = {{"in", has_csc ? rows : named}, {"out", has_csc ? named : rows}};
  }
}

std::string degree_table(const Json& description) {
  constexpr Table::Align kRight = Table::Align::kRight;
  Table table({{"edge type"},
               {"degree"},
               {"mean", kRight},
               {"median", kRight},
               {"p90", kRight},
               {"p99", kRight},
               {"max", kRight},
               {"nodes with none", kRight}});
  for (const Json& type : description.at("edge_types")) {
    for (const char* side : {"in", "out"}) {
      const Json& degrees = type.at("degrees").at(side);
      if (degrees.at("nodes") == 0) {
        table.add({type.at("name"), side, "-", "-", "-", "-", "-", "-"});
        continue;
      }
      table.add({type.at("name"), side, formatted("{:.2f}", degrees.at("mean").get<double>()),
                 format_count(degrees.at("median")), format_count(degrees.at("p90")),
                 format_count(degrees.at("p99")), format_count(degrees.at("max")),
                 format_count(degrees.at("zero"))});
    }
  }
  return table.text();
}

}  // namespace gls::tool
