#include "cluster/discovery/shared_array_files.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/checksum.h"
#include "cluster/discovery/graph_description.h"
#include "format/npy.h"
#include "graph/partition/partition.h"
#include "system/file.h"

namespace gls {
namespace {

// A file does not name its array or its graph. The checksum identifies the array.
Result<Tensor> array_in(const FileDescriptor& file, const std::string& path,
                        const format::ArrayT& described) {
  GLS_ASSIGN(auto mapped, MappedFile::of(file, path));
  GLS_ASSIGN(const Tensor array, npy_tensor(std::move(mapped)));
  if (dtype_name(array.dtype()) != described.dtype || array.shape() != described.shape) {
    return corrupt("{} holds {} {}, the partition says {} {}", path, dtype_name(array.dtype()),
                   shape_text(array.shape()), described.dtype, shape_text(described.shape))
        .with("file", path);
  }
  Checksum sum;
  sum.update({array.data(), array.span_bytes()});
  if (!described.xxh3.empty() && sum.hex() != described.xxh3) {
    return corrupt("{} has checksum {}, the partition says {}", path, sum.hex(), described.xxh3)
        .with("file", path);
  }
  return array.with_file(path);
}

Result<std::map<std::string, Tensor>> map_arrays(const std::shared_ptr<Context>& context,
                                                 const std::shared_ptr<net::Peer>& peer,
                                                 const std::string& path,
                                                 const format::PartitionT& partition,
                                                 const cluster::Deadline& deadline) {
  GLS_ASSIGN(const net::DescriptorInbox inbox, net::DescriptorInbox::open());
  const cluster::FilesRequest request{cluster::graph_number(partition), 0, inbox.address(), true};
  cluster::Call call(
      peer, cluster::Kind::kFiles,
      [&]() -> Result<net::Message> { return cluster::encode(context->buffers(), request); },
      deadline, false);
  GLS_ASSIGN(const net::Message reply, call.wait());
  GLS_ASSIGN(const std::vector<std::string> names, cluster::decode_files(reply.bytes()));
  std::map<std::string, Tensor> out;
  if (names.empty()) {
    return out;
  }
  GLS_ASSIGN(const std::vector<FileDescriptor> files, inbox.take(names.size()));
  const std::vector<SharedArray> described = shared_arrays(partition);
  for (size_t i = 0; i < names.size(); ++i) {
    const auto found = std::find_if(described.begin(), described.end(),
                                    [&](const auto& shared) { return shared.file == names[i]; });
    if (found != described.end()) {
      GLS_ASSIGN(out[names[i]], array_in(files[i], path + "/" + names[i], *found->array));
    }
  }
  return out;
}

}  // namespace

Result<std::vector<std::string>> send_array_files(const std::map<std::string, Tensor>& arrays,
                                                  const net::InboxAddress& inbox) {
  std::vector<std::string> names;
  std::vector<FileDescriptor> files;
  for (const auto& [name, array] : arrays) {
    Result<FileDescriptor> file = open_to_read(array.file());
    if (!file.ok() && file.status().code() == GLS_ERR_NOT_FOUND) {
      continue;  // the file was removed, or never existed
    }
    GLS_TRY(std::move(file.status()));
    names.push_back(name);
    files.push_back(file.take());
  }
  if (!files.empty()) {
    GLS_TRY(net::send_descriptors(inbox, files));
  }
  return names;
}

Result<std::map<std::string, Tensor>> map_local_arrays(
    const std::shared_ptr<Context>& context, const ServerDiscovery::Owners& owners,
    const std::string& path, const std::shared_ptr<const format::PartitionT>& partition,
    const cluster::Deadline& deadline) {
  const uint64_t host = net::host_number();
  const Log& log = context->log();
  std::set<const net::Peer*> asked;
  for (const auto& [number, all] : owners) {
    for (const ServerDiscovery::Owner& owner : all) {
      if (host == 0 || owner.host != host || !asked.insert(owner.peer.get()).second) {
        continue;
      }
      auto arrays = map_arrays(context, owner.peer, path, *partition, deadline);
      if (arrays.ok()) {
        log.write(GLS_LOG_INFO, "cluster",
                  "{} books, id sets and keys are mapped from the files of {}, on this host",
                  arrays->size(), owner.peer->address());
        return arrays;
      }
      if (arrays.status().code() == GLS_ERR_CORRUPT_DATA) {
        return arrays;
      }
      log.write(GLS_LOG_INFO, "cluster",
                "books, id sets and keys of {}, on this host, are fetched by the network: {}",
                owner.peer->address(), arrays.status().message());
    }
  }
  return std::map<std::string, Tensor>();
}

}  // namespace gls
