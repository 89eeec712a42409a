// Shares the files of a part with clients on the server's host. Such a client maps the files and
// answers its own questions: docs/decisions/0044.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/part/part.h"
#include "cluster/wire/messages.h"
#include "context/context.h"
#include "graph/partition/partition.h"
#include "net/connection/peer.h"

namespace gls {

class LocalPart;

// Opens the files that `part` was opened from, in `folder`, and sends them. Returns their names, in
// the order of the files.
Result<std::vector<std::string>> send_part_files(const LocalPart& part, const std::string& folder,
                                                 const net::InboxAddress& inbox);

// Maps a part from the files that `peer` gives. `number` is a part of the partition. An error: it
// gives no files, or they belong to another part.
Result<std::shared_ptr<const Part>> map_part(const std::shared_ptr<Context>& context,
                                             const std::shared_ptr<net::Peer>& peer,
                                             const Partition& partition, uint32_t number,
                                             int64_t timeout_ms);

}  // namespace gls
