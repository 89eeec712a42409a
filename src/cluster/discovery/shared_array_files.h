// The files of what all parts of a graph share - books of owners, id sets, keys - which a server
// gives to clients on its own host, so that all processes there share one copy: decision 0044.
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

// Opens the files that these were mapped from and sends them. Returns the names of those that have
// one, in the order of the files.
Result<std::vector<std::string>> send_array_files(const std::map<std::string, Tensor>& arrays,
                                                  const net::InboxAddress& inbox);

// Those that a server on this host gives, mapped, by the names that the partition has for them; the
// others, maybe all, are to be fetched. An error: a file is not the array that is described.
Result<std::map<std::string, Tensor>> map_arrays_here(
    const std::shared_ptr<Context>& context, const ServerSearch::Owners& owners,
    const std::string& path, const std::shared_ptr<const format::PartitionT>& partition,
    const cluster::Deadline& deadline);

}  // namespace gls
