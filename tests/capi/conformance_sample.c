/* Conformance vectors of whole batches. */
#include <math.h>

#include "conformance.h"

/* ---- graphs -----------------------------------------------------------------------------------
 */

struct graphs {
  size_t count;
  const char *names[MOST];
  gls_dataset_t *datasets[MOST];
};

struct edges {
  int64_t *source;
  int64_t *target;
  size_t count;
  size_t room;
};

static void add_edge(struct edges *edges, int64_t source, int64_t target) {
  if (edges->count == edges->room) {
    edges->room = 2 * edges->room + 64;
    edges->source = realloc(edges->source, edges->room * sizeof *edges->source);
    edges->target = realloc(edges->target, edges->room * sizeof *edges->target);
    assert_true(edges->source != NULL && edges->target != NULL);
  }
  edges->source[edges->count] = source;
  edges->target[edges->count++] = target;
}

static uint64_t next_random(uint64_t *x) {
  *x = UINT64_C(6364136223846793005) * *x + UINT64_C(1442695040888963407);
  return *x >> 32;
}

static void generate(const json_t *generator, struct edges *edges) {
  const char *const rule = get_text(generator, "rule", "");
  const int64_t nodes = (int64_t)get_number(generator, "nodes", 0);
  if (strcmp(rule, "ring") == 0) {
    size_t count = 0;
    int64_t *const steps = get_array(json_object_get(generator, "steps"), &count);
    for (int64_t v = 0; v < nodes; ++v) {
      for (size_t s = 0; s < count; ++s) {
        add_edge(edges, v, (v + steps[s]) % nodes);
      }
    }
    free(steps);
  } else if (strcmp(rule, "star") == 0) {
    const bool target = strcmp(get_text(generator, "hub_is", ""), "target") == 0;
    const int64_t leaves = (int64_t)get_number(generator, "leaves", 0);
    for (int64_t i = 1; i <= leaves; ++i) {
      add_edge(edges, target ? i : 0, target ? 0 : i);
    }
  } else if (strcmp(rule, "triangle") == 0) {
    for (int64_t t = 0; t < nodes; ++t) {
      for (int64_t s = 0; s < t; ++s) {
        add_edge(edges, s, t);
      }
    }
  } else {
    assert_string_equal(rule, "random");
    uint64_t x = get_number(generator, "seed", 0);
    const uint64_t sources = get_number(generator, "sources", 0);
    const uint64_t targets = get_number(generator, "targets", 0);
    for (uint64_t left = get_number(generator, "edges", 0); left > 0; --left) {
      const uint64_t a = next_random(&x);
      const uint64_t b = next_random(&x);
      const uint64_t c = next_random(&x);
      add_edge(edges, (int64_t)(a * sources >> 32), (int64_t)((b * c >> 32) * targets >> 32));
    }
  }
}

static void add_weights(gls_builder_t *builder, const json_t *type, size_t count) {
  const json_t *const list = json_object_get(type, "weight");
  const json_t *const cycle = json_object_get(type, "weight_cycle");
  if (list == NULL && cycle == NULL) {
    return;
  }
  const json_t *const from = list != NULL ? list : cycle;
  float *const weights = malloc((count + 1) * sizeof *weights);
  assert_non_null(weights);
  for (size_t e = 0; e < count; ++e) {
    weights[e] = (float)json_number_value(json_array_get(from, e % json_array_size(from)));
  }
  size_t i = 0;
  const json_t *special = NULL;
  json_array_foreach(json_object_get(type, "weight_special"), i, special) {
    const bool nan = strcmp(get_text(special, "value", ""), "nan") == 0;
    weights[get_number(special, "edge", 0)] = nan ? NAN : INFINITY;
  }
  /* Some are none, to be met by samplers: a builder would refuse them with the role of weights. */
  OK(gls_builder_add_edge_column(builder, get_text(type, "name", NULL), "weight", GLS_ROLE_OTHER,
                                 floats((int64_t)count, 0, weights), &err));
  free(weights);
}

/* The column "time" of nodes or of edges. */
static gls_tensor_t *times_of(const json_t *type, size_t count) {
  const json_t *const cycle = json_object_get(type, "time_cycle");
  if (cycle == NULL) {
    return NULL;
  }
  int64_t *const times = malloc((count + 1) * sizeof *times);
  assert_non_null(times);
  for (size_t i = 0; i < count; ++i) {
    times[i] = json_integer_value(json_array_get(cycle, i % json_array_size(cycle)));
  }
  gls_tensor_t *const tensor = ids64(count, times);
  free(times);
  return tensor;
}

