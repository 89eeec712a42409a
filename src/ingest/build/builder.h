// Builder: collects the contents of a dataset, from memory and from files, then makes it in memory
// or as a folder. gls.h defines what it accepts and the results.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "context/context.h"
#include "graph/dataset/dataset.h"
#include "ingest/common/build_options.h"

namespace gls {

struct BuilderInputs;
struct EdgeInput;

// As a type's name, the empty string means the only type.
class Builder {
 public:
  explicit Builder(std::shared_ptr<Context> context);
  ~Builder();

  Status add_node_type(const std::string& name, const NodeTypeOptions& options);
  Status add_edges(const std::string& edge_type, Tensor source, Tensor target, bool add_reverse);
  Status add_topology(const std::string& edge_type, Layout layout, Tensor indptr, Tensor indices,
                      Tensor edge_ids);
  Status add_edges_text(const std::string& edge_type, const std::string& path,
                        const TextOptions& options);
  Status add_nodes_text(const std::string& type, const std::string& path,
                        const TextOptions& options);
  // On success the stream is moved. An empty label stands for the type.
  Status add_edges_arrow(const std::string& edge_type, ArrowArrayStream* stream,
                         const ArrowOptions& options);
  Status add_nodes_arrow(const std::string& type, ArrowArrayStream* stream,
                         const ArrowOptions& options);
  // With a codebook, `data` holds codes.
  Status add_node_column(const std::string& type, const std::string& name, int32_t role,
                         Tensor data, std::shared_ptr<const Codebook> codebook = nullptr);
  Status add_edge_column(const std::string& edge_type, const std::string& name, int32_t role,
                         Tensor data, std::shared_ptr<const Codebook> codebook = nullptr);
  Status add_id_set(const std::string& type, const std::string& name, Tensor ids);

  // Both leave the builder empty on success and unchanged on failure, but streams that they began
  // to read are spent.
  Result<std::shared_ptr<const Dataset>> build(const BuildOptions& options);
  Status write(const std::string& path, const BuildOptions& options);

 private:
  // Adds edges whose name was checked. If they declare a node type with a name similar to another
  // type, it may be a misspelling, and is logged.
  EdgeInput& add_edge_part(EdgeTypeName name, bool add_reverse);

  std::shared_ptr<Context> context_;
  std::unique_ptr<BuilderInputs> parts_;
};

}  // namespace gls
