// Made from include/gls.h by scripts/rust_bindings.sh: do not edit.

pub const GLS_VERSION_MAJOR: u32 = 0;
pub const GLS_VERSION_MINOR: u32 = 1;
pub const GLS_VERSION_PATCH: u32 = 0;
pub const GLS_VERSION: u32 = 1000;
pub const GLS_TIMEOUT_DEFAULT: i64 = -9223372036854775808;
pub const DLPACK_MAJOR_VERSION: u32 = 1;
pub const DLPACK_MINOR_VERSION: u32 = 1;
pub const DLPACK_FLAG_BITMASK_READ_ONLY: u32 = 1;
pub const DLPACK_FLAG_BITMASK_IS_COPIED: u32 = 2;
pub const GLS_COMMENT_NONE: u8 = 10u8;
pub const GLS_LOADER_STATE_MAX: u32 = 1024;
pub type __uint8_t = ::std::os::raw::c_uchar;
pub type __int16_t = ::std::os::raw::c_short;
pub type __uint16_t = ::std::os::raw::c_ushort;
pub type __int32_t = ::std::os::raw::c_int;
pub type __uint32_t = ::std::os::raw::c_uint;
pub type __int64_t = ::std::os::raw::c_long;
pub type __uint64_t = ::std::os::raw::c_ulong;
pub type gls_destroy_fn =
    ::std::option::Option<unsafe extern "C" fn(user_data: *mut ::std::os::raw::c_void)>;
pub type gls_ready_fn =
    ::std::option::Option<unsafe extern "C" fn(user_data: *mut ::std::os::raw::c_void)>;