static gls_dataset_t *read_graph(gls_context_t *ctx, const json_t *graph) {
  gls_builder_t *const builder = make_builder(ctx);
  size_t i = 0;
  const json_t *type = NULL;
  json_array_foreach(json_object_get(graph, "node_types"), i, type) {
    gls_node_type_options_t options = GLS_NODE_TYPE_OPTIONS_INIT;
    options.num_nodes = (int64_t)get_number(type, "count", 0);
    OK(gls_builder_add_node_type(builder, get_text(type, "name", NULL), &options, &err));
    const json_t *const weights = json_object_get(type, "weight_cycle");
    if (weights != NULL) {
      float *const cycled = malloc(((size_t)options.num_nodes + 1) * sizeof *cycled);
      assert_non_null(cycled);
      for (size_t v = 0; v < (size_t)options.num_nodes; ++v) {
        cycled[v] = (float)json_number_value(json_array_get(weights, v % json_array_size(weights)));
      }
      OK(gls_builder_add_node_column(builder, get_text(type, "name", NULL), "weight",
                                     GLS_ROLE_OTHER, floats(options.num_nodes, 0, cycled), &err));
      free(cycled);
    }
    gls_tensor_t *const times = times_of(type, (size_t)options.num_nodes);
    if (times != NULL) {
      OK(gls_builder_add_node_column(builder, get_text(type, "name", NULL), "time", GLS_ROLE_TIME,
                                     times, &err));
    }
  }
  json_array_foreach(json_object_get(graph, "edge_types"), i, type) {
    const char *const name = get_text(type, "name", NULL);
    struct edges edges = {NULL, NULL, 0, 0};
    if (json_object_get(type, "generator") != NULL) {
      generate(json_object_get(type, "generator"), &edges);
    } else {
      size_t targets = 0;
      edges.source = get_array(json_object_get(type, "source"), &edges.count);
      edges.target = get_array(json_object_get(type, "target"), &targets);
      assert_int_equal(edges.count, targets);
    }
    OK(gls_builder_add_edges(builder, name, ids64(edges.count, edges.source),
                             ids64(edges.count, edges.target), NULL, &err));
    add_weights(builder, type, edges.count);
    gls_tensor_t *const times = times_of(type, edges.count);
    if (times != NULL) {
      OK(gls_builder_add_edge_column(builder, name, "time", GLS_ROLE_TIME, times, &err));
    }
    if (json_object_get(type, "reverse") != NULL) {
      size_t count = 0;
      int64_t *const reverse = get_array(json_object_get(type, "reverse"), &count);
      OK(gls_builder_add_edge_column(builder, name, "reverse", GLS_ROLE_OTHER,
                                     ids64(count, reverse), &err));
      free(reverse);
    }
    free(edges.source);
    free(edges.target);
  }
  return finish_builder(builder, GLS_LAYOUT_CSC | GLS_LAYOUT_CSR);
}

struct graphs *read_graphs(gls_context_t *ctx, const json_t *list) {
  struct graphs *const graphs = calloc(1, sizeof *graphs);
  assert_non_null(graphs);
  size_t i = 0;
  const json_t *graph = NULL;
  json_array_foreach(list, i, graph) {
    assert_in_range(i, 0, MOST - 1);
    graphs->names[i] = get_text(graph, "name", NULL);
    graphs->datasets[i] = read_graph(ctx, graph);
    graphs->count = i + 1;
  }
  return graphs;
}
void release_graphs(struct graphs *graphs) {
  for (size_t i = 0; i < graphs->count; ++i) {
    gls_dataset_release(graphs->datasets[i]);
  }
  free(graphs);
}
gls_dataset_t *find_graph(const struct graphs *graphs, const char *name) {
  for (size_t i = 0; i < graphs->count; ++i) {
    if (strcmp(graphs->names[i], name) == 0) {
      return graphs->datasets[i];
    }
  }
  fail_msg("no graph is called %s", name);
  return NULL;
}

/* ---- requests ---------------------------------------------------------------------------------
 */

