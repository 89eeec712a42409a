#include "ingest/build/builder.h"

#include <algorithm>
#include <utility>

#include "base/nearest_name.h"
#include "format/manifest.h"
#include "ingest/build/builder_inputs.h"
#include "ingest/build/make_dataset.h"
#include "ingest/common/id_map.h"
#include "ingest/text/text_layout.h"

namespace gls {
namespace {

Status check_role(int32_t role) {
  if (role < GLS_ROLE_FEATURE || role > GLS_ROLE_OTHER) {
    return invalid("role is {}, expected 0 to {}", role, GLS_ROLE_OTHER + 0)
        .with("argument", "role");
  }
  return {};
}

Status check_same_length(const std::string& type, const char* first, int64_t first_size,
                         const char* second, int64_t second_size) {
  if (first_size != second_size) {
    return invalid("edge type \"{}\": {} has {} entries, but {} has {}", type, first, first_size,
                   second, second_size)
        .with("argument", second)
        .with("type", type);
  }
  return {};
}

}  // namespace

Builder::Builder(std::shared_ptr<Context> context)
    : context_(std::move(context)), parts_(std::make_unique<BuilderInputs>()) {}
Builder::~Builder() = default;

Status Builder::add_node_type(const std::string& name, const NodeTypeOptions& options) {
  GLS_TRY(check_name(name, "node type"));
  if (options.num_nodes < 0 || options.num_nodes > kMaxCount) {
    return invalid("num_nodes of \"{}\" is {}, expected 0 to {}", name, options.num_nodes,
                   kMaxCount)
        .with("argument", "num_nodes");
  }
  if (parts_->find_node_type(name) != nullptr) {
    return error(GLS_ERR_ALREADY_EXISTS,
                 "node type \"{}\" was declared before (naming it in an edge type declares it)",
                 name)
        .with("type", name);
  }
  NodeInput& part = parts_->nodes[parts_->declare(name)];
  part.options = options;
  part.declared = true;
  return {};
}

EdgeInput& Builder::add_edge_part(EdgeTypeName name, bool add_reverse) {
  const size_t known = parts_->nodes.size();
  const std::string joined = name.joined();
  EdgeInput& part = parts_->add_edges(std::move(name), add_reverse);
  for (size_t i = known; i < parts_->nodes.size(); ++i) {
    std::vector<std::string> others;
    others.reserve(i);
    for (size_t j = 0; j < i; ++j) {
      others.push_back(parts_->nodes[j].name);
    }
    const std::string& type = parts_->nodes[i].name;
    if (const std::string nearest = nearest_name(type, others); !nearest.empty()) {
      context_->log().write(
          GLS_LOG_WARN, "ingest",
          "edge type \"{}\" declares the node type \"{}\", and there is one \"{}\"; declare both "
          "first if both are meant",
          joined, type, nearest);
    }
  }
  return part;
}

Status Builder::add_edges(const std::string& edge_type, Tensor source, Tensor target,
                          bool add_reverse) {
  GLS_ASSIGN(EdgeTypeName name, parts_->check_new_edges(edge_type, add_reverse));
  GLS_ASSIGN(const IdSpan sources, IdSpan::of(source, "source"));
  GLS_ASSIGN(const IdSpan targets, IdSpan::of(target, "target"));
  GLS_TRY(check_same_length(edge_type, "source", sources.size(), "target", targets.size()));
  EdgeInput& part = add_edge_part(std::move(name), add_reverse);
  part.source_ids = std::move(source);
  part.target_ids = std::move(target);
  return {};
}

Status Builder::add_topology(const std::string& edge_type, Layout layout, Tensor indptr,
                             Tensor indices, Tensor edge_ids) {
  if (!same_dtype(indptr.dtype(), kInt64) || indptr.shape().size() != 1 || indptr.rows() == 0 ||
      !indptr.contiguous()) {
    return invalid("edge type \"{}\": indptr is {} {}, expected contiguous int64 [nodes + 1]",
                   edge_type, dtype_name(indptr.dtype()), shape_text(indptr.shape()))
        .with("argument", "indptr");
  }
  GLS_ASSIGN(const IdSpan neighbors, IdSpan::of(indices, "indices"));
  if (edge_ids.defined()) {
    GLS_ASSIGN(const IdSpan ids, IdSpan::of(edge_ids, "edge_ids"));
    GLS_TRY(check_same_length(edge_type, "indices", neighbors.size(), "edge_ids", ids.size()));
  }
  EdgeInput* part = parts_->find_edge_type(edge_type);
  const auto slot = static_cast<size_t>(layout);
  if (part != nullptr && part->has_topology() && !part->topologies[slot].given()) {
    GLS_TRY(check_same_length(edge_type, "the other layout",
                              part->topologies[1 - slot].indices.rows(), "indices",
                              neighbors.size()));
  } else {
    GLS_ASSIGN(EdgeTypeName name, parts_->check_new_edges(edge_type, false));
    part = &add_edge_part(std::move(name), false);
  }
  part->topologies[slot] = {std::move(indptr), std::move(indices), std::move(edge_ids)};
  return {};
}

Status Builder::add_edges_text(const std::string& edge_type, const std::string& path,
                               const TextOptions& options) {
  GLS_ASSIGN(EdgeTypeName name, parts_->check_new_edges(edge_type, options.add_reverse));
  GLS_TRY(check_text_options(options, {options.source_field, options.target_field}));
  add_edge_part(std::move(name), options.add_reverse).text = TextInput{path, options};
  return {};
}

Status Builder::add_nodes_text(const std::string& type, const std::string& path,
                               const TextOptions& options) {
  GLS_TRY(check_name(type, "node type"));
  GLS_TRY(check_text_options(options, {options.source_field}));
  if (options.add_reverse) {
    return invalid("GLS_EDGES_ADD_REVERSE is set, but a file of nodes has no edges")
        .with("argument", "flags");
  }
  if (const NodeInput* const known = parts_->find_node_type(type)) {
    GLS_TRY(known->check_not_listed());
    for (const TextColumn& column : options.columns) {
      GLS_TRY(known->check_new_column(column_name(column)));
    }
  }
  parts_->nodes[parts_->declare(type)].text = TextInput{path, options};
  return {};
}

namespace {

// A stream with its plan, which the builder does not own yet.
Result<ArrowInput> plan_stream(const std::string& type, ArrowArrayStream* stream,
                               const ArrowOptions& options, ArrowRows rows) {
  ArrowOptions labelled = options;
  if (labelled.label.empty()) {
    labelled.label = formatted("the Arrow stream of \"{}\"", type);
  }
  ArrowInput input;
  input.label = labelled.label;
  GLS_ASSIGN(input.fields, ArrowStream::read_fields(stream, input.label));
  GLS_ASSIGN(input.plan, plan_arrow(input.fields, labelled, rows));
  input.stream = std::make_shared<ArrowStream>();
  return input;
}

bool is_text(const ArrowInput& input, size_t id) {
  return input.fields[input.plan.ids[id]].values().type.is_text();
}

// Types without a call of add_node_type() have string ids if a stream names their nodes by text.
void name_by_text(const ArrowInput& input, size_t id, NodeInput* type) {
  if (!type->declared && is_text(input, id)) {
    type->options.ids = NodeIds::kString;
  }
}

// Text cannot name nodes whose table has no key: they would be numbered anew.
Status check_named(const ArrowInput& input, size_t id, const NodeInput* type) {
  if (type == nullptr || !type->arrow || type->lists_keys() || !is_text(input, id)) {
    return {};
  }
  return invalid(
             "{}: field \"{}\" names nodes of type \"{}\" by text, but {} has no key: name the "
             "field with the key there",
             input.label, input.fields[input.plan.ids[id]].name, type->name, type->arrow->label)
      .with("argument", id == 0 ? "source_field" : "target_field")
      .with("type", type->name);
}

}  // namespace

Status Builder::add_edges_arrow(const std::string& edge_type, ArrowArrayStream* stream,
                                const ArrowOptions& options) {
  GLS_ASSIGN(EdgeTypeName name, parts_->check_new_edges(edge_type, options.add_reverse));
  GLS_ASSIGN(ArrowInput input, plan_stream(edge_type, stream, options, ArrowRows::kEdges));
  GLS_TRY(check_named(input, 0, parts_->find_node_type(name.source)));
  GLS_TRY(check_named(input, 1, parts_->find_node_type(name.target)));
  EdgeInput& part = add_edge_part(std::move(name), options.add_reverse);
  name_by_text(input, 0, &parts_->nodes[part.source]);
  name_by_text(input, 1, &parts_->nodes[part.target]);
  part.arrow = std::move(input);
  part.arrow->stream->take(stream);
  return {};
}

Status Builder::add_nodes_arrow(const std::string& type, ArrowArrayStream* stream,
                                const ArrowOptions& options) {
  GLS_TRY(check_name(type, "node type"));
  GLS_ASSIGN(ArrowInput input, plan_stream(type, stream, options, ArrowRows::kNodes));
  const bool has_key = !input.plan.ids.empty();
  if (const NodeInput* const known = parts_->find_node_type(type)) {
    GLS_TRY(known->check_not_listed());
    for (const std::string& column : input.plan.column_names()) {
      GLS_TRY(known->check_new_column(column));
    }
    for (const ArrowIdSetPlan& set : input.plan.id_sets) {
      GLS_TRY(known->check_new_id_set(set.name));
    }
    if (!has_key && known->options.ids != NodeIds::kDense) {
      return invalid(
                 "{}: node type \"{}\" has integer or string ids, so source_field must name the "
                 "field with the key",
                 input.label, type)
          .with("argument", "source_field");
    }
  }
  NodeInput& part = parts_->nodes[parts_->declare(type)];
  if (has_key) {
    name_by_text(input, 0, &part);
  }
  part.arrow = std::move(input);
  part.arrow->stream->take(stream);
  return {};
}

namespace {

Column make_column(const std::string& name, int32_t role, Tensor data,
                   std::shared_ptr<const Codebook> codebook) {
  return codebook != nullptr ? Column::of_codes(name, role, std::move(data), std::move(codebook))
                             : Column{name, role, std::move(data)};
}

}  // namespace

Status Builder::add_node_column(const std::string& type, const std::string& name, int32_t role,
                                Tensor data, std::shared_ptr<const Codebook> codebook) {
  GLS_TRY(check_name(name, "column"));
  GLS_TRY(check_role(role));
  GLS_ASSIGN(NodeInput* const part, parts_->node_type(type));
  GLS_TRY(part->check_new_column(name));
  part->columns.push_back(make_column(name, role, std::move(data), std::move(codebook)));
  return {};
}

Status Builder::add_edge_column(const std::string& edge_type, const std::string& name, int32_t role,
                                Tensor data, std::shared_ptr<const Codebook> codebook) {
  GLS_TRY(check_name(name, "column"));
  GLS_TRY(check_role(role));
  GLS_ASSIGN(EdgeInput* const part, parts_->edge_type(edge_type));
  if (part->reverse_of) {
    const std::string& forward = parts_->edges[*part->reverse_of].joined;
    return invalid("edge type \"{}\" shares the columns of \"{}\"; add the column to that one",
                   part->joined, forward)
        .with("type", part->joined);
  }
  GLS_TRY(part->check_new_column(name));
  part->columns.push_back(make_column(name, role, std::move(data), std::move(codebook)));
  return {};
}

Status Builder::add_id_set(const std::string& type, const std::string& name, Tensor ids) {
  GLS_TRY(check_name(name, "id set"));
  GLS_ASSIGN(NodeInput* const part, parts_->node_type(type));
  GLS_ASSIGN([[maybe_unused]] const IdSpan span, IdSpan::of(ids, formatted("id set \"{}\"", name)));
  GLS_TRY(part->check_new_id_set(name));
  part->id_sets.push_back({name, std::move(ids)});
  return {};
}

Result<std::shared_ptr<const Dataset>> Builder::build(const BuildOptions& options) {
  GLS_ASSIGN(auto dataset, build_dataset(context_, *parts_, options));
  GLS_TRY(parts_->check_files());
  *parts_ = {};
  return dataset;
}

Status Builder::write(const std::string& path, const BuildOptions& options) {
  GLS_TRY(write_dataset(*context_, *parts_, path, options));
  *parts_ = {};
  return {};
}

}  // namespace gls
