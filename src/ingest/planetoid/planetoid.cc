#include "ingest/planetoid/planetoid.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "ingest/planetoid/pickle.h"
#include "system/cpu.h"
#include "system/file.h"
#include "system/memory.h"

namespace gls {
namespace {

using Kind = PickleValue::Kind;

// A CSR matrix from a pickle.
struct Matrix {
  int64_t rows = 0;
  int64_t columns = 0;
  const PickleArray* indptr = nullptr;
  const PickleArray* indices = nullptr;
  const PickleArray* data = nullptr;
};

const PickleArray* array_of(const PickleValue* value, size_t dims) {
  const bool good = value != nullptr && value->kind == Kind::kArray && value->array != nullptr &&
                    value->array->shape.size() == dims;
  return good ? value->array.get() : nullptr;
}

Status damaged(const Pickle& pickle, std::string_view why) {
  return corrupt("{}: {}", pickle.path(), why).with("file", pickle.path());
}

Result<Matrix> matrix_of(const Pickle& pickle) {
  const PickleValue& root = pickle.root();
  if (root.kind != Kind::kMatrix) {
    return damaged(pickle, "not a CSR matrix");
  }
  const PickleValue* shape = root.find("_shape");
  if (shape == nullptr || shape->kind != Kind::kTuple || shape->items.size() != 2 ||
      shape->items[0]->kind != Kind::kInt || shape->items[1]->kind != Kind::kInt) {
    return damaged(pickle, "the matrix has no shape");
  }
  Matrix out;
  out.rows = shape->items[0]->integer;
  out.columns = shape->items[1]->integer;
  out.indptr = array_of(root.find("indptr"), 1);
  out.indices = array_of(root.find("indices"), 1);
  out.data = array_of(root.find("data"), 1);
  if (out.rows < 0 || out.columns < 0 || out.indptr == nullptr || out.indices == nullptr ||
      out.data == nullptr || out.rows == INT64_MAX || out.indptr->size() != out.rows + 1 ||
      out.indices->size() != out.data->size()) {
    return damaged(pickle, "the arrays of the matrix do not fit its shape");
  }
  int64_t last = 0;
  for (int64_t row = 0; row <= out.rows; ++row) {
    const int64_t end = out.indptr->integer(row);
    if (end < last || end > out.indices->size() || (row == 0 && end != 0)) {
      return damaged(pickle, formatted("indptr[{}] of the matrix is {}", row, end));
    }
    last = end;
  }
  for (int64_t i = 0; i < last; ++i) {
    const int64_t column = out.indices->integer(i);
    if (column < 0 || column >= out.columns) {
      return damaged(pickle, formatted("indices[{}] of the matrix is {}, outside [0, {})", i,
                                       column, out.columns));
    }
  }
  return out;
}

Result<const PickleArray*> labels_of(const Pickle& pickle, int64_t rows) {
  const PickleArray* const labels = array_of(&pickle.root(), 2);
  if (labels == nullptr || labels->shape[0] != rows) {
    return damaged(pickle, formatted("not a two-dimensional array of {} rows", rows));
  }
  return labels;
}

// The column that is set; -1: no column is.
Result<int64_t> label_at(const Pickle& pickle, const PickleArray& labels, int64_t row) {
  const int64_t rows = labels.shape[0];
  const int64_t columns = labels.shape[1];
  int64_t found = -1;
  for (int64_t column = 0; column < columns; ++column) {
    const int64_t at = labels.fortran ? column * rows + row : row * columns + column;
    if (labels.integer(at) != 0) {
      if (found >= 0) {
        return damaged(pickle, formatted("row {} has more than one class", row));
      }
      found = column;
    }
  }
  return found;
}

template <typename T>
Tensor owned(std::vector<T> values, DLDataType dtype) {
  auto box = std::make_shared<const std::vector<T>>(std::move(values));
  const T* const data = box->data();
  const auto size = static_cast<int64_t>(box->size());
  return Tensor(std::move(box), data, dtype, {size});
}

class PlanetoidReader {
 public:
  PlanetoidReader(const std::string& folder, const std::string& name)
      : prefix_(folder + "/ind." + name + ".") {}