static void *keep(struct storage *storage, void *block) {
  assert_in_range(storage->used, 0, COUNT_OF(storage->blocks) - 1);
  return storage->blocks[storage->used++] = block;
}
void free_storage(struct storage *storage) {
  for (size_t i = 0; i < storage->used; ++i) {
    free(storage->blocks[i]);
  }
}
static void *room(struct storage *storage, size_t count, size_t size) {
  void *const block = calloc(count + 1, size);
  assert_non_null(block);
  return keep(storage, block);
}
static const DLTensor *keep_view(struct storage *storage, int64_t *data, int32_t ndim,
                                 int64_t first, int64_t second) {
  assert_in_range(storage->used_shapes, 0, COUNT_OF(storage->shapes) - 1);
  int64_t *const shape = storage->shapes[storage->used_shapes++];
  shape[0] = first;
  shape[1] = second;
  DLTensor *const view = room(storage, 1, sizeof *view);
  *view = view_of(data, kInt64, ndim, shape);
  return view;
}

static const gls_edge_set_t *read_sets(struct storage *storage, const json_t *list, size_t *count) {
  *count = json_array_size(list);
  gls_edge_set_t *const sets = room(storage, *count, sizeof *sets);
  for (size_t i = 0; i < *count; ++i) {
    const json_t *const set = json_array_get(list, i);
    sets[i].edge_type = get_text(set, "edge_type", NULL);
    size_t length = 0;
    if (json_object_get(set, "ids") != NULL) {
      int64_t *const ids = keep(storage, get_array(json_object_get(set, "ids"), &length));
      sets[i].edges = keep_view(storage, ids, 1, (int64_t)length, 0);
    } else {
      int64_t *const source = get_array(json_object_get(set, "source"), &length);
      int64_t *const target = get_array(json_object_get(set, "target"), &length);
      int64_t *const pairs = room(storage, 2 * length, sizeof *pairs);
      memcpy(pairs, source, length * sizeof *pairs);
      memcpy(pairs + length, target, length * sizeof *pairs);
      free(source);
      free(target);
      sets[i].edges = keep_view(storage, pairs, 2, 2, (int64_t)length);
    }
  }
  return sets;
}

static int32_t choice(const json_t *object, const char *key, size_t count,
                      const char *const *names) {
  const char *const text = get_text(object, key, names[0]);
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(text, names[i]) == 0) {
      return (int32_t)i;
    }
  }
  fail_msg("%s is %s", key, text);
  return -1;
}

static double number_or(const json_t *object, const char *key, double otherwise) {
  const json_t *const value = json_object_get(object, key);
  return value != NULL ? json_number_value(value) : otherwise;
}

static const gls_negative_options_t *read_negatives(struct storage *storage, const json_t *json) {
  static const char *const modes[] = {"", "binary", "triplet"};
  gls_negative_options_t *const out = room(storage, 1, sizeof *out);
  out->struct_size = sizeof *out;
  out->mode = choice(json, "mode", COUNT_OF(modes), modes);
  out->flags = (get_flag(json, "strict") ? GLS_NEGATIVE_STRICT : 0u) |
               (get_flag(json, "allow_short") ? GLS_NEGATIVE_ALLOW_SHORT : 0u) |
               (get_flag(json, "in_time") ? GLS_NEGATIVE_IN_TIME : 0u) |
               (get_flag(json, "oldest") ? GLS_NEGATIVE_OLDEST : 0u);
  out->amount = number_or(json, "amount", 0);
  out->degree_power = number_or(json, "degree_power", 0);
  out->source_weight = get_text(json, "source_weight", NULL);
  out->target_weight = get_text(json, "target_weight", NULL);
  out->tries = (uint32_t)number_or(json, "tries", 0);
  return out;
}

static const gls_walk_options_t *read_walk(struct storage *storage, const json_t *json) {
  gls_walk_options_t *const out = room(storage, 1, sizeof *out);
  out->struct_size = sizeof *out;
  out->length = (uint32_t)get_number(json, "length", 0);
  out->walks = (uint32_t)get_number(json, "walks", 0);
  out->p = number_or(json, "p", 0);
  out->q = number_or(json, "q", 0);
  out->restart = number_or(json, "restart", 0);
  out->stop = number_or(json, "stop", 0);
  const json_t *const path = json_object_get(json, "path");
  out->path_length = json_array_size(path);
  const char **const types = room(storage, out->path_length, sizeof *types);
  for (size_t i = 0; i < out->path_length; ++i) {
    types[i] = json_string_value(json_array_get(path, i));
  }
  out->path = types;
  return out;
}

