#include "cluster/client/shared_part_files.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "cluster/discovery/graph_description.h"
#include "cluster/part/local_part.h"
#include "cluster/rpc/remote_call.h"
#include "format/manifest.h"
#include "graph/folder/dataset_folder.h"
#include "graph/folder/open_parts.h"
#include "graph/partition/single_part.h"
#include "system/file.h"

namespace gls {
namespace {

// The names of the files that a dataset was opened from.
Result<std::vector<std::string>> names_of(const Dataset& dataset, const std::string& folder) {
  std::vector<std::string> names = {kManifestFile};
  for (const ArrayFile& file : dataset.files()) {
    const std::string& path = file.data.file();
    if (!path.starts_with(folder + "/")) {
      return error(GLS_ERR_INTERNAL, "{} is not in {}", path, folder);
    }
    names.push_back(path.substr(folder.size() + 1));
  }
  std::sort(names.begin() + 1, names.end());
  names.erase(std::unique(names.begin() + 1, names.end()), names.end());
  return names;
}

}  // namespace

Result<std::vector<std::string>> send_part_files(const LocalPart& part, const std::string& folder,
                                                 const net::InboxAddress& inbox) {
  GLS_ASSIGN(std::vector<std::string> names, names_of(part.dataset(), folder));
  std::vector<FileDescriptor> files;
  const Links links = links_of(*part.dataset().context());
  for (const std::string& name : names) {
    GLS_ASSIGN(FileDescriptor file, open_to_read_in(folder, name, links));
    files.push_back(std::move(file));
  }
  GLS_TRY(net::send_descriptors(inbox, files));
  return names;
}

Result<std::shared_ptr<const Part>> map_part(const std::shared_ptr<Context>& context,
                                             const std::shared_ptr<net::Peer>& peer,
                                             const Partition& partition, uint32_t number,
                                             int64_t timeout_ms) {
  GLS_ASSIGN(const net::DescriptorInbox inbox, net::DescriptorInbox::open());
  const cluster::FilesRequest request{cluster::graph_number(partition.file()), number,
                                      inbox.address()};
  cluster::Call call(
      peer, cluster::Kind::kFiles,
      [&]() -> Result<net::Message> { return cluster::encode(context->buffers(), request); },
      cluster::Deadline(timeout_ms), false);
  GLS_ASSIGN(const net::Message reply, call.wait());
  GLS_ASSIGN(const std::vector<std::string> names, cluster::decode_files(reply.bytes()));
  GLS_ASSIGN(std::vector<FileDescriptor> files, inbox.take(names.size()));
  std::map<std::string, FileDescriptor> by_name;
  for (size_t i = 0; i < names.size(); ++i) {
    by_name[names[i]] = std::move(files[i]);
  }
  const std::string path = partition.part_path(number);
  const FileOpener opener =
      [&](const std::string& name) -> Result<std::shared_ptr<const MappedFile>> {
    const auto found = by_name.find(name);
    const std::string file = path + "/" + name;
    return found != by_name.end() ? MappedFile::of(found->second, file)
                                  : not_found("{} was not sent", file).with("file", file);
  };
  GLS_ASSIGN(auto dataset, open_dataset(context, path, opener, {}));
  if (!dataset->part()) {
    GLS_ASSIGN(const auto manifest, opener(kManifestFile));
    GLS_ASSIGN(dataset, as_only_part(*dataset, name_of_uncut(manifest->bytes())));
  }
  GLS_TRY(check_part(partition, *dataset, number));
  GLS_ASSIGN(std::shared_ptr<const Part> part, LocalPart::create(dataset));
  return part;
}

}  // namespace gls
