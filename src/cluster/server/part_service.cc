#include "cluster/server/part_service.h"

#include <algorithm>
#include <utility>

#include "cluster/client/shared_part_files.h"
#include "cluster/discovery/graph_description.h"
#include "cluster/discovery/shared_array_files.h"
#include "cluster/wire/remote_memory_messages.h"
#include "format/partition_file.h"
#include "graph/folder/open_parts.h"
#include "net/connection/connection.h"

namespace gls {

using cluster::Kind;

namespace {

SessionLimits limits_of(const PartServiceOptions& options) {
  SessionLimits out;
  out.most = options.most_samplers;
  out.most_bytes = options.most_sampler_bytes;
  return out;
}

}  // namespace

PartService::PartService(std::shared_ptr<const Partition> partition,
                         const PartServiceOptions& options)
    : partition_(std::move(partition)), options_(options), samplers_(limits_of(options)) {}

Result<std::shared_ptr<PartService>> PartService::create(
    std::shared_ptr<const Partition> partition,
    const std::vector<std::shared_ptr<const Dataset>>& parts, const PartServiceOptions& options) {
  if (parts.empty()) {
    return invalid("parts: there are none to serve").with("argument", "parts");
  }
  std::shared_ptr<PartService> out(new PartService(std::move(partition), options));
  out->graph_ = cluster::graph_number(out->partition_->file());
  out->pool_ = parts[0]->context()->buffers();
  out->description_.partition = partition_to_json(out->partition_->file());
  out->description_.host = options.gives_files ? net::host_number() : 0;
  for (const auto& part : parts) {
    GLS_TRY(out->add_part(part));
  }
  GLS_TRY(out->add_arrays());
  return out;
}

Status PartService::add_part(const std::shared_ptr<const Dataset>& dataset) {
  GLS_ASSIGN(auto part, LocalPart::create(dataset));
  const PartNumber& is = *dataset->part();
  const format::ManifestT& whole = partition_->whole();
  if (is.graph != partition_->file().graph || is.parts != partition_->parts() ||
      dataset->node_types().size() != whole.node_types.size() ||
      dataset->edge_types().size() != whole.edge_types.size()) {
    return invalid("part {} of {} of partition {} is no part of {}, which is {} parts of {}",
                   is.number, is.parts, is.graph, partition_->path(), partition_->parts(),
                   partition_->file().graph)
        .with("argument", "parts");
  }
  GLS_TRY(check_part(*partition_, *dataset, is.number));
  if (!parts_.emplace(is.number, std::move(part)).second) {
    return invalid("part {} is given twice", is.number).with("argument", "parts");
  }
  description_.parts.push_back(is.number);
  return {};
}

Status PartService::add_arrays() {
  for (const SharedArray& shared : shared_arrays(partition_->file())) {
    GLS_ASSIGN(Tensor mapped, partition_->map(shared.in_folder()));
    arrays_.emplace(shared.file, std::move(mapped));
  }
  return {};
}

void PartService::set_servers(std::vector<cluster::ServerOfParts> servers) {
  const std::lock_guard lock(mutex_);
  description_.servers = std::move(servers);
}

net::Handlers PartService::handlers() {
  net::Handlers out;
  for (const Kind kind : {Kind::kDescribe, Kind::kArray, Kind::kOpenSampler, Kind::kHop,
                          Kind::kRows, Kind::kEdges, Kind::kFiles, Kind::kWindows}) {
    out[static_cast<uint16_t>(kind)] = [self = shared_from_this(),
                                        kind](const net::Request& request) {
      if (request.canceled()) {
        return;
      }
      const auto done = [self, request](Result<net::Message> reply) {
        if (Status damage = self->check_files(); !damage.ok()) {
          reply = std::move(damage);
        }
        self->requests_.fetch_add(1, std::memory_order_relaxed);
        self->request_bytes_.fetch_add(request.bytes().size(), std::memory_order_relaxed);
        if (reply.ok()) {
          self->reply_bytes_.fetch_add(reply->size(), std::memory_order_relaxed);
          request.answer(reply.take());
        } else {
          // Not failures: the client opens its sampler again, or asks in pieces.
          if (!cluster::is_unknown_sampler(reply.status()) &&
              !cluster::is_too_long(reply.status())) {
            self->failures_.fetch_add(1, std::memory_order_relaxed);
          }
          request.fail(reply.status());
        }
      };
      self->answer(kind, request.bytes(), done, [&request](const Tensor& rows) {
        return request.connection()->share(rows.owner(), {rows.data(), rows.span_bytes()});
      });
    };
  }
  return out;
}

void PartService::answer(Kind kind, cluster::Bytes request, const Done& done, const Share& share) {
  switch (kind) {
    case Kind::kDescribe:
      return done(describe(request));
    case Kind::kArray:
      return done(array(request));
    case Kind::kOpenSampler:
      return open_sampler(request, done);
    case Kind::kHop:
      return done(hop(request));
    case Kind::kRows:
      return done(rows(request));
    case Kind::kEdges:
      return done(edges(request));
    case Kind::kFiles:
      return done(files(request));
    case Kind::kWindows:
      return done(windows(request, share));
    case Kind::kOpenBatches:
    case Kind::kBatch:        // handled by BatchService
    case Kind::kServers:      // handled by ServerList
    case Kind::kMoreServers:  // handled by clients
      break;
  }
  done(error(GLS_ERR_UNSUPPORTED, "parts do not answer questions of kind {}",
             static_cast<uint16_t>(kind)));
}

Status PartService::check_files() const {
  if (!any_file_damaged()) {
    return {};
  }
  for (const auto& [number, part] : parts_) {
    GLS_TRY(part->dataset().check_files());
  }
  for (const auto& [file, array] : arrays_) {
    GLS_TRY(check_mapped_file(array.data()));
  }
  return {};
}

Status PartService::check_graph(uint64_t graph) const {
  if (graph != graph_) {
    return cluster::not_served(invalid("partition {:016x} was asked for, and {} is served here",
                                       graph, partition_->file().graph)
                                   .with("argument", "graph"));
  }
  return {};
}

Result<const LocalPart*> PartService::find_part(uint32_t number) const {
  const auto found = parts_.find(number);
  if (found == parts_.end()) {
    return cluster::not_served(
        not_found("part {} of {} is not served here", number, partition_->parts())
            .with("argument", "part"));
  }
  return found->second.get();
}

// ---- answers ----

Result<net::Message> PartService::describe(cluster::Bytes request) const {
  GLS_TRY(cluster::decode_describe(request));
  const std::lock_guard lock(mutex_);
  return cluster::encode(pool_, description_);
}

Result<net::Message> PartService::array(cluster::Bytes request) const {
  GLS_ASSIGN(const cluster::ArrayRequest asked, cluster::decode_array_request(request));
  GLS_TRY(check_graph(asked.graph));
  const auto found = arrays_.find(asked.file);
  if (found == arrays_.end()) {
    return not_found("\"{}\" is no array that the partition names", asked.file)
        .with("file", asked.file);
  }
  const uint64_t total = found->second.span_bytes();
  if (asked.offset > total) {
    return invalid("bytes from {} on were asked for, of {} in \"{}\"", asked.offset, total,
                   asked.file)
        .with("argument", "offset");
  }
  const uint64_t bytes = std::min({asked.bytes, total - asked.offset, options_.most_chunk_bytes});
  return cluster::encode_array_chunk(pool_, total, {found->second.data() + asked.offset, bytes});
}

void PartService::open_sampler(cluster::Bytes request, const Done& done) {
  const auto opened = [this, done](uint64_t number, const Status& status) {
    if (status.ok()) {
      done(cluster::encode_opened(pool_, number));
    } else {
      done(status.copy());
    }
  };
  const auto make = [&]() -> Result<std::shared_ptr<const PartSampler>> {
    GLS_ASSIGN(const cluster::OpenRequest asked, cluster::decode_open_request(request));
    GLS_TRY(check_graph(asked.graph));
    GLS_ASSIGN(const LocalPart* const part, find_part(asked.part));
    return part->open_sampler(asked.options);
  };
  const uint64_t bytes = request.size();  // the sampler keeps excluded edges in a form of its own
  samplers_.open({reinterpret_cast<const char*>(request.data()), request.size()}, make, opened,
                 &bytes);
}

Result<net::Message> PartService::hop(cluster::Bytes request) {
  GLS_ASSIGN(const cluster::HopRequest asked, cluster::decode_hop_request(request));
  const auto sampler = samplers_.find(asked.sampler);
  if (sampler == nullptr) {
    return cluster::unknown_sampler(asked.sampler);
  }
  GLS_TRY(sampler->check_size(asked.question, options_.most_hop_bytes));
  GLS_ASSIGN(const HopPicks picks, sampler->ask(asked.question)());
  return cluster::encode(pool_, picks);
}

Result<net::Message> PartService::rows(cluster::Bytes request) const {
  GLS_ASSIGN(const cluster::RowsRequest asked, cluster::decode_rows_request(request));
  GLS_TRY(check_graph(asked.graph));
  GLS_ASSIGN(const LocalPart* const part, find_part(asked.part));
  RowQuestion question{asked.of_nodes, asked.type, 0, asked.ids, asked.dtype};
  GLS_ASSIGN(question.column, part->find_column(asked.of_nodes, asked.type, asked.column));
  GLS_ASSIGN(const LocalPart::FoundRows found, part->find_rows(question));
  const auto count = static_cast<uint64_t>(asked.ids.size());
  const auto row_bytes = static_cast<uint64_t>(found.row_bytes());
  if (row_bytes > 0 && count > options_.most_row_bytes / row_bytes) {
    return invalid("rows: {} of {} bytes were asked for, expected at most {} bytes", count,
                   row_bytes, options_.most_row_bytes)
        .with("argument", "ids");
  }
  net::Message reply(pool_, count * row_bytes);
  part->gather_to(reply.data(), found);
  return reply;
}

Result<net::Message> PartService::edges(cluster::Bytes request) const {
  GLS_ASSIGN(const cluster::EdgesRequest asked, cluster::decode_edges_request(request));
  GLS_TRY(check_graph(asked.graph));
  GLS_ASSIGN(const LocalPart* const part, find_part(asked.part));
  GLS_ASSIGN(const Tensor numbers, part->answer_edges(asked.question));
  return cluster::encode_edges_answer(pool_, numbers);
}

Result<net::Message> PartService::files(cluster::Bytes request) const {
  GLS_ASSIGN(const cluster::FilesRequest asked, cluster::decode_files_request(request));
  GLS_TRY(check_graph(asked.graph));
  if (!options_.gives_files) {
    return error(GLS_ERR_UNSUPPORTED, "files are not given to clients here");
  }
  if (asked.of_partition) {
    GLS_ASSIGN(const std::vector<std::string> names, send_array_files(arrays_, asked.inbox));
    return cluster::encode_files(pool_, names);
  }
  GLS_ASSIGN(const LocalPart* const part, find_part(asked.part));
  GLS_ASSIGN(const std::vector<std::string> names,
             send_part_files(*part, partition_->part_path(asked.part), asked.inbox));
  return cluster::encode_files(pool_, names);
}

// Describes columns that clients can read from memory. Clients request the rows of other columns.
Result<net::Message> PartService::windows(cluster::Bytes request, const Share& share) const {
  GLS_ASSIGN(const cluster::RemoteMemoryRequest asked, cluster::decode_windows_request(request));
  GLS_TRY(check_graph(asked.graph));
  GLS_ASSIGN(const LocalPart* const part, find_part(asked.part));
  if (!share) {
    return error(GLS_ERR_UNSUPPORTED, "memory is not shared here");
  }
  const Dataset& dataset = part->dataset();
  std::vector<cluster::RemoteMemoryWindow> out;
  Status why;
  const auto add = [&](bool of_nodes, size_t type, const std::string& name,
                       const std::vector<Column>& columns) {
    for (const Column& column : columns) {
      const Tensor& rows = column.data;
      if (column.codebook != nullptr || rows.data() == nullptr || rows.span_bytes() == 0) {
        continue;
      }
      Result<net::Bytes> key = share(rows);
      if (!key.ok()) {
        dataset.context()->log().write(
            GLS_LOG_WARN, "cluster",
            "column \"{}\" of \"{}\" of part {} cannot be read by clients: {}", column.name, name,
            asked.part, key.status().message());
        why = std::move(key.status());
        continue;
      }
      out.push_back({of_nodes, type, column.name, rows.dtype(),
                     static_cast<uint64_t>(rows.row_bytes()), static_cast<uint64_t>(rows.rows()),
                     reinterpret_cast<uint64_t>(rows.data()),
                     std::make_shared<const net::Bytes>(key.take()),
                     static_cast<uint64_t>(rows.row_stride())});
    }
  };
  for (size_t t = 0; t < dataset.node_types().size(); ++t) {
    add(true, t, dataset.node_types()[t].name, dataset.node_types()[t].columns);
  }
  for (size_t t = 0; t < dataset.edge_types().size(); ++t) {
    add(false, t, dataset.edge_types()[t].joined, dataset.edge_types()[t].columns);
  }
  if (out.empty() && !why.ok()) {
    return why;
  }
  return cluster::encode_windows(pool_, out);
}

}  // namespace gls