static void read_supervisions(struct storage *storage, const json_t *list,
                              gls_sampler_options_t *options) {
  static const char *const roles[] = {"positive", "negative"};
  options->num_supervisions = json_array_size(list);
  gls_supervision_t *const out = room(storage, options->num_supervisions, sizeof *out);
  for (size_t i = 0; i < options->num_supervisions; ++i) {
    const json_t *const json = json_array_get(list, i);
    out[i].edge_type = get_text(json, "edge_type", NULL);
    out[i].node_type = get_text(json, "node_type", NULL);
    out[i].name = get_text(json, "name", NULL);
    out[i].role = choice(json, "role", COUNT_OF(roles), roles);
    out[i].flags = get_flag(json, "sampled") ? GLS_SUPERVISION_SAMPLED : 0u;
    out[i].max_labels = (uint32_t)get_number(json, "max_labels", 0);
  }
  options->supervisions = out;
}
static const char **read_names(struct storage *storage, const json_t *names) {
  const char **const out = room(storage, json_array_size(names), sizeof *out);
  for (size_t i = 0; i < json_array_size(names); ++i) {
    out[i] = json_string_value(json_array_get(names, i));
  }
  return out;
}

static const gls_importance_options_t *read_importance(struct storage *storage,
                                                       const json_t *json) {
  gls_importance_options_t *const out = room(storage, 1, sizeof *out);
  out->struct_size = sizeof *out;
  out->neighbors = (uint32_t)get_number(json, "neighbors", 0);
  out->walks = (uint32_t)get_number(json, "walks", 0);
  out->traversals = (uint32_t)get_number(json, "traversals", 0);
  out->hops = (uint32_t)get_number(json, "hops", 0);
  out->stop = number_or(json, "stop", 0);
  out->path_length = json_array_size(json_object_get(json, "path"));
  out->path = read_names(storage, json_object_get(json, "path"));
  return out;
}

static const gls_ppr_channel_t *read_channels(struct storage *storage, const json_t *json) {
  const size_t count = json_array_size(json);
  gls_ppr_channel_t *const out = room(storage, count, sizeof *out);
  for (size_t c = 0; c < count; ++c) {
    const json_t *const channel = json_array_get(json, c);
    out[c].num_edge_types = json_array_size(json_object_get(channel, "edge_types"));
    out[c].edge_types = read_names(storage, json_object_get(channel, "edge_types"));
    out[c].share = number_or(channel, "share", 0);
  }
  return out;
}

static const gls_ppr_options_t *read_ppr(struct storage *storage, const json_t *json) {
  gls_ppr_options_t *const out = room(storage, 1, sizeof *out);
  out->struct_size = sizeof *out;
  out->neighbors = (uint32_t)get_number(json, "neighbors", 0);
  out->flags = json_is_false(json_object_get(json, "top_up")) ? GLS_PPR_NO_TOP_UP : 0;
  out->alpha = number_or(json, "alpha", 0);
  out->epsilon = number_or(json, "epsilon", 0);
  out->max_edges = (uint64_t)get_number(json, "max_edges", 0);
  out->row_limit = (uint32_t)get_number(json, "row_limit", 0);
  out->num_edge_types = json_array_size(json_object_get(json, "edge_types"));
  out->edge_types = read_names(storage, json_object_get(json, "edge_types"));
  out->num_channels = json_array_size(json_object_get(json, "channels"));
  out->channels = read_channels(storage, json_object_get(json, "channels"));
  return out;
}

static const gls_hgt_options_t *read_hgt(struct storage *storage, const json_t *json) {
  gls_hgt_options_t *const out = room(storage, 1, sizeof *out);
  out->struct_size = sizeof *out;
  const json_t *const samples = json_object_get(json, "samples");
  out->num_samples = json_array_size(samples);
  gls_node_samples_t *const entries = room(storage, out->num_samples, sizeof *entries);
  for (size_t i = 0; i < out->num_samples; ++i) {
    const json_t *const entry = json_array_get(samples, i);
    entries[i].node_type = json_string_value(json_object_get(entry, "node_type"));
    entries[i].per_hop =
        keep(storage, get_array(json_object_get(entry, "per_hop"), &entries[i].num_hops));
  }
  out->samples = entries;
  out->most_neighbors = (uint32_t)get_number(json, "most_neighbors", 0);
  return out;
}

