// Shares the files of arrays that all parts of a graph use: partition books, id sets and node keys.
// A server gives these files to clients on its own host, so that all processes share one copy. See
// decision 0044.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/discovery/discovery.h"
#include "cluster/rpc/remote_call.h"
#include "cluster/wire/messages.h"
#include "context/context.h"
#include "net/core/descriptors.h"
#include "partition_generated.h"
#include "tensor/tensor.h"

namespace gls {

// Opens the files that these arrays were mapped from and sends them. Returns the names of the
// arrays that have a file, in the order of the files.
Result<std::vector<std::string>> send_array_files(const std::map<std::string, Tensor>& arrays,
                                                  const net::InboxAddress& inbox);

// Maps the arrays that a server on this host gives, by their names in the partition. The caller
// fetches the arrays that are missing, which may be all of them. An error: a file is not the array
// that the partition describes.
Result<std::map<std::string, Tensor>> map_local_arrays(
    const std::shared_ptr<Context>& context, const ServerDiscovery::Owners& owners,
    const std::string& path, const std::shared_ptr<const format::PartitionT>& partition,
    const cluster::Deadline& deadline);

}  // namespace gls
