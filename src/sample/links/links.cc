#include "sample/links/links.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "query/graph_query.h"
#include "sample/batch/relabel.h"
#include "sample/kernels/id_array.h"

namespace gls {
namespace {

Status check_nodes(const NodeType& type, const std::vector<int64_t>& ids, const char* end,
                   const std::string& edge_type) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= type.count) {
      return invalid("links: {} {} at index {} is outside 0 .. {} of edge type \"{}\"", end, ids[i],
                     i, type.count - 1, edge_type)
          .with("argument", "links");
    }
  }
  return {};
}

// Both ends of the links.
Status read_links(const Dataset& dataset, const LinkSet& links, std::vector<int64_t>* sources,
                  std::vector<int64_t>* targets) {
  const EdgeType& type = dataset.edge_types()[links.edge_type];
  const std::vector<int64_t>& shape = links.links.shape();
  if (shape.size() == 1) {
    GLS_ASSIGN(const IdSpan ids, IdSpan::of(links.links, "links"));
    return find_edge_ends(dataset, links.edge_type, ids, "links", sources, targets);
  }
  if (shape.size() != 2 || shape[0] != 2) {
    return invalid("links: shape {}, expected [n] edge ids or [2, n] sources and targets",
                   shape_text(shape))
        .with("argument", "links");
  }
  for (const bool of_sources : {true, false}) {
    const Tensor row(nullptr, links.links.data() + (of_sources ? 0 : 1) * links.links.row_stride(),
                     links.links.dtype(), {shape[1]});
    GLS_ASSIGN(const IdSpan ids, IdSpan::of(row, "links"));
    std::vector<int64_t>& out = of_sources ? *sources : *targets;
    for (int64_t i = 0; i < ids.size(); ++i) {
      out.push_back(ids[i]);
    }
  }
  const std::vector<NodeType>& nodes = dataset.node_types();
  GLS_TRY(check_nodes(nodes[type.source], *sources, "source", type.joined));
  return check_nodes(nodes[type.target], *targets, "target", type.joined);
}

Status check_extras(const LinkSet& links, int64_t count) {
  if (links.labels.defined() && links.labels.rows() != count) {
    return invalid("labels: shape {} for {} links, expected one row each",
                   shape_text(links.labels.shape()), count)
        .with("argument", "labels");
  }
  if (links.times.data() != nullptr && links.times.size() != count) {
    return invalid("times: {} for {} links, expected one each", links.times.size(), count)
        .with("argument", "times");
  }
  return {};
}

// Appends seeds to a list and records their positions.
class Lists {
 public:
  Lists(const EdgeType& type, const LinkSet& links, LinkSeeds* out) : links_(links), out_(*out) {
    out_.lists.resize(type.source == type.target ? 1 : 2);
    out_.lists.front().node_type = type.source;
    out_.lists.back().node_type = type.target;
  }
  // Seed i belongs to link `link_of(i)`. A missing seed, -1, has no position, or the position -1.
  template <typename LinkOf>
  void add(bool to_sources, const std::vector<int64_t>& ids, std::vector<int64_t>* places,
           LinkOf link_of, bool keep_gaps = false) {
    LinkSeeds::List& list = to_sources ? out_.lists.front() : out_.lists.back();
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < 0) {
        if (keep_gaps) {
          places->push_back(-1);
        }
        continue;
      }
      places->push_back(static_cast<int64_t>(list.ids.size()));
      list.ids.push_back(ids[i]);
      if (links_.times.data() != nullptr) {
        list.times.push_back(links_.times[link_of(static_cast<int64_t>(i))]);
      }
    }
  }

 private:
  const LinkSet& links_;
  LinkSeeds& out_;
};

}  // namespace

void LinkSeedSets::add(LinkSeeds seeds) {
  const auto begin_of = [this](size_t node_type) {
    const auto list = std::find_if(lists.begin(), lists.end(), [&](const LinkSeeds::List& one) {
      return one.node_type == node_type;
    });
    return list == lists.end() ? int64_t{0} : static_cast<int64_t>(list->ids.size());
  };
  const auto shift = [](std::vector<int64_t>* places, int64_t by) {
    for (int64_t& place : *places) {
      place += place < 0 ? 0 : by;
    }
  };
  shift(&seeds.source, begin_of(seeds.source_type));
  shift(&seeds.target, begin_of(seeds.target_type));
  shift(&seeds.negative, begin_of(seeds.target_type));
  for (LinkSeeds::List& list : seeds.lists) {
    const auto known = std::find_if(lists.begin(), lists.end(), [&](const LinkSeeds::List& one) {
      return one.node_type == list.node_type;
    });
    if (known == lists.end()) {
      lists.push_back(std::move(list));
    } else {
      known->ids.insert(known->ids.end(), list.ids.begin(), list.ids.end());
      known->times.insert(known->times.end(), list.times.begin(), list.times.end());
    }
  }
  seeds.lists.clear();
  sets.push_back(std::move(seeds));
}

bool LinkSeedSets::timed() const {
  return std::any_of(lists.begin(), lists.end(),
                     [](const LinkSeeds::List& list) { return !list.times.empty(); });
}