gls_sampler_options_t read_options(struct storage *storage, const json_t *json) {
  static const char *const directions[] = {"in", "out"};
  static const char *const replaces[] = {"never", "above", "always"};
  static const char *const strategies[] = {"uniform", "last"};
  static const char *const subgraphs[] = {"sampled", "induced", "bidirectional"};
  static const char *const modes[] = {"self", "reverse_id", "reverse_types"};
  static const char *const picks[] = {"independent", "layer"};
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
  const json_t *const fanouts = json_object_get(json, "fanouts");
  options.num_fanouts = json_array_size(fanouts);
  gls_fanout_t *const entries = room(storage, options.num_fanouts, sizeof *entries);
  for (size_t i = 0; i < options.num_fanouts; ++i) {
    const json_t *const entry = json_array_get(fanouts, i);
    entries[i].edge_type = json_string_value(json_object_get(entry, "edge_type"));
    entries[i].per_hop =
        keep(storage, get_array(json_object_get(entry, "per_hop"), &entries[i].num_hops));
  }
  options.fanouts = entries;
  options.seed = get_number(json, "seed", 0);
  options.direction = choice(json, "direction", COUNT_OF(directions), directions);
  options.replace = choice(json, "replace", COUNT_OF(replaces), replaces);
  options.exclude_mode = choice(json, "exclude_mode", COUNT_OF(modes), modes);
  options.weight = get_text(json, "weight", NULL);
  options.flags = (get_flag(json, "edge_ids") ? GLS_SAMPLE_EDGE_IDS : 0u) |
                  (get_flag(json, "disjoint") ? GLS_SAMPLE_DISJOINT : 0u) |
                  (get_flag(json, "toward_seeds") ? GLS_SAMPLE_TOWARD_SEEDS : 0u) |
                  (get_flag(json, "int32") ? GLS_SAMPLE_INT32 : 0u) |
                  (get_flag(json, "time_strict") ? GLS_SAMPLE_TIME_STRICT : 0u) |
                  (get_flag(json, "exclude_links") ? GLS_SAMPLE_EXCLUDE_LINKS : 0u) |
                  (get_flag(json, "layer_dependent") ? GLS_SAMPLE_LAYER_DEPENDENT : 0u);
  options.pick = choice(json, "pick", COUNT_OF(picks), picks);
  options.batch_dependency = (uint32_t)get_number(json, "batch_dependency", 0);
  if (json_object_get(json, "negatives") != NULL) {
    options.negatives = read_negatives(storage, json_object_get(json, "negatives"));
  }
  if (json_object_get(json, "walk") != NULL) {
    options.kind = GLS_SAMPLER_WALK;
    options.walk = read_walk(storage, json_object_get(json, "walk"));
  }
  read_supervisions(storage, json_object_get(json, "supervisions"), &options);
  if (json_object_get(json, "importance") != NULL) {
    options.kind = GLS_SAMPLER_IMPORTANCE;
    options.importance = read_importance(storage, json_object_get(json, "importance"));
  }
  if (json_object_get(json, "ppr") != NULL) {
    options.kind = GLS_SAMPLER_PPR;
    options.ppr = read_ppr(storage, json_object_get(json, "ppr"));
  }
  if (json_object_get(json, "hgt") != NULL) {
    options.kind = GLS_SAMPLER_HGT;
    options.hgt = read_hgt(storage, json_object_get(json, "hgt"));
  }
  options.node_time = get_text(json, "node_time", NULL);
  options.edge_time = get_text(json, "edge_time", NULL);
  options.time_window = json_integer_value(json_object_get(json, "time_window"));
  options.time_strategy = choice(json, "time_strategy", COUNT_OF(strategies), strategies);
  options.subgraph = choice(json, "subgraph", COUNT_OF(subgraphs), subgraphs);
  options.exclude = read_sets(storage, json_object_get(json, "exclude"), &options.num_exclude);
  options.reverse_column = get_text(json, "reverse_column", NULL);
  const json_t *const reverse = json_object_get(json, "reverse_types");
  options.num_reverse_types = json_array_size(reverse);
  gls_type_pair_t *const pairs = room(storage, options.num_reverse_types, sizeof *pairs);
  for (size_t i = 0; i < options.num_reverse_types; ++i) {
    pairs[i].edge_type = get_text(json_array_get(reverse, i), "edge_type", NULL);
    pairs[i].reverse_type = get_text(json_array_get(reverse, i), "reverse_type", NULL);
  }
  options.reverse_types = pairs;
  return options;
}

