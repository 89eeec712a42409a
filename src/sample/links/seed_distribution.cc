#include "sample/links/seed_distribution.h"

#include <cmath>
#include <utility>

#include "graph/dataset/unknown_name.h"
#include "host_device/negative_rule.h"
#include "query/graph_query.h"

namespace gls {

SeedDistribution::SeedDistribution(std::vector<double> weights) : cumulative_(std::move(weights)) {
  double sum = 0;
  for (size_t v = 0; v < cumulative_.size(); ++v) {
    if (cumulative_[v] > 0) {
      last_positive_ = static_cast<int64_t>(v);
    }
    sum += cumulative_[v];
    cumulative_[v] = sum;
  }
  count_ = last_positive_ < 0 ? 0 : static_cast<int64_t>(cumulative_.size());
}

int64_t SeedDistribution::draw(RowDraws& draws, uint32_t draw) const {
  return node_of_draw(chances(), draws.u64(draw));
}

device::NodeChances SeedDistribution::chances() const {
  return {count_, last_positive_, cumulative_.empty() ? nullptr : cumulative_.data()};
}

Result<WeightColumn> WeightColumn::open(const Dataset& dataset, bool of_nodes, size_t type,
                                        std::string_view name, WeightOwner owner) {
  const Column* const column = of_nodes ? dataset.node_types()[type].find_column(name)
                                        : dataset.edge_types()[type].find_column(name);
  if (column == nullptr) {
    return of_nodes ? no_column(owner.argument, dataset.node_types()[type], name)
                    : no_column(owner.argument, dataset.edge_types()[type], name);
  }
  if (column->data.shape().size() != 1) {
    return invalid("{}: column \"{}\" of \"{}\" has shape {}, expected one number per {}",
                   owner.argument, name, owner.type_name, shape_text(column->data.shape()),
                   owner.one)
        .with("argument", owner.argument)
        .with("column", std::string(name))
        .with("type", std::string(owner.type_name));
  }
  WeightColumn out;
  if (column->is_local()) {
    out.column_ = *column;  // of a part, maybe without rows that other parts own
  } else {
    GLS_ASSIGN(out.column_, find_all_rows(dataset, of_nodes, type, *column, owner.argument));
  }
  out.owner_ = owner;
  return out;
}

Result<double> WeightColumn::at(int64_t row) const {
  const Tensor& data = column_->data;
  if (row >= data.rows()) {
    return not_found(
               "{}: column \"{}\" of \"{}\" has no row for {} {}, as this is a part of a graph, "
               "which "
               "has rows for those below {} only",
               owner_.argument, column_->name, owner_.type_name, owner_.one, row, data.rows())
        .with("argument", owner_.argument);
  }
  const double weight = element_as_double(data.data() + row * data.row_stride(), data.dtype(), 0);
  if (!(weight >= 0) || std::isinf(weight)) {
    return corrupt(
               "column \"{}\" of {} type \"{}\": weight of {} {} is {}, expected a finite number "
               "not below 0",
               column_->name, owner_.one, owner_.type_name, owner_.one, row, weight)
        .with("column", column_->name);
  }
  return weight;
}

Result<SeedDistribution> make_distribution(std::vector<double> weights, const WeightOwner& owner) {
  SeedDistribution out(std::move(weights));
  if (std::isinf(out.total())) {
    return corrupt("the weights of the {}s of type \"{}\" add up to infinity", owner.one,
                   owner.type_name)
        .with("type", std::string(owner.type_name));
  }
  return out;
}

}  // namespace gls
