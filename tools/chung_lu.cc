#include "chung_lu.h"

#include <algorithm>
#include <cmath>

#include "philox.h"
#include "portable_math.h"
#include "session.h"
#include "text.h"

namespace gls::tool {
namespace {

// sum over r = 0 .. n-1 of (r + shift)^-alpha: term by term at the steep end, then by the
// Euler-Maclaurin formula.
double power_sum(int64_t n, double shift, double alpha) {
  const int64_t exact = std::min<int64_t>(n, 1000);
  double sum = 0;
  for (int64_t r = 0; r < exact; ++r) {
    sum += portable_pow(static_cast<double>(r) + shift, -alpha);
  }
  if (exact == n) {
    return sum;
  }
  const double a = static_cast<double>(exact) + shift;
  const double b = static_cast<double>(n - 1) + shift;
  const auto f = [&](double x) { return portable_pow(x, -alpha); };
  const double integral =
      std::abs(alpha - 1) < 1e-9
          ? portable_log(b / a)
          : (portable_pow(b, 1 - alpha) - portable_pow(a, 1 - alpha)) / (1 - alpha);
  const double slope = -alpha * (f(b) / b - f(a) / a);
  return sum + integral + (f(a) + f(b)) / 2 + slope / 12;
}

// The shift for which the first degree is `ratio` times the mean.
double solve_shift(int64_t n, double alpha, double ratio) {
  double low = 1e-6;
  double high = 1e12;
  for (int i = 0; i < 200; ++i) {
    const double middle = std::sqrt(low * high);
    const double mean = power_sum(n, middle, alpha) / static_cast<double>(n);
    if (portable_pow(middle, -alpha) / mean > ratio) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

void check(const ChungLuParameters& p, double mean) {
  if (p.nodes < 2 || p.nodes > INT32_MAX) {
    throw UsageError(formatted("--nodes: {} is not between 2 and {}", p.nodes, INT32_MAX));
  }
  const auto n = static_cast<double>(p.nodes);
  if (!(p.edges >= 1) || p.edges > n * (n - 1) / 4) {
    throw UsageError(formatted("--edges: {} is not between 1 and half of the {:.0f} pairs of nodes",
                               p.edges, n * (n - 1) / 2));
  }
  if (!(p.alpha >= 0) || p.alpha > 3) {
    throw UsageError(formatted("--alpha: {} is not between 0 and 3", p.alpha));
  }
  if (p.alpha > 0 && !(p.max_degree > mean && p.max_degree < n)) {
    throw UsageError(
        formatted("--max-degree: {} is not between the mean degree {:.2f} and the number of nodes",
                  p.max_degree, mean));
  }
}

}  // namespace

ChungLu::ChungLu(const ChungLuParameters& p) : seed_(p.seed) {
  const double mean = 2 * p.edges / static_cast<double>(p.nodes);
  check(p, mean);
  const auto n = static_cast<size_t>(p.nodes);
  const double shift = p.alpha > 0 ? solve_shift(p.nodes, p.alpha, p.max_degree / mean) : 1;
  weights_.resize(n);
  double sum = 0;
  for (size_t rank = 0; rank < n; ++rank) {
    weights_[rank] = portable_pow(static_cast<double>(rank) + shift, -p.alpha);
    sum += weights_[rank];
  }
  sum_ = 2 * p.edges;
  for (double& weight : weights_) {
    weight *= sum_ / sum;
  }
  node_of_rank_.resize(n);
  rank_of_node_.resize(n);
  for (size_t i = 0; i < n; ++i) {
    node_of_rank_[i] = static_cast<uint32_t>(i);
  }
  for (size_t i = n - 1; i > 0; --i) {
    const uint64_t word = random_pair(seed_, Stream::kOrder, i, 0).first;
    std::swap(node_of_rank_[i], node_of_rank_[below(word, i + 1)]);
  }
  for (size_t rank = 0; rank < n; ++rank) {
    rank_of_node_[node_of_rank_[rank]] = static_cast<uint32_t>(rank);
  }
}

void ChungLu::append_neighbors(int64_t node, std::vector<int32_t>& out) const {
  const size_t begin = out.size();
  const size_t n = weights_.size();
  const size_t u = rank_of_node_[static_cast<size_t>(node)];
  const double factor = weights_[u] / sum_;
  size_t v = u + 1;
  double p = v < n ? std::min(factor * weights_[v], 1.0) : 0;
  // Candidates occur with the probability `p` of the previous candidate, which only decreases with
  // the rank. Each is then kept with the ratio of its own probability to `p`.
  for (uint32_t draw = 0; v < n && p > 0; ++draw) {
    const RandomPair random = random_pair(seed_, Stream::kEdges, u, draw);
    if (p < 1) {
      const double skip = std::floor(portable_log(unit_interval(random.first)) / portable_log1m(p));
      if (skip >= static_cast<double>(n - v)) {
        break;
      }
      v += static_cast<size_t>(skip);
    }
    const double q = std::min(factor * weights_[v], 1.0);
    if (unit_interval(random.second) <= q / p) {
      out.push_back(static_cast<int32_t>(node_of_rank_[v]));
    }
    p = q;
    ++v;
  }
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
}

}  // namespace gls::tool