static const DLTensor *read_vector(struct storage *storage, const json_t *list) {
  if (list == NULL) {
    return NULL;
  }
  size_t count = 0;
  int64_t *const values = keep(storage, get_array(list, &count));
  return keep_view(storage, values, 1, (int64_t)count, 0);
}

static const gls_link_set_t *read_links(struct storage *storage, const json_t *json) {
  size_t count = 0;
  json_t *const list = json_array();
  json_array_append(list, (json_t *)json);
  const gls_edge_set_t *const edges = read_sets(storage, list, &count);
  json_decref(list);
  gls_link_set_t *const out = room(storage, 1, sizeof *out);
  out->struct_size = sizeof *out;
  out->edge_type = edges->edge_type;
  out->links = edges->edges;
  out->times = read_vector(storage, json_object_get(json, "times"));
  out->labels = read_vector(storage, json_object_get(json, "labels"));
  return out;
}

/* Rows of one length. */
const DLTensor *read_rows(struct storage *storage, const json_t *rows) {
  if (json_is_null(rows)) {
    return NULL;
  }
  const size_t width = json_array_size(json_array_get(rows, 0));
  const size_t count = width == 0 ? 0 : json_array_size(rows);
  int64_t *const values = room(storage, count * width, sizeof *values);
  for (size_t i = 0; i < count * width; ++i) {
    values[i] = json_integer_value(json_array_get(json_array_get(rows, i / width), i % width));
  }
  return keep_view(storage, values, 2, (int64_t)json_array_size(rows), (int64_t)width);
}

static gls_sample_request_t read_request(struct storage *storage, const json_t *json) {
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.epoch = get_number(json, "epoch", 0);
  request.batch = get_number(json, "batch", 0);
  const json_t *const list = json_object_get(json, "seeds");
  request.num_seeds = json_array_size(list);
  gls_seed_set_t *const sets = room(storage, request.num_seeds, sizeof *sets);
  const DLTensor **const times = room(storage, request.num_seeds, sizeof *times);
  for (size_t i = 0; i < request.num_seeds; ++i) {
    const json_t *const seeds = json_array_get(list, i);
    const json_t *const range = json_object_get(seeds, "range");
    size_t count = 0;
    int64_t *ids = NULL;
    if (range == NULL) {
      ids = keep(storage, get_array(json_object_get(seeds, "ids"), &count));
    } else {
      count = get_number(range, "count", 0);
      ids = room(storage, count, sizeof *ids);
      for (size_t k = 0; k < count; ++k) {
        ids[k] = (int64_t)(get_number(range, "first", 0) + k * get_number(range, "step", 0));
      }
    }
    sets[i].node_type = get_text(seeds, "node_type", NULL);
    sets[i].ids = keep_view(storage, ids, 1, (int64_t)count, 0);
    if (json_object_get(seeds, "times") != NULL) {
      int64_t *const own = keep(storage, get_array(json_object_get(seeds, "times"), &count));
      times[i] = keep_view(storage, own, 1, (int64_t)count, 0);
      request.times = times;
    }
  }
  request.seeds = sets;
  request.exclude = read_sets(storage, json_object_get(json, "exclude"), &request.num_exclude);
  const json_t *const labels = json_object_get(json, "labels");
  request.num_labels = json_array_size(labels);
  const DLTensor **const views = room(storage, request.num_labels, sizeof *views);
  for (size_t i = 0; i < request.num_labels; ++i) {
    views[i] = read_rows(storage, json_array_get(labels, i));
  }
  request.labels = views;
  if (json_object_get(json, "links") != NULL) {
    request.links = read_links(storage, json_object_get(json, "links"));
  }
  return request;
}

/* ---- results ----------------------------------------------------------------------------------
 */

static void expect_array(const gls_batch_t *batch, int32_t array, const char *type,
                         const json_t *expected) {
  gls_tensor_t *const tensor = batch_array(batch, array, type, NULL);
  const int64_t count = tensor_elements(tensor);
  if (json_is_array(expected)) {
    assert_int_equal(count, json_array_size(expected));
    for (int64_t i = 0; i < count; ++i) {
      assert_int_equal(id_at(tensor, i), number_of(json_array_get(expected, (size_t)i)));
    }
  } else {
    uint64_t digest = UINT64_C(14695981039346656037);
    for (int64_t i = 0; i < count; ++i) {
      digest = (digest ^ (uint64_t)id_at(tensor, i)) * UINT64_C(1099511628211);
    }
    assert_int_equal(count, get_number(expected, "length", UINT64_MAX));
    assert_true(digest == get_number(expected, "digest", 0));
  }
  gls_tensor_release(tensor);
}

