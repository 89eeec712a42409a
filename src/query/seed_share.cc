#include "query/seed_share.h"

#include <algorithm>

namespace gls {
namespace {

// A part with its ranks, or a rank with its parts.
struct Home {
  int64_t ids = 0;
  int64_t ranks = 0;
  int64_t ranks_met = 0;
  int64_t taken = 0;  // of its ids, the first ones, used by its ranks
  int64_t ids_met = 0;
};

class Homes {
 public:
  Homes(uint32_t parts, const ShareOptions& options)
      : parts_(parts),
        ranks_(options.world_size),
        given_(options.rank_parts),
        all_(given_ ? parts : std::min(parts, options.world_size)) {
    if (given_) {
      for (int64_t rank = 0; rank < ranks_; ++rank) {
        ++of_rank(rank).ranks;
      }
      return;
    }
    for (int64_t h = 0; h < count(); ++h) {
      all_[static_cast<size_t>(h)].ranks = first_rank(h + 1) - first_rank(h);
    }
  }

  Home& of_rank(int64_t rank) {
    return all_[static_cast<size_t>(given_ ? (*given_)[rank] : rank * count() / ranks_)];
  }
  Home& of_part(int64_t part) { return all_[static_cast<size_t>(part * count() / parts_)]; }

 private:
  int64_t count() const { return static_cast<int64_t>(all_.size()); }
  int64_t first_rank(int64_t home) const { return (home * ranks_ + count() - 1) / count(); }

  int64_t parts_;
  int64_t ranks_;
  std::optional<IdSpan> given_;
  std::vector<Home> all_;
};

}  // namespace

Run even_run(int64_t count, int64_t n, int64_t i) {
  const auto before = [&](int64_t at) { return at * (count / n) + std::min(at, count % n); };
  return {before(i), before(i + 1)};
}

Status check_share(const ShareOptions& options, uint32_t parts) {
  if (options.world_size == 0) {
    return invalid("world_size is 0, expected at least 1").with("argument", "world_size");
  }
  if (options.rank >= options.world_size) {
    return invalid("rank is {}, expected 0 to {} for world_size {}", options.rank,
                   options.world_size - 1, options.world_size)
        .with("argument", "rank");
  }
  if (!options.rank_parts) {
    return {};
  }
  const IdSpan& of_ranks = *options.rank_parts;
  if (of_ranks.size() != options.world_size) {
    return invalid("rank_parts: {} parts, expected one for each of {} ranks", of_ranks.size(),
                   options.world_size)
        .with("argument", "rank_parts");
  }
  if (const int64_t bad = of_ranks.find_outside(parts); bad >= 0) {
    return invalid("rank_parts: part {} of rank {} is outside 0 .. {}", of_ranks[bad], bad,
                   parts - 1)
        .with("argument", "rank_parts");
  }
  return {};
}

std::vector<int64_t> share_by_owner(std::span<const int32_t> owners, uint32_t parts,
                                    const ShareOptions& options) {
  const auto count = static_cast<int64_t>(owners.size());
  Homes homes(parts, options);
  for (const int32_t owner : owners) {
    ++homes.of_part(owner).ids;
  }
  // The range of ids from its home, and the range of ids that no home uses; ranks beyond the ids
  // get none.
  Run own;
  Run left;
  int64_t room = 0;
  for (int64_t rank = 0; rank < std::min<int64_t>(options.world_size, count); ++rank) {
    const int64_t quota = even_run(count, options.world_size, rank).size();
    Home& home = homes.of_rank(rank);
    const int64_t taken = std::min(quota, even_run(home.ids, home.ranks, home.ranks_met++).size());
    if (rank == options.rank) {
      own = {home.taken, home.taken + taken};
      left = {room, room + quota - taken};
    }
    home.taken += taken;
    room += quota - taken;
  }
  std::vector<int64_t> out;
  out.reserve(static_cast<size_t>(own.size() + left.size()));
  const Home* const mine = &homes.of_rank(options.rank);
  int64_t left_over = 0;
  for (int64_t i = 0; i < count; ++i) {
    Home& home = homes.of_part(owners[static_cast<size_t>(i)]);
    const int64_t at = home.ids_met++;
    if (at < home.taken ? &home == mine && own.has(at) : left.has(left_over++)) {
      out.push_back(i);
    }
  }
  return out;
}

}  // namespace gls
