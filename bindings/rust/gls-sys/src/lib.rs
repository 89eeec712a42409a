//! Declarations of the C ABI of libgls, as in `gls.h`.
//!
//! This crate adds nothing but [`Default`], the counterpart of `GLS_*_INIT` in C: all zero, and
//! `struct_size` set. `gls.h` documents the functions and the ownership of their objects. The crate
//! `gls` is the safe interface to it.
//!
//! Statuses and enums are constants and integers: a newer library may return values that this
//! header does not name.

#![no_std]
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]

extern crate std;

#[allow(clippy::all, clippy::pedantic, missing_docs, dead_code)]
mod bindings;
pub use bindings::*;

#[cfg(target_pointer_width = "64")]
mod layout;

macro_rules! sized {
    ($($name:ident)*) => {$(
        impl Default for $name {
            /// All zero but `struct_size`.
            fn default() -> Self {
                // SAFETY: integers, pointers and Option of functions, for which zero is a value.
                let mut out: Self = unsafe { core::mem::zeroed() };
                out.struct_size = core::mem::size_of::<Self>();
                out
            }
        }
    )*};
}

sized! {
    gls_context_options_t gls_setting_info_t gls_dataset_options_t gls_node_type_info_t
    gls_edge_type_info_t gls_column_info_t gls_id_set_info_t gls_verify_options_t
    gls_write_options_t gls_node_type_options_t gls_edge_type_options_t gls_text_options_t
    gls_arrow_options_t gls_arrow_files_options_t gls_recipe_options_t gls_export_options_t
    gls_store_options_t gls_store_column_t gls_store_neighbors_t gls_store_stats_t gls_fetch_info_t
    gls_sampler_options_t gls_sample_request_t gls_loader_options_t gls_loader_info_t
    gls_loader_stats_t gls_batch_info_t gls_array_info_t gls_negative_options_t gls_link_set_t
    gls_link_split_options_t
    gls_walk_options_t gls_pad_options_t gls_importance_options_t gls_ppr_options_t
    gls_norm_options_t gls_plan_options_t gls_hgt_options_t gls_feed_options_t gls_feed_info_t
    gls_attach_options_t
    gls_quantization_options_t gls_partition_options_t gls_part_info_t gls_partition_info_t
    gls_partition_type_info_t gls_server_options_t gls_server_info_t gls_probe_info_t gls_device_info_t
    gls_group_options_t
    gls_group_info_t gls_member_info_t gls_call_info_t gls_call_options_t gls_table_options_t
    gls_table_info_t
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_know_their_size() {
        assert_eq!(
            gls_sampler_options_t::default().struct_size,
            core::mem::size_of::<gls_sampler_options>()
        );
    }

    #[test]
    fn the_library_is_not_older_than_the_header() {
        // SAFETY: takes nothing.
        let version = unsafe { gls_version() };
        assert!(version >= GLS_VERSION, "{version} < {GLS_VERSION}");
    }
}