  Result<PlanetoidGraph> read() {
    GLS_ASSIGN(const Pickle x, Pickle::load(prefix_ + "x"));
    GLS_ASSIGN(const Pickle tx, Pickle::load(prefix_ + "tx"));
    GLS_ASSIGN(const Pickle allx, Pickle::load(prefix_ + "allx"));
    GLS_ASSIGN(const Pickle y, Pickle::load(prefix_ + "y"));
    GLS_ASSIGN(const Pickle ty, Pickle::load(prefix_ + "ty"));
    GLS_ASSIGN(const Pickle ally, Pickle::load(prefix_ + "ally"));
    GLS_ASSIGN(const Pickle graph, Pickle::load(prefix_ + "graph"));
    GLS_ASSIGN(const Matrix train, matrix_of(x));
    GLS_ASSIGN(const Matrix tested, matrix_of(tx));
    GLS_ASSIGN(const Matrix others, matrix_of(allx));
    if (tested.columns != others.columns || train.columns != others.columns) {
      return damaged(allx, formatted("{} features, but {} in x and {} in tx", others.columns,
                                     train.columns, tested.columns));
    }
    if (train.rows > others.rows) {
      return damaged(x, "more rows than allx");
    }
    GLS_ASSIGN(const std::vector<int64_t> order, read_test_index(tested.rows, others.rows));
    num_nodes_ = order.empty() ? others.rows : *std::max_element(order.begin(), order.end()) + 1;

    PlanetoidGraph out;
    GLS_ASSIGN(out.x, features(others, tested, order));
    GLS_ASSIGN([[maybe_unused]] const PickleArray* const known, labels_of(y, train.rows));
    GLS_ASSIGN(out.y, labels(ally, others.rows, ty, order));
    GLS_TRY(edges(graph, &out));
    std::vector<int64_t> ids(static_cast<size_t>(train.rows));
    std::iota(ids.begin(), ids.end(), 0);
    out.train = owned(ids, kInt64);
    // The public split uses the 500 nodes after the training nodes.
    ids.resize(static_cast<size_t>(std::min<int64_t>(500, others.rows - train.rows)));
    std::iota(ids.begin(), ids.end(), train.rows);
    out.valid = owned(ids, kInt64);
    ids = order;
    std::sort(ids.begin(), ids.end());
    out.test = owned(ids, kInt64);
    return out;
  }

 private:
  // Row i of tx describes node order[i]. Test nodes come after those of allx. Some numbers may be
  // missing (citeseer); their nodes have neither features nor a class.
  Result<std::vector<int64_t>> read_test_index(int64_t rows, int64_t first) {
    const std::string path = prefix_ + "test.index";
    constexpr size_t kMaxBytes = size_t{1} << 28;
    GLS_ASSIGN(const std::string text, read_text_file(path, kMaxBytes));
    const auto bad = [&](std::string why) {
      return corrupt("{}: {}", path, why).with("file", path);
    };
    std::vector<int64_t> order;
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    const auto skip_space = [&] {
      while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) {
        ++at;
      }
    };
    for (skip_space(); at < end; skip_space()) {
      int64_t id = 0;
      const auto [next, ec] = std::from_chars(at, end, id);
      if (ec != std::errc() || id < first || id - first > kMaxGap + 2 * rows) {
        return bad(formatted("entry {} is no node id from {} on", order.size(), first));
      }
      order.push_back(id);
      at = next;
    }
    std::vector<int64_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
      return bad(formatted("node {} occurs twice", *twice));
    }
    if (static_cast<int64_t>(order.size()) != rows) {
      return bad(formatted("{} entries, but tx has {} rows", order.size(), rows));
    }
    return order;
  }

  Result<Tensor> features(const Matrix& others, const Matrix& tested,
                          const std::vector<int64_t>& order) const {
    int64_t bytes = 0;
    if (__builtin_mul_overflow(num_nodes_, others.columns, &bytes) ||
        __builtin_mul_overflow(bytes, int64_t{sizeof(float)}, &bytes) ||
        static_cast<uint64_t>(bytes) > usable_memory() / 2) {
      return error(GLS_ERR_OUT_OF_MEMORY,
                   "{}allx: {} nodes with {} features each do not fit in memory", prefix_,
                   num_nodes_, others.columns);
    }
    auto block = std::make_shared<PageBlock>(static_cast<size_t>(bytes), false);
    auto* const values = reinterpret_cast<float*>(block->data());
    const auto fill = [&](const Matrix& matrix, int64_t row, int64_t node) {
      for (int64_t i = matrix.indptr->integer(row); i < matrix.indptr->integer(row + 1); ++i) {
        // Repeated entries add up, as in SciPy.
        values[node * others.columns + matrix.indices->integer(i)] +=
            static_cast<float>(matrix.data->real(i));
      }
    };
    for (int64_t row = 0; row < others.rows; ++row) {
      fill(others, row, row);
    }
    for (size_t i = 0; i < order.size(); ++i) {
      fill(tested, static_cast<int64_t>(i), order[i]);
    }
    return Tensor(std::move(block), values, kFloat32, {num_nodes_, others.columns});
  }