/* NULL: the batch must not have it. */
static void expect_optional(const gls_batch_t *batch, int32_t array, const char *type,
                            const json_t *expected) {
  if (expected != NULL) {
    expect_array(batch, array, type, expected);
    return;
  }
  gls_tensor_t *tensor = NULL;
  assert_int_equal(gls_batch_tensor(batch, array, type, NULL, &tensor, NULL), GLS_ERR_NOT_FOUND);
}

static void expect_batch(const gls_batch_t *batch, const json_t *expected, uint32_t flags) {
  const char *type = NULL;
  json_t *arrays = NULL;
  json_object_foreach(json_object_get(expected, "nodes"), type, arrays) {
    expect_array(batch, GLS_BATCH_NODE, type, json_object_get(arrays, "node"));
    expect_array(batch, GLS_BATCH_SEED, type, json_object_get(arrays, "seed"));
    expect_array(batch, GLS_BATCH_NUM_NODES, type, json_object_get(arrays, "num_sampled_nodes"));
    expect_optional(batch, GLS_BATCH_TREE, type, json_object_get(arrays, "batch"));
    expect_optional(batch, GLS_BATCH_SEED_TIME, type, json_object_get(arrays, "seed_time"));
  }
  json_object_foreach(json_object_get(expected, "edges"), type, arrays) {
    expect_array(batch, GLS_BATCH_ROW, type, json_object_get(arrays, "row"));
    expect_array(batch, GLS_BATCH_COL, type, json_object_get(arrays, "col"));
    expect_array(batch, GLS_BATCH_NUM_EDGES, type, json_object_get(arrays, "num_sampled_edges"));
    if ((flags & GLS_SAMPLE_EDGE_IDS) != 0) {
      expect_array(batch, GLS_BATCH_EDGE, type, json_object_get(arrays, "edge"));
    }
  }
}

/* Rows of ids as one list. */
static json_t *flattened(const json_t *rows) {
  json_t *const out = json_array();
  size_t i = 0;
  json_t *row = NULL;
  json_array_foreach(rows, i, row) { json_array_extend(out, row); }
  return out;
}

static void expect_links(const gls_batch_t *batch, const json_t *expected) {
  const char *type = NULL;
  json_t *arrays = NULL;
  json_object_foreach(json_object_get(expected, "links"), type, arrays) {
    expect_array(batch, GLS_BATCH_LINK_SOURCE, type, json_object_get(arrays, "source"));
    expect_array(batch, GLS_BATCH_LINK_TARGET, type, json_object_get(arrays, "target"));
    const json_t *const negative = json_object_get(arrays, "negative");
    json_t *const flat = negative != NULL ? flattened(negative) : NULL;
    expect_optional(batch, GLS_BATCH_LINK_NEGATIVE, type, flat);
    json_decref(flat);
    const json_t *const label = json_object_get(arrays, "label");
    if (label == NULL || !json_is_real(json_array_get(label, 0))) {
      expect_optional(batch, GLS_BATCH_LINK_LABEL, type, label);
      continue;
    }
    gls_tensor_t *const tensor = batch_array(batch, GLS_BATCH_LINK_LABEL, type, NULL);
    assert_int_equal(tensor_elements(tensor), json_array_size(label));
    assert_int_equal(tensor->dl_tensor.dtype.code, kDLFloat);
    for (size_t i = 0; i < json_array_size(label); ++i) {
      assert_true(((const float *)tensor_data(tensor))[i] ==
                  (float)json_number_value(json_array_get(label, i)));
    }
    gls_tensor_release(tensor);
  }
}

static void expect_rows(const gls_batch_t *batch, int32_t array, const char *type,
                        const json_t *rows) {
  json_t *const flat = rows != NULL ? flattened(rows) : NULL;
  expect_optional(batch, array, type, flat);
  json_decref(flat);
  if (rows != NULL) {
    gls_tensor_t *const tensor = batch_array(batch, array, type, NULL);
    assert_int_equal(tensor->dl_tensor.ndim, 2);
    assert_int_equal(tensor->dl_tensor.shape[0], json_array_size(rows));
    gls_tensor_release(tensor);
  }
}