Result<LinkSeeds> seeds_of_links(const Dataset& dataset, const LinkSet& links,
                                 const NegativeOptions& options, const DrawNegatives& draw,
                                 int64_t most) {
  const EdgeType& type = dataset.edge_types()[links.edge_type];
  std::vector<int64_t> sources;
  std::vector<int64_t> targets;
  GLS_TRY(read_links(dataset, links, &sources, &targets));
  LinkSeeds out;
  out.source_type = type.source;
  out.target_type = type.target;
  out.num_links = static_cast<int64_t>(sources.size());
  GLS_TRY(check_extras(links, out.num_links));
  DrawnNegatives drawn;
  const bool triplets = options.mode == NegativeMode::kTriplet;
  if (options.mode != NegativeMode::kNone) {
    // Checked before drawing, since the memory for it would exceed all limits.
    const int64_t amount = negatives_of(options, out.num_links);
    const auto seeds =
        static_cast<double>(amount) * (triplets ? static_cast<double>(out.num_links) : 2.0);
    most = std::min(most, Relabel::kMaxLocal);
    if (seeds > static_cast<double>(most)) {
      return error(
                 GLS_ERR_UNSUPPORTED,
                 "links: {} links and their negatives are more than {} seeds; use smaller batches",
                 out.num_links, most)
          .with("argument", "links");
    }
    out.num_per_link = triplets ? amount : 0;
    GLS_ASSIGN(drawn, draw(sources));
  }
  const auto itself = [](int64_t i) { return i; };
  const auto in_turn = [&](int64_t i) { return i % out.num_links; };
  const auto own = [&](int64_t i) { return i / out.num_per_link; };
  Lists lists(type, links, &out);
  lists.add(true, sources, &out.source, itself);
  const bool two = out.lists.size() == 2;
  if (two) {
    lists.add(true, drawn.sources, &out.source, in_turn);
  }
  lists.add(false, targets, &out.target, itself);
  if (!two) {
    lists.add(true, drawn.sources, &out.source, in_turn);
  }
  if (triplets) {
    lists.add(false, drawn.targets, &out.negative, own, true);
  } else {
    lists.add(false, drawn.targets, &out.target, in_turn);
  }
  return out;
}

Tensor local_ids(const std::vector<int64_t>& places, const Tensor& local, BufferPool& pool,
                 bool wide) {
  const IdSpan ids = local.defined() ? IdSpan(local.data(), same_dtype(local.dtype(), kInt64),
                                              local.rows())
                                     : IdSpan();  // for an empty list of seeds
  const auto count = static_cast<int64_t>(places.size());
  IdArray out(pool, wide, count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t place = places[static_cast<size_t>(i)];
    out.set(i, place < 0 ? -1 : ids[place]);
  }
  return out.finish(count);
}

namespace {

// The given labels, followed by rows of zeros; 1 and 0 if no labels are given.
Tensor labels_of(const LinkSet& links, const LinkSeeds& seeds, BufferPool& pool) {
  const Tensor& given = links.labels;
  const DLDataType dtype = given.defined() ? given.dtype() : kFloat32;
  std::vector<int64_t> shape = given.defined() ? given.shape() : std::vector<int64_t>(1);
  shape[0] = static_cast<int64_t>(seeds.source.size());
  const size_t row = given.defined() ? static_cast<size_t>(given.row_bytes()) : dtype_bytes(dtype);
  const size_t bytes = row * seeds.source.size();
  auto owner = std::make_shared<Buffer>(pool.acquire(std::max<size_t>(1, bytes)));
  auto* const out = owner->as<std::byte>();
  std::memset(out, 0, bytes);
  for (int64_t i = 0; row > 0 && i < seeds.num_links; ++i) {
    if (given.defined()) {
      std::memcpy(out + static_cast<size_t>(i) * row, given.data() + i * given.row_stride(), row);
    } else {
      reinterpret_cast<float*>(out)[i] = 1;
    }
  }
  return Tensor(std::move(owner), out, dtype, std::move(shape), false);
}

}  // namespace

SampledLinks link_arrays(const LinkSet& links, const LinkSeeds& seeds, NegativeMode mode,
                         LinkIds ids, BufferPool& pool) {
  SampledLinks out;
  out.edge_type = links.edge_type;
  out.source = std::move(ids.source);
  out.target = std::move(ids.target);
  if (mode == NegativeMode::kTriplet) {
    const Tensor& flat = ids.negative;
    out.negative = Tensor(flat.owner(), flat.data(), flat.dtype(),
                          {seeds.num_links, seeds.num_per_link}, false)
                       .with_device(flat.device());
  }
  if (links.labels.defined() || mode == NegativeMode::kBinary) {
    out.label = labels_of(links, seeds, pool);
  }
  return out;
}

Status check_node_seeds(const SamplerOptions& options) {
  if (options.negatives.mode != NegativeMode::kNone) {
    return invalid("negatives are given, but the seeds are nodes, expected links")
        .with("argument", "negatives");
  }
  if (options.exclude_links) {
    return invalid("GLS_SAMPLE_EXCLUDE_LINKS is set, but the seeds are nodes, expected links")
        .with("argument", "flags");
  }
  return {};
}

}  // namespace gls
