// Made from include/gls.h by scripts/rust_bindings.sh: do not edit.
//! The size and alignment of each struct, as the C compiler reports them on machines with 64 bits.

use core::mem::{align_of, size_of};

use crate::*;

macro_rules! layout {
    ($($name:ident $size:literal $align:literal)*) => {$(
        const _: () = assert!(
            size_of::<$name>() == $size && align_of::<$name>() == $align,
            concat!(stringify!($name), " has another layout in C")
        );
    )*};
}

layout! {
    DLDevice 8 4
    DLDataType 4 2
    DLTensor 48 8
    DLManagedTensor 64 8
    DLPackVersion 8 4
    DLManagedTensorVersioned 80 8
    gls_context_options 40 8
    gls_setting_info 48 8
    gls_device_info 288 8
    gls_dataset_options 32 8
    gls_node_type_info 48 8
    gls_edge_type_info 64 8
    gls_column_info 72 8
    gls_id_set_info 24 8
    gls_verify_options 24 8
    gls_write_options 48 8
    gls_link_split_options 48 8
    gls_partition_options 152 8
    gls_part_info 24 8
    gls_partition_info 56 8
    gls_partition_type_info 40 8
    gls_node_type_options 24 8
    gls_edge_type_options 16 8
    gls_text_column 32 8
    gls_text_options 56 8
    gls_quantization_options 56 8
    ArrowSchema 72 8
    ArrowArray 80 8
    ArrowArrayStream 40 8
    gls_arrow_column 48 8
    gls_arrow_options 56 8
    gls_arrow_files_options 32 8
    gls_recipe_options 24 8
    gls_export_options 48 8
    gls_fetch_info 56 8
    gls_store_options 56 8
    gls_store_column 48 8
    gls_store_neighbors 32 8
    gls_store_stats 64 8
    gls_batch_info 64 8
    gls_array_info 32 8
    gls_negative_options 56 8
    gls_walk_options 64 8
    gls_importance_options 48 8
    gls_ppr_channel 32 8
    gls_ppr_options 80 8
    gls_node_samples 24 8
    gls_hgt_options 32 8
    gls_fanout 24 8
    gls_edge_set 16 8
    gls_type_pair 16 8
    gls_supervision 40 8
    gls_sampler_options 208 8
    gls_seed_set 16 8
    gls_link_set 40 8
    gls_sample_request 88 8
    gls_column_request 24 8
    gls_pad_size 16 8
    gls_pad_options 40 8
    gls_loader_seeds 48 8
    gls_loader_options 224 8
    gls_norm_options 64 8
    gls_plan_options 56 8
    gls_loader_info 56 8
    gls_loader_stats 192 8
    gls_feed_options 40 8
    gls_feed_info 72 8
    gls_attach_options 48 8
    gls_call_info 64 8
    gls_call_options 16 8
    gls_group_options 88 8
    gls_group_info 48 8
    gls_member_info 40 8
    gls_server_options 80 8
    gls_server_info 72 8
    gls_probe_info 56 8
    gls_table_options 88 8
    gls_table_info 80 8
}
