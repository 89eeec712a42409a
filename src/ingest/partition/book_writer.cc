#include "ingest/partition/book_writer.h"

#include <queue>
#include <utility>

#include "graph/partition/partition_book.h"

namespace gls {
namespace {

Result<std::unique_ptr<format::ArrayT>> write_ranges(DatasetWriter& writer, const std::string& file,
                                                     const std::vector<int64_t>& counts) {
  GLS_ASSIGN(RowStream ends, RowStream::create(writer, file, kInt64, {}, {}));
  int64_t end = 0;
  GLS_TRY(ends.add_id(0));
  for (const int64_t count : counts) {
    GLS_TRY(ends.add_id(end += count));
  }
  return ends.finish();
}

Result<RowStream> dense(DatasetWriter& writer, const std::string& file, size_t parts,
                        const RowStream::Tick& tick) {
  return RowStream::create(writer, file, parts <= 256 ? kUint8 : kUint16, {}, tick);
}

Status add(RowStream& book, size_t parts, uint64_t owner) {
  const auto narrow = static_cast<uint8_t>(owner);
  const auto wide = static_cast<uint16_t>(owner);
  return parts <= 256 ? book.add(&narrow, 1) : book.add(&wide, 2);
}

}  // namespace

Result<std::unique_ptr<format::ArrayT>> write_edge_book(DatasetWriter& writer,
                                                        const std::string& file,
                                                        const std::vector<IdSpan>& owned,
                                                        const RowStream::Tick& tick) {
  bool ascend = true;
  int64_t last = -1;
  std::vector<int64_t> counts;
  using Head = std::pair<int64_t, size_t>;  // the next id of a part
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  for (size_t p = 0; p < owned.size(); ++p) {
    counts.push_back(owned[p].size());
    if (owned[p].size() > 0) {
      ascend = ascend && owned[p][0] > last;
      last = owned[p][owned[p].size() - 1];
      heads.emplace(owned[p][0], p);
    }
  }
  if (ascend) {
    return write_ranges(writer, file, counts);
  }
  GLS_ASSIGN(RowStream book, dense(writer, file, owned.size(), tick));
  std::vector<int64_t> at(owned.size());
  while (!heads.empty()) {
    const size_t p = heads.top().second;
    heads.pop();
    GLS_TRY(add(book, owned.size(), p));
    if (++at[p] < owned[p].size()) {
      heads.emplace(owned[p][at[p]], p);
    }
  }
  return book.finish();
}

Result<std::unique_ptr<format::ArrayT>> write_book(DatasetWriter& writer, const std::string& file,
                                                   const Tensor& owners, uint32_t parts,
                                                   const RowStream::Tick& tick) {
  GLS_ASSIGN(const PartitionBook from, PartitionBook::make(owners, owners.rows(), parts, "owners"));
  bool ascend = true;
  std::vector<int64_t> counts(parts);
  for (int64_t id = 0; id < from.count(); ++id) {
    ascend = ascend && (id == 0 || from[id] >= from[id - 1]);
    ++counts[from[id]];
  }
  if (ascend) {
    return write_ranges(writer, file, counts);
  }
  GLS_ASSIGN(RowStream book, dense(writer, file, parts, tick));
  for (int64_t id = 0; id < from.count(); ++id) {
    GLS_TRY(add(book, parts, from[id]));
  }
  return book.finish();
}

}  // namespace gls