pub const kDLCPU: DLDeviceType = 1;
pub const kDLCUDA: DLDeviceType = 2;
pub const kDLCUDAHost: DLDeviceType = 3;
pub const kDLOpenCL: DLDeviceType = 4;
pub const kDLVulkan: DLDeviceType = 7;
pub const kDLMetal: DLDeviceType = 8;
pub const kDLVPI: DLDeviceType = 9;
pub const kDLROCM: DLDeviceType = 10;
pub const kDLROCMHost: DLDeviceType = 11;
pub const kDLExtDev: DLDeviceType = 12;
pub const kDLCUDAManaged: DLDeviceType = 13;
pub const kDLOneAPI: DLDeviceType = 14;
pub const kDLWebGPU: DLDeviceType = 15;
pub const kDLHexagon: DLDeviceType = 16;
pub const kDLMAIA: DLDeviceType = 17;
pub type DLDeviceType = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct DLDevice {
    pub device_type: DLDeviceType,
    pub device_id: i32,
}
pub const kDLInt: DLDataTypeCode = 0;
pub const kDLUInt: DLDataTypeCode = 1;
pub const kDLFloat: DLDataTypeCode = 2;
pub const kDLOpaqueHandle: DLDataTypeCode = 3;
pub const kDLBfloat: DLDataTypeCode = 4;
pub const kDLComplex: DLDataTypeCode = 5;
pub const kDLBool: DLDataTypeCode = 6;
pub type DLDataTypeCode = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct DLDataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct DLTensor {
    pub data: *mut ::std::os::raw::c_void,
    pub device: DLDevice,
    pub ndim: i32,
    pub dtype: DLDataType,
    pub shape: *mut i64,
    pub strides: *mut i64,
    pub byte_offset: u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct DLManagedTensor {
    pub dl_tensor: DLTensor,
    pub manager_ctx: *mut ::std::os::raw::c_void,
    pub deleter: ::std::option::Option<unsafe extern "C" fn(self_: *mut DLManagedTensor)>,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct DLPackVersion {
    pub major: u32,
    pub minor: u32,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct DLManagedTensorVersioned {
    pub version: DLPackVersion,
    pub manager_ctx: *mut ::std::os::raw::c_void,
    pub deleter: ::std::option::Option<unsafe extern "C" fn(self_: *mut DLManagedTensorVersioned)>,
    pub flags: u64,
    pub dl_tensor: DLTensor,
}
pub type gls_status_t = i32;
pub const GLS_OK: gls_status_t = 0;
pub const GLS_IN_PROGRESS: gls_status_t = 1;
pub const GLS_END: gls_status_t = 2;
pub const GLS_ERR_INVALID_ARGUMENT: gls_status_t = -1;
pub const GLS_ERR_OUT_OF_MEMORY: gls_status_t = -2;
pub const GLS_ERR_NOT_FOUND: gls_status_t = -3;
pub const GLS_ERR_UNSUPPORTED: gls_status_t = -4;
pub const GLS_ERR_INVALID_STATE: gls_status_t = -5;
pub const GLS_ERR_TIMED_OUT: gls_status_t = -6;
pub const GLS_ERR_CANCELED: gls_status_t = -7;
pub const GLS_ERR_IO: gls_status_t = -8;
pub const GLS_ERR_CORRUPT_DATA: gls_status_t = -9;
pub const GLS_ERR_ALREADY_EXISTS: gls_status_t = -10;
pub const GLS_ERR_INTERNAL: gls_status_t = -11;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_error {
    _unused: [u8; 0],
}
pub type gls_error_t = gls_error;
extern "C" {
    pub fn gls_status_name(status: gls_status_t) -> *const ::std::os::raw::c_char;
}
extern "C" {
    pub fn gls_error_status(err: *const gls_error_t) -> gls_status_t;
}
extern "C" {
    pub fn gls_error_message(err: *const gls_error_t) -> *const ::std::os::raw::c_char;
}
extern "C" {
    pub fn gls_error_detail(
        err: *const gls_error_t,
        key: *const ::std::os::raw::c_char,
    ) -> *const ::std::os::raw::c_char;
}
extern "C" {
    pub fn gls_error_detail_key(
        err: *const gls_error_t,
        index: usize,
    ) -> *const ::std::os::raw::c_char;
}
extern "C" {
    pub fn gls_error_release(err: *mut gls_error_t);
}
extern "C" {
    pub fn gls_version() -> u32;
}
extern "C" {
    pub fn gls_version_string() -> *const ::std::os::raw::c_char;
}
pub type gls_tensor_t = DLManagedTensorVersioned;
extern "C" {
    pub fn gls_tensor_wrap(
        view: *const DLTensor,
        read_only: i32,
        user_data: *mut ::std::os::raw::c_void,
        destroy: gls_destroy_fn,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_tensor_map_npy(
        path: *const ::std::os::raw::c_char,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_tensor_to_legacy(
        tensor: *mut gls_tensor_t,
        out: *mut *mut DLManagedTensor,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_tensor_from_legacy(
        legacy: *mut DLManagedTensor,
        read_only: i32,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_tensor_release(tensor: *mut gls_tensor_t);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_context {
    _unused: [u8; 0],
}
pub type gls_context_t = gls_context;
pub type gls_log_level_t = i32;
pub const GLS_LOG_ERROR: gls_log_level_t = 1;
pub const GLS_LOG_WARN: gls_log_level_t = 2;
pub const GLS_LOG_INFO: gls_log_level_t = 3;
pub const GLS_LOG_DEBUG: gls_log_level_t = 4;
pub const GLS_LOG_TRACE: gls_log_level_t = 5;
pub type gls_log_fn = ::std::option::Option<
    unsafe extern "C" fn(
        user_data: *mut ::std::os::raw::c_void,
        level: gls_log_level_t,
        component: *const ::std::os::raw::c_char,
        text: *const ::std::os::raw::c_char,
    ),
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_context_options {
    pub struct_size: usize,
    pub num_threads: u32,
    pub log_level: gls_log_level_t,
    pub log: gls_log_fn,
    pub log_user_data: *mut ::std::os::raw::c_void,
    pub log_destroy: gls_destroy_fn,
}
pub type gls_context_options_t = gls_context_options;
extern "C" {
    pub fn gls_context_create(
        options: *const gls_context_options_t,
        out: *mut *mut gls_context_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_context_release(ctx: *mut gls_context_t);
}
extern "C" {
    pub fn gls_context_set(
        ctx: *mut gls_context_t,
        key: *const ::std::os::raw::c_char,
        value: *const ::std::os::raw::c_char,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_context_get(
        ctx: *const gls_context_t,
        key: *const ::std::os::raw::c_char,
        buffer: *mut ::std::os::raw::c_char,
        capacity: usize,
        length: *mut usize,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_setting_info {
    pub struct_size: usize,
    pub key: *const ::std::os::raw::c_char,
    pub type_: *const ::std::os::raw::c_char,
    pub default_value: *const ::std::os::raw::c_char,
    pub env: *const ::std::os::raw::c_char,
    pub help: *const ::std::os::raw::c_char,
}
pub type gls_setting_info_t = gls_setting_info;
extern "C" {
    pub fn gls_setting_count() -> usize;
}
extern "C" {
    pub fn gls_setting_get_info(
        index: usize,
        out: *mut gls_setting_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
pub type gls_progress_fn = ::std::option::Option<
    unsafe extern "C" fn(
        user_data: *mut ::std::os::raw::c_void,
        stage: *const ::std::os::raw::c_char,
        done: u64,
        total: u64,
        unit: *const ::std::os::raw::c_char,
    ) -> i32,
>;
pub type gls_interrupt_fn =
    ::std::option::Option<unsafe extern "C" fn(user_data: *mut ::std::os::raw::c_void) -> i32>;
extern "C" {
    pub fn gls_thread_set_interrupt(
        check: gls_interrupt_fn,
        user_data: *mut ::std::os::raw::c_void,
        previous: *mut gls_interrupt_fn,
        previous_user_data: *mut *mut ::std::os::raw::c_void,
    );
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_device_info {
    pub struct_size: usize,
    pub name: [::std::os::raw::c_char; 256usize],
    pub bytes: u64,
    pub free_bytes: u64,
    pub major: i32,
    pub minor: i32,
}
pub type gls_device_info_t = gls_device_info;
extern "C" {
    pub fn gls_device_count() -> u32;
}
extern "C" {
    pub fn gls_device_get_info(
        device: DLDevice,
        out: *mut gls_device_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_dataset {
    _unused: [u8; 0],
}
pub type gls_dataset_t = gls_dataset;
pub type gls_layout_t = u32;
pub const GLS_LAYOUT_CSC: gls_layout_t = 1;
pub const GLS_LAYOUT_CSR: gls_layout_t = 2;
pub type gls_role_t = i32;
pub const GLS_ROLE_FEATURE: gls_role_t = 0;
pub const GLS_ROLE_LABEL: gls_role_t = 1;
pub const GLS_ROLE_WEIGHT: gls_role_t = 2;
pub const GLS_ROLE_TIME: gls_role_t = 3;
pub const GLS_ROLE_OTHER: gls_role_t = 4;
pub type gls_residency_t = i32;
pub const GLS_RESIDENCY_MAPPED: gls_residency_t = 0;
pub const GLS_RESIDENCY_TOPOLOGY: gls_residency_t = 1;
pub const GLS_RESIDENCY_ALL: gls_residency_t = 2;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_dataset_options {
    pub struct_size: usize,
    pub residency: gls_residency_t,
    pub verify_checksums: i32,
    pub progress: gls_progress_fn,
    pub progress_user_data: *mut ::std::os::raw::c_void,
}
pub type gls_dataset_options_t = gls_dataset_options;
extern "C" {
    pub fn gls_dataset_open(
        ctx: *mut gls_context_t,
        path: *const ::std::os::raw::c_char,
        options: *const gls_dataset_options_t,
        out: *mut *mut gls_dataset_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_on_device(
        dataset: *const gls_dataset_t,
        device: DLDevice,
        out: *mut *mut gls_dataset_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_device(
        dataset: *const gls_dataset_t,
        out: *mut DLDevice,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_release(dataset: *mut gls_dataset_t);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_node_type_info {
    pub struct_size: usize,
    pub name: *const ::std::os::raw::c_char,
    pub num_nodes: i64,
    pub num_columns: usize,
    pub num_id_sets: usize,
    pub has_keys: i32,
    pub reserved: i32,
}
pub type gls_node_type_info_t = gls_node_type_info;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_edge_type_info {
    pub struct_size: usize,
    pub name: *const ::std::os::raw::c_char,
    pub source: *const ::std::os::raw::c_char,
    pub relation: *const ::std::os::raw::c_char,
    pub target: *const ::std::os::raw::c_char,
    pub num_edges: i64,
    pub num_columns: usize,
    pub layouts: gls_layout_t,
    pub index_bits: u32,
}
pub type gls_edge_type_info_t = gls_edge_type_info;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_column_info {
    pub struct_size: usize,
    pub name: *const ::std::os::raw::c_char,
    pub role: gls_role_t,
    pub dtype: DLDataType,
    pub ndim: i32,
    pub shape: *const i64,
    pub row_stride: i64,
    pub bits: u32,
    pub reserved: u32,
    pub codebook: *const f32,
    pub logical_type: *const ::std::os::raw::c_char,
}
pub type gls_column_info_t = gls_column_info;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_id_set_info {
    pub struct_size: usize,
    pub name: *const ::std::os::raw::c_char,
    pub num_ids: i64,
}
pub type gls_id_set_info_t = gls_id_set_info;
extern "C" {
    pub fn gls_dataset_num_node_types(dataset: *const gls_dataset_t) -> usize;
}
extern "C" {
    pub fn gls_dataset_num_edge_types(dataset: *const gls_dataset_t) -> usize;
}
extern "C" {
    pub fn gls_dataset_get_node_type_info(
        dataset: *const gls_dataset_t,
        index: usize,
        out: *mut gls_node_type_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_get_edge_type_info(
        dataset: *const gls_dataset_t,
        index: usize,
        out: *mut gls_edge_type_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_num_nodes(
        dataset: *const gls_dataset_t,
        type_: *const ::std::os::raw::c_char,
    ) -> i64;
}
extern "C" {
    pub fn gls_dataset_num_edges(
        dataset: *const gls_dataset_t,
        type_: *const ::std::os::raw::c_char,
    ) -> i64;
}
extern "C" {
    pub fn gls_dataset_get_node_column_info(
        dataset: *const gls_dataset_t,
        type_: *const ::std::os::raw::c_char,
        index: usize,
        out: *mut gls_column_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_get_edge_column_info(
        dataset: *const gls_dataset_t,
        type_: *const ::std::os::raw::c_char,
        index: usize,
        out: *mut gls_column_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_get_id_set_info(
        dataset: *const gls_dataset_t,
        type_: *const ::std::os::raw::c_char,
        index: usize,
        out: *mut gls_id_set_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
pub type gls_dataset_array_t = i32;
pub const GLS_ARRAY_NODE_COLUMN: gls_dataset_array_t = 0;
pub const GLS_ARRAY_EDGE_COLUMN: gls_dataset_array_t = 1;
pub const GLS_ARRAY_ID_SET: gls_dataset_array_t = 2;
pub const GLS_ARRAY_CSC_INDPTR: gls_dataset_array_t = 3;
pub const GLS_ARRAY_CSC_INDICES: gls_dataset_array_t = 4;
pub const GLS_ARRAY_CSC_EDGE_IDS: gls_dataset_array_t = 5;
pub const GLS_ARRAY_CSR_INDPTR: gls_dataset_array_t = 6;
pub const GLS_ARRAY_CSR_INDICES: gls_dataset_array_t = 7;
pub const GLS_ARRAY_CSR_EDGE_IDS: gls_dataset_array_t = 8;
extern "C" {
    pub fn gls_dataset_tensor(
        dataset: *const gls_dataset_t,
        array: gls_dataset_array_t,
        type_: *const ::std::os::raw::c_char,
        name: *const ::std::os::raw::c_char,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_find_node(
        dataset: *const gls_dataset_t,
        type_: *const ::std::os::raw::c_char,
        key: *const ::std::os::raw::c_char,
        out: *mut i64,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_node_key(
        dataset: *const gls_dataset_t,
        type_: *const ::std::os::raw::c_char,
        node: i64,
        buffer: *mut ::std::os::raw::c_char,
        capacity: usize,
        length: *mut usize,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
pub type gls_direction_t = i32;
pub const GLS_DIRECTION_IN: gls_direction_t = 0;
pub const GLS_DIRECTION_OUT: gls_direction_t = 1;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_verify_options {
    pub struct_size: usize,
    pub progress: gls_progress_fn,
    pub progress_user_data: *mut ::std::os::raw::c_void,
}
pub type gls_verify_options_t = gls_verify_options;
extern "C" {
    pub fn gls_dataset_verify(
        dataset: *const gls_dataset_t,
        options: *const gls_verify_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_write_options {
    pub struct_size: usize,
    pub memory: u64,
    pub layouts: gls_layout_t,
    pub overwrite: i32,
    pub compact_rows: i32,
    pub reserved: i32,
    pub progress: gls_progress_fn,
    pub progress_user_data: *mut ::std::os::raw::c_void,
}
pub type gls_write_options_t = gls_write_options;
extern "C" {
    pub fn gls_dataset_save(
        dataset: *const gls_dataset_t,
        path: *const ::std::os::raw::c_char,
        options: *const gls_write_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_find_edges(
        dataset: *const gls_dataset_t,
        edge_type: *const ::std::os::raw::c_char,
        edges: *const DLTensor,
        source: *mut *mut gls_tensor_t,
        target: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_has_edges(
        dataset: *const gls_dataset_t,
        edge_type: *const ::std::os::raw::c_char,
        source: *const DLTensor,
        target: *const DLTensor,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_degrees(
        dataset: *const gls_dataset_t,
        edge_type: *const ::std::os::raw::c_char,
        direction: gls_direction_t,
        nodes: *const DLTensor,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_rows(
        dataset: *const gls_dataset_t,
        type_: *const ::std::os::raw::c_char,
        column: *const ::std::os::raw::c_char,
        ids: *const DLTensor,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_owners(
        dataset: *const gls_dataset_t,
        type_: *const ::std::os::raw::c_char,
        ids: *const DLTensor,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_share_ids(
        dataset: *const gls_dataset_t,
        type_: *const ::std::os::raw::c_char,
        ids: *const DLTensor,
        rank: u32,
        world_size: u32,
        rank_parts: *const DLTensor,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_split_ids(
        ids: *const DLTensor,
        seed: u64,
        shares: *const f64,
        num_splits: usize,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
pub type gls_split_t = i32;
pub const GLS_SPLIT_TRAIN: gls_split_t = 0;
pub const GLS_SPLIT_VALID: gls_split_t = 1;
pub const GLS_SPLIT_TEST: gls_split_t = 2;
pub type gls_link_split_flags_t = u32;
pub const GLS_LINK_SPLIT_UNDIRECTED: gls_link_split_flags_t = 1;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_link_split_options {
    pub struct_size: usize,
    pub seed: u64,
    pub valid: f64,
    pub test: f64,
    pub supervision: f64,
    pub flags: gls_link_split_flags_t,
    pub reserved: u32,
}
pub type gls_link_split_options_t = gls_link_split_options;
extern "C" {
    pub fn gls_dataset_split_links(
        dataset: *const gls_dataset_t,
        edge_type: *const ::std::os::raw::c_char,
        options: *const gls_link_split_options_t,
        split: gls_split_t,
        links: *mut *mut gls_tensor_t,
        exclude: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
pub type gls_partition_method_t = i32;
pub const GLS_PARTITION_STREAM: gls_partition_method_t = 0;
pub const GLS_PARTITION_METIS: gls_partition_method_t = 1;
pub const GLS_PARTITION_RANDOM: gls_partition_method_t = 2;
pub const GLS_PARTITION_HASH: gls_partition_method_t = 3;
pub const GLS_PARTITION_GIVEN: gls_partition_method_t = 4;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_partition_options {
    pub struct_size: usize,
    pub method: gls_partition_method_t,
    pub parts: u32,
    pub seed: u64,
    pub balance_sets: *const *const ::std::os::raw::c_char,
    pub num_balance_sets: usize,
    pub imbalance: f64,
    pub balance_edges: i32,
    pub halo_hops: u32,
    pub hot_rows: i64,
    pub hot_fraction: f64,
    pub owners: *const *const DLTensor,
    pub num_owners: usize,
    pub owners_file: *const ::std::os::raw::c_char,
    pub overwrite: i32,
    pub compact_rows: i32,
    pub progress: gls_progress_fn,
    pub progress_user_data: *mut ::std::os::raw::c_void,
    pub hot_id_set: *const ::std::os::raw::c_char,
    pub hot_fanouts: *const i64,
    pub num_hot_fanouts: usize,
    pub hot_max_seeds: i64,
}
pub type gls_partition_options_t = gls_partition_options;
extern "C" {
    pub fn gls_dataset_partition(
        dataset: *const gls_dataset_t,
        path: *const ::std::os::raw::c_char,
        options: *const gls_partition_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_part_info {
    pub struct_size: usize,
    pub number: u32,
    pub parts: u32,
    pub graph: *const ::std::os::raw::c_char,
}
pub type gls_part_info_t = gls_part_info;
extern "C" {
    pub fn gls_dataset_get_part_info(
        dataset: *const gls_dataset_t,
        out: *mut gls_part_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_parts(
        dataset: *const gls_dataset_t,
        count: *mut u32,
        local: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_global_ids(
        dataset: *const gls_dataset_t,
        type_: *const ::std::os::raw::c_char,
        out: *mut *mut gls_tensor_t,
        owned: *mut i64,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_partition {
    _unused: [u8; 0],
}
pub type gls_partition_t = gls_partition;
extern "C" {
    pub fn gls_partition_open(
        ctx: *mut gls_context_t,
        path: *const ::std::os::raw::c_char,
        out: *mut *mut gls_partition_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_partition_release(partition: *mut gls_partition_t);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_partition_info {
    pub struct_size: usize,
    pub parts: u32,
    pub reserved: u32,
    pub graph: *const ::std::os::raw::c_char,
    pub method: *const ::std::os::raw::c_char,
    pub options: *const ::std::os::raw::c_char,
    pub num_node_types: usize,
    pub num_edge_types: usize,
}
pub type gls_partition_info_t = gls_partition_info;
extern "C" {
    pub fn gls_partition_get_info(
        partition: *const gls_partition_t,
        out: *mut gls_partition_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_partition_type_info {
    pub struct_size: usize,
    pub name: *const ::std::os::raw::c_char,
    pub source: *const ::std::os::raw::c_char,
    pub target: *const ::std::os::raw::c_char,
    pub count: i64,
}
pub type gls_partition_type_info_t = gls_partition_type_info;
extern "C" {
    pub fn gls_partition_get_type_info(
        partition: *const gls_partition_t,
        edges: i32,
        index: usize,
        out: *mut gls_partition_type_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_partition_owners(
        partition: *const gls_partition_t,
        node_type: *const ::std::os::raw::c_char,
        ids: *const DLTensor,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_partition_merge(
        partition: *const gls_partition_t,
        path: *const ::std::os::raw::c_char,
        options: *const gls_write_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_partition_verify(
        partition: *const gls_partition_t,
        options: *const gls_verify_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_builder {
    _unused: [u8; 0],
}
pub type gls_builder_t = gls_builder;
extern "C" {
    pub fn gls_builder_create(
        ctx: *mut gls_context_t,
        out: *mut *mut gls_builder_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_builder_release(builder: *mut gls_builder_t);
}
pub type gls_ids_t = i32;
pub const GLS_IDS_DENSE: gls_ids_t = 0;
pub const GLS_IDS_INTEGER: gls_ids_t = 1;
pub const GLS_IDS_STRING: gls_ids_t = 2;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_node_type_options {
    pub struct_size: usize,
    pub num_nodes: i64,
    pub ids: gls_ids_t,
    pub reserved: i32,
}
pub type gls_node_type_options_t = gls_node_type_options;
extern "C" {
    pub fn gls_builder_add_node_type(
        builder: *mut gls_builder_t,
        type_: *const ::std::os::raw::c_char,
        options: *const gls_node_type_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
pub type gls_edge_flags_t = u32;
pub const GLS_EDGES_ADD_REVERSE: gls_edge_flags_t = 1;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_edge_type_options {
    pub struct_size: usize,
    pub flags: gls_edge_flags_t,
    pub reserved: u32,
}
pub type gls_edge_type_options_t = gls_edge_type_options;
extern "C" {
    pub fn gls_builder_add_edges(
        builder: *mut gls_builder_t,
        edge_type: *const ::std::os::raw::c_char,
        source: *mut gls_tensor_t,
        target: *mut gls_tensor_t,
        options: *const gls_edge_type_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_builder_add_topology(
        builder: *mut gls_builder_t,
        edge_type: *const ::std::os::raw::c_char,
        layout: gls_layout_t,
        indptr: *mut gls_tensor_t,
        indices: *mut gls_tensor_t,
        edge_ids: *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
pub type gls_text_flags_t = u32;
pub const GLS_TEXT_RAGGED: gls_text_flags_t = 2;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_text_column {
    pub field: *const ::std::os::raw::c_char,
    pub name: *const ::std::os::raw::c_char,
    pub dtype: *const ::std::os::raw::c_char,
    pub role: gls_role_t,
    pub reserved: i32,
}
pub type gls_text_column_t = gls_text_column;
pub type gls_text_header_t = i32;
pub const GLS_HEADER_DETECT: gls_text_header_t = 0;
pub const GLS_HEADER_YES: gls_text_header_t = 1;
pub const GLS_HEADER_NO: gls_text_header_t = 2;
pub type gls_text_encoding_t = i32;
pub const GLS_ENCODING_DETECT: gls_text_encoding_t = 0;
pub const GLS_ENCODING_UTF8: gls_text_encoding_t = 1;
pub const GLS_ENCODING_LATIN1: gls_text_encoding_t = 2;
pub const GLS_ENCODING_UTF16: gls_text_encoding_t = 3;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_text_options {
    pub struct_size: usize,
    pub delimiter: ::std::os::raw::c_char,
    pub comment: ::std::os::raw::c_char,
    pub reserved0: i16,
    pub header: gls_text_header_t,
    pub source_field: *const ::std::os::raw::c_char,
    pub target_field: *const ::std::os::raw::c_char,
    pub columns: *const gls_text_column_t,
    pub num_columns: usize,
    pub flags: gls_text_flags_t,
    pub encoding: gls_text_encoding_t,
}
pub type gls_text_options_t = gls_text_options;
extern "C" {
    pub fn gls_builder_add_edges_text(
        builder: *mut gls_builder_t,
        edge_type: *const ::std::os::raw::c_char,
        path: *const ::std::os::raw::c_char,
        options: *const gls_text_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_builder_add_nodes_text(
        builder: *mut gls_builder_t,
        type_: *const ::std::os::raw::c_char,
        path: *const ::std::os::raw::c_char,
        options: *const gls_text_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_builder_add_node_column(
        builder: *mut gls_builder_t,
        type_: *const ::std::os::raw::c_char,
        name: *const ::std::os::raw::c_char,
        role: gls_role_t,
        tensor: *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_builder_add_edge_column(
        builder: *mut gls_builder_t,
        edge_type: *const ::std::os::raw::c_char,
        name: *const ::std::os::raw::c_char,
        role: gls_role_t,
        tensor: *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_quantization_options {
    pub struct_size: usize,
    pub bits: u32,
    pub reserved: u32,
    pub width: i64,
    pub codebook: *const f32,
    pub num_codebook: usize,
    pub low: f64,
    pub high: f64,
}
pub type gls_quantization_options_t = gls_quantization_options;
extern "C" {
    pub fn gls_builder_add_node_codes(
        builder: *mut gls_builder_t,
        type_: *const ::std::os::raw::c_char,
        name: *const ::std::os::raw::c_char,
        role: gls_role_t,
        codes: *mut gls_tensor_t,
        quantization: *const gls_quantization_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_builder_add_edge_codes(
        builder: *mut gls_builder_t,
        edge_type: *const ::std::os::raw::c_char,
        name: *const ::std::os::raw::c_char,
        role: gls_role_t,
        codes: *mut gls_tensor_t,
        quantization: *const gls_quantization_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_quantize(
        numbers: *const DLTensor,
        quantization: *const gls_quantization_options_t,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_builder_add_id_set(
        builder: *mut gls_builder_t,
        type_: *const ::std::os::raw::c_char,
        name: *const ::std::os::raw::c_char,
        ids: *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_builder_build(
        builder: *mut gls_builder_t,
        options: *const gls_write_options_t,
        out: *mut *mut gls_dataset_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_builder_write(
        builder: *mut gls_builder_t,
        path: *const ::std::os::raw::c_char,
        options: *const gls_write_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ArrowSchema {
    pub format: *const ::std::os::raw::c_char,
    pub name: *const ::std::os::raw::c_char,
    pub metadata: *const ::std::os::raw::c_char,
    pub flags: i64,
    pub n_children: i64,
    pub children: *mut *mut ArrowSchema,
    pub dictionary: *mut ArrowSchema,
    pub release: ::std::option::Option<unsafe extern "C" fn(arg1: *mut ArrowSchema)>,
    pub private_data: *mut ::std::os::raw::c_void,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ArrowArray {
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub n_buffers: i64,
    pub n_children: i64,
    pub buffers: *mut *const ::std::os::raw::c_void,
    pub children: *mut *mut ArrowArray,
    pub dictionary: *mut ArrowArray,
    pub release: ::std::option::Option<unsafe extern "C" fn(arg1: *mut ArrowArray)>,
    pub private_data: *mut ::std::os::raw::c_void,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ArrowArrayStream {
    pub get_schema: ::std::option::Option<
        unsafe extern "C" fn(
            arg1: *mut ArrowArrayStream,
            out: *mut ArrowSchema,
        ) -> ::std::os::raw::c_int,
    >,
    pub get_next: ::std::option::Option<
        unsafe extern "C" fn(
            arg1: *mut ArrowArrayStream,
            out: *mut ArrowArray,
        ) -> ::std::os::raw::c_int,
    >,
    pub get_last_error: ::std::option::Option<
        unsafe extern "C" fn(arg1: *mut ArrowArrayStream) -> *const ::std::os::raw::c_char,
    >,
    pub release: ::std::option::Option<unsafe extern "C" fn(arg1: *mut ArrowArrayStream)>,
    pub private_data: *mut ::std::os::raw::c_void,
}
pub type gls_arrow_use_t = i32;
pub const GLS_ARROW_COLUMN: gls_arrow_use_t = 0;
pub const GLS_ARROW_ID_SET: gls_arrow_use_t = 1;
pub const GLS_ARROW_SPLIT: gls_arrow_use_t = 2;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_arrow_column {
    pub field: *const ::std::os::raw::c_char,
    pub name: *const ::std::os::raw::c_char,
    pub dtype: *const ::std::os::raw::c_char,
    pub fill: *const ::std::os::raw::c_char,
    pub mask: *const ::std::os::raw::c_char,
    pub role: gls_role_t,
    pub use_: gls_arrow_use_t,
}
pub type gls_arrow_column_t = gls_arrow_column;
pub type gls_arrow_flags_t = u32;
pub const GLS_ARROW_ALL_FIELDS: gls_arrow_flags_t = 2;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_arrow_options {
    pub struct_size: usize,
    pub source_field: *const ::std::os::raw::c_char,
    pub target_field: *const ::std::os::raw::c_char,
    pub columns: *const gls_arrow_column_t,
    pub num_columns: usize,
    pub flags: gls_arrow_flags_t,
    pub reserved: u32,
    pub label: *const ::std::os::raw::c_char,
}
pub type gls_arrow_options_t = gls_arrow_options;
extern "C" {
    pub fn gls_builder_add_nodes_arrow(
        builder: *mut gls_builder_t,
        type_: *const ::std::os::raw::c_char,
        stream: *mut ArrowArrayStream,
        options: *const gls_arrow_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_builder_add_edges_arrow(
        builder: *mut gls_builder_t,
        edge_type: *const ::std::os::raw::c_char,
        stream: *mut ArrowArrayStream,
        options: *const gls_arrow_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_arrow_files_options {
    pub struct_size: usize,
    pub fields: *const *const ::std::os::raw::c_char,
    pub num_fields: usize,
    pub num_threads: u32,
    pub reserved: u32,
}
pub type gls_arrow_files_options_t = gls_arrow_files_options;
extern "C" {
    pub fn gls_arrow_open_files(
        ctx: *mut gls_context_t,
        paths: *const *const ::std::os::raw::c_char,
        num_paths: usize,
        options: *const gls_arrow_files_options_t,
        out: *mut ArrowArrayStream,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_tensor_to_arrow(
        tensor: *mut gls_tensor_t,
        schema: *mut ArrowSchema,
        array: *mut ArrowArray,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_nodes_to_arrow(
        dataset: *const gls_dataset_t,
        type_: *const ::std::os::raw::c_char,
        out: *mut ArrowArrayStream,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_edges_to_arrow(
        dataset: *const gls_dataset_t,
        edge_type: *const ::std::os::raw::c_char,
        out: *mut ArrowArrayStream,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_recipe {
    _unused: [u8; 0],
}
pub type gls_recipe_t = gls_recipe;
extern "C" {
    pub fn gls_recipe_create(
        ctx: *mut gls_context_t,
        text: *const ::std::os::raw::c_char,
        folder: *const ::std::os::raw::c_char,
        out: *mut *mut gls_recipe_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_recipe_options {
    pub struct_size: usize,
    pub choices: *const *const ::std::os::raw::c_char,
    pub num_choices: usize,
}
pub type gls_recipe_options_t = gls_recipe_options;
extern "C" {
    pub fn gls_recipe_of_format(
        ctx: *mut gls_context_t,
        format: *const ::std::os::raw::c_char,
        path: *const ::std::os::raw::c_char,
        options: *const gls_recipe_options_t,
        out: *mut *mut gls_recipe_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_recipe_text(recipe: *const gls_recipe_t) -> *const ::std::os::raw::c_char;
}
extern "C" {
    pub fn gls_recipe_release(recipe: *mut gls_recipe_t);
}
extern "C" {
    pub fn gls_recipe_to_builder(
        recipe: *const gls_recipe_t,
        out: *mut *mut gls_builder_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_export_options {
    pub struct_size: usize,
    pub choices: *const *const ::std::os::raw::c_char,
    pub num_choices: usize,
    pub overwrite: i32,
    pub reserved: i32,
    pub progress: gls_progress_fn,
    pub progress_user_data: *mut ::std::os::raw::c_void,
}
pub type gls_export_options_t = gls_export_options;
extern "C" {
    pub fn gls_dataset_export(
        dataset: *const gls_dataset_t,
        format: *const ::std::os::raw::c_char,
        path: *const ::std::os::raw::c_char,
        options: *const gls_export_options_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_store {
    _unused: [u8; 0],
}
pub type gls_store_t = gls_store;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_fetch {
    _unused: [u8; 0],
}
pub type gls_fetch_t = gls_fetch;
pub type gls_fetch_fn = ::std::option::Option<
    unsafe extern "C" fn(fetch: *mut gls_fetch_t, user_data: *mut ::std::os::raw::c_void),
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_fetch_info {
    pub struct_size: usize,
    pub ids: *const i64,
    pub num_ids: usize,
    pub rows: *mut ::std::os::raw::c_void,
    pub row_bytes: usize,
    pub remaining_ms: i64,
    pub canceled: i32,
    pub reserved: i32,
}
pub type gls_fetch_info_t = gls_fetch_info;
extern "C" {
    pub fn gls_fetch_get_info(
        fetch: *const gls_fetch_t,
        out: *mut gls_fetch_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_fetch_rows_done(fetch: *mut gls_fetch_t, err: *mut *mut gls_error_t)
        -> gls_status_t;
}
extern "C" {
    pub fn gls_fetch_neighbors(
        fetch: *mut gls_fetch_t,
        counts: *const i64,
        neighbors: *const i64,
        edge_ids: *const i64,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_fetch_fail(
        fetch: *mut gls_fetch_t,
        status: gls_status_t,
        message: *const ::std::os::raw::c_char,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_fetch_release(fetch: *mut gls_fetch_t);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_store_options {
    pub struct_size: usize,
    pub fetch: gls_fetch_fn,
    pub user_data: *mut ::std::os::raw::c_void,
    pub destroy:
        ::std::option::Option<unsafe extern "C" fn(user_data: *mut ::std::os::raw::c_void)>,
    pub max_fetches: u32,
    pub max_ids: u32,
    pub deadline_ms: i64,
    pub cache_bytes: u64,
}
pub type gls_store_options_t = gls_store_options;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_store_column {
    pub struct_size: usize,
    pub type_: *const ::std::os::raw::c_char,
    pub name: *const ::std::os::raw::c_char,
    pub row_shape: *const i64,
    pub row_ndim: i32,
    pub role: gls_role_t,
    pub dtype: DLDataType,
    pub reserved: i32,
}
pub type gls_store_column_t = gls_store_column;
pub type gls_store_flags_t = u32;
pub const GLS_STORE_EDGE_IDS: gls_store_flags_t = 1;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_store_neighbors {
    pub struct_size: usize,
    pub edge_type: *const ::std::os::raw::c_char,
    pub num_edges: i64,
    pub layout: gls_layout_t,
    pub flags: gls_store_flags_t,
}
pub type gls_store_neighbors_t = gls_store_neighbors;
extern "C" {
    pub fn gls_store_create_column(
        ctx: *mut gls_context_t,
        column: *const gls_store_column_t,
        options: *const gls_store_options_t,
        out: *mut *mut gls_store_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_store_create_neighbors(
        ctx: *mut gls_context_t,
        neighbors: *const gls_store_neighbors_t,
        options: *const gls_store_options_t,
        out: *mut *mut gls_store_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_store_release(store: *mut gls_store_t);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_store_stats {
    pub struct_size: usize,
    pub fetches: u64,
    pub ids: u64,
    pub cached_ids: u64,
    pub failures: u64,
    pub fetch_ns: u64,
    pub wait_ns: u64,
    pub cache_bytes: u64,
}
pub type gls_store_stats_t = gls_store_stats;
extern "C" {
    pub fn gls_store_get_stats(
        store: *const gls_store_t,
        out: *mut gls_store_stats_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_with_stores(
        dataset: *const gls_dataset_t,
        stores: *const *mut gls_store_t,
        num_stores: usize,
        out: *mut *mut gls_dataset_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_batch {
    _unused: [u8; 0],
}
pub type gls_batch_t = gls_batch;
pub type gls_padding_t = i32;
pub const GLS_PADDING_NONE: gls_padding_t = 0;
pub const GLS_PADDING_FITS: gls_padding_t = 1;
pub const GLS_PADDING_OVERFLOW: gls_padding_t = 2;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_batch_info {
    pub struct_size: usize,
    pub epoch: u64,
    pub batch: u64,
    pub num_hops: u64,
    pub bytes: u64,
    pub sample_ns: u64,
    pub gather_ns: u64,
    pub padding: gls_padding_t,
    pub reserved: u32,
}
pub type gls_batch_info_t = gls_batch_info;
extern "C" {
    pub fn gls_batch_get_info(
        batch: *const gls_batch_t,
        out: *mut gls_batch_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
pub type gls_batch_array_t = i32;
pub const GLS_BATCH_NODE: gls_batch_array_t = 0;
pub const GLS_BATCH_ROW: gls_batch_array_t = 1;
pub const GLS_BATCH_COL: gls_batch_array_t = 2;
pub const GLS_BATCH_EDGE: gls_batch_array_t = 3;
pub const GLS_BATCH_TREE: gls_batch_array_t = 4;
pub const GLS_BATCH_NUM_NODES: gls_batch_array_t = 5;
pub const GLS_BATCH_NUM_EDGES: gls_batch_array_t = 6;
pub const GLS_BATCH_SEED: gls_batch_array_t = 7;
pub const GLS_BATCH_INPUT: gls_batch_array_t = 8;
pub const GLS_BATCH_NODE_COLUMN: gls_batch_array_t = 9;
pub const GLS_BATCH_EDGE_COLUMN: gls_batch_array_t = 10;
pub const GLS_BATCH_SEED_TIME: gls_batch_array_t = 11;
pub const GLS_BATCH_LINK_SOURCE: gls_batch_array_t = 12;
pub const GLS_BATCH_LINK_TARGET: gls_batch_array_t = 13;
pub const GLS_BATCH_LINK_NEGATIVE: gls_batch_array_t = 14;
pub const GLS_BATCH_LINK_LABEL: gls_batch_array_t = 15;
pub const GLS_BATCH_WALK: gls_batch_array_t = 16;
pub const GLS_BATCH_WALK_EDGE: gls_batch_array_t = 17;
pub const GLS_BATCH_NEAR_SEED: gls_batch_array_t = 18;
pub const GLS_BATCH_NEAR_NODE: gls_batch_array_t = 19;
pub const GLS_BATCH_NEAR_SCORE: gls_batch_array_t = 20;
pub const GLS_BATCH_ANCHOR_POSITIVE: gls_batch_array_t = 21;
pub const GLS_BATCH_ANCHOR_NEGATIVE: gls_batch_array_t = 22;
pub const GLS_BATCH_ATTACHED: gls_batch_array_t = 23;
pub const GLS_BATCH_NODE_MASK: gls_batch_array_t = 24;
pub const GLS_BATCH_EDGE_MASK: gls_batch_array_t = 25;
pub const GLS_BATCH_SEED_MASK: gls_batch_array_t = 26;
pub const GLS_BATCH_LINK_MASK: gls_batch_array_t = 27;
pub const GLS_BATCH_LINK_NEGATIVE_MASK: gls_batch_array_t = 28;
pub const GLS_BATCH_WALK_MASK: gls_batch_array_t = 29;
pub const GLS_BATCH_NEAR_MASK: gls_batch_array_t = 30;
pub const GLS_BATCH_ANCHOR_MASK: gls_batch_array_t = 31;
pub const GLS_BATCH_EDGE_INDEX: gls_batch_array_t = 32;
pub type gls_gather_t = i32;
pub const GLS_GATHER_AUTO: gls_gather_t = 0;
pub const GLS_GATHER_ALL: gls_gather_t = 1;
pub const GLS_GATHER_SEEDS: gls_gather_t = 2;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_array_info {
    pub struct_size: usize,
    pub array: gls_batch_array_t,
    pub rows: gls_gather_t,
    pub type_: *const ::std::os::raw::c_char,
    pub name: *const ::std::os::raw::c_char,
}
pub type gls_array_info_t = gls_array_info;
extern "C" {
    pub fn gls_batch_num_arrays(batch: *const gls_batch_t) -> usize;
}
extern "C" {
    pub fn gls_batch_get_array_info(
        batch: *const gls_batch_t,
        index: usize,
        out: *mut gls_array_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_batch_tensor(
        batch: *const gls_batch_t,
        array: gls_batch_array_t,
        type_: *const ::std::os::raw::c_char,
        name: *const ::std::os::raw::c_char,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
pub type gls_block_array_t = i32;
pub const GLS_BLOCK_SRC_NODE: gls_block_array_t = 0;
pub const GLS_BLOCK_DST_NODE: gls_block_array_t = 1;
pub const GLS_BLOCK_SRC: gls_block_array_t = 2;
pub const GLS_BLOCK_DST: gls_block_array_t = 3;
pub const GLS_BLOCK_INDPTR: gls_block_array_t = 4;
pub const GLS_BLOCK_EDGE: gls_block_array_t = 5;
extern "C" {
    pub fn gls_batch_block_tensor(
        batch: *const gls_batch_t,
        layer: u64,
        array: gls_block_array_t,
        type_: *const ::std::os::raw::c_char,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_batch_attach(
        batch: *mut gls_batch_t,
        name: *const ::std::os::raw::c_char,
        tensor: *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_batch_record_stream(
        batch: *const gls_batch_t,
        stream: *mut ::std::os::raw::c_void,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_tensor_record_stream(
        tensor: *const gls_tensor_t,
        stream: *mut ::std::os::raw::c_void,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_batch_to_host(
        batch: *const gls_batch_t,
        out: *mut *mut gls_batch_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_batch_release(batch: *mut gls_batch_t);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_sampler {
    _unused: [u8; 0],
}
pub type gls_sampler_t = gls_sampler;
pub type gls_sampler_kind_t = i32;
pub const GLS_SAMPLER_NEIGHBOR: gls_sampler_kind_t = 0;
pub const GLS_SAMPLER_WALK: gls_sampler_kind_t = 1;
pub const GLS_SAMPLER_IMPORTANCE: gls_sampler_kind_t = 2;
pub const GLS_SAMPLER_PPR: gls_sampler_kind_t = 3;
pub const GLS_SAMPLER_HGT: gls_sampler_kind_t = 4;
pub type gls_replace_t = i32;
pub const GLS_REPLACE_NEVER: gls_replace_t = 0;
pub const GLS_REPLACE_ABOVE: gls_replace_t = 1;
pub const GLS_REPLACE_ALWAYS: gls_replace_t = 2;
pub type gls_sample_flags_t = u32;
pub const GLS_SAMPLE_EDGE_IDS: gls_sample_flags_t = 1;
pub const GLS_SAMPLE_DISJOINT: gls_sample_flags_t = 2;
pub const GLS_SAMPLE_TOWARD_SEEDS: gls_sample_flags_t = 4;
pub const GLS_SAMPLE_INT32: gls_sample_flags_t = 8;
pub const GLS_SAMPLE_TIME_STRICT: gls_sample_flags_t = 16;
pub const GLS_SAMPLE_EXCLUDE_LINKS: gls_sample_flags_t = 32;
pub const GLS_SAMPLE_LAYER_DEPENDENT: gls_sample_flags_t = 64;
pub type gls_pick_t = i32;
pub const GLS_PICK_INDEPENDENT: gls_pick_t = 0;
pub const GLS_PICK_LAYER: gls_pick_t = 1;
pub type gls_exclude_mode_t = i32;
pub const GLS_EXCLUDE_SELF: gls_exclude_mode_t = 0;
pub const GLS_EXCLUDE_REVERSE_ID: gls_exclude_mode_t = 1;
pub const GLS_EXCLUDE_REVERSE_TYPES: gls_exclude_mode_t = 2;
pub type gls_negative_mode_t = i32;
pub const GLS_NEGATIVE_NONE: gls_negative_mode_t = 0;
pub const GLS_NEGATIVE_BINARY: gls_negative_mode_t = 1;
pub const GLS_NEGATIVE_TRIPLET: gls_negative_mode_t = 2;
pub type gls_negative_flags_t = u32;
pub const GLS_NEGATIVE_STRICT: gls_negative_flags_t = 1;
pub const GLS_NEGATIVE_ALLOW_SHORT: gls_negative_flags_t = 2;
pub const GLS_NEGATIVE_IN_TIME: gls_negative_flags_t = 4;
pub const GLS_NEGATIVE_OLDEST: gls_negative_flags_t = 8;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_negative_options {
    pub struct_size: usize,
    pub mode: gls_negative_mode_t,
    pub flags: gls_negative_flags_t,
    pub amount: f64,
    pub degree_power: f64,
    pub source_weight: *const ::std::os::raw::c_char,
    pub target_weight: *const ::std::os::raw::c_char,
    pub tries: u32,
    pub reserved: u32,
}
pub type gls_negative_options_t = gls_negative_options;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_walk_options {
    pub struct_size: usize,
    pub length: u32,
    pub walks: u32,
    pub p: f64,
    pub q: f64,
    pub restart: f64,
    pub stop: f64,
    pub path: *const *const ::std::os::raw::c_char,
    pub path_length: usize,
}
pub type gls_walk_options_t = gls_walk_options;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_importance_options {
    pub struct_size: usize,
    pub neighbors: u32,
    pub walks: u32,
    pub traversals: u32,
    pub hops: u32,
    pub stop: f64,
    pub path: *const *const ::std::os::raw::c_char,
    pub path_length: usize,
}
pub type gls_importance_options_t = gls_importance_options;
pub type gls_ppr_flags_t = u32;
pub const GLS_PPR_NO_TOP_UP: gls_ppr_flags_t = 1;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_ppr_channel {
    pub edge_types: *const *const ::std::os::raw::c_char,
    pub num_edge_types: usize,
    pub share: f64,
    pub reserved: u64,
}
pub type gls_ppr_channel_t = gls_ppr_channel;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_ppr_options {
    pub struct_size: usize,
    pub neighbors: u32,
    pub flags: gls_ppr_flags_t,
    pub alpha: f64,
    pub epsilon: f64,
    pub max_edges: u64,
    pub row_limit: u32,
    pub reserved: u32,
    pub edge_types: *const *const ::std::os::raw::c_char,
    pub num_edge_types: usize,
    pub channels: *const gls_ppr_channel_t,
    pub num_channels: usize,
}
pub type gls_ppr_options_t = gls_ppr_options;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_node_samples {
    pub node_type: *const ::std::os::raw::c_char,
    pub per_hop: *const i64,
    pub num_hops: usize,
}
pub type gls_node_samples_t = gls_node_samples;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_hgt_options {
    pub struct_size: usize,
    pub samples: *const gls_node_samples_t,
    pub num_samples: usize,
    pub most_neighbors: u32,
    pub reserved: u32,
}
pub type gls_hgt_options_t = gls_hgt_options;
pub type gls_time_strategy_t = i32;
pub const GLS_TIME_UNIFORM: gls_time_strategy_t = 0;
pub const GLS_TIME_LAST: gls_time_strategy_t = 1;
pub type gls_subgraph_t = i32;
pub const GLS_SUBGRAPH_SAMPLED: gls_subgraph_t = 0;
pub const GLS_SUBGRAPH_INDUCED: gls_subgraph_t = 1;
pub const GLS_SUBGRAPH_BIDIRECTIONAL: gls_subgraph_t = 2;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_fanout {
    pub edge_type: *const ::std::os::raw::c_char,
    pub per_hop: *const i64,
    pub num_hops: usize,
}
pub type gls_fanout_t = gls_fanout;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_edge_set {
    pub edge_type: *const ::std::os::raw::c_char,
    pub edges: *const DLTensor,
}
pub type gls_edge_set_t = gls_edge_set;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_type_pair {
    pub edge_type: *const ::std::os::raw::c_char,
    pub reverse_type: *const ::std::os::raw::c_char,
}
pub type gls_type_pair_t = gls_type_pair;
pub type gls_label_role_t = i32;
pub const GLS_LABEL_POSITIVE: gls_label_role_t = 0;
pub const GLS_LABEL_NEGATIVE: gls_label_role_t = 1;
pub type gls_supervision_flags_t = u32;
pub const GLS_SUPERVISION_SAMPLED: gls_supervision_flags_t = 1;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_supervision {
    pub edge_type: *const ::std::os::raw::c_char,
    pub node_type: *const ::std::os::raw::c_char,
    pub name: *const ::std::os::raw::c_char,
    pub role: gls_label_role_t,
    pub flags: gls_supervision_flags_t,
    pub max_labels: u32,
    pub reserved: u32,
}
pub type gls_supervision_t = gls_supervision;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_sampler_options {
    pub struct_size: usize,
    pub kind: gls_sampler_kind_t,
    pub flags: gls_sample_flags_t,
    pub seed: u64,
    pub fanouts: *const gls_fanout_t,
    pub num_fanouts: usize,
    pub direction: gls_direction_t,
    pub replace: gls_replace_t,
    pub weight: *const ::std::os::raw::c_char,
    pub exclude: *const gls_edge_set_t,
    pub num_exclude: usize,
    pub exclude_mode: gls_exclude_mode_t,
    pub contract: u32,
    pub reverse_column: *const ::std::os::raw::c_char,
    pub reverse_types: *const gls_type_pair_t,
    pub num_reverse_types: usize,
    pub node_time: *const ::std::os::raw::c_char,
    pub edge_time: *const ::std::os::raw::c_char,
    pub time_window: i64,
    pub time_strategy: gls_time_strategy_t,
    pub subgraph: gls_subgraph_t,
    pub negatives: *const gls_negative_options_t,
    pub walk: *const gls_walk_options_t,
    pub pick: gls_pick_t,
    pub batch_dependency: u32,
    pub supervisions: *const gls_supervision_t,
    pub num_supervisions: usize,
    pub importance: *const gls_importance_options_t,
    pub ppr: *const gls_ppr_options_t,
    pub hgt: *const gls_hgt_options_t,
    pub device: DLDevice,
}
pub type gls_sampler_options_t = gls_sampler_options;
extern "C" {
    pub fn gls_sampler_create(
        dataset: *mut gls_dataset_t,
        options: *const gls_sampler_options_t,
        out: *mut *mut gls_sampler_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_sampler_device(
        sampler: *const gls_sampler_t,
        out: *mut DLDevice,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_sampler_release(sampler: *mut gls_sampler_t);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_seed_set {
    pub node_type: *const ::std::os::raw::c_char,
    pub ids: *const DLTensor,
}
pub type gls_seed_set_t = gls_seed_set;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_link_set {
    pub struct_size: usize,
    pub edge_type: *const ::std::os::raw::c_char,
    pub links: *const DLTensor,
    pub times: *const DLTensor,
    pub labels: *const DLTensor,
}
pub type gls_link_set_t = gls_link_set;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_sample_request {
    pub struct_size: usize,
    pub seeds: *const gls_seed_set_t,
    pub num_seeds: usize,
    pub epoch: u64,
    pub batch: u64,
    pub exclude: *const gls_edge_set_t,
    pub num_exclude: usize,
    pub times: *const *const DLTensor,
    pub links: *const gls_link_set_t,
    pub labels: *const *const DLTensor,
    pub num_labels: usize,
}
pub type gls_sample_request_t = gls_sample_request;
extern "C" {
    pub fn gls_sampler_sample(
        sampler: *const gls_sampler_t,
        request: *const gls_sample_request_t,
        out: *mut *mut gls_batch_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_loader {
    _unused: [u8; 0],
}
pub type gls_loader_t = gls_loader;
pub type gls_loader_flags_t = u32;
pub const GLS_LOADER_SHUFFLE: gls_loader_flags_t = 1;
pub const GLS_LOADER_DROP_LAST: gls_loader_flags_t = 2;
pub const GLS_LOADER_NO_COLUMNS: gls_loader_flags_t = 4;
pub type gls_even_t = i32;
pub const GLS_EVEN_NONE: gls_even_t = 0;
pub const GLS_EVEN_DROP: gls_even_t = 1;
pub const GLS_EVEN_REPEAT: gls_even_t = 2;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_column_request {
    pub type_: *const ::std::os::raw::c_char,
    pub name: *const ::std::os::raw::c_char,
    pub rows: gls_gather_t,
    pub dtype: DLDataType,
}
pub type gls_column_request_t = gls_column_request;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_pad_size {
    pub type_: *const ::std::os::raw::c_char,
    pub rows: i64,
}
pub type gls_pad_size_t = gls_pad_size;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_pad_options {
    pub struct_size: usize,
    pub sizes: *const gls_pad_size_t,
    pub num_sizes: usize,
    pub batches: u32,
    pub multiple: u32,
    pub sigma: f64,
}
pub type gls_pad_options_t = gls_pad_options;
pub type gls_transform_fn = ::std::option::Option<
    unsafe extern "C" fn(
        batch: *mut gls_batch_t,
        user_data: *mut ::std::os::raw::c_void,
        message: *mut ::std::os::raw::c_char,
        capacity: usize,
    ) -> gls_status_t,
>;
pub type gls_seed_rule_t = i32;
pub const GLS_SEEDS_ORDER: gls_seed_rule_t = 0;
pub const GLS_SEEDS_DRAW: gls_seed_rule_t = 1;
pub const GLS_SEEDS_CLUSTER: gls_seed_rule_t = 2;
pub type gls_seed_law_t = i32;
pub const GLS_LAW_UNIFORM: gls_seed_law_t = 0;
pub const GLS_LAW_DEGREE: gls_seed_law_t = 1;
pub const GLS_LAW_INVERSE_DEGREE: gls_seed_law_t = 2;
pub type gls_made_by_t = i32;
pub const GLS_MADE_HERE: gls_made_by_t = 0;
pub const GLS_MADE_BY_SERVERS: gls_made_by_t = 1;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_loader_seeds {
    pub node_type: *const ::std::os::raw::c_char,
    pub edge_type: *const ::std::os::raw::c_char,
    pub id_set: *const ::std::os::raw::c_char,
    pub ids: *mut gls_tensor_t,
    pub times: *mut gls_tensor_t,
    pub labels: *mut gls_tensor_t,
}
pub type gls_loader_seeds_t = gls_loader_seeds;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_loader_options {
    pub struct_size: usize,
    pub node_type: *const ::std::os::raw::c_char,
    pub id_set: *const ::std::os::raw::c_char,
    pub batch_size: u32,
    pub flags: gls_loader_flags_t,
    pub rank: u32,
    pub world_size: u32,
    pub even: gls_even_t,
    pub num_workers: u32,
    pub prefetch: u32,
    pub reserved0: u32,
    pub prefetch_bytes: u64,
    pub columns: *const gls_column_request_t,
    pub num_columns: usize,
    pub device: DLDevice,
    pub times: *mut gls_tensor_t,
    pub edge_type: *const ::std::os::raw::c_char,
    pub labels: *mut gls_tensor_t,
    pub pad: *const gls_pad_options_t,
    pub transform: gls_transform_fn,
    pub transform_data: *mut ::std::os::raw::c_void,
    pub transform_destroy: gls_destroy_fn,
    pub anchor_labels: *const *mut gls_tensor_t,
    pub num_anchor_labels: usize,
    pub seed_rule: gls_seed_rule_t,
    pub seed_law: gls_seed_law_t,
    pub seed_weight: *const ::std::os::raw::c_char,
    pub batches: u64,
    pub cluster: *const ::std::os::raw::c_char,
    pub clusters: *mut gls_tensor_t,
    pub made_by: gls_made_by_t,
    pub reserved1: i32,
    pub seed_sets: *const gls_loader_seeds_t,
    pub num_seed_sets: usize,
}
pub type gls_loader_options_t = gls_loader_options;
extern "C" {
    pub fn gls_loader_create(
        sampler: *mut gls_sampler_t,
        seeds: *mut gls_tensor_t,
        options: *const gls_loader_options_t,
        out: *mut *mut gls_loader_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_loader_release(loader: *mut gls_loader_t);
}
extern "C" {
    pub fn gls_loader_next(
        loader: *mut gls_loader_t,
        timeout_ms: i64,
        out: *mut *mut gls_batch_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_loader_notify(
        loader: *mut gls_loader_t,
        ready: gls_ready_fn,
        user_data: *mut ::std::os::raw::c_void,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_loader_seek(
        loader: *mut gls_loader_t,
        epoch: u64,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_loader_sample(
        loader: *const gls_loader_t,
        epoch: u64,
        batch: u64,
        out: *mut *mut gls_batch_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_norm_options {
    pub struct_size: usize,
    pub node_type: *const ::std::os::raw::c_char,
    pub edge_type: *const ::std::os::raw::c_char,
    pub epoch: u64,
    pub batches: u64,
    pub coverage: f64,
    pub progress: gls_progress_fn,
    pub progress_user_data: *mut ::std::os::raw::c_void,
}
pub type gls_norm_options_t = gls_norm_options;
extern "C" {
    pub fn gls_loader_saint_norms(
        loader: *const gls_loader_t,
        options: *const gls_norm_options_t,
        node_norm: *mut *mut gls_tensor_t,
        edge_norm: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_plan_options {
    pub struct_size: usize,
    pub epoch: u64,
    pub batches: u64,
    pub memory: *const u64,
    pub num_memory: usize,
    pub progress: gls_progress_fn,
    pub progress_user_data: *mut ::std::os::raw::c_void,
}
pub type gls_plan_options_t = gls_plan_options;
extern "C" {
    pub fn gls_loader_plan(
        loader: *const gls_loader_t,
        options: *const gls_plan_options_t,
        json: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_loader_cancel(loader: *mut gls_loader_t);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_loader_info {
    pub struct_size: usize,
    pub epoch: u64,
    pub next_batch: u64,
    pub num_batches: u64,
    pub num_global_batches: u64,
    pub num_seeds: u64,
    pub batch_size: u64,
}
pub type gls_loader_info_t = gls_loader_info;
extern "C" {
    pub fn gls_loader_get_info(
        loader: *const gls_loader_t,
        out: *mut gls_loader_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_loader_pad_size(
        loader: *const gls_loader_t,
        type_: *const ::std::os::raw::c_char,
        rows: *mut i64,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_loader_stats {
    pub struct_size: usize,
    pub batches: u64,
    pub seeds: u64,
    pub nodes: u64,
    pub edges: u64,
    pub gathered_rows: u64,
    pub gathered_bytes: u64,
    pub sample_ns: u64,
    pub gather_ns: u64,
    pub worker_wait_ns: u64,
    pub caller_wait_ns: u64,
    pub wall_ns: u64,
    pub ready_batches: u64,
    pub ready_bytes: u64,
    pub peak_bytes: u64,
    pub device_rows: u64,
    pub pinned_rows: u64,
    pub host_rows: u64,
    pub remote_rows: u64,
    pub peer_rows: u64,
    pub disk_rows: u64,
    pub disk_row_bytes: u64,
    pub disk_read_bytes: u64,
    pub disk_packed_bytes: u64,
}
pub type gls_loader_stats_t = gls_loader_stats;
extern "C" {
    pub fn gls_loader_get_stats(
        loader: *const gls_loader_t,
        out: *mut gls_loader_stats_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_loader_save(
        loader: *const gls_loader_t,
        buffer: *mut ::std::os::raw::c_char,
        capacity: usize,
        length: *mut usize,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_loader_restore(
        loader: *mut gls_loader_t,
        state: *const ::std::os::raw::c_char,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_loader_dataset(
        loader: *const gls_loader_t,
        out: *mut *mut gls_dataset_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_feed {
    _unused: [u8; 0],
}
pub type gls_feed_t = gls_feed;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_feed_options {
    pub struct_size: usize,
    pub path: *const ::std::os::raw::c_char,
    pub consumers: u32,
    pub mode: u32,
    pub bytes: u64,
    pub prefetch: u32,
    pub reserved: u32,
}
pub type gls_feed_options_t = gls_feed_options;
extern "C" {
    pub fn gls_feed_create(
        loader: *mut gls_loader_t,
        options: *const gls_feed_options_t,
        out: *mut *mut gls_feed_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_feed_release(feed: *mut gls_feed_t);
}
extern "C" {
    pub fn gls_feed_wait(
        feed: *mut gls_feed_t,
        timeout_ms: i64,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_feed_info {
    pub struct_size: usize,
    pub consumers: u64,
    pub attached: u64,
    pub lost: u64,
    pub batches: u64,
    pub batch_bytes: u64,
    pub used_bytes: u64,
    pub wait_ns: u64,
    pub copied_bytes: u64,
}
pub type gls_feed_info_t = gls_feed_info;
extern "C" {
    pub fn gls_feed_get_info(
        feed: *const gls_feed_t,
        out: *mut gls_feed_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_attach_options {
    pub struct_size: usize,
    pub paths: *const *const ::std::os::raw::c_char,
    pub num_paths: usize,
    pub rank: u32,
    pub world_size: u32,
    pub stall_ms: u32,
    pub reserved: u32,
    pub pin: DLDevice,
}
pub type gls_attach_options_t = gls_attach_options;
extern "C" {
    pub fn gls_feed_attach(
        ctx: *mut gls_context_t,
        options: *const gls_attach_options_t,
        timeout_ms: i64,
        out: *mut *mut gls_loader_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_future {
    _unused: [u8; 0],
}
pub type gls_future_t = gls_future;
extern "C" {
    pub fn gls_future_wait(
        future: *const gls_future_t,
        timeout_ms: i64,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_future_notify(
        future: *mut gls_future_t,
        ready: gls_ready_fn,
        user_data: *mut ::std::os::raw::c_void,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_future_count(future: *const gls_future_t) -> usize;
}
extern "C" {
    pub fn gls_future_bytes(
        future: *const gls_future_t,
        index: usize,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_future_cancel(future: *mut gls_future_t);
}
extern "C" {
    pub fn gls_future_release(future: *mut gls_future_t);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_call {
    _unused: [u8; 0],
}
pub type gls_call_t = gls_call;
pub type gls_function_fn = ::std::option::Option<
    unsafe extern "C" fn(call: *mut gls_call_t, user_data: *mut ::std::os::raw::c_void),
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_call_info {
    pub struct_size: usize,
    pub function: *const ::std::os::raw::c_char,
    pub caller: *const ::std::os::raw::c_char,
    pub rank: i64,
    pub part: i64,
    pub data: *const ::std::os::raw::c_void,
    pub size: usize,
    pub canceled: i32,
    pub reserved: i32,
}
pub type gls_call_info_t = gls_call_info;
extern "C" {
    pub fn gls_call_get_info(
        call: *const gls_call_t,
        out: *mut gls_call_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_call_reply(
        call: *mut gls_call_t,
        data: *const ::std::os::raw::c_void,
        size: usize,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_call_fail(
        call: *mut gls_call_t,
        status: gls_status_t,
        message: *const ::std::os::raw::c_char,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_call_release(call: *mut gls_call_t);
}
pub type gls_call_flags_t = u32;
pub const GLS_CALL_IDEMPOTENT: gls_call_flags_t = 1;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_call_options {
    pub struct_size: usize,
    pub flags: gls_call_flags_t,
    pub reserved: u32,
}
pub type gls_call_options_t = gls_call_options;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_group {
    _unused: [u8; 0],
}
pub type gls_group_t = gls_group;
pub type gls_launcher_t = i32;
pub const GLS_LAUNCHER_AUTO: gls_launcher_t = 0;
pub const GLS_LAUNCHER_ARGUMENTS: gls_launcher_t = 1;
pub const GLS_LAUNCHER_TORCHRUN: gls_launcher_t = 2;
pub const GLS_LAUNCHER_OPENMPI: gls_launcher_t = 3;
pub const GLS_LAUNCHER_SLURM: gls_launcher_t = 4;
pub const GLS_LAUNCHER_PMIX: gls_launcher_t = 5;
pub type gls_exchange_fn = ::std::option::Option<
    unsafe extern "C" fn(
        user_data: *mut ::std::os::raw::c_void,
        mine: *const ::std::os::raw::c_void,
        size: usize,
        all: *mut ::std::os::raw::c_void,
    ) -> i32,
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_group_options {
    pub struct_size: usize,
    pub name: *const ::std::os::raw::c_char,
    pub launcher: gls_launcher_t,
    pub rank: u32,
    pub world_size: u32,
    pub num_threads: u32,
    pub rendezvous: *const ::std::os::raw::c_char,
    pub listen: *const ::std::os::raw::c_char,
    pub process_name: *const ::std::os::raw::c_char,
    pub exchange: gls_exchange_fn,
    pub exchange_user_data: *mut ::std::os::raw::c_void,
    pub progress: gls_progress_fn,
    pub progress_user_data: *mut ::std::os::raw::c_void,
}
pub type gls_group_options_t = gls_group_options;
extern "C" {
    pub fn gls_group_join(
        ctx: *mut gls_context_t,
        options: *const gls_group_options_t,
        timeout_ms: i64,
        out: *mut *mut gls_group_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_group_release(group: *mut gls_group_t);
}
extern "C" {
    pub fn gls_group_leave(
        group: *mut gls_group_t,
        timeout_ms: i64,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_group_info {
    pub struct_size: usize,
    pub name: *const ::std::os::raw::c_char,
    pub rank: u32,
    pub world_size: u32,
    pub local_rank: u32,
    pub local_size: u32,
    pub launcher: gls_launcher_t,
    pub reserved: u32,
    pub operations: u64,
}
pub type gls_group_info_t = gls_group_info;
extern "C" {
    pub fn gls_group_get_info(
        group: *const gls_group_t,
        out: *mut gls_group_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_member_info {
    pub struct_size: usize,
    pub name: *const ::std::os::raw::c_char,
    pub host: *const ::std::os::raw::c_char,
    pub address: *const ::std::os::raw::c_char,
    pub process: u64,
}
pub type gls_member_info_t = gls_member_info;
extern "C" {
    pub fn gls_group_get_member_info(
        group: *const gls_group_t,
        rank: u32,
        out: *mut gls_member_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_group_barrier(
        group: *mut gls_group_t,
        timeout_ms: i64,
        out: *mut *mut gls_future_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_group_all_gather(
        group: *mut gls_group_t,
        data: *const ::std::os::raw::c_void,
        size: usize,
        timeout_ms: i64,
        out: *mut *mut gls_future_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_group_function(
        group: *mut gls_group_t,
        name: *const ::std::os::raw::c_char,
        function: gls_function_fn,
        user_data: *mut ::std::os::raw::c_void,
        destroy: gls_destroy_fn,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_group_call(
        group: *mut gls_group_t,
        rank: u32,
        function: *const ::std::os::raw::c_char,
        data: *const ::std::os::raw::c_void,
        size: usize,
        timeout_ms: i64,
        options: *const gls_call_options_t,
        out: *mut *mut gls_future_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_server {
    _unused: [u8; 0],
}
pub type gls_server_t = gls_server;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_server_options {
    pub struct_size: usize,
    pub listen: *const ::std::os::raw::c_char,
    pub parts: *const u32,
    pub num_parts: usize,
    pub servers: *const *const ::std::os::raw::c_char,
    pub num_servers: usize,
    pub name: *const ::std::os::raw::c_char,
    pub num_threads: u32,
    pub reserved: u32,
    pub open: *const gls_dataset_options_t,
    pub table_bytes: u64,
}
pub type gls_server_options_t = gls_server_options;
extern "C" {
    pub fn gls_server_start(
        ctx: *mut gls_context_t,
        path: *const ::std::os::raw::c_char,
        options: *const gls_server_options_t,
        out: *mut *mut gls_server_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_server_release(server: *mut gls_server_t);
}
extern "C" {
    pub fn gls_server_address(server: *const gls_server_t) -> *const ::std::os::raw::c_char;
}
extern "C" {
    pub fn gls_server_stop(
        server: *mut gls_server_t,
        timeout_ms: i64,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_server_info {
    pub struct_size: usize,
    pub parts: u32,
    pub graph_parts: u32,
    pub clients: u64,
    pub strangers: u64,
    pub accepted: u64,
    pub admitted: u64,
    pub evicted: u64,
    pub requests: u64,
    pub failures: u64,
}
pub type gls_server_info_t = gls_server_info;
extern "C" {
    pub fn gls_server_get_info(
        server: *const gls_server_t,
        out: *mut gls_server_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_probe {
    _unused: [u8; 0],
}
pub type gls_probe_t = gls_probe;
extern "C" {
    pub fn gls_server_probe(
        ctx: *mut gls_context_t,
        address: *const ::std::os::raw::c_char,
        timeout_ms: i64,
        out: *mut *mut gls_probe_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_probe_release(probe: *mut gls_probe_t);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_probe_info {
    pub struct_size: usize,
    pub name: *const ::std::os::raw::c_char,
    pub version: *const ::std::os::raw::c_char,
    pub graph: *const ::std::os::raw::c_char,
    pub parts: *const u32,
    pub num_parts: usize,
    pub graph_parts: u32,
    pub reserved: u32,
}
pub type gls_probe_info_t = gls_probe_info;
extern "C" {
    pub fn gls_probe_get_info(
        probe: *const gls_probe_t,
        out: *mut gls_probe_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_server_function(
        server: *mut gls_server_t,
        name: *const ::std::os::raw::c_char,
        function: gls_function_fn,
        user_data: *mut ::std::os::raw::c_void,
        destroy: gls_destroy_fn,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_dataset_call(
        dataset: *const gls_dataset_t,
        part: u32,
        function: *const ::std::os::raw::c_char,
        data: *const ::std::os::raw::c_void,
        size: usize,
        timeout_ms: i64,
        options: *const gls_call_options_t,
        out: *mut *mut gls_future_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_table {
    _unused: [u8; 0],
}
pub type gls_table_t = gls_table;
pub type gls_optimizer_t = i32;
pub const GLS_OPTIMIZER_NONE: gls_optimizer_t = 0;
pub const GLS_OPTIMIZER_SGD: gls_optimizer_t = 1;
pub const GLS_OPTIMIZER_ADAGRAD: gls_optimizer_t = 2;
pub const GLS_OPTIMIZER_ADAM: gls_optimizer_t = 3;
pub type gls_table_flags_t = u32;
pub const GLS_TABLE_MEAN: gls_table_flags_t = 1;
pub const GLS_TABLE_ROW_STEPS: gls_table_flags_t = 2;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_table_options {
    pub struct_size: usize,
    pub width: i64,
    pub dtype: DLDataType,
    pub flags: gls_table_flags_t,
    pub low: f64,
    pub high: f64,
    pub seed: u64,
    pub optimizer: gls_optimizer_t,
    pub reserved: i32,
    pub epsilon: f64,
    pub beta1: f64,
    pub beta2: f64,
    pub rank: u32,
    pub world_size: u32,
}
pub type gls_table_options_t = gls_table_options;
extern "C" {
    pub fn gls_table_open(
        dataset: *const gls_dataset_t,
        type_: *const ::std::os::raw::c_char,
        name: *const ::std::os::raw::c_char,
        options: *const gls_table_options_t,
        out: *mut *mut gls_table_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_table_release(table: *mut gls_table_t);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_table_info {
    pub struct_size: usize,
    pub name: *const ::std::os::raw::c_char,
    pub type_: *const ::std::os::raw::c_char,
    pub rows: i64,
    pub width: i64,
    pub dtype: DLDataType,
    pub flags: gls_table_flags_t,
    pub optimizer: gls_optimizer_t,
    pub rank: u32,
    pub world_size: u32,
    pub step: i64,
    pub bytes: u64,
}
pub type gls_table_info_t = gls_table_info;
extern "C" {
    pub fn gls_table_get_info(
        table: *const gls_table_t,
        out: *mut gls_table_info_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_table_rows(
        table: *const gls_table_t,
        ids: *const DLTensor,
        out: *mut *mut gls_tensor_t,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_table_write(
        table: *const gls_table_t,
        ids: *const DLTensor,
        rows: *const DLTensor,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_table_step(
        table: *mut gls_table_t,
        ids: *const DLTensor,
        gradients: *const DLTensor,
        learning_rate: f64,
        timeout_ms: i64,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_table_save(
        table: *const gls_table_t,
        path: *const ::std::os::raw::c_char,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_table_load(
        table: *mut gls_table_t,
        path: *const ::std::os::raw::c_char,
        timeout_ms: i64,
        err: *mut *mut gls_error_t,
    ) -> gls_status_t;
}
extern "C" {
    pub fn gls_table_drop(table: *const gls_table_t, err: *mut *mut gls_error_t) -> gls_status_t;
}
