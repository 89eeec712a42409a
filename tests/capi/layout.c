/* The layout of everything public, as of the versions that introduced it, on 64-bit machines whose
 * pointers and longs have 64 bits. Compiling this is the test. A line may be added when a field or
 * a value is added at the end; a line that would have to change is a break of the ABI, which tools
 * that compare types do not always see (two fields of one type that trade places). */
#include <gls.h>
#include <stddef.h>

#if !defined(__LP64__)
#error "written for LP64"
#endif

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " changed its size")
#define FIELD(type, field, offset) \
  _Static_assert(offsetof(type, field) == (offset), #type "." #field " moved")
#define VALUE(name, value) _Static_assert((name) == (value), #name " changed its value")

SIZE(DLDevice, 8);
FIELD(DLDevice, device_type, 0);
FIELD(DLDevice, device_id, 4);

SIZE(DLDataType, 4);
FIELD(DLDataType, code, 0);
FIELD(DLDataType, bits, 1);
FIELD(DLDataType, lanes, 2);

SIZE(DLTensor, 48);
FIELD(DLTensor, data, 0);
FIELD(DLTensor, device, 8);
FIELD(DLTensor, ndim, 16);
FIELD(DLTensor, dtype, 20);
FIELD(DLTensor, shape, 24);
FIELD(DLTensor, strides, 32);
FIELD(DLTensor, byte_offset, 40);

SIZE(DLManagedTensor, 64);
FIELD(DLManagedTensor, dl_tensor, 0);
FIELD(DLManagedTensor, manager_ctx, 48);
FIELD(DLManagedTensor, deleter, 56);

SIZE(DLPackVersion, 8);
FIELD(DLPackVersion, major, 0);
FIELD(DLPackVersion, minor, 4);

SIZE(struct DLManagedTensorVersioned, 80);
FIELD(struct DLManagedTensorVersioned, version, 0);
FIELD(struct DLManagedTensorVersioned, manager_ctx, 8);
FIELD(struct DLManagedTensorVersioned, deleter, 16);
FIELD(struct DLManagedTensorVersioned, flags, 24);
FIELD(struct DLManagedTensorVersioned, dl_tensor, 32);

SIZE(gls_context_options_t, 40);
FIELD(gls_context_options_t, struct_size, 0);
FIELD(gls_context_options_t, num_threads, 8);
FIELD(gls_context_options_t, log_level, 12);
FIELD(gls_context_options_t, log, 16);
FIELD(gls_context_options_t, log_user_data, 24);
FIELD(gls_context_options_t, log_destroy, 32);

SIZE(gls_setting_info_t, 48);
FIELD(gls_setting_info_t, struct_size, 0);
FIELD(gls_setting_info_t, key, 8);
FIELD(gls_setting_info_t, type, 16);
FIELD(gls_setting_info_t, default_value, 24);
FIELD(gls_setting_info_t, env, 32);
FIELD(gls_setting_info_t, help, 40);

SIZE(gls_dataset_options_t, 32);
FIELD(gls_dataset_options_t, struct_size, 0);
FIELD(gls_dataset_options_t, residency, 8);
FIELD(gls_dataset_options_t, verify_checksums, 12);
FIELD(gls_dataset_options_t, progress, 16);
FIELD(gls_dataset_options_t, progress_user_data, 24);

SIZE(gls_partition_options_t, 152);
FIELD(gls_partition_options_t, struct_size, 0);
FIELD(gls_partition_options_t, method, 8);
FIELD(gls_partition_options_t, parts, 12);
FIELD(gls_partition_options_t, seed, 16);
FIELD(gls_partition_options_t, balance_sets, 24);
FIELD(gls_partition_options_t, num_balance_sets, 32);
FIELD(gls_partition_options_t, imbalance, 40);
FIELD(gls_partition_options_t, balance_edges, 48);
FIELD(gls_partition_options_t, halo_hops, 52);
FIELD(gls_partition_options_t, hot_rows, 56);
FIELD(gls_partition_options_t, hot_fraction, 64);
FIELD(gls_partition_options_t, owners, 72);
FIELD(gls_partition_options_t, num_owners, 80);
FIELD(gls_partition_options_t, owners_file, 88);
FIELD(gls_partition_options_t, overwrite, 96);
FIELD(gls_partition_options_t, compact_rows, 100);
FIELD(gls_partition_options_t, progress, 104);
FIELD(gls_partition_options_t, progress_user_data, 112);
FIELD(gls_partition_options_t, hot_id_set, 120);
FIELD(gls_partition_options_t, hot_fanouts, 128);
FIELD(gls_partition_options_t, num_hot_fanouts, 136);
FIELD(gls_partition_options_t, hot_max_seeds, 144);

SIZE(gls_part_info_t, 24);
FIELD(gls_part_info_t, struct_size, 0);
FIELD(gls_part_info_t, number, 8);
FIELD(gls_part_info_t, parts, 12);
FIELD(gls_part_info_t, graph, 16);

SIZE(gls_partition_info_t, 56);
FIELD(gls_partition_info_t, struct_size, 0);
FIELD(gls_partition_info_t, parts, 8);
FIELD(gls_partition_info_t, reserved, 12);
FIELD(gls_partition_info_t, graph, 16);
FIELD(gls_partition_info_t, method, 24);
FIELD(gls_partition_info_t, options, 32);
FIELD(gls_partition_info_t, num_node_types, 40);
FIELD(gls_partition_info_t, num_edge_types, 48);

SIZE(gls_partition_type_info_t, 40);
FIELD(gls_partition_type_info_t, struct_size, 0);
FIELD(gls_partition_type_info_t, name, 8);
FIELD(gls_partition_type_info_t, source, 16);
FIELD(gls_partition_type_info_t, target, 24);
FIELD(gls_partition_type_info_t, count, 32);

SIZE(gls_server_options_t, 80);
FIELD(gls_server_options_t, struct_size, 0);
FIELD(gls_server_options_t, listen, 8);
FIELD(gls_server_options_t, parts, 16);
FIELD(gls_server_options_t, num_parts, 24);
FIELD(gls_server_options_t, servers, 32);
FIELD(gls_server_options_t, num_servers, 40);
FIELD(gls_server_options_t, name, 48);
FIELD(gls_server_options_t, num_threads, 56);
FIELD(gls_server_options_t, reserved, 60);
FIELD(gls_server_options_t, open, 64);
FIELD(gls_server_options_t, table_bytes, 72);

SIZE(gls_table_options_t, 88);
FIELD(gls_table_options_t, struct_size, 0);
FIELD(gls_table_options_t, width, 8);
FIELD(gls_table_options_t, dtype, 16);
FIELD(gls_table_options_t, flags, 20);
FIELD(gls_table_options_t, low, 24);
FIELD(gls_table_options_t, high, 32);
FIELD(gls_table_options_t, seed, 40);
FIELD(gls_table_options_t, optimizer, 48);
FIELD(gls_table_options_t, reserved, 52);
FIELD(gls_table_options_t, epsilon, 56);
FIELD(gls_table_options_t, beta1, 64);
FIELD(gls_table_options_t, beta2, 72);
FIELD(gls_table_options_t, rank, 80);
FIELD(gls_table_options_t, world_size, 84);

SIZE(gls_table_info_t, 80);
FIELD(gls_table_info_t, struct_size, 0);
FIELD(gls_table_info_t, name, 8);
FIELD(gls_table_info_t, type, 16);
FIELD(gls_table_info_t, rows, 24);
FIELD(gls_table_info_t, width, 32);
FIELD(gls_table_info_t, dtype, 40);
FIELD(gls_table_info_t, flags, 44);
FIELD(gls_table_info_t, optimizer, 48);
FIELD(gls_table_info_t, rank, 52);
FIELD(gls_table_info_t, world_size, 56);
FIELD(gls_table_info_t, step, 64);
FIELD(gls_table_info_t, bytes, 72);

SIZE(gls_server_info_t, 72);
FIELD(gls_server_info_t, struct_size, 0);
FIELD(gls_server_info_t, parts, 8);
FIELD(gls_server_info_t, graph_parts, 12);
FIELD(gls_server_info_t, clients, 16);
FIELD(gls_server_info_t, strangers, 24);
FIELD(gls_server_info_t, accepted, 32);
FIELD(gls_server_info_t, admitted, 40);
FIELD(gls_server_info_t, evicted, 48);
FIELD(gls_server_info_t, requests, 56);
FIELD(gls_server_info_t, failures, 64);

SIZE(gls_device_info_t, 288);
FIELD(gls_device_info_t, struct_size, 0);
FIELD(gls_device_info_t, name, 8);
FIELD(gls_device_info_t, bytes, 264);
FIELD(gls_device_info_t, free_bytes, 272);
FIELD(gls_device_info_t, major, 280);
FIELD(gls_device_info_t, minor, 284);

SIZE(gls_probe_info_t, 56);
FIELD(gls_probe_info_t, struct_size, 0);
FIELD(gls_probe_info_t, name, 8);
FIELD(gls_probe_info_t, version, 16);
FIELD(gls_probe_info_t, graph, 24);
FIELD(gls_probe_info_t, parts, 32);
FIELD(gls_probe_info_t, num_parts, 40);
FIELD(gls_probe_info_t, graph_parts, 48);
FIELD(gls_probe_info_t, reserved, 52);

SIZE(gls_node_type_info_t, 48);
FIELD(gls_node_type_info_t, struct_size, 0);
FIELD(gls_node_type_info_t, name, 8);
FIELD(gls_node_type_info_t, num_nodes, 16);
FIELD(gls_node_type_info_t, num_columns, 24);
FIELD(gls_node_type_info_t, num_id_sets, 32);
FIELD(gls_node_type_info_t, has_keys, 40);
FIELD(gls_node_type_info_t, reserved, 44);

SIZE(gls_edge_type_info_t, 64);
FIELD(gls_edge_type_info_t, struct_size, 0);
FIELD(gls_edge_type_info_t, name, 8);
FIELD(gls_edge_type_info_t, source, 16);
FIELD(gls_edge_type_info_t, relation, 24);
FIELD(gls_edge_type_info_t, target, 32);
FIELD(gls_edge_type_info_t, num_edges, 40);
FIELD(gls_edge_type_info_t, num_columns, 48);
FIELD(gls_edge_type_info_t, layouts, 56);
FIELD(gls_edge_type_info_t, index_bits, 60);

SIZE(gls_column_info_t, 72);
FIELD(gls_column_info_t, struct_size, 0);
FIELD(gls_column_info_t, name, 8);
FIELD(gls_column_info_t, role, 16);
FIELD(gls_column_info_t, dtype, 20);
FIELD(gls_column_info_t, ndim, 24);
FIELD(gls_column_info_t, shape, 32);
FIELD(gls_column_info_t, row_stride, 40);
FIELD(gls_column_info_t, bits, 48);
FIELD(gls_column_info_t, reserved, 52);
FIELD(gls_column_info_t, codebook, 56);
FIELD(gls_column_info_t, logical_type, 64);

SIZE(gls_quantization_options_t, 56);
FIELD(gls_quantization_options_t, struct_size, 0);
FIELD(gls_quantization_options_t, bits, 8);
FIELD(gls_quantization_options_t, reserved, 12);
FIELD(gls_quantization_options_t, width, 16);
FIELD(gls_quantization_options_t, codebook, 24);
FIELD(gls_quantization_options_t, num_codebook, 32);
FIELD(gls_quantization_options_t, low, 40);
FIELD(gls_quantization_options_t, high, 48);

SIZE(gls_id_set_info_t, 24);
FIELD(gls_id_set_info_t, struct_size, 0);
FIELD(gls_id_set_info_t, name, 8);
FIELD(gls_id_set_info_t, num_ids, 16);

SIZE(gls_verify_options_t, 24);
FIELD(gls_verify_options_t, struct_size, 0);
FIELD(gls_verify_options_t, progress, 8);
FIELD(gls_verify_options_t, progress_user_data, 16);

SIZE(gls_write_options_t, 48);
FIELD(gls_write_options_t, struct_size, 0);
FIELD(gls_write_options_t, memory, 8);
FIELD(gls_write_options_t, layouts, 16);
FIELD(gls_write_options_t, overwrite, 20);
FIELD(gls_write_options_t, compact_rows, 24);
FIELD(gls_write_options_t, reserved, 28);
FIELD(gls_write_options_t, progress, 32);
FIELD(gls_write_options_t, progress_user_data, 40);

SIZE(gls_node_type_options_t, 24);
FIELD(gls_node_type_options_t, struct_size, 0);
FIELD(gls_node_type_options_t, num_nodes, 8);
FIELD(gls_node_type_options_t, ids, 16);
FIELD(gls_node_type_options_t, reserved, 20);

SIZE(gls_edge_type_options_t, 16);
FIELD(gls_edge_type_options_t, struct_size, 0);
FIELD(gls_edge_type_options_t, flags, 8);
FIELD(gls_edge_type_options_t, reserved, 12);

SIZE(gls_text_column_t, 32);
FIELD(gls_text_column_t, field, 0);
FIELD(gls_text_column_t, name, 8);
FIELD(gls_text_column_t, dtype, 16);
FIELD(gls_text_column_t, role, 24);
FIELD(gls_text_column_t, reserved, 28);

SIZE(gls_text_options_t, 56);
FIELD(gls_text_options_t, struct_size, 0);
FIELD(gls_text_options_t, delimiter, 8);
FIELD(gls_text_options_t, comment, 9);
FIELD(gls_text_options_t, reserved0, 10);
FIELD(gls_text_options_t, header, 12);
FIELD(gls_text_options_t, source_field, 16);
FIELD(gls_text_options_t, target_field, 24);
FIELD(gls_text_options_t, columns, 32);
FIELD(gls_text_options_t, num_columns, 40);
FIELD(gls_text_options_t, flags, 48);
FIELD(gls_text_options_t, encoding, 52);

SIZE(struct ArrowSchema, 72);
FIELD(struct ArrowSchema, format, 0);
FIELD(struct ArrowSchema, name, 8);
FIELD(struct ArrowSchema, metadata, 16);
FIELD(struct ArrowSchema, flags, 24);
FIELD(struct ArrowSchema, n_children, 32);
FIELD(struct ArrowSchema, children, 40);
FIELD(struct ArrowSchema, dictionary, 48);
FIELD(struct ArrowSchema, release, 56);
FIELD(struct ArrowSchema, private_data, 64);

SIZE(struct ArrowArray, 80);
FIELD(struct ArrowArray, length, 0);
FIELD(struct ArrowArray, null_count, 8);
FIELD(struct ArrowArray, offset, 16);
FIELD(struct ArrowArray, n_buffers, 24);
FIELD(struct ArrowArray, n_children, 32);
FIELD(struct ArrowArray, buffers, 40);
FIELD(struct ArrowArray, children, 48);
FIELD(struct ArrowArray, dictionary, 56);
FIELD(struct ArrowArray, release, 64);
FIELD(struct ArrowArray, private_data, 72);

SIZE(struct ArrowArrayStream, 40);
FIELD(struct ArrowArrayStream, get_schema, 0);
FIELD(struct ArrowArrayStream, get_next, 8);
FIELD(struct ArrowArrayStream, get_last_error, 16);
FIELD(struct ArrowArrayStream, release, 24);
FIELD(struct ArrowArrayStream, private_data, 32);

SIZE(gls_arrow_column_t, 48);
FIELD(gls_arrow_column_t, field, 0);
FIELD(gls_arrow_column_t, name, 8);
FIELD(gls_arrow_column_t, dtype, 16);
FIELD(gls_arrow_column_t, fill, 24);
FIELD(gls_arrow_column_t, mask, 32);
FIELD(gls_arrow_column_t, role, 40);
FIELD(gls_arrow_column_t, use, 44);

SIZE(gls_arrow_options_t, 56);
FIELD(gls_arrow_options_t, struct_size, 0);
FIELD(gls_arrow_options_t, source_field, 8);
FIELD(gls_arrow_options_t, target_field, 16);
FIELD(gls_arrow_options_t, columns, 24);
FIELD(gls_arrow_options_t, num_columns, 32);
FIELD(gls_arrow_options_t, flags, 40);
FIELD(gls_arrow_options_t, reserved, 44);
FIELD(gls_arrow_options_t, label, 48);

SIZE(gls_arrow_files_options_t, 32);
FIELD(gls_arrow_files_options_t, struct_size, 0);
FIELD(gls_arrow_files_options_t, fields, 8);
FIELD(gls_arrow_files_options_t, num_fields, 16);
FIELD(gls_arrow_files_options_t, num_threads, 24);
FIELD(gls_arrow_files_options_t, reserved, 28);

SIZE(gls_recipe_options_t, 24);
FIELD(gls_recipe_options_t, struct_size, 0);
FIELD(gls_recipe_options_t, choices, 8);
FIELD(gls_recipe_options_t, num_choices, 16);

SIZE(gls_export_options_t, 48);
FIELD(gls_export_options_t, struct_size, 0);
FIELD(gls_export_options_t, choices, 8);
FIELD(gls_export_options_t, num_choices, 16);
FIELD(gls_export_options_t, overwrite, 24);
FIELD(gls_export_options_t, reserved, 28);
FIELD(gls_export_options_t, progress, 32);
FIELD(gls_export_options_t, progress_user_data, 40);

SIZE(gls_fetch_info_t, 56);
FIELD(gls_fetch_info_t, struct_size, 0);
FIELD(gls_fetch_info_t, ids, 8);
FIELD(gls_fetch_info_t, num_ids, 16);
FIELD(gls_fetch_info_t, rows, 24);
FIELD(gls_fetch_info_t, row_bytes, 32);
FIELD(gls_fetch_info_t, remaining_ms, 40);
FIELD(gls_fetch_info_t, canceled, 48);
FIELD(gls_fetch_info_t, reserved, 52);

SIZE(gls_store_options_t, 56);
FIELD(gls_store_options_t, struct_size, 0);
FIELD(gls_store_options_t, fetch, 8);
FIELD(gls_store_options_t, user_data, 16);
FIELD(gls_store_options_t, destroy, 24);
FIELD(gls_store_options_t, max_fetches, 32);
FIELD(gls_store_options_t, max_ids, 36);
FIELD(gls_store_options_t, deadline_ms, 40);
FIELD(gls_store_options_t, cache_bytes, 48);

SIZE(gls_store_column_t, 48);
FIELD(gls_store_column_t, struct_size, 0);
FIELD(gls_store_column_t, type, 8);
FIELD(gls_store_column_t, name, 16);
FIELD(gls_store_column_t, row_shape, 24);
FIELD(gls_store_column_t, row_ndim, 32);
FIELD(gls_store_column_t, role, 36);
FIELD(gls_store_column_t, dtype, 40);
FIELD(gls_store_column_t, reserved, 44);

SIZE(gls_store_neighbors_t, 32);
FIELD(gls_store_neighbors_t, struct_size, 0);
FIELD(gls_store_neighbors_t, edge_type, 8);
FIELD(gls_store_neighbors_t, num_edges, 16);
FIELD(gls_store_neighbors_t, layout, 24);
FIELD(gls_store_neighbors_t, flags, 28);

SIZE(gls_store_stats_t, 64);
FIELD(gls_store_stats_t, struct_size, 0);
FIELD(gls_store_stats_t, fetches, 8);
FIELD(gls_store_stats_t, ids, 16);
FIELD(gls_store_stats_t, cached_ids, 24);
FIELD(gls_store_stats_t, failures, 32);
FIELD(gls_store_stats_t, fetch_ns, 40);
FIELD(gls_store_stats_t, wait_ns, 48);
FIELD(gls_store_stats_t, cache_bytes, 56);

VALUE(GLS_STORE_EDGE_IDS, 1);

SIZE(gls_fanout_t, 24);
FIELD(gls_fanout_t, edge_type, 0);
FIELD(gls_fanout_t, per_hop, 8);
FIELD(gls_fanout_t, num_hops, 16);

SIZE(gls_edge_set_t, 16);
FIELD(gls_edge_set_t, edge_type, 0);
FIELD(gls_edge_set_t, edges, 8);

SIZE(gls_type_pair_t, 16);
FIELD(gls_type_pair_t, edge_type, 0);
FIELD(gls_type_pair_t, reverse_type, 8);

SIZE(gls_sampler_options_t, 208);
FIELD(gls_sampler_options_t, struct_size, 0);
FIELD(gls_sampler_options_t, kind, 8);
FIELD(gls_sampler_options_t, flags, 12);
FIELD(gls_sampler_options_t, seed, 16);
FIELD(gls_sampler_options_t, fanouts, 24);
FIELD(gls_sampler_options_t, num_fanouts, 32);
FIELD(gls_sampler_options_t, direction, 40);
FIELD(gls_sampler_options_t, replace, 44);
FIELD(gls_sampler_options_t, weight, 48);
FIELD(gls_sampler_options_t, exclude, 56);
FIELD(gls_sampler_options_t, num_exclude, 64);
FIELD(gls_sampler_options_t, exclude_mode, 72);
FIELD(gls_sampler_options_t, contract, 76);
FIELD(gls_sampler_options_t, reverse_column, 80);
FIELD(gls_sampler_options_t, reverse_types, 88);
FIELD(gls_sampler_options_t, num_reverse_types, 96);
FIELD(gls_sampler_options_t, node_time, 104);
FIELD(gls_sampler_options_t, edge_time, 112);
FIELD(gls_sampler_options_t, time_window, 120);
FIELD(gls_sampler_options_t, time_strategy, 128);
FIELD(gls_sampler_options_t, subgraph, 132);
FIELD(gls_sampler_options_t, negatives, 136);
FIELD(gls_sampler_options_t, walk, 144);
FIELD(gls_sampler_options_t, pick, 152);
FIELD(gls_sampler_options_t, batch_dependency, 156);
FIELD(gls_sampler_options_t, supervisions, 160);
FIELD(gls_sampler_options_t, num_supervisions, 168);

SIZE(gls_supervision_t, 40);
FIELD(gls_supervision_t, edge_type, 0);
FIELD(gls_supervision_t, node_type, 8);
FIELD(gls_supervision_t, name, 16);
FIELD(gls_supervision_t, role, 24);
FIELD(gls_supervision_t, flags, 28);
FIELD(gls_supervision_t, max_labels, 32);
FIELD(gls_supervision_t, reserved, 36);
FIELD(gls_sampler_options_t, importance, 176);
FIELD(gls_sampler_options_t, ppr, 184);
FIELD(gls_sampler_options_t, hgt, 192);
FIELD(gls_sampler_options_t, device, 200);

SIZE(gls_hgt_options_t, 32);
FIELD(gls_hgt_options_t, struct_size, 0);
FIELD(gls_hgt_options_t, samples, 8);
FIELD(gls_hgt_options_t, num_samples, 16);
FIELD(gls_hgt_options_t, most_neighbors, 24);
FIELD(gls_hgt_options_t, reserved, 28);

SIZE(gls_node_samples_t, 24);
FIELD(gls_node_samples_t, node_type, 0);
FIELD(gls_node_samples_t, per_hop, 8);
FIELD(gls_node_samples_t, num_hops, 16);

SIZE(gls_importance_options_t, 48);
FIELD(gls_importance_options_t, struct_size, 0);
FIELD(gls_importance_options_t, neighbors, 8);
FIELD(gls_importance_options_t, walks, 12);
FIELD(gls_importance_options_t, traversals, 16);
FIELD(gls_importance_options_t, hops, 20);
FIELD(gls_importance_options_t, stop, 24);
FIELD(gls_importance_options_t, path, 32);
FIELD(gls_importance_options_t, path_length, 40);

SIZE(gls_ppr_channel_t, 32);
FIELD(gls_ppr_channel_t, edge_types, 0);
FIELD(gls_ppr_channel_t, num_edge_types, 8);
FIELD(gls_ppr_channel_t, share, 16);
FIELD(gls_ppr_channel_t, reserved, 24);

SIZE(gls_ppr_options_t, 80);
FIELD(gls_ppr_options_t, struct_size, 0);
FIELD(gls_ppr_options_t, neighbors, 8);
FIELD(gls_ppr_options_t, flags, 12);
FIELD(gls_ppr_options_t, alpha, 16);
FIELD(gls_ppr_options_t, epsilon, 24);
FIELD(gls_ppr_options_t, max_edges, 32);
FIELD(gls_ppr_options_t, row_limit, 40);
FIELD(gls_ppr_options_t, reserved, 44);
FIELD(gls_ppr_options_t, edge_types, 48);
FIELD(gls_ppr_options_t, num_edge_types, 56);
FIELD(gls_ppr_options_t, channels, 64);
FIELD(gls_ppr_options_t, num_channels, 72);

SIZE(gls_walk_options_t, 64);
FIELD(gls_walk_options_t, struct_size, 0);
FIELD(gls_walk_options_t, length, 8);
FIELD(gls_walk_options_t, walks, 12);
FIELD(gls_walk_options_t, p, 16);
FIELD(gls_walk_options_t, q, 24);
FIELD(gls_walk_options_t, restart, 32);
FIELD(gls_walk_options_t, stop, 40);
FIELD(gls_walk_options_t, path, 48);
FIELD(gls_walk_options_t, path_length, 56);

SIZE(gls_negative_options_t, 56);
FIELD(gls_negative_options_t, struct_size, 0);
FIELD(gls_negative_options_t, mode, 8);
FIELD(gls_negative_options_t, flags, 12);
FIELD(gls_negative_options_t, amount, 16);
FIELD(gls_negative_options_t, degree_power, 24);
FIELD(gls_negative_options_t, source_weight, 32);
FIELD(gls_negative_options_t, target_weight, 40);
FIELD(gls_negative_options_t, tries, 48);
FIELD(gls_negative_options_t, reserved, 52);

SIZE(gls_link_split_options_t, 48);
FIELD(gls_link_split_options_t, struct_size, 0);
FIELD(gls_link_split_options_t, seed, 8);
FIELD(gls_link_split_options_t, valid, 16);
FIELD(gls_link_split_options_t, test, 24);
FIELD(gls_link_split_options_t, supervision, 32);
FIELD(gls_link_split_options_t, flags, 40);
FIELD(gls_link_split_options_t, reserved, 44);

SIZE(gls_link_set_t, 40);
FIELD(gls_link_set_t, struct_size, 0);
FIELD(gls_link_set_t, edge_type, 8);
FIELD(gls_link_set_t, links, 16);
FIELD(gls_link_set_t, times, 24);
FIELD(gls_link_set_t, labels, 32);

SIZE(gls_seed_set_t, 16);
FIELD(gls_seed_set_t, node_type, 0);
FIELD(gls_seed_set_t, ids, 8);

SIZE(gls_sample_request_t, 88);
FIELD(gls_sample_request_t, struct_size, 0);
FIELD(gls_sample_request_t, seeds, 8);
FIELD(gls_sample_request_t, num_seeds, 16);
FIELD(gls_sample_request_t, epoch, 24);
FIELD(gls_sample_request_t, batch, 32);
FIELD(gls_sample_request_t, exclude, 40);
FIELD(gls_sample_request_t, num_exclude, 48);
FIELD(gls_sample_request_t, times, 56);
FIELD(gls_sample_request_t, links, 64);
FIELD(gls_sample_request_t, labels, 72);
FIELD(gls_sample_request_t, num_labels, 80);

SIZE(gls_column_request_t, 24);
FIELD(gls_column_request_t, type, 0);
FIELD(gls_column_request_t, name, 8);
FIELD(gls_column_request_t, rows, 16);
FIELD(gls_column_request_t, dtype, 20);

SIZE(gls_pad_size_t, 16);
FIELD(gls_pad_size_t, type, 0);
FIELD(gls_pad_size_t, rows, 8);

SIZE(gls_pad_options_t, 40);
FIELD(gls_pad_options_t, struct_size, 0);
FIELD(gls_pad_options_t, sizes, 8);
FIELD(gls_pad_options_t, num_sizes, 16);
FIELD(gls_pad_options_t, batches, 24);
FIELD(gls_pad_options_t, multiple, 28);
FIELD(gls_pad_options_t, sigma, 32);

SIZE(gls_loader_seeds_t, 48);
FIELD(gls_loader_seeds_t, node_type, 0);
FIELD(gls_loader_seeds_t, edge_type, 8);
FIELD(gls_loader_seeds_t, id_set, 16);
FIELD(gls_loader_seeds_t, ids, 24);
FIELD(gls_loader_seeds_t, times, 32);
FIELD(gls_loader_seeds_t, labels, 40);

SIZE(gls_loader_options_t, 224);
FIELD(gls_loader_options_t, struct_size, 0);
FIELD(gls_loader_options_t, node_type, 8);
FIELD(gls_loader_options_t, id_set, 16);
FIELD(gls_loader_options_t, batch_size, 24);
FIELD(gls_loader_options_t, flags, 28);
FIELD(gls_loader_options_t, rank, 32);
FIELD(gls_loader_options_t, world_size, 36);
FIELD(gls_loader_options_t, even, 40);
FIELD(gls_loader_options_t, num_workers, 44);
FIELD(gls_loader_options_t, prefetch, 48);
FIELD(gls_loader_options_t, reserved0, 52);
FIELD(gls_loader_options_t, prefetch_bytes, 56);
FIELD(gls_loader_options_t, columns, 64);
FIELD(gls_loader_options_t, num_columns, 72);
FIELD(gls_loader_options_t, device, 80);
FIELD(gls_loader_options_t, times, 88);
FIELD(gls_loader_options_t, edge_type, 96);
FIELD(gls_loader_options_t, labels, 104);
FIELD(gls_loader_options_t, pad, 112);
FIELD(gls_loader_options_t, transform, 120);
FIELD(gls_loader_options_t, transform_data, 128);
FIELD(gls_loader_options_t, transform_destroy, 136);
FIELD(gls_loader_options_t, anchor_labels, 144);
FIELD(gls_loader_options_t, num_anchor_labels, 152);
FIELD(gls_loader_options_t, seed_rule, 160);
FIELD(gls_loader_options_t, seed_law, 164);
FIELD(gls_loader_options_t, seed_weight, 168);
FIELD(gls_loader_options_t, batches, 176);
FIELD(gls_loader_options_t, cluster, 184);
FIELD(gls_loader_options_t, clusters, 192);
FIELD(gls_loader_options_t, made_by, 200);
FIELD(gls_loader_options_t, reserved1, 204);
FIELD(gls_loader_options_t, seed_sets, 208);
FIELD(gls_loader_options_t, num_seed_sets, 216);

SIZE(gls_norm_options_t, 64);
FIELD(gls_norm_options_t, struct_size, 0);
FIELD(gls_norm_options_t, node_type, 8);
FIELD(gls_norm_options_t, edge_type, 16);
FIELD(gls_norm_options_t, epoch, 24);
FIELD(gls_norm_options_t, batches, 32);
FIELD(gls_norm_options_t, coverage, 40);
FIELD(gls_norm_options_t, progress, 48);
FIELD(gls_norm_options_t, progress_user_data, 56);

SIZE(gls_plan_options_t, 56);
FIELD(gls_plan_options_t, struct_size, 0);
FIELD(gls_plan_options_t, epoch, 8);
FIELD(gls_plan_options_t, batches, 16);
FIELD(gls_plan_options_t, memory, 24);
FIELD(gls_plan_options_t, num_memory, 32);
FIELD(gls_plan_options_t, progress, 40);
FIELD(gls_plan_options_t, progress_user_data, 48);

SIZE(gls_loader_info_t, 56);
FIELD(gls_loader_info_t, struct_size, 0);
FIELD(gls_loader_info_t, epoch, 8);
FIELD(gls_loader_info_t, next_batch, 16);
FIELD(gls_loader_info_t, num_batches, 24);
FIELD(gls_loader_info_t, num_global_batches, 32);
FIELD(gls_loader_info_t, num_seeds, 40);
FIELD(gls_loader_info_t, batch_size, 48);

SIZE(gls_loader_stats_t, 192);
FIELD(gls_loader_stats_t, struct_size, 0);
FIELD(gls_loader_stats_t, batches, 8);
FIELD(gls_loader_stats_t, seeds, 16);
FIELD(gls_loader_stats_t, nodes, 24);
FIELD(gls_loader_stats_t, edges, 32);
FIELD(gls_loader_stats_t, gathered_rows, 40);
FIELD(gls_loader_stats_t, gathered_bytes, 48);
FIELD(gls_loader_stats_t, sample_ns, 56);
FIELD(gls_loader_stats_t, gather_ns, 64);
FIELD(gls_loader_stats_t, worker_wait_ns, 72);
FIELD(gls_loader_stats_t, caller_wait_ns, 80);
FIELD(gls_loader_stats_t, wall_ns, 88);
FIELD(gls_loader_stats_t, ready_batches, 96);
FIELD(gls_loader_stats_t, ready_bytes, 104);
FIELD(gls_loader_stats_t, peak_bytes, 112);
FIELD(gls_loader_stats_t, device_rows, 120);
FIELD(gls_loader_stats_t, pinned_rows, 128);
FIELD(gls_loader_stats_t, host_rows, 136);
FIELD(gls_loader_stats_t, remote_rows, 144);
FIELD(gls_loader_stats_t, peer_rows, 152);
FIELD(gls_loader_stats_t, disk_rows, 160);
FIELD(gls_loader_stats_t, disk_row_bytes, 168);
FIELD(gls_loader_stats_t, disk_read_bytes, 176);
FIELD(gls_loader_stats_t, disk_packed_bytes, 184);

SIZE(gls_feed_options_t, 40);
FIELD(gls_feed_options_t, struct_size, 0);
FIELD(gls_feed_options_t, path, 8);
FIELD(gls_feed_options_t, consumers, 16);
FIELD(gls_feed_options_t, mode, 20);
FIELD(gls_feed_options_t, bytes, 24);
FIELD(gls_feed_options_t, prefetch, 32);
FIELD(gls_feed_options_t, reserved, 36);

SIZE(gls_feed_info_t, 72);
FIELD(gls_feed_info_t, struct_size, 0);
FIELD(gls_feed_info_t, consumers, 8);
FIELD(gls_feed_info_t, attached, 16);
FIELD(gls_feed_info_t, lost, 24);
FIELD(gls_feed_info_t, batches, 32);
FIELD(gls_feed_info_t, batch_bytes, 40);
FIELD(gls_feed_info_t, used_bytes, 48);
FIELD(gls_feed_info_t, wait_ns, 56);
FIELD(gls_feed_info_t, copied_bytes, 64);

SIZE(gls_attach_options_t, 48);
FIELD(gls_attach_options_t, struct_size, 0);
FIELD(gls_attach_options_t, paths, 8);
FIELD(gls_attach_options_t, num_paths, 16);
FIELD(gls_attach_options_t, rank, 24);
FIELD(gls_attach_options_t, world_size, 28);
FIELD(gls_attach_options_t, stall_ms, 32);
FIELD(gls_attach_options_t, reserved, 36);
FIELD(gls_attach_options_t, pin, 40);

SIZE(gls_batch_info_t, 64);
FIELD(gls_batch_info_t, struct_size, 0);
FIELD(gls_batch_info_t, epoch, 8);
FIELD(gls_batch_info_t, batch, 16);
FIELD(gls_batch_info_t, num_hops, 24);
FIELD(gls_batch_info_t, bytes, 32);
FIELD(gls_batch_info_t, sample_ns, 40);
FIELD(gls_batch_info_t, gather_ns, 48);
FIELD(gls_batch_info_t, padding, 56);
FIELD(gls_batch_info_t, reserved, 60);

SIZE(gls_array_info_t, 32);
FIELD(gls_array_info_t, struct_size, 0);
FIELD(gls_array_info_t, array, 8);
FIELD(gls_array_info_t, rows, 12);
FIELD(gls_array_info_t, type, 16);
FIELD(gls_array_info_t, name, 24);

VALUE(kDLCPU, 1);
VALUE(kDLCUDA, 2);
VALUE(kDLCUDAHost, 3);
VALUE(kDLOpenCL, 4);
VALUE(kDLVulkan, 7);
VALUE(kDLMetal, 8);
VALUE(kDLVPI, 9);
VALUE(kDLROCM, 10);
VALUE(kDLROCMHost, 11);
VALUE(kDLExtDev, 12);
VALUE(kDLCUDAManaged, 13);
VALUE(kDLOneAPI, 14);
VALUE(kDLWebGPU, 15);
VALUE(kDLHexagon, 16);
VALUE(kDLMAIA, 17);

VALUE(kDLInt, 0);
VALUE(kDLUInt, 1);
VALUE(kDLFloat, 2);
VALUE(kDLOpaqueHandle, 3);
VALUE(kDLBfloat, 4);
VALUE(kDLComplex, 5);
VALUE(kDLBool, 6);

VALUE(GLS_OK, 0);
VALUE(GLS_IN_PROGRESS, 1);
VALUE(GLS_END, 2);
VALUE(GLS_ERR_INVALID_ARGUMENT, -1);
VALUE(GLS_ERR_OUT_OF_MEMORY, -2);
VALUE(GLS_ERR_NOT_FOUND, -3);
VALUE(GLS_ERR_UNSUPPORTED, -4);
VALUE(GLS_ERR_INVALID_STATE, -5);
VALUE(GLS_ERR_TIMED_OUT, -6);
VALUE(GLS_ERR_CANCELED, -7);
VALUE(GLS_ERR_IO, -8);
VALUE(GLS_ERR_CORRUPT_DATA, -9);
VALUE(GLS_ERR_ALREADY_EXISTS, -10);
VALUE(GLS_ERR_INTERNAL, -11);

VALUE(GLS_LOG_ERROR, 1);
VALUE(GLS_LOG_WARN, 2);
VALUE(GLS_LOG_INFO, 3);
VALUE(GLS_LOG_DEBUG, 4);
VALUE(GLS_LOG_TRACE, 5);

VALUE(GLS_LAYOUT_CSC, 1);
VALUE(GLS_LAYOUT_CSR, 2);

VALUE(GLS_ROLE_FEATURE, 0);
VALUE(GLS_ROLE_LABEL, 1);
VALUE(GLS_ROLE_WEIGHT, 2);
VALUE(GLS_ROLE_TIME, 3);
VALUE(GLS_ROLE_OTHER, 4);

VALUE(GLS_RESIDENCY_MAPPED, 0);
VALUE(GLS_RESIDENCY_TOPOLOGY, 1);
VALUE(GLS_RESIDENCY_ALL, 2);

VALUE(GLS_ARRAY_NODE_COLUMN, 0);
VALUE(GLS_ARRAY_EDGE_COLUMN, 1);
VALUE(GLS_ARRAY_ID_SET, 2);
VALUE(GLS_ARRAY_CSC_INDPTR, 3);
VALUE(GLS_ARRAY_CSC_INDICES, 4);
VALUE(GLS_ARRAY_CSC_EDGE_IDS, 5);
VALUE(GLS_ARRAY_CSR_INDPTR, 6);
VALUE(GLS_ARRAY_CSR_INDICES, 7);
VALUE(GLS_ARRAY_CSR_EDGE_IDS, 8);

VALUE(GLS_PARTITION_STREAM, 0);
VALUE(GLS_PARTITION_METIS, 1);
VALUE(GLS_PARTITION_RANDOM, 2);
VALUE(GLS_PARTITION_HASH, 3);
VALUE(GLS_PARTITION_GIVEN, 4);
VALUE(GLS_IDS_DENSE, 0);
VALUE(GLS_IDS_INTEGER, 1);
VALUE(GLS_IDS_STRING, 2);

VALUE(GLS_EDGES_ADD_REVERSE, 1);

VALUE(GLS_COMMENT_NONE, 10);
VALUE(GLS_TIMEOUT_DEFAULT, INT64_MIN);
VALUE(GLS_ENCODING_DETECT, 0);
VALUE(GLS_ENCODING_UTF8, 1);
VALUE(GLS_ENCODING_LATIN1, 2);
VALUE(GLS_ENCODING_UTF16, 3);
VALUE(GLS_TEXT_RAGGED, 2);

VALUE(GLS_ARROW_COLUMN, 0);
VALUE(GLS_ARROW_ID_SET, 1);
VALUE(GLS_ARROW_SPLIT, 2);
VALUE(GLS_ARROW_ALL_FIELDS, 2);

VALUE(GLS_HEADER_DETECT, 0);
VALUE(GLS_HEADER_YES, 1);
VALUE(GLS_HEADER_NO, 2);

VALUE(GLS_SAMPLER_NEIGHBOR, 0);
VALUE(GLS_SAMPLER_WALK, 1);
VALUE(GLS_SAMPLER_IMPORTANCE, 2);
VALUE(GLS_SAMPLER_PPR, 3);
VALUE(GLS_SAMPLER_HGT, 4);

VALUE(GLS_PPR_NO_TOP_UP, 1);

VALUE(GLS_DIRECTION_IN, 0);
VALUE(GLS_DIRECTION_OUT, 1);

VALUE(GLS_REPLACE_NEVER, 0);
VALUE(GLS_REPLACE_ABOVE, 1);
VALUE(GLS_REPLACE_ALWAYS, 2);

VALUE(GLS_SAMPLE_EDGE_IDS, 1);
VALUE(GLS_SAMPLE_DISJOINT, 2);
VALUE(GLS_SAMPLE_TOWARD_SEEDS, 4);
VALUE(GLS_SAMPLE_INT32, 8);
VALUE(GLS_SAMPLE_TIME_STRICT, 16);
VALUE(GLS_SAMPLE_EXCLUDE_LINKS, 32);
VALUE(GLS_SAMPLE_LAYER_DEPENDENT, 64);
VALUE(GLS_SPLIT_TRAIN, 0);
VALUE(GLS_SPLIT_VALID, 1);
VALUE(GLS_SPLIT_TEST, 2);
VALUE(GLS_LINK_SPLIT_UNDIRECTED, 1);
VALUE(GLS_NEGATIVE_NONE, 0);
VALUE(GLS_NEGATIVE_BINARY, 1);
VALUE(GLS_NEGATIVE_TRIPLET, 2);
VALUE(GLS_NEGATIVE_STRICT, 1);
VALUE(GLS_NEGATIVE_ALLOW_SHORT, 2);
VALUE(GLS_NEGATIVE_IN_TIME, 4);
VALUE(GLS_NEGATIVE_OLDEST, 8);

VALUE(GLS_EXCLUDE_SELF, 0);
VALUE(GLS_EXCLUDE_REVERSE_ID, 1);
VALUE(GLS_EXCLUDE_REVERSE_TYPES, 2);
VALUE(GLS_TIME_UNIFORM, 0);
VALUE(GLS_TIME_LAST, 1);
VALUE(GLS_PICK_INDEPENDENT, 0);
VALUE(GLS_PICK_LAYER, 1);
VALUE(GLS_SUBGRAPH_SAMPLED, 0);
VALUE(GLS_SUBGRAPH_INDUCED, 1);
VALUE(GLS_SUBGRAPH_BIDIRECTIONAL, 2);

VALUE(GLS_LOADER_SHUFFLE, 1);
VALUE(GLS_LOADER_DROP_LAST, 2);
VALUE(GLS_LOADER_NO_COLUMNS, 4);

VALUE(GLS_EVEN_NONE, 0);
VALUE(GLS_EVEN_DROP, 1);
VALUE(GLS_EVEN_REPEAT, 2);

VALUE(GLS_MADE_HERE, 0);
VALUE(GLS_MADE_BY_SERVERS, 1);
VALUE(GLS_SEEDS_ORDER, 0);
VALUE(GLS_SEEDS_DRAW, 1);
VALUE(GLS_SEEDS_CLUSTER, 2);

VALUE(GLS_LAW_UNIFORM, 0);
VALUE(GLS_LAW_DEGREE, 1);
VALUE(GLS_LAW_INVERSE_DEGREE, 2);

VALUE(GLS_GATHER_AUTO, 0);
VALUE(GLS_GATHER_ALL, 1);
VALUE(GLS_GATHER_SEEDS, 2);

VALUE(GLS_BATCH_NODE, 0);
VALUE(GLS_BATCH_ROW, 1);
VALUE(GLS_BATCH_COL, 2);
VALUE(GLS_BATCH_EDGE, 3);
VALUE(GLS_BATCH_TREE, 4);
VALUE(GLS_BATCH_NUM_NODES, 5);
VALUE(GLS_BATCH_NUM_EDGES, 6);
VALUE(GLS_BATCH_SEED, 7);
VALUE(GLS_BATCH_INPUT, 8);
VALUE(GLS_BATCH_NODE_COLUMN, 9);
VALUE(GLS_BATCH_EDGE_COLUMN, 10);
VALUE(GLS_BATCH_SEED_TIME, 11);
VALUE(GLS_BATCH_LINK_SOURCE, 12);
VALUE(GLS_BATCH_LINK_TARGET, 13);
VALUE(GLS_BATCH_LINK_NEGATIVE, 14);
VALUE(GLS_BATCH_LINK_LABEL, 15);
VALUE(GLS_BATCH_WALK, 16);
VALUE(GLS_BATCH_WALK_EDGE, 17);
VALUE(GLS_BATCH_NODE_MASK, 24);
VALUE(GLS_BATCH_EDGE_MASK, 25);
VALUE(GLS_BATCH_SEED_MASK, 26);
VALUE(GLS_BATCH_LINK_MASK, 27);
VALUE(GLS_BATCH_LINK_NEGATIVE_MASK, 28);
VALUE(GLS_BATCH_WALK_MASK, 29);
VALUE(GLS_BATCH_NEAR_MASK, 30);
VALUE(GLS_BATCH_ANCHOR_MASK, 31);
VALUE(GLS_BATCH_EDGE_INDEX, 32);

VALUE(GLS_BLOCK_SRC_NODE, 0);
VALUE(GLS_BLOCK_DST_NODE, 1);
VALUE(GLS_BLOCK_SRC, 2);
VALUE(GLS_BLOCK_DST, 3);
VALUE(GLS_BLOCK_INDPTR, 4);
VALUE(GLS_BLOCK_EDGE, 5);

VALUE(GLS_PADDING_NONE, 0);
VALUE(GLS_PADDING_FITS, 1);
VALUE(GLS_PADDING_OVERFLOW, 2);
VALUE(GLS_BATCH_ATTACHED, 23);
VALUE(GLS_BATCH_ANCHOR_POSITIVE, 21);
VALUE(GLS_BATCH_ANCHOR_NEGATIVE, 22);

VALUE(GLS_LABEL_POSITIVE, 0);
VALUE(GLS_LABEL_NEGATIVE, 1);
VALUE(GLS_SUPERVISION_SAMPLED, 1);
VALUE(GLS_BATCH_NEAR_SEED, 18);
VALUE(GLS_BATCH_NEAR_NODE, 19);
VALUE(GLS_BATCH_NEAR_SCORE, 20);

SIZE(gls_group_options_t, 88);
FIELD(gls_group_options_t, struct_size, 0);
FIELD(gls_group_options_t, name, 8);
FIELD(gls_group_options_t, launcher, 16);
FIELD(gls_group_options_t, rank, 20);
FIELD(gls_group_options_t, world_size, 24);
FIELD(gls_group_options_t, num_threads, 28);
FIELD(gls_group_options_t, rendezvous, 32);
FIELD(gls_group_options_t, listen, 40);
FIELD(gls_group_options_t, process_name, 48);
FIELD(gls_group_options_t, exchange, 56);
FIELD(gls_group_options_t, exchange_user_data, 64);
FIELD(gls_group_options_t, progress, 72);
FIELD(gls_group_options_t, progress_user_data, 80);

SIZE(gls_group_info_t, 48);
FIELD(gls_group_info_t, struct_size, 0);
FIELD(gls_group_info_t, name, 8);
FIELD(gls_group_info_t, rank, 16);
FIELD(gls_group_info_t, world_size, 20);
FIELD(gls_group_info_t, local_rank, 24);
FIELD(gls_group_info_t, local_size, 28);
FIELD(gls_group_info_t, launcher, 32);
FIELD(gls_group_info_t, reserved, 36);
FIELD(gls_group_info_t, operations, 40);

SIZE(gls_member_info_t, 40);
FIELD(gls_member_info_t, struct_size, 0);
FIELD(gls_member_info_t, name, 8);
FIELD(gls_member_info_t, host, 16);
FIELD(gls_member_info_t, address, 24);
FIELD(gls_member_info_t, process, 32);

SIZE(gls_call_info_t, 64);
FIELD(gls_call_info_t, struct_size, 0);
FIELD(gls_call_info_t, function, 8);
FIELD(gls_call_info_t, caller, 16);
FIELD(gls_call_info_t, rank, 24);
FIELD(gls_call_info_t, part, 32);
FIELD(gls_call_info_t, data, 40);
FIELD(gls_call_info_t, size, 48);
FIELD(gls_call_info_t, canceled, 56);
FIELD(gls_call_info_t, reserved, 60);

SIZE(gls_call_options_t, 16);
FIELD(gls_call_options_t, struct_size, 0);
FIELD(gls_call_options_t, flags, 8);
FIELD(gls_call_options_t, reserved, 12);

VALUE(GLS_LAUNCHER_AUTO, 0);
VALUE(GLS_LAUNCHER_ARGUMENTS, 1);
VALUE(GLS_LAUNCHER_TORCHRUN, 2);
VALUE(GLS_LAUNCHER_OPENMPI, 3);
VALUE(GLS_LAUNCHER_SLURM, 4);
VALUE(GLS_LAUNCHER_PMIX, 5);
VALUE(GLS_CALL_IDEMPOTENT, 1);

VALUE(GLS_OPTIMIZER_NONE, 0);
VALUE(GLS_OPTIMIZER_SGD, 1);
VALUE(GLS_OPTIMIZER_ADAGRAD, 2);
VALUE(GLS_OPTIMIZER_ADAM, 3);
VALUE(GLS_TABLE_MEAN, 1);
VALUE(GLS_TABLE_ROW_STEPS, 2);

SIZE(gls_status_t, 4);
VALUE((gls_status_t)-1 < 0, 1);
VALUE(GLS_LOADER_STATE_MAX, 1024);
VALUE(DLPACK_FLAG_BITMASK_READ_ONLY, 1UL);
VALUE(DLPACK_FLAG_BITMASK_IS_COPIED, 2UL);
