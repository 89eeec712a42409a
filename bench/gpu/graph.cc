#include "bench/gpu/graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/philox.h"
#include "bench/support/check.h"
#include "context/parallel.h"

namespace gls::bench {
namespace {

constexpr size_t kGrain = size_t{1} << 14;

uint64_t number_of(uint64_t a, uint64_t b, uint32_t salt) {
  return key_of(philox(lo32(a), hi32(a), lo32(b), hi32(b), salt));
}

double unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// Ranks and their degrees.
class PowerLaw {
 public:
  explicit PowerLaw(const GraphShape& shape) : nodes_(shape.nodes), power_(1 - shape.alpha) {
    const auto n = static_cast<double>(nodes_);
    const double mean = shape.edges / n;
    const double most = std::max(mean, std::min(shape.max_degree, n / 2));
    // The larger r0, the nearer the greatest degree is to the mean.
    double low = 1e-9;
    double high = 1e12;
    for (int i = 0; i < 200; ++i) {
      const double middle = std::sqrt(low * high);
      settle(middle, shape);
      (factor_ * std::pow(middle, -shape.alpha) > most ? low : high) = middle;
    }
    settle(high, shape);
    alpha_ = shape.alpha;
    // Ids of neighbouring ranks are far apart.
    step_ = static_cast<uint64_t>(n * 0.6180339887) | 1;
    while (std::gcd(step_, static_cast<uint64_t>(nodes_)) != 1) {
      ++step_;
    }
  }

  int64_t node_of(int64_t rank) const {
    const auto product = static_cast<unsigned __int128>(rank) * step_;
    return static_cast<int64_t>(product % static_cast<uint64_t>(nodes_));
  }
  double degree(int64_t rank) const {
    return factor_ * std::pow(static_cast<double>(rank) + r0_, -alpha_);
  }
  // In proportion to the degree.
  int64_t drawn_rank(double u) const {
    const double x = std::pow(begin_ + u * (end_ - begin_), 1 / power_) - r0_;
    return std::clamp<int64_t>(static_cast<int64_t>(x), 0, nodes_ - 1);
  }

 private:
  void settle(double r0, const GraphShape& shape) {
    r0_ = r0;
    begin_ = std::pow(r0, power_);
    end_ = std::pow(static_cast<double>(nodes_) + r0, power_);
    factor_ = shape.edges * power_ / (end_ - begin_);
  }

  int64_t nodes_;
  double power_;
  double alpha_ = 0;
  double r0_ = 0;
  double begin_ = 0;
  double end_ = 0;
  double factor_ = 0;
  uint64_t step_ = 1;
};

// An array of its own, of which `fill(T*, begin, end)` writes pieces.
template <typename T, typename Fill>
Tensor filled(Context& context, DLDataType dtype, std::vector<int64_t> shape, Fill fill) {
  int64_t count = 1;
  for (const int64_t extent : shape) {
    count *= extent;
  }
  auto block = std::make_shared<PageBlock>(static_cast<size_t>(count) * sizeof(T), true);
  T* const data = reinterpret_cast<T*>(block->data());
  check(parallel_try(context.pool(), static_cast<size_t>(count), kGrain,
                     [&](size_t begin, size_t end) {
                       fill(data, static_cast<int64_t>(begin), static_cast<int64_t>(end));
                       return Status();
                     }));
  return Tensor(std::move(block), data, dtype, std::move(shape));
}

}  // namespace

std::shared_ptr<const Dataset> make_graph(const std::shared_ptr<Context>& context,
                                          const GraphShape& shape) {
  const PowerLaw law(shape);
  // Degrees first, at the place of the row's end.
  const Tensor indptr = filled<int64_t>(
      *context, kInt64, {shape.nodes + 1}, [&](int64_t* out, int64_t begin, int64_t end) {
        for (int64_t rank = begin; rank < std::min(end, shape.nodes); ++rank) {
          const double wanted = law.degree(rank);
          const double part = unit(number_of(static_cast<uint64_t>(rank), 0, 1));
          out[law.node_of(rank) + 1] = static_cast<int64_t>(wanted + part);
        }
      });
  auto* const ends = reinterpret_cast<int64_t*>(indptr.mutable_data());
  for (int64_t node = 0; node < shape.nodes; ++node) {
    ends[node + 1] += ends[node];
  }
  const int64_t edges = ends[shape.nodes];
  Tensor indices =
      filled<int32_t>(*context, kInt32, {edges}, [&](int32_t* out, int64_t begin, int64_t end) {
        for (int64_t e = begin; e < end; ++e) {
          const double u = unit(number_of(static_cast<uint64_t>(e), 0, 2));
          out[e] = static_cast<int32_t>(law.node_of(law.drawn_rank(u)));
        }
      });

  NodeType nodes;
  nodes.name = "node";
  nodes.count = shape.nodes;
  if (shape.features > 0) {
    nodes.columns.push_back({"x", GLS_ROLE_FEATURE,
                             filled<float>(*context, kFloat32, {shape.nodes, shape.features},
                                           [](float* out, int64_t begin, int64_t end) {
                                             for (int64_t i = begin; i < end; ++i) {
                                               out[i] = static_cast<float>(unit(
                                                   static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u));
                                             }
                                           })});
    nodes.columns.push_back({"y", GLS_ROLE_LABEL,
                             filled<int64_t>(*context, kInt64, {shape.nodes},
                                             [&](int64_t* out, int64_t begin, int64_t end) {
                                               for (int64_t i = begin; i < end; ++i) {
                                                 out[i] = i % shape.classes;
                                               }
                                             })});
  }
  EdgeType type;
  type.name = {"node", "to", "node"};
  type.joined = type.name.joined();
  type.count = edges;
  type.csc = check(Topology::make(indptr, std::move(indices), Tensor(), shape.nodes, edges,
                                  shape.nodes, "bench"));
  return check(Dataset::create(context, {std::move(nodes)}, {std::move(type)}));
}

}  // namespace gls::bench
