// Compares both ways to fetch rows of a remote part, when the graph is opened.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/clock.h"
#include "cluster/client/remote_part.h"
#include "cluster/client/remote_rows.h"

namespace gls {
namespace {

constexpr size_t kRounds = 3;
constexpr uint64_t kMostRows = 256;
constexpr uint64_t kMostBytes = uint64_t{1} << 20;

// Chooses some ids that a part owns, spread over its range; the same ids in each process.
std::vector<int64_t> ids_of(const PartitionBook& book, uint32_t part, uint64_t most) {
  std::vector<int64_t> out;
  out.reserve(most);
  const auto count = static_cast<uint64_t>(book.count());
  const uint64_t tries = most * book.parts() * 4;
  for (uint64_t i = 0; i < tries && out.size() < most; ++i) {
    const auto id = static_cast<int64_t>((i * 0x9e3779b97f4a7c15) % count);
    if (book[id] == part) {
      out.push_back(id);
    }
  }
  return out;
}

double median_ms(std::array<uint64_t, kRounds> times) {
  std::sort(times.begin(), times.end());
  return static_cast<double>(times[kRounds / 2]) / static_cast<double>(kMs);
}

}  // namespace

Status RemotePart::open_windows(const cluster::Deadline& deadline) const {
  if (windows_ == nullptr) {
    return {};
  }
  GLS_TRY(windows_->open(deadline));
  for (const auto& [key, window] : windows_->all()) {
    windows_->accept(key, true);
    Status status = compare(key, window);
    if (!status.ok() && (windows_->insists() || !cluster::is_of_server(status))) {
      return status;
    }
    if (!status.ok()) {  // another server may answer, and this one may return
      windows_->accept(key, false);
      context_->log().write(GLS_LOG_WARN, "cluster", "{}; such rows are asked for",
                            status.message());
    }
    if (deadline.left_ms() == 0) {
      break;
    }
  }
  return {};
}

Status RemotePart::compare(const RemoteMemory::Key& key,
                           const cluster::RemoteMemoryWindow& window) const {
  const auto& [of_nodes, type, column] = key;
  GLS_ASSIGN(const PartitionBookIndex* const ranks, options_.ranks->of(of_nodes, type));
  const std::vector<int64_t> ids = ids_of(
      ranks->book(), number_, std::clamp<uint64_t>(kMostBytes / window.row_bytes, 1, kMostRows));
  const RowQuestion question{of_nodes, type, column, span_of(ids), window.dtype};
  std::array<uint64_t, kRounds> read{};
  std::array<uint64_t, kRounds> asked{};
  for (size_t round = 0; round < kRounds && !ids.empty(); ++round) {
    const uint64_t begin = now_ns();
    GLS_ASSIGN(const Tensor first, RemoteRows::ask(shared_from_this(), question)());
    const uint64_t between = now_ns();
    GLS_ASSIGN(const Tensor second,
               RemoteRows::ask(shared_from_this(), question, RowRoute::kByRequest)());
    asked[round] = now_ns() - between;
    read[round] = between - begin;
    if (first.span_bytes() != second.span_bytes() ||
        std::memcmp(first.data(), second.data(), second.span_bytes()) != 0) {
      return about(corrupt("rows that were read out of its memory are not those that it answers"),
                   formatted("rows of column \"{}\"", window.column));
    }
  }
  const bool better = windows_->accepts(key) &&  // otherwise it was refused
                      (windows_->insists() || median_ms(read) < median_ms(asked));
  windows_->accept(key, better);
  context_->log().write(GLS_LOG_INFO, "cluster",
                        "part {} at {}: {} rows of {} bytes of {} column \"{}\" take {:.3f} ms "
                        "read and {:.3f} ms asked for; they are {}",
                        number_, peer_->address(), ids.size(), window.row_bytes,
                        of_nodes ? "node" : "edge", window.column, median_ms(read),
                        median_ms(asked), better ? "read" : "asked for");
  return {};
}

}  // namespace gls