static void expect_walks(const gls_batch_t *batch, const json_t *expected) {
  const char *type = NULL;
  json_t *arrays = NULL;
  json_object_foreach(json_object_get(expected, "walks"), type, arrays) {
    expect_rows(batch, GLS_BATCH_WALK, type, json_object_get(arrays, "walk"));
    expect_rows(batch, GLS_BATCH_WALK_EDGE, type, json_object_get(arrays, "walk_edge"));
  }
}

static void expect_labels(const gls_batch_t *batch, const json_t *expected) {
  size_t i = 0;
  json_t *labels = NULL;
  json_array_foreach(json_object_get(expected, "labels"), i, labels) {
    const bool negative = strcmp(get_text(labels, "role", ""), "negative") == 0;
    gls_tensor_t *const tensor =
        batch_array(batch, negative ? GLS_BATCH_ANCHOR_NEGATIVE : GLS_BATCH_ANCHOR_POSITIVE,
                    get_text(labels, "node_type", NULL), get_text(labels, "name", NULL));
    const json_t *const rows = json_object_get(labels, "label");
    json_t *const flat = flattened(rows);
    assert_int_equal(tensor->dl_tensor.ndim, 2);
    assert_int_equal(tensor->dl_tensor.shape[0], json_array_size(rows));
    assert_int_equal(tensor_elements(tensor), json_array_size(flat));
    for (int64_t k = 0; k < tensor_elements(tensor); ++k) {
      assert_int_equal(id_at(tensor, k), json_integer_value(json_array_get(flat, (size_t)k)));
    }
    json_decref(flat);
    gls_tensor_release(tensor);
  }
}
static void expect_near(const gls_batch_t *batch, const json_t *expected) {
  const char *type = NULL;
  json_t *arrays = NULL;
  json_object_foreach(json_object_get(expected, "near"), type, arrays) {
    expect_optional(batch, GLS_BATCH_NEAR_SEED, type, json_object_get(arrays, "near_seed"));
    expect_optional(batch, GLS_BATCH_NEAR_NODE, type, json_object_get(arrays, "near_node"));
    const json_t *const rows = json_object_get(arrays, "near_score");
    gls_tensor_t *const scores = batch_array(batch, GLS_BATCH_NEAR_SCORE, type, NULL);
    assert_int_equal(scores->dl_tensor.ndim, 2);
    assert_int_equal(scores->dl_tensor.shape[0], json_array_size(rows));
    const size_t columns = (size_t)scores->dl_tensor.shape[1];
    for (size_t i = 0; i < json_array_size(rows); ++i) {
      const json_t *const row = json_array_get(rows, i);
      assert_int_equal(json_array_size(row), columns);
      const float *const got = (const float *)tensor_data(scores) + i * columns;
      for (size_t c = 0; c < columns; ++c) {
        assert_true((double)got[c] == json_number_value(json_array_get(row, c)));
      }
    }
    gls_tensor_release(scores);
  }
}

void replay_sample(const struct graphs *graphs, const json_t *test, uint32_t flags) {
  struct storage storage;
  memset(&storage, 0, sizeof storage);
  gls_sampler_options_t options = read_options(&storage, json_object_get(test, "options"));
  options.flags |= flags;
  const gls_sample_request_t request = read_request(&storage, json_object_get(test, "request"));
  const char *const error = get_text(test, "error", NULL);
  const gls_status_t expected = error == NULL ? GLS_OK : status_of(error);
  gls_dataset_t *const dataset = find_graph(graphs, get_text(test, "graph", ""));
  gls_sampler_t *sampler = NULL;
  gls_error_t *err = NULL;
  gls_status_t status = gls_sampler_create(dataset, &options, &sampler, &err);
  for (int round = 0; status == GLS_OK && round < 2; ++round) { /* the second time as the first */
    gls_batch_t *batch = NULL;
    status = gls_sampler_sample(sampler, &request, &batch, &err);
    if (status == GLS_OK && expected == GLS_OK) {
      expect_batch(batch, json_object_get(test, "expected"), options.flags);
      expect_links(batch, json_object_get(test, "expected"));
      expect_walks(batch, json_object_get(test, "expected"));
      expect_labels(batch, json_object_get(test, "expected"));
      expect_near(batch, json_object_get(test, "expected"));
    }
    gls_batch_release(batch);
  }
  check_result(status, expected, err, NULL, "sample", __FILE__, __LINE__);
  gls_sampler_release(sampler);
  free_storage(&storage);
}