  Result<Tensor> labels(const Pickle& ally, int64_t rows, const Pickle& ty,
                        const std::vector<int64_t>& order) const {
    GLS_ASSIGN(const PickleArray* const others, labels_of(ally, rows));
    GLS_ASSIGN(const PickleArray* const tested, labels_of(ty, static_cast<int64_t>(order.size())));
    std::vector<int64_t> out(static_cast<size_t>(num_nodes_), -1);
    for (int64_t row = 0; row < rows; ++row) {
      GLS_ASSIGN(out[static_cast<size_t>(row)], label_at(ally, *others, row));
    }
    for (size_t i = 0; i < order.size(); ++i) {
      GLS_ASSIGN(out[static_cast<size_t>(order[i])],
                 label_at(ty, *tested, static_cast<int64_t>(i)));
    }
    return owned(std::move(out), kInt64);
  }

  // Every entry takes at least one byte of the file, unless nodes share a list. With shared lists,
  // a small file could represent more edges than fit in memory.
  static Status check_lists(const Pickle& graph) {
    uint64_t entries = 0;
    const std::vector<const PickleValue*>& items = graph.root().items;
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      if (items[i]->kind != Kind::kInt || items[i + 1]->kind != Kind::kList) {
        return damaged(graph, "not a dict of lists");
      }
      entries += items[i + 1]->items.size();
    }
    if (entries > graph.file_size()) {
      return damaged(graph,
                     formatted("its lists have {} entries, more than the file has bytes", entries));
    }
    constexpr uint64_t kEntryBytes = 2 * (sizeof(std::pair<int64_t, int64_t>) + 16);
    if (entries > usable_memory() / 2 / kEntryBytes) {
      return error(GLS_ERR_OUT_OF_MEMORY, "{}: {} edges do not fit in memory", graph.path(),
                   entries)
          .with("file", graph.path());
    }
    return {};
  }

  // A dict of adjacency lists, in which an edge may be listed from either end, or several times.
  Status edges(const Pickle& graph, PlanetoidGraph* out) const {
    const PickleValue& root = graph.root();
    if (root.kind != Kind::kDict) {
      return damaged(graph, "not a dict");
    }
    GLS_TRY(check_lists(graph));
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (size_t i = 0; i + 1 < root.items.size(); i += 2) {
      const PickleValue& node = *root.items[i];
      const PickleValue& list = *root.items[i + 1];
      for (const PickleValue* neighbor : list.items) {
        const int64_t a = node.integer;
        const int64_t b = neighbor->integer;
        if (neighbor->kind != Kind::kInt || a < 0 || a >= num_nodes_ || b < 0 || b >= num_nodes_) {
          return damaged(
              graph, formatted("edge from {} to {}, expected nodes in [0, {})", a, b, num_nodes_));
        }
        if (a != b) {
          pairs.emplace_back(a, b);
          pairs.emplace_back(b, a);
        }
      }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<int64_t> sources;
    std::vector<int64_t> targets;
    for (const auto& [source, target] : pairs) {
      sources.push_back(source);
      targets.push_back(target);
    }
    out->source = owned(std::move(sources), kInt64);
    out->target = owned(std::move(targets), kInt64);
    return {};
  }

  // Test node ids beyond a few gaps are damage, and get no memory.
  static constexpr int64_t kMaxGap = int64_t{1} << 20;

  std::string prefix_;
  int64_t num_nodes_ = 0;
};

}  // namespace

Result<PlanetoidGraph> read_planetoid(const std::string& folder, const std::string& name) {
  return PlanetoidReader(folder, name).read();
}

}  // namespace gls
