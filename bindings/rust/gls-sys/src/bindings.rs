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
#[test]
fn bindgen_test_layout_DLDevice() {
    assert_eq!(
        ::std::mem::size_of::<DLDevice>(),
        8usize,
        concat!("Size of: ", stringify!(DLDevice))
    );
    assert_eq!(
        ::std::mem::align_of::<DLDevice>(),
        4usize,
        concat!("Alignment of ", stringify!(DLDevice))
    );
    fn test_field_device_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLDevice>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).device_type) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(DLDevice),
                "::",
                stringify!(device_type)
            )
        );
    }
    test_field_device_type();
    fn test_field_device_id() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLDevice>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).device_id) as usize - ptr as usize
            },
            4usize,
            concat!(
                "Offset of field: ",
                stringify!(DLDevice),
                "::",
                stringify!(device_id)
            )
        );
    }
    test_field_device_id();
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
#[test]
fn bindgen_test_layout_DLDataType() {
    assert_eq!(
        ::std::mem::size_of::<DLDataType>(),
        4usize,
        concat!("Size of: ", stringify!(DLDataType))
    );
    assert_eq!(
        ::std::mem::align_of::<DLDataType>(),
        2usize,
        concat!("Alignment of ", stringify!(DLDataType))
    );
    fn test_field_code() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLDataType>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).code) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(DLDataType),
                "::",
                stringify!(code)
            )
        );
    }
    test_field_code();
    fn test_field_bits() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLDataType>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bits) as usize - ptr as usize
            },
            1usize,
            concat!(
                "Offset of field: ",
                stringify!(DLDataType),
                "::",
                stringify!(bits)
            )
        );
    }
    test_field_bits();
    fn test_field_lanes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLDataType>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).lanes) as usize - ptr as usize
            },
            2usize,
            concat!(
                "Offset of field: ",
                stringify!(DLDataType),
                "::",
                stringify!(lanes)
            )
        );
    }
    test_field_lanes();
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
#[test]
fn bindgen_test_layout_DLTensor() {
    assert_eq!(
        ::std::mem::size_of::<DLTensor>(),
        48usize,
        concat!("Size of: ", stringify!(DLTensor))
    );
    assert_eq!(
        ::std::mem::align_of::<DLTensor>(),
        8usize,
        concat!("Alignment of ", stringify!(DLTensor))
    );
    fn test_field_data() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLTensor>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).data) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(DLTensor),
                "::",
                stringify!(data)
            )
        );
    }
    test_field_data();
    fn test_field_device() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLTensor>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).device) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(DLTensor),
                "::",
                stringify!(device)
            )
        );
    }
    test_field_device();
    fn test_field_ndim() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLTensor>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ndim) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(DLTensor),
                "::",
                stringify!(ndim)
            )
        );
    }
    test_field_ndim();
    fn test_field_dtype() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLTensor>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dtype) as usize - ptr as usize
            },
            20usize,
            concat!(
                "Offset of field: ",
                stringify!(DLTensor),
                "::",
                stringify!(dtype)
            )
        );
    }
    test_field_dtype();
    fn test_field_shape() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLTensor>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).shape) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(DLTensor),
                "::",
                stringify!(shape)
            )
        );
    }
    test_field_shape();
    fn test_field_strides() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLTensor>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).strides) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(DLTensor),
                "::",
                stringify!(strides)
            )
        );
    }
    test_field_strides();
    fn test_field_byte_offset() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLTensor>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).byte_offset) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(DLTensor),
                "::",
                stringify!(byte_offset)
            )
        );
    }
    test_field_byte_offset();
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct DLManagedTensor {
    pub dl_tensor: DLTensor,
    pub manager_ctx: *mut ::std::os::raw::c_void,
    pub deleter: ::std::option::Option<unsafe extern "C" fn(self_: *mut DLManagedTensor)>,
}
#[test]
fn bindgen_test_layout_DLManagedTensor() {
    assert_eq!(
        ::std::mem::size_of::<DLManagedTensor>(),
        64usize,
        concat!("Size of: ", stringify!(DLManagedTensor))
    );
    assert_eq!(
        ::std::mem::align_of::<DLManagedTensor>(),
        8usize,
        concat!("Alignment of ", stringify!(DLManagedTensor))
    );
    fn test_field_dl_tensor() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLManagedTensor>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dl_tensor) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(DLManagedTensor),
                "::",
                stringify!(dl_tensor)
            )
        );
    }
    test_field_dl_tensor();
    fn test_field_manager_ctx() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLManagedTensor>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).manager_ctx) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(DLManagedTensor),
                "::",
                stringify!(manager_ctx)
            )
        );
    }
    test_field_manager_ctx();
    fn test_field_deleter() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLManagedTensor>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).deleter) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(DLManagedTensor),
                "::",
                stringify!(deleter)
            )
        );
    }
    test_field_deleter();
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct DLPackVersion {
    pub major: u32,
    pub minor: u32,
}
#[test]
fn bindgen_test_layout_DLPackVersion() {
    assert_eq!(
        ::std::mem::size_of::<DLPackVersion>(),
        8usize,
        concat!("Size of: ", stringify!(DLPackVersion))
    );
    assert_eq!(
        ::std::mem::align_of::<DLPackVersion>(),
        4usize,
        concat!("Alignment of ", stringify!(DLPackVersion))
    );
    fn test_field_major() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLPackVersion>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).major) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(DLPackVersion),
                "::",
                stringify!(major)
            )
        );
    }
    test_field_major();
    fn test_field_minor() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLPackVersion>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).minor) as usize - ptr as usize
            },
            4usize,
            concat!(
                "Offset of field: ",
                stringify!(DLPackVersion),
                "::",
                stringify!(minor)
            )
        );
    }
    test_field_minor();
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
#[test]
fn bindgen_test_layout_DLManagedTensorVersioned() {
    assert_eq!(
        ::std::mem::size_of::<DLManagedTensorVersioned>(),
        80usize,
        concat!("Size of: ", stringify!(DLManagedTensorVersioned))
    );
    assert_eq!(
        ::std::mem::align_of::<DLManagedTensorVersioned>(),
        8usize,
        concat!("Alignment of ", stringify!(DLManagedTensorVersioned))
    );
    fn test_field_version() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLManagedTensorVersioned>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).version) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(DLManagedTensorVersioned),
                "::",
                stringify!(version)
            )
        );
    }
    test_field_version();
    fn test_field_manager_ctx() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLManagedTensorVersioned>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).manager_ctx) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(DLManagedTensorVersioned),
                "::",
                stringify!(manager_ctx)
            )
        );
    }
    test_field_manager_ctx();
    fn test_field_deleter() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLManagedTensorVersioned>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).deleter) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(DLManagedTensorVersioned),
                "::",
                stringify!(deleter)
            )
        );
    }
    test_field_deleter();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLManagedTensorVersioned>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(DLManagedTensorVersioned),
                "::",
                stringify!(flags)
            )
        );
    }
    test_field_flags();
    fn test_field_dl_tensor() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<DLManagedTensorVersioned>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dl_tensor) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(DLManagedTensorVersioned),
                "::",
                stringify!(dl_tensor)
            )
        );
    }
    test_field_dl_tensor();
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
#[test]
fn bindgen_test_layout_gls_context_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_context_options>(),
        40usize,
        concat!("Size of: ", stringify!(gls_context_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_context_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_context_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_context_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_context_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_num_threads() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_context_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_threads) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_context_options),
                "::",
                stringify!(num_threads)
            )
        );
    }
    test_field_num_threads();
    fn test_field_log_level() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_context_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).log_level) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_context_options),
                "::",
                stringify!(log_level)
            )
        );
    }
    test_field_log_level();
    fn test_field_log() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_context_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).log) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_context_options),
                "::",
                stringify!(log)
            )
        );
    }
    test_field_log();
    fn test_field_log_user_data() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_context_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).log_user_data) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_context_options),
                "::",
                stringify!(log_user_data)
            )
        );
    }
    test_field_log_user_data();
    fn test_field_log_destroy() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_context_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).log_destroy) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_context_options),
                "::",
                stringify!(log_destroy)
            )
        );
    }
    test_field_log_destroy();
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
#[test]
fn bindgen_test_layout_gls_setting_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_setting_info>(),
        48usize,
        concat!("Size of: ", stringify!(gls_setting_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_setting_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_setting_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_setting_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_setting_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_key() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_setting_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).key) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_setting_info),
                "::",
                stringify!(key)
            )
        );
    }
    test_field_key();
    fn test_field_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_setting_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).type_) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_setting_info),
                "::",
                stringify!(type_)
            )
        );
    }
    test_field_type();
    fn test_field_default_value() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_setting_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).default_value) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_setting_info),
                "::",
                stringify!(default_value)
            )
        );
    }
    test_field_default_value();
    fn test_field_env() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_setting_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).env) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_setting_info),
                "::",
                stringify!(env)
            )
        );
    }
    test_field_env();
    fn test_field_help() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_setting_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).help) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_setting_info),
                "::",
                stringify!(help)
            )
        );
    }
    test_field_help();
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
#[test]
fn bindgen_test_layout_gls_device_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_device_info>(),
        288usize,
        concat!("Size of: ", stringify!(gls_device_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_device_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_device_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_device_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_device_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_device_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_device_info),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_device_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bytes) as usize - ptr as usize
            },
            264usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_device_info),
                "::",
                stringify!(bytes)
            )
        );
    }
    test_field_bytes();
    fn test_field_free_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_device_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).free_bytes) as usize - ptr as usize
            },
            272usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_device_info),
                "::",
                stringify!(free_bytes)
            )
        );
    }
    test_field_free_bytes();
    fn test_field_major() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_device_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).major) as usize - ptr as usize
            },
            280usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_device_info),
                "::",
                stringify!(major)
            )
        );
    }
    test_field_major();
    fn test_field_minor() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_device_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).minor) as usize - ptr as usize
            },
            284usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_device_info),
                "::",
                stringify!(minor)
            )
        );
    }
    test_field_minor();
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
#[test]
fn bindgen_test_layout_gls_dataset_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_dataset_options>(),
        32usize,
        concat!("Size of: ", stringify!(gls_dataset_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_dataset_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_dataset_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_dataset_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_dataset_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_residency() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_dataset_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).residency) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_dataset_options),
                "::",
                stringify!(residency)
            )
        );
    }
    test_field_residency();
    fn test_field_verify_checksums() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_dataset_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).verify_checksums) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_dataset_options),
                "::",
                stringify!(verify_checksums)
            )
        );
    }
    test_field_verify_checksums();
    fn test_field_progress() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_dataset_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).progress) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_dataset_options),
                "::",
                stringify!(progress)
            )
        );
    }
    test_field_progress();
    fn test_field_progress_user_data() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_dataset_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).progress_user_data) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_dataset_options),
                "::",
                stringify!(progress_user_data)
            )
        );
    }
    test_field_progress_user_data();
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
#[test]
fn bindgen_test_layout_gls_node_type_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_node_type_info>(),
        48usize,
        concat!("Size of: ", stringify!(gls_node_type_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_node_type_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_node_type_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_node_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_node_type_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_node_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_node_type_info),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_num_nodes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_node_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_nodes) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_node_type_info),
                "::",
                stringify!(num_nodes)
            )
        );
    }
    test_field_num_nodes();
    fn test_field_num_columns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_node_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_columns) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_node_type_info),
                "::",
                stringify!(num_columns)
            )
        );
    }
    test_field_num_columns();
    fn test_field_num_id_sets() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_node_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_id_sets) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_node_type_info),
                "::",
                stringify!(num_id_sets)
            )
        );
    }
    test_field_num_id_sets();
    fn test_field_has_keys() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_node_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).has_keys) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_node_type_info),
                "::",
                stringify!(has_keys)
            )
        );
    }
    test_field_has_keys();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_node_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            44usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_node_type_info),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
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
#[test]
fn bindgen_test_layout_gls_edge_type_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_edge_type_info>(),
        64usize,
        concat!("Size of: ", stringify!(gls_edge_type_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_edge_type_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_edge_type_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_edge_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_edge_type_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_edge_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_edge_type_info),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_source() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_edge_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).source) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_edge_type_info),
                "::",
                stringify!(source)
            )
        );
    }
    test_field_source();
    fn test_field_relation() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_edge_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).relation) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_edge_type_info),
                "::",
                stringify!(relation)
            )
        );
    }
    test_field_relation();
    fn test_field_target() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_edge_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).target) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_edge_type_info),
                "::",
                stringify!(target)
            )
        );
    }
    test_field_target();
    fn test_field_num_edges() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_edge_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_edges) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_edge_type_info),
                "::",
                stringify!(num_edges)
            )
        );
    }
    test_field_num_edges();
    fn test_field_num_columns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_edge_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_columns) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_edge_type_info),
                "::",
                stringify!(num_columns)
            )
        );
    }
    test_field_num_columns();
    fn test_field_layouts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_edge_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).layouts) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_edge_type_info),
                "::",
                stringify!(layouts)
            )
        );
    }
    test_field_layouts();
    fn test_field_index_bits() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_edge_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).index_bits) as usize - ptr as usize
            },
            60usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_edge_type_info),
                "::",
                stringify!(index_bits)
            )
        );
    }
    test_field_index_bits();
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
}
#[test]
fn bindgen_test_layout_gls_column_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_column_info>(),
        64usize,
        concat!("Size of: ", stringify!(gls_column_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_column_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_column_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_column_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_column_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_column_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_column_info),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_role() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_column_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).role) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_column_info),
                "::",
                stringify!(role)
            )
        );
    }
    test_field_role();
    fn test_field_dtype() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_column_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dtype) as usize - ptr as usize
            },
            20usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_column_info),
                "::",
                stringify!(dtype)
            )
        );
    }
    test_field_dtype();
    fn test_field_ndim() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_column_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ndim) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_column_info),
                "::",
                stringify!(ndim)
            )
        );
    }
    test_field_ndim();
    fn test_field_shape() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_column_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).shape) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_column_info),
                "::",
                stringify!(shape)
            )
        );
    }
    test_field_shape();
    fn test_field_row_stride() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_column_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).row_stride) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_column_info),
                "::",
                stringify!(row_stride)
            )
        );
    }
    test_field_row_stride();
    fn test_field_bits() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_column_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bits) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_column_info),
                "::",
                stringify!(bits)
            )
        );
    }
    test_field_bits();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_column_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            52usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_column_info),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
    fn test_field_codebook() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_column_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).codebook) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_column_info),
                "::",
                stringify!(codebook)
            )
        );
    }
    test_field_codebook();
}
pub type gls_column_info_t = gls_column_info;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_id_set_info {
    pub struct_size: usize,
    pub name: *const ::std::os::raw::c_char,
    pub num_ids: i64,
}
#[test]
fn bindgen_test_layout_gls_id_set_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_id_set_info>(),
        24usize,
        concat!("Size of: ", stringify!(gls_id_set_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_id_set_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_id_set_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_id_set_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_id_set_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_id_set_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_id_set_info),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_num_ids() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_id_set_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_ids) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_id_set_info),
                "::",
                stringify!(num_ids)
            )
        );
    }
    test_field_num_ids();
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
#[test]
fn bindgen_test_layout_gls_verify_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_verify_options>(),
        24usize,
        concat!("Size of: ", stringify!(gls_verify_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_verify_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_verify_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_verify_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_verify_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_progress() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_verify_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).progress) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_verify_options),
                "::",
                stringify!(progress)
            )
        );
    }
    test_field_progress();
    fn test_field_progress_user_data() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_verify_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).progress_user_data) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_verify_options),
                "::",
                stringify!(progress_user_data)
            )
        );
    }
    test_field_progress_user_data();
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
#[test]
fn bindgen_test_layout_gls_write_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_write_options>(),
        48usize,
        concat!("Size of: ", stringify!(gls_write_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_write_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_write_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_write_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_write_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_memory() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_write_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).memory) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_write_options),
                "::",
                stringify!(memory)
            )
        );
    }
    test_field_memory();
    fn test_field_layouts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_write_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).layouts) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_write_options),
                "::",
                stringify!(layouts)
            )
        );
    }
    test_field_layouts();
    fn test_field_overwrite() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_write_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).overwrite) as usize - ptr as usize
            },
            20usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_write_options),
                "::",
                stringify!(overwrite)
            )
        );
    }
    test_field_overwrite();
    fn test_field_compact_rows() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_write_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).compact_rows) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_write_options),
                "::",
                stringify!(compact_rows)
            )
        );
    }
    test_field_compact_rows();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_write_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            28usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_write_options),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
    fn test_field_progress() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_write_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).progress) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_write_options),
                "::",
                stringify!(progress)
            )
        );
    }
    test_field_progress();
    fn test_field_progress_user_data() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_write_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).progress_user_data) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_write_options),
                "::",
                stringify!(progress_user_data)
            )
        );
    }
    test_field_progress_user_data();
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
#[test]
fn bindgen_test_layout_gls_link_split_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_link_split_options>(),
        48usize,
        concat!("Size of: ", stringify!(gls_link_split_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_link_split_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_link_split_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_link_split_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_link_split_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_seed() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_link_split_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).seed) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_link_split_options),
                "::",
                stringify!(seed)
            )
        );
    }
    test_field_seed();
    fn test_field_valid() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_link_split_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).valid) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_link_split_options),
                "::",
                stringify!(valid)
            )
        );
    }
    test_field_valid();
    fn test_field_test() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_link_split_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).test) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_link_split_options),
                "::",
                stringify!(test)
            )
        );
    }
    test_field_test();
    fn test_field_supervision() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_link_split_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).supervision) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_link_split_options),
                "::",
                stringify!(supervision)
            )
        );
    }
    test_field_supervision();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_link_split_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_link_split_options),
                "::",
                stringify!(flags)
            )
        );
    }
    test_field_flags();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_link_split_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            44usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_link_split_options),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
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
#[test]
fn bindgen_test_layout_gls_partition_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_partition_options>(),
        152usize,
        concat!("Size of: ", stringify!(gls_partition_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_partition_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_partition_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_method() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).method) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(method)
            )
        );
    }
    test_field_method();
    fn test_field_parts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).parts) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(parts)
            )
        );
    }
    test_field_parts();
    fn test_field_seed() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).seed) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(seed)
            )
        );
    }
    test_field_seed();
    fn test_field_balance_sets() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).balance_sets) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(balance_sets)
            )
        );
    }
    test_field_balance_sets();
    fn test_field_num_balance_sets() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_balance_sets) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(num_balance_sets)
            )
        );
    }
    test_field_num_balance_sets();
    fn test_field_imbalance() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).imbalance) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(imbalance)
            )
        );
    }
    test_field_imbalance();
    fn test_field_balance_edges() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).balance_edges) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(balance_edges)
            )
        );
    }
    test_field_balance_edges();
    fn test_field_halo_hops() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).halo_hops) as usize - ptr as usize
            },
            52usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(halo_hops)
            )
        );
    }
    test_field_halo_hops();
    fn test_field_hot_rows() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).hot_rows) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(hot_rows)
            )
        );
    }
    test_field_hot_rows();
    fn test_field_hot_fraction() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).hot_fraction) as usize - ptr as usize
            },
            64usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(hot_fraction)
            )
        );
    }
    test_field_hot_fraction();
    fn test_field_owners() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).owners) as usize - ptr as usize
            },
            72usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(owners)
            )
        );
    }
    test_field_owners();
    fn test_field_num_owners() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_owners) as usize - ptr as usize
            },
            80usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(num_owners)
            )
        );
    }
    test_field_num_owners();
    fn test_field_owners_file() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).owners_file) as usize - ptr as usize
            },
            88usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(owners_file)
            )
        );
    }
    test_field_owners_file();
    fn test_field_overwrite() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).overwrite) as usize - ptr as usize
            },
            96usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(overwrite)
            )
        );
    }
    test_field_overwrite();
    fn test_field_compact_rows() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).compact_rows) as usize - ptr as usize
            },
            100usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(compact_rows)
            )
        );
    }
    test_field_compact_rows();
    fn test_field_progress() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).progress) as usize - ptr as usize
            },
            104usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(progress)
            )
        );
    }
    test_field_progress();
    fn test_field_progress_user_data() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).progress_user_data) as usize - ptr as usize
            },
            112usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(progress_user_data)
            )
        );
    }
    test_field_progress_user_data();
    fn test_field_hot_id_set() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).hot_id_set) as usize - ptr as usize
            },
            120usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(hot_id_set)
            )
        );
    }
    test_field_hot_id_set();
    fn test_field_hot_fanouts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).hot_fanouts) as usize - ptr as usize
            },
            128usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(hot_fanouts)
            )
        );
    }
    test_field_hot_fanouts();
    fn test_field_num_hot_fanouts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_hot_fanouts) as usize - ptr as usize
            },
            136usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(num_hot_fanouts)
            )
        );
    }
    test_field_num_hot_fanouts();
    fn test_field_hot_max_seeds() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).hot_max_seeds) as usize - ptr as usize
            },
            144usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_options),
                "::",
                stringify!(hot_max_seeds)
            )
        );
    }
    test_field_hot_max_seeds();
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
#[test]
fn bindgen_test_layout_gls_part_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_part_info>(),
        24usize,
        concat!("Size of: ", stringify!(gls_part_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_part_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_part_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_part_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_part_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_number() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_part_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).number) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_part_info),
                "::",
                stringify!(number)
            )
        );
    }
    test_field_number();
    fn test_field_parts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_part_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).parts) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_part_info),
                "::",
                stringify!(parts)
            )
        );
    }
    test_field_parts();
    fn test_field_graph() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_part_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).graph) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_part_info),
                "::",
                stringify!(graph)
            )
        );
    }
    test_field_graph();
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
#[test]
fn bindgen_test_layout_gls_partition_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_partition_info>(),
        56usize,
        concat!("Size of: ", stringify!(gls_partition_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_partition_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_partition_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_parts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).parts) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_info),
                "::",
                stringify!(parts)
            )
        );
    }
    test_field_parts();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_info),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
    fn test_field_graph() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).graph) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_info),
                "::",
                stringify!(graph)
            )
        );
    }
    test_field_graph();
    fn test_field_method() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).method) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_info),
                "::",
                stringify!(method)
            )
        );
    }
    test_field_method();
    fn test_field_options() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).options) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_info),
                "::",
                stringify!(options)
            )
        );
    }
    test_field_options();
    fn test_field_num_node_types() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_node_types) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_info),
                "::",
                stringify!(num_node_types)
            )
        );
    }
    test_field_num_node_types();
    fn test_field_num_edge_types() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_edge_types) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_info),
                "::",
                stringify!(num_edge_types)
            )
        );
    }
    test_field_num_edge_types();
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
#[test]
fn bindgen_test_layout_gls_partition_type_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_partition_type_info>(),
        40usize,
        concat!("Size of: ", stringify!(gls_partition_type_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_partition_type_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_partition_type_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_type_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_type_info),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_source() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).source) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_type_info),
                "::",
                stringify!(source)
            )
        );
    }
    test_field_source();
    fn test_field_target() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).target) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_type_info),
                "::",
                stringify!(target)
            )
        );
    }
    test_field_target();
    fn test_field_count() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_partition_type_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).count) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_partition_type_info),
                "::",
                stringify!(count)
            )
        );
    }
    test_field_count();
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
#[test]
fn bindgen_test_layout_gls_node_type_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_node_type_options>(),
        24usize,
        concat!("Size of: ", stringify!(gls_node_type_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_node_type_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_node_type_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_node_type_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_node_type_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_num_nodes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_node_type_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_nodes) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_node_type_options),
                "::",
                stringify!(num_nodes)
            )
        );
    }
    test_field_num_nodes();
    fn test_field_ids() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_node_type_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ids) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_node_type_options),
                "::",
                stringify!(ids)
            )
        );
    }
    test_field_ids();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_node_type_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            20usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_node_type_options),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
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
#[test]
fn bindgen_test_layout_gls_edge_type_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_edge_type_options>(),
        16usize,
        concat!("Size of: ", stringify!(gls_edge_type_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_edge_type_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_edge_type_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_edge_type_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_edge_type_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_edge_type_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_edge_type_options),
                "::",
                stringify!(flags)
            )
        );
    }
    test_field_flags();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_edge_type_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_edge_type_options),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
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
#[test]
fn bindgen_test_layout_gls_text_column() {
    assert_eq!(
        ::std::mem::size_of::<gls_text_column>(),
        32usize,
        concat!("Size of: ", stringify!(gls_text_column))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_text_column>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_text_column))
    );
    fn test_field_field() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_column>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).field) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_column),
                "::",
                stringify!(field)
            )
        );
    }
    test_field_field();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_column>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_column),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_dtype() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_column>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dtype) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_column),
                "::",
                stringify!(dtype)
            )
        );
    }
    test_field_dtype();
    fn test_field_role() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_column>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).role) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_column),
                "::",
                stringify!(role)
            )
        );
    }
    test_field_role();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_column>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            28usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_column),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
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
#[test]
fn bindgen_test_layout_gls_text_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_text_options>(),
        56usize,
        concat!("Size of: ", stringify!(gls_text_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_text_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_text_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_delimiter() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).delimiter) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_options),
                "::",
                stringify!(delimiter)
            )
        );
    }
    test_field_delimiter();
    fn test_field_comment() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).comment) as usize - ptr as usize
            },
            9usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_options),
                "::",
                stringify!(comment)
            )
        );
    }
    test_field_comment();
    fn test_field_reserved0() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved0) as usize - ptr as usize
            },
            10usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_options),
                "::",
                stringify!(reserved0)
            )
        );
    }
    test_field_reserved0();
    fn test_field_header() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).header) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_options),
                "::",
                stringify!(header)
            )
        );
    }
    test_field_header();
    fn test_field_source_field() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).source_field) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_options),
                "::",
                stringify!(source_field)
            )
        );
    }
    test_field_source_field();
    fn test_field_target_field() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).target_field) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_options),
                "::",
                stringify!(target_field)
            )
        );
    }
    test_field_target_field();
    fn test_field_columns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).columns) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_options),
                "::",
                stringify!(columns)
            )
        );
    }
    test_field_columns();
    fn test_field_num_columns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_columns) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_options),
                "::",
                stringify!(num_columns)
            )
        );
    }
    test_field_num_columns();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_options),
                "::",
                stringify!(flags)
            )
        );
    }
    test_field_flags();
    fn test_field_encoding() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_text_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).encoding) as usize - ptr as usize
            },
            52usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_text_options),
                "::",
                stringify!(encoding)
            )
        );
    }
    test_field_encoding();
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
    pub fn gls_builder_add_planetoid(
        builder: *mut gls_builder_t,
        folder: *const ::std::os::raw::c_char,
        name: *const ::std::os::raw::c_char,
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
#[test]
fn bindgen_test_layout_gls_quantization_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_quantization_options>(),
        56usize,
        concat!("Size of: ", stringify!(gls_quantization_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_quantization_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_quantization_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_quantization_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_quantization_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_bits() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_quantization_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bits) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_quantization_options),
                "::",
                stringify!(bits)
            )
        );
    }
    test_field_bits();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_quantization_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_quantization_options),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
    fn test_field_width() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_quantization_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).width) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_quantization_options),
                "::",
                stringify!(width)
            )
        );
    }
    test_field_width();
    fn test_field_codebook() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_quantization_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).codebook) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_quantization_options),
                "::",
                stringify!(codebook)
            )
        );
    }
    test_field_codebook();
    fn test_field_num_codebook() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_quantization_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_codebook) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_quantization_options),
                "::",
                stringify!(num_codebook)
            )
        );
    }
    test_field_num_codebook();
    fn test_field_low() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_quantization_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).low) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_quantization_options),
                "::",
                stringify!(low)
            )
        );
    }
    test_field_low();
    fn test_field_high() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_quantization_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).high) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_quantization_options),
                "::",
                stringify!(high)
            )
        );
    }
    test_field_high();
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
#[test]
fn bindgen_test_layout_gls_batch_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_batch_info>(),
        64usize,
        concat!("Size of: ", stringify!(gls_batch_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_batch_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_batch_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_batch_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_batch_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_epoch() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_batch_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).epoch) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_batch_info),
                "::",
                stringify!(epoch)
            )
        );
    }
    test_field_epoch();
    fn test_field_batch() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_batch_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).batch) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_batch_info),
                "::",
                stringify!(batch)
            )
        );
    }
    test_field_batch();
    fn test_field_num_hops() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_batch_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_hops) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_batch_info),
                "::",
                stringify!(num_hops)
            )
        );
    }
    test_field_num_hops();
    fn test_field_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_batch_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bytes) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_batch_info),
                "::",
                stringify!(bytes)
            )
        );
    }
    test_field_bytes();
    fn test_field_sample_ns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_batch_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).sample_ns) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_batch_info),
                "::",
                stringify!(sample_ns)
            )
        );
    }
    test_field_sample_ns();
    fn test_field_gather_ns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_batch_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).gather_ns) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_batch_info),
                "::",
                stringify!(gather_ns)
            )
        );
    }
    test_field_gather_ns();
    fn test_field_padding() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_batch_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).padding) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_batch_info),
                "::",
                stringify!(padding)
            )
        );
    }
    test_field_padding();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_batch_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            60usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_batch_info),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
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
#[test]
fn bindgen_test_layout_gls_array_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_array_info>(),
        32usize,
        concat!("Size of: ", stringify!(gls_array_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_array_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_array_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_array_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_array_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_array() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_array_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).array) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_array_info),
                "::",
                stringify!(array)
            )
        );
    }
    test_field_array();
    fn test_field_rows() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_array_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rows) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_array_info),
                "::",
                stringify!(rows)
            )
        );
    }
    test_field_rows();
    fn test_field_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_array_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).type_) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_array_info),
                "::",
                stringify!(type_)
            )
        );
    }
    test_field_type();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_array_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_array_info),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
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
#[test]
fn bindgen_test_layout_gls_negative_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_negative_options>(),
        56usize,
        concat!("Size of: ", stringify!(gls_negative_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_negative_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_negative_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_negative_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_negative_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_mode() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_negative_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).mode) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_negative_options),
                "::",
                stringify!(mode)
            )
        );
    }
    test_field_mode();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_negative_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_negative_options),
                "::",
                stringify!(flags)
            )
        );
    }
    test_field_flags();
    fn test_field_amount() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_negative_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).amount) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_negative_options),
                "::",
                stringify!(amount)
            )
        );
    }
    test_field_amount();
    fn test_field_degree_power() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_negative_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).degree_power) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_negative_options),
                "::",
                stringify!(degree_power)
            )
        );
    }
    test_field_degree_power();
    fn test_field_source_weight() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_negative_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).source_weight) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_negative_options),
                "::",
                stringify!(source_weight)
            )
        );
    }
    test_field_source_weight();
    fn test_field_target_weight() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_negative_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).target_weight) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_negative_options),
                "::",
                stringify!(target_weight)
            )
        );
    }
    test_field_target_weight();
    fn test_field_tries() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_negative_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).tries) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_negative_options),
                "::",
                stringify!(tries)
            )
        );
    }
    test_field_tries();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_negative_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            52usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_negative_options),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
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
#[test]
fn bindgen_test_layout_gls_walk_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_walk_options>(),
        64usize,
        concat!("Size of: ", stringify!(gls_walk_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_walk_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_walk_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_walk_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_walk_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_length() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_walk_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).length) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_walk_options),
                "::",
                stringify!(length)
            )
        );
    }
    test_field_length();
    fn test_field_walks() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_walk_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).walks) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_walk_options),
                "::",
                stringify!(walks)
            )
        );
    }
    test_field_walks();
    fn test_field_p() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_walk_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).p) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_walk_options),
                "::",
                stringify!(p)
            )
        );
    }
    test_field_p();
    fn test_field_q() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_walk_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).q) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_walk_options),
                "::",
                stringify!(q)
            )
        );
    }
    test_field_q();
    fn test_field_restart() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_walk_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).restart) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_walk_options),
                "::",
                stringify!(restart)
            )
        );
    }
    test_field_restart();
    fn test_field_stop() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_walk_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).stop) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_walk_options),
                "::",
                stringify!(stop)
            )
        );
    }
    test_field_stop();
    fn test_field_path() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_walk_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).path) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_walk_options),
                "::",
                stringify!(path)
            )
        );
    }
    test_field_path();
    fn test_field_path_length() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_walk_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).path_length) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_walk_options),
                "::",
                stringify!(path_length)
            )
        );
    }
    test_field_path_length();
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
#[test]
fn bindgen_test_layout_gls_importance_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_importance_options>(),
        48usize,
        concat!("Size of: ", stringify!(gls_importance_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_importance_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_importance_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_importance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_importance_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_neighbors() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_importance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).neighbors) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_importance_options),
                "::",
                stringify!(neighbors)
            )
        );
    }
    test_field_neighbors();
    fn test_field_walks() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_importance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).walks) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_importance_options),
                "::",
                stringify!(walks)
            )
        );
    }
    test_field_walks();
    fn test_field_traversals() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_importance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).traversals) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_importance_options),
                "::",
                stringify!(traversals)
            )
        );
    }
    test_field_traversals();
    fn test_field_hops() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_importance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).hops) as usize - ptr as usize
            },
            20usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_importance_options),
                "::",
                stringify!(hops)
            )
        );
    }
    test_field_hops();
    fn test_field_stop() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_importance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).stop) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_importance_options),
                "::",
                stringify!(stop)
            )
        );
    }
    test_field_stop();
    fn test_field_path() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_importance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).path) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_importance_options),
                "::",
                stringify!(path)
            )
        );
    }
    test_field_path();
    fn test_field_path_length() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_importance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).path_length) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_importance_options),
                "::",
                stringify!(path_length)
            )
        );
    }
    test_field_path_length();
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
#[test]
fn bindgen_test_layout_gls_ppr_channel() {
    assert_eq!(
        ::std::mem::size_of::<gls_ppr_channel>(),
        32usize,
        concat!("Size of: ", stringify!(gls_ppr_channel))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_ppr_channel>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_ppr_channel))
    );
    fn test_field_edge_types() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_channel>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edge_types) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_channel),
                "::",
                stringify!(edge_types)
            )
        );
    }
    test_field_edge_types();
    fn test_field_num_edge_types() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_channel>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_edge_types) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_channel),
                "::",
                stringify!(num_edge_types)
            )
        );
    }
    test_field_num_edge_types();
    fn test_field_share() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_channel>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).share) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_channel),
                "::",
                stringify!(share)
            )
        );
    }
    test_field_share();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_channel>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_channel),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
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
#[test]
fn bindgen_test_layout_gls_ppr_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_ppr_options>(),
        80usize,
        concat!("Size of: ", stringify!(gls_ppr_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_ppr_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_ppr_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_neighbors() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).neighbors) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_options),
                "::",
                stringify!(neighbors)
            )
        );
    }
    test_field_neighbors();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_options),
                "::",
                stringify!(flags)
            )
        );
    }
    test_field_flags();
    fn test_field_alpha() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).alpha) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_options),
                "::",
                stringify!(alpha)
            )
        );
    }
    test_field_alpha();
    fn test_field_epsilon() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).epsilon) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_options),
                "::",
                stringify!(epsilon)
            )
        );
    }
    test_field_epsilon();
    fn test_field_max_edges() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).max_edges) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_options),
                "::",
                stringify!(max_edges)
            )
        );
    }
    test_field_max_edges();
    fn test_field_row_limit() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).row_limit) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_options),
                "::",
                stringify!(row_limit)
            )
        );
    }
    test_field_row_limit();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            44usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_options),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
    fn test_field_edge_types() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edge_types) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_options),
                "::",
                stringify!(edge_types)
            )
        );
    }
    test_field_edge_types();
    fn test_field_num_edge_types() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_edge_types) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_options),
                "::",
                stringify!(num_edge_types)
            )
        );
    }
    test_field_num_edge_types();
    fn test_field_channels() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).channels) as usize - ptr as usize
            },
            64usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_options),
                "::",
                stringify!(channels)
            )
        );
    }
    test_field_channels();
    fn test_field_num_channels() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_ppr_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_channels) as usize - ptr as usize
            },
            72usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_ppr_options),
                "::",
                stringify!(num_channels)
            )
        );
    }
    test_field_num_channels();
}
pub type gls_ppr_options_t = gls_ppr_options;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_node_samples {
    pub node_type: *const ::std::os::raw::c_char,
    pub per_hop: *const i64,
    pub num_hops: usize,
}
#[test]
fn bindgen_test_layout_gls_node_samples() {
    assert_eq!(
        ::std::mem::size_of::<gls_node_samples>(),
        24usize,
        concat!("Size of: ", stringify!(gls_node_samples))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_node_samples>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_node_samples))
    );
    fn test_field_node_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_node_samples>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).node_type) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_node_samples),
                "::",
                stringify!(node_type)
            )
        );
    }
    test_field_node_type();
    fn test_field_per_hop() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_node_samples>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).per_hop) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_node_samples),
                "::",
                stringify!(per_hop)
            )
        );
    }
    test_field_per_hop();
    fn test_field_num_hops() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_node_samples>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_hops) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_node_samples),
                "::",
                stringify!(num_hops)
            )
        );
    }
    test_field_num_hops();
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
#[test]
fn bindgen_test_layout_gls_hgt_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_hgt_options>(),
        32usize,
        concat!("Size of: ", stringify!(gls_hgt_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_hgt_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_hgt_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_hgt_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_hgt_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_samples() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_hgt_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).samples) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_hgt_options),
                "::",
                stringify!(samples)
            )
        );
    }
    test_field_samples();
    fn test_field_num_samples() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_hgt_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_samples) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_hgt_options),
                "::",
                stringify!(num_samples)
            )
        );
    }
    test_field_num_samples();
    fn test_field_most_neighbors() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_hgt_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).most_neighbors) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_hgt_options),
                "::",
                stringify!(most_neighbors)
            )
        );
    }
    test_field_most_neighbors();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_hgt_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            28usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_hgt_options),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
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
#[test]
fn bindgen_test_layout_gls_fanout() {
    assert_eq!(
        ::std::mem::size_of::<gls_fanout>(),
        24usize,
        concat!("Size of: ", stringify!(gls_fanout))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_fanout>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_fanout))
    );
    fn test_field_edge_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_fanout>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edge_type) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_fanout),
                "::",
                stringify!(edge_type)
            )
        );
    }
    test_field_edge_type();
    fn test_field_per_hop() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_fanout>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).per_hop) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_fanout),
                "::",
                stringify!(per_hop)
            )
        );
    }
    test_field_per_hop();
    fn test_field_num_hops() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_fanout>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_hops) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_fanout),
                "::",
                stringify!(num_hops)
            )
        );
    }
    test_field_num_hops();
}
pub type gls_fanout_t = gls_fanout;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_edge_set {
    pub edge_type: *const ::std::os::raw::c_char,
    pub edges: *const DLTensor,
}
#[test]
fn bindgen_test_layout_gls_edge_set() {
    assert_eq!(
        ::std::mem::size_of::<gls_edge_set>(),
        16usize,
        concat!("Size of: ", stringify!(gls_edge_set))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_edge_set>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_edge_set))
    );
    fn test_field_edge_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_edge_set>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edge_type) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_edge_set),
                "::",
                stringify!(edge_type)
            )
        );
    }
    test_field_edge_type();
    fn test_field_edges() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_edge_set>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edges) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_edge_set),
                "::",
                stringify!(edges)
            )
        );
    }
    test_field_edges();
}
pub type gls_edge_set_t = gls_edge_set;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_type_pair {
    pub edge_type: *const ::std::os::raw::c_char,
    pub reverse_type: *const ::std::os::raw::c_char,
}
#[test]
fn bindgen_test_layout_gls_type_pair() {
    assert_eq!(
        ::std::mem::size_of::<gls_type_pair>(),
        16usize,
        concat!("Size of: ", stringify!(gls_type_pair))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_type_pair>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_type_pair))
    );
    fn test_field_edge_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_type_pair>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edge_type) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_type_pair),
                "::",
                stringify!(edge_type)
            )
        );
    }
    test_field_edge_type();
    fn test_field_reverse_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_type_pair>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reverse_type) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_type_pair),
                "::",
                stringify!(reverse_type)
            )
        );
    }
    test_field_reverse_type();
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
#[test]
fn bindgen_test_layout_gls_supervision() {
    assert_eq!(
        ::std::mem::size_of::<gls_supervision>(),
        40usize,
        concat!("Size of: ", stringify!(gls_supervision))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_supervision>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_supervision))
    );
    fn test_field_edge_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_supervision>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edge_type) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_supervision),
                "::",
                stringify!(edge_type)
            )
        );
    }
    test_field_edge_type();
    fn test_field_node_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_supervision>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).node_type) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_supervision),
                "::",
                stringify!(node_type)
            )
        );
    }
    test_field_node_type();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_supervision>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_supervision),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_role() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_supervision>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).role) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_supervision),
                "::",
                stringify!(role)
            )
        );
    }
    test_field_role();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_supervision>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            28usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_supervision),
                "::",
                stringify!(flags)
            )
        );
    }
    test_field_flags();
    fn test_field_max_labels() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_supervision>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).max_labels) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_supervision),
                "::",
                stringify!(max_labels)
            )
        );
    }
    test_field_max_labels();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_supervision>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            36usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_supervision),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
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
#[test]
fn bindgen_test_layout_gls_sampler_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_sampler_options>(),
        208usize,
        concat!("Size of: ", stringify!(gls_sampler_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_sampler_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_sampler_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_kind() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).kind) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(kind)
            )
        );
    }
    test_field_kind();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(flags)
            )
        );
    }
    test_field_flags();
    fn test_field_seed() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).seed) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(seed)
            )
        );
    }
    test_field_seed();
    fn test_field_fanouts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).fanouts) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(fanouts)
            )
        );
    }
    test_field_fanouts();
    fn test_field_num_fanouts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_fanouts) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(num_fanouts)
            )
        );
    }
    test_field_num_fanouts();
    fn test_field_direction() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).direction) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(direction)
            )
        );
    }
    test_field_direction();
    fn test_field_replace() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).replace) as usize - ptr as usize
            },
            44usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(replace)
            )
        );
    }
    test_field_replace();
    fn test_field_weight() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).weight) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(weight)
            )
        );
    }
    test_field_weight();
    fn test_field_exclude() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).exclude) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(exclude)
            )
        );
    }
    test_field_exclude();
    fn test_field_num_exclude() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_exclude) as usize - ptr as usize
            },
            64usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(num_exclude)
            )
        );
    }
    test_field_num_exclude();
    fn test_field_exclude_mode() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).exclude_mode) as usize - ptr as usize
            },
            72usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(exclude_mode)
            )
        );
    }
    test_field_exclude_mode();
    fn test_field_contract() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).contract) as usize - ptr as usize
            },
            76usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(contract)
            )
        );
    }
    test_field_contract();
    fn test_field_reverse_column() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reverse_column) as usize - ptr as usize
            },
            80usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(reverse_column)
            )
        );
    }
    test_field_reverse_column();
    fn test_field_reverse_types() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reverse_types) as usize - ptr as usize
            },
            88usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(reverse_types)
            )
        );
    }
    test_field_reverse_types();
    fn test_field_num_reverse_types() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_reverse_types) as usize - ptr as usize
            },
            96usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(num_reverse_types)
            )
        );
    }
    test_field_num_reverse_types();
    fn test_field_node_time() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).node_time) as usize - ptr as usize
            },
            104usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(node_time)
            )
        );
    }
    test_field_node_time();
    fn test_field_edge_time() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edge_time) as usize - ptr as usize
            },
            112usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(edge_time)
            )
        );
    }
    test_field_edge_time();
    fn test_field_time_window() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).time_window) as usize - ptr as usize
            },
            120usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(time_window)
            )
        );
    }
    test_field_time_window();
    fn test_field_time_strategy() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).time_strategy) as usize - ptr as usize
            },
            128usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(time_strategy)
            )
        );
    }
    test_field_time_strategy();
    fn test_field_subgraph() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).subgraph) as usize - ptr as usize
            },
            132usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(subgraph)
            )
        );
    }
    test_field_subgraph();
    fn test_field_negatives() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).negatives) as usize - ptr as usize
            },
            136usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(negatives)
            )
        );
    }
    test_field_negatives();
    fn test_field_walk() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).walk) as usize - ptr as usize
            },
            144usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(walk)
            )
        );
    }
    test_field_walk();
    fn test_field_pick() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).pick) as usize - ptr as usize
            },
            152usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(pick)
            )
        );
    }
    test_field_pick();
    fn test_field_batch_dependency() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).batch_dependency) as usize - ptr as usize
            },
            156usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(batch_dependency)
            )
        );
    }
    test_field_batch_dependency();
    fn test_field_supervisions() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).supervisions) as usize - ptr as usize
            },
            160usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(supervisions)
            )
        );
    }
    test_field_supervisions();
    fn test_field_num_supervisions() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_supervisions) as usize - ptr as usize
            },
            168usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(num_supervisions)
            )
        );
    }
    test_field_num_supervisions();
    fn test_field_importance() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).importance) as usize - ptr as usize
            },
            176usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(importance)
            )
        );
    }
    test_field_importance();
    fn test_field_ppr() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ppr) as usize - ptr as usize
            },
            184usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(ppr)
            )
        );
    }
    test_field_ppr();
    fn test_field_hgt() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).hgt) as usize - ptr as usize
            },
            192usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(hgt)
            )
        );
    }
    test_field_hgt();
    fn test_field_device() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sampler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).device) as usize - ptr as usize
            },
            200usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sampler_options),
                "::",
                stringify!(device)
            )
        );
    }
    test_field_device();
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
#[test]
fn bindgen_test_layout_gls_seed_set() {
    assert_eq!(
        ::std::mem::size_of::<gls_seed_set>(),
        16usize,
        concat!("Size of: ", stringify!(gls_seed_set))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_seed_set>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_seed_set))
    );
    fn test_field_node_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_seed_set>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).node_type) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_seed_set),
                "::",
                stringify!(node_type)
            )
        );
    }
    test_field_node_type();
    fn test_field_ids() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_seed_set>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ids) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_seed_set),
                "::",
                stringify!(ids)
            )
        );
    }
    test_field_ids();
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
#[test]
fn bindgen_test_layout_gls_link_set() {
    assert_eq!(
        ::std::mem::size_of::<gls_link_set>(),
        40usize,
        concat!("Size of: ", stringify!(gls_link_set))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_link_set>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_link_set))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_link_set>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_link_set),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_edge_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_link_set>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edge_type) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_link_set),
                "::",
                stringify!(edge_type)
            )
        );
    }
    test_field_edge_type();
    fn test_field_links() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_link_set>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).links) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_link_set),
                "::",
                stringify!(links)
            )
        );
    }
    test_field_links();
    fn test_field_times() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_link_set>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).times) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_link_set),
                "::",
                stringify!(times)
            )
        );
    }
    test_field_times();
    fn test_field_labels() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_link_set>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).labels) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_link_set),
                "::",
                stringify!(labels)
            )
        );
    }
    test_field_labels();
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
#[test]
fn bindgen_test_layout_gls_sample_request() {
    assert_eq!(
        ::std::mem::size_of::<gls_sample_request>(),
        88usize,
        concat!("Size of: ", stringify!(gls_sample_request))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_sample_request>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_sample_request))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sample_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sample_request),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_seeds() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sample_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).seeds) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sample_request),
                "::",
                stringify!(seeds)
            )
        );
    }
    test_field_seeds();
    fn test_field_num_seeds() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sample_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_seeds) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sample_request),
                "::",
                stringify!(num_seeds)
            )
        );
    }
    test_field_num_seeds();
    fn test_field_epoch() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sample_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).epoch) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sample_request),
                "::",
                stringify!(epoch)
            )
        );
    }
    test_field_epoch();
    fn test_field_batch() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sample_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).batch) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sample_request),
                "::",
                stringify!(batch)
            )
        );
    }
    test_field_batch();
    fn test_field_exclude() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sample_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).exclude) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sample_request),
                "::",
                stringify!(exclude)
            )
        );
    }
    test_field_exclude();
    fn test_field_num_exclude() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sample_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_exclude) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sample_request),
                "::",
                stringify!(num_exclude)
            )
        );
    }
    test_field_num_exclude();
    fn test_field_times() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sample_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).times) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sample_request),
                "::",
                stringify!(times)
            )
        );
    }
    test_field_times();
    fn test_field_links() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sample_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).links) as usize - ptr as usize
            },
            64usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sample_request),
                "::",
                stringify!(links)
            )
        );
    }
    test_field_links();
    fn test_field_labels() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sample_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).labels) as usize - ptr as usize
            },
            72usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sample_request),
                "::",
                stringify!(labels)
            )
        );
    }
    test_field_labels();
    fn test_field_num_labels() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_sample_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_labels) as usize - ptr as usize
            },
            80usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_sample_request),
                "::",
                stringify!(num_labels)
            )
        );
    }
    test_field_num_labels();
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
#[test]
fn bindgen_test_layout_gls_column_request() {
    assert_eq!(
        ::std::mem::size_of::<gls_column_request>(),
        24usize,
        concat!("Size of: ", stringify!(gls_column_request))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_column_request>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_column_request))
    );
    fn test_field_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_column_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).type_) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_column_request),
                "::",
                stringify!(type_)
            )
        );
    }
    test_field_type();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_column_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_column_request),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_rows() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_column_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rows) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_column_request),
                "::",
                stringify!(rows)
            )
        );
    }
    test_field_rows();
    fn test_field_dtype() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_column_request>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dtype) as usize - ptr as usize
            },
            20usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_column_request),
                "::",
                stringify!(dtype)
            )
        );
    }
    test_field_dtype();
}
pub type gls_column_request_t = gls_column_request;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct gls_pad_size {
    pub type_: *const ::std::os::raw::c_char,
    pub rows: i64,
}
#[test]
fn bindgen_test_layout_gls_pad_size() {
    assert_eq!(
        ::std::mem::size_of::<gls_pad_size>(),
        16usize,
        concat!("Size of: ", stringify!(gls_pad_size))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_pad_size>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_pad_size))
    );
    fn test_field_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_pad_size>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).type_) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_pad_size),
                "::",
                stringify!(type_)
            )
        );
    }
    test_field_type();
    fn test_field_rows() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_pad_size>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rows) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_pad_size),
                "::",
                stringify!(rows)
            )
        );
    }
    test_field_rows();
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
#[test]
fn bindgen_test_layout_gls_pad_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_pad_options>(),
        40usize,
        concat!("Size of: ", stringify!(gls_pad_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_pad_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_pad_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_pad_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_pad_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_sizes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_pad_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).sizes) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_pad_options),
                "::",
                stringify!(sizes)
            )
        );
    }
    test_field_sizes();
    fn test_field_num_sizes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_pad_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_sizes) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_pad_options),
                "::",
                stringify!(num_sizes)
            )
        );
    }
    test_field_num_sizes();
    fn test_field_batches() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_pad_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).batches) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_pad_options),
                "::",
                stringify!(batches)
            )
        );
    }
    test_field_batches();
    fn test_field_multiple() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_pad_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).multiple) as usize - ptr as usize
            },
            28usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_pad_options),
                "::",
                stringify!(multiple)
            )
        );
    }
    test_field_multiple();
    fn test_field_sigma() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_pad_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).sigma) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_pad_options),
                "::",
                stringify!(sigma)
            )
        );
    }
    test_field_sigma();
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
#[test]
fn bindgen_test_layout_gls_loader_seeds() {
    assert_eq!(
        ::std::mem::size_of::<gls_loader_seeds>(),
        48usize,
        concat!("Size of: ", stringify!(gls_loader_seeds))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_loader_seeds>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_loader_seeds))
    );
    fn test_field_node_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_seeds>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).node_type) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_seeds),
                "::",
                stringify!(node_type)
            )
        );
    }
    test_field_node_type();
    fn test_field_edge_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_seeds>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edge_type) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_seeds),
                "::",
                stringify!(edge_type)
            )
        );
    }
    test_field_edge_type();
    fn test_field_id_set() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_seeds>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).id_set) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_seeds),
                "::",
                stringify!(id_set)
            )
        );
    }
    test_field_id_set();
    fn test_field_ids() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_seeds>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ids) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_seeds),
                "::",
                stringify!(ids)
            )
        );
    }
    test_field_ids();
    fn test_field_times() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_seeds>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).times) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_seeds),
                "::",
                stringify!(times)
            )
        );
    }
    test_field_times();
    fn test_field_labels() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_seeds>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).labels) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_seeds),
                "::",
                stringify!(labels)
            )
        );
    }
    test_field_labels();
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
#[test]
fn bindgen_test_layout_gls_loader_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_loader_options>(),
        224usize,
        concat!("Size of: ", stringify!(gls_loader_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_loader_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_loader_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_node_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).node_type) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(node_type)
            )
        );
    }
    test_field_node_type();
    fn test_field_id_set() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).id_set) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(id_set)
            )
        );
    }
    test_field_id_set();
    fn test_field_batch_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).batch_size) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(batch_size)
            )
        );
    }
    test_field_batch_size();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            28usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(flags)
            )
        );
    }
    test_field_flags();
    fn test_field_rank() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rank) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(rank)
            )
        );
    }
    test_field_rank();
    fn test_field_world_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).world_size) as usize - ptr as usize
            },
            36usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(world_size)
            )
        );
    }
    test_field_world_size();
    fn test_field_even() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).even) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(even)
            )
        );
    }
    test_field_even();
    fn test_field_num_workers() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_workers) as usize - ptr as usize
            },
            44usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(num_workers)
            )
        );
    }
    test_field_num_workers();
    fn test_field_prefetch() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).prefetch) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(prefetch)
            )
        );
    }
    test_field_prefetch();
    fn test_field_reserved0() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved0) as usize - ptr as usize
            },
            52usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(reserved0)
            )
        );
    }
    test_field_reserved0();
    fn test_field_prefetch_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).prefetch_bytes) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(prefetch_bytes)
            )
        );
    }
    test_field_prefetch_bytes();
    fn test_field_columns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).columns) as usize - ptr as usize
            },
            64usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(columns)
            )
        );
    }
    test_field_columns();
    fn test_field_num_columns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_columns) as usize - ptr as usize
            },
            72usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(num_columns)
            )
        );
    }
    test_field_num_columns();
    fn test_field_device() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).device) as usize - ptr as usize
            },
            80usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(device)
            )
        );
    }
    test_field_device();
    fn test_field_times() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).times) as usize - ptr as usize
            },
            88usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(times)
            )
        );
    }
    test_field_times();
    fn test_field_edge_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edge_type) as usize - ptr as usize
            },
            96usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(edge_type)
            )
        );
    }
    test_field_edge_type();
    fn test_field_labels() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).labels) as usize - ptr as usize
            },
            104usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(labels)
            )
        );
    }
    test_field_labels();
    fn test_field_pad() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).pad) as usize - ptr as usize
            },
            112usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(pad)
            )
        );
    }
    test_field_pad();
    fn test_field_transform() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).transform) as usize - ptr as usize
            },
            120usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(transform)
            )
        );
    }
    test_field_transform();
    fn test_field_transform_data() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).transform_data) as usize - ptr as usize
            },
            128usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(transform_data)
            )
        );
    }
    test_field_transform_data();
    fn test_field_transform_destroy() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).transform_destroy) as usize - ptr as usize
            },
            136usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(transform_destroy)
            )
        );
    }
    test_field_transform_destroy();
    fn test_field_anchor_labels() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).anchor_labels) as usize - ptr as usize
            },
            144usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(anchor_labels)
            )
        );
    }
    test_field_anchor_labels();
    fn test_field_num_anchor_labels() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_anchor_labels) as usize - ptr as usize
            },
            152usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(num_anchor_labels)
            )
        );
    }
    test_field_num_anchor_labels();
    fn test_field_seed_rule() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).seed_rule) as usize - ptr as usize
            },
            160usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(seed_rule)
            )
        );
    }
    test_field_seed_rule();
    fn test_field_seed_law() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).seed_law) as usize - ptr as usize
            },
            164usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(seed_law)
            )
        );
    }
    test_field_seed_law();
    fn test_field_seed_weight() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).seed_weight) as usize - ptr as usize
            },
            168usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(seed_weight)
            )
        );
    }
    test_field_seed_weight();
    fn test_field_batches() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).batches) as usize - ptr as usize
            },
            176usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(batches)
            )
        );
    }
    test_field_batches();
    fn test_field_cluster() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).cluster) as usize - ptr as usize
            },
            184usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(cluster)
            )
        );
    }
    test_field_cluster();
    fn test_field_clusters() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).clusters) as usize - ptr as usize
            },
            192usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(clusters)
            )
        );
    }
    test_field_clusters();
    fn test_field_made_by() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).made_by) as usize - ptr as usize
            },
            200usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(made_by)
            )
        );
    }
    test_field_made_by();
    fn test_field_reserved1() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved1) as usize - ptr as usize
            },
            204usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(reserved1)
            )
        );
    }
    test_field_reserved1();
    fn test_field_seed_sets() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).seed_sets) as usize - ptr as usize
            },
            208usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(seed_sets)
            )
        );
    }
    test_field_seed_sets();
    fn test_field_num_seed_sets() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_seed_sets) as usize - ptr as usize
            },
            216usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_options),
                "::",
                stringify!(num_seed_sets)
            )
        );
    }
    test_field_num_seed_sets();
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
#[test]
fn bindgen_test_layout_gls_norm_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_norm_options>(),
        64usize,
        concat!("Size of: ", stringify!(gls_norm_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_norm_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_norm_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_norm_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_node_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).node_type) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_norm_options),
                "::",
                stringify!(node_type)
            )
        );
    }
    test_field_node_type();
    fn test_field_edge_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edge_type) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_norm_options),
                "::",
                stringify!(edge_type)
            )
        );
    }
    test_field_edge_type();
    fn test_field_epoch() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).epoch) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_norm_options),
                "::",
                stringify!(epoch)
            )
        );
    }
    test_field_epoch();
    fn test_field_batches() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).batches) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_norm_options),
                "::",
                stringify!(batches)
            )
        );
    }
    test_field_batches();
    fn test_field_coverage() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).coverage) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_norm_options),
                "::",
                stringify!(coverage)
            )
        );
    }
    test_field_coverage();
    fn test_field_progress() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).progress) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_norm_options),
                "::",
                stringify!(progress)
            )
        );
    }
    test_field_progress();
    fn test_field_progress_user_data() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).progress_user_data) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_norm_options),
                "::",
                stringify!(progress_user_data)
            )
        );
    }
    test_field_progress_user_data();
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
#[test]
fn bindgen_test_layout_gls_loader_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_loader_info>(),
        56usize,
        concat!("Size of: ", stringify!(gls_loader_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_loader_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_loader_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_epoch() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).epoch) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_info),
                "::",
                stringify!(epoch)
            )
        );
    }
    test_field_epoch();
    fn test_field_next_batch() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).next_batch) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_info),
                "::",
                stringify!(next_batch)
            )
        );
    }
    test_field_next_batch();
    fn test_field_num_batches() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_batches) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_info),
                "::",
                stringify!(num_batches)
            )
        );
    }
    test_field_num_batches();
    fn test_field_num_global_batches() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_global_batches) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_info),
                "::",
                stringify!(num_global_batches)
            )
        );
    }
    test_field_num_global_batches();
    fn test_field_num_seeds() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_seeds) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_info),
                "::",
                stringify!(num_seeds)
            )
        );
    }
    test_field_num_seeds();
    fn test_field_batch_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).batch_size) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_info),
                "::",
                stringify!(batch_size)
            )
        );
    }
    test_field_batch_size();
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
}
#[test]
fn bindgen_test_layout_gls_loader_stats() {
    assert_eq!(
        ::std::mem::size_of::<gls_loader_stats>(),
        160usize,
        concat!("Size of: ", stringify!(gls_loader_stats))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_loader_stats>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_loader_stats))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_batches() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).batches) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(batches)
            )
        );
    }
    test_field_batches();
    fn test_field_seeds() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).seeds) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(seeds)
            )
        );
    }
    test_field_seeds();
    fn test_field_nodes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).nodes) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(nodes)
            )
        );
    }
    test_field_nodes();
    fn test_field_edges() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edges) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(edges)
            )
        );
    }
    test_field_edges();
    fn test_field_gathered_rows() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).gathered_rows) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(gathered_rows)
            )
        );
    }
    test_field_gathered_rows();
    fn test_field_gathered_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).gathered_bytes) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(gathered_bytes)
            )
        );
    }
    test_field_gathered_bytes();
    fn test_field_sample_ns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).sample_ns) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(sample_ns)
            )
        );
    }
    test_field_sample_ns();
    fn test_field_gather_ns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).gather_ns) as usize - ptr as usize
            },
            64usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(gather_ns)
            )
        );
    }
    test_field_gather_ns();
    fn test_field_worker_wait_ns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).worker_wait_ns) as usize - ptr as usize
            },
            72usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(worker_wait_ns)
            )
        );
    }
    test_field_worker_wait_ns();
    fn test_field_caller_wait_ns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).caller_wait_ns) as usize - ptr as usize
            },
            80usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(caller_wait_ns)
            )
        );
    }
    test_field_caller_wait_ns();
    fn test_field_wall_ns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).wall_ns) as usize - ptr as usize
            },
            88usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(wall_ns)
            )
        );
    }
    test_field_wall_ns();
    fn test_field_ready_batches() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ready_batches) as usize - ptr as usize
            },
            96usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(ready_batches)
            )
        );
    }
    test_field_ready_batches();
    fn test_field_ready_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ready_bytes) as usize - ptr as usize
            },
            104usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(ready_bytes)
            )
        );
    }
    test_field_ready_bytes();
    fn test_field_peak_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).peak_bytes) as usize - ptr as usize
            },
            112usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(peak_bytes)
            )
        );
    }
    test_field_peak_bytes();
    fn test_field_device_rows() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).device_rows) as usize - ptr as usize
            },
            120usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(device_rows)
            )
        );
    }
    test_field_device_rows();
    fn test_field_pinned_rows() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).pinned_rows) as usize - ptr as usize
            },
            128usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(pinned_rows)
            )
        );
    }
    test_field_pinned_rows();
    fn test_field_host_rows() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).host_rows) as usize - ptr as usize
            },
            136usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(host_rows)
            )
        );
    }
    test_field_host_rows();
    fn test_field_remote_rows() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).remote_rows) as usize - ptr as usize
            },
            144usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(remote_rows)
            )
        );
    }
    test_field_remote_rows();
    fn test_field_peer_rows() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_loader_stats>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).peer_rows) as usize - ptr as usize
            },
            152usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_loader_stats),
                "::",
                stringify!(peer_rows)
            )
        );
    }
    test_field_peer_rows();
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
#[test]
fn bindgen_test_layout_gls_feed_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_feed_options>(),
        40usize,
        concat!("Size of: ", stringify!(gls_feed_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_feed_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_feed_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_path() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).path) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_options),
                "::",
                stringify!(path)
            )
        );
    }
    test_field_path();
    fn test_field_consumers() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).consumers) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_options),
                "::",
                stringify!(consumers)
            )
        );
    }
    test_field_consumers();
    fn test_field_mode() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).mode) as usize - ptr as usize
            },
            20usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_options),
                "::",
                stringify!(mode)
            )
        );
    }
    test_field_mode();
    fn test_field_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bytes) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_options),
                "::",
                stringify!(bytes)
            )
        );
    }
    test_field_bytes();
    fn test_field_prefetch() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).prefetch) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_options),
                "::",
                stringify!(prefetch)
            )
        );
    }
    test_field_prefetch();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            36usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_options),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
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
#[test]
fn bindgen_test_layout_gls_feed_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_feed_info>(),
        72usize,
        concat!("Size of: ", stringify!(gls_feed_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_feed_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_feed_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_consumers() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).consumers) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_info),
                "::",
                stringify!(consumers)
            )
        );
    }
    test_field_consumers();
    fn test_field_attached() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).attached) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_info),
                "::",
                stringify!(attached)
            )
        );
    }
    test_field_attached();
    fn test_field_lost() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).lost) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_info),
                "::",
                stringify!(lost)
            )
        );
    }
    test_field_lost();
    fn test_field_batches() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).batches) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_info),
                "::",
                stringify!(batches)
            )
        );
    }
    test_field_batches();
    fn test_field_batch_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).batch_bytes) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_info),
                "::",
                stringify!(batch_bytes)
            )
        );
    }
    test_field_batch_bytes();
    fn test_field_used_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).used_bytes) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_info),
                "::",
                stringify!(used_bytes)
            )
        );
    }
    test_field_used_bytes();
    fn test_field_wait_ns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).wait_ns) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_info),
                "::",
                stringify!(wait_ns)
            )
        );
    }
    test_field_wait_ns();
    fn test_field_copied_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_feed_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).copied_bytes) as usize - ptr as usize
            },
            64usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_feed_info),
                "::",
                stringify!(copied_bytes)
            )
        );
    }
    test_field_copied_bytes();
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
#[test]
fn bindgen_test_layout_gls_attach_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_attach_options>(),
        48usize,
        concat!("Size of: ", stringify!(gls_attach_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_attach_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_attach_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_attach_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_attach_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_paths() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_attach_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).paths) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_attach_options),
                "::",
                stringify!(paths)
            )
        );
    }
    test_field_paths();
    fn test_field_num_paths() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_attach_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_paths) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_attach_options),
                "::",
                stringify!(num_paths)
            )
        );
    }
    test_field_num_paths();
    fn test_field_rank() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_attach_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rank) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_attach_options),
                "::",
                stringify!(rank)
            )
        );
    }
    test_field_rank();
    fn test_field_world_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_attach_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).world_size) as usize - ptr as usize
            },
            28usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_attach_options),
                "::",
                stringify!(world_size)
            )
        );
    }
    test_field_world_size();
    fn test_field_stall_ms() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_attach_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).stall_ms) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_attach_options),
                "::",
                stringify!(stall_ms)
            )
        );
    }
    test_field_stall_ms();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_attach_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            36usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_attach_options),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
    fn test_field_pin() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_attach_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).pin) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_attach_options),
                "::",
                stringify!(pin)
            )
        );
    }
    test_field_pin();
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
#[test]
fn bindgen_test_layout_gls_call_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_call_info>(),
        64usize,
        concat!("Size of: ", stringify!(gls_call_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_call_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_call_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_call_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_call_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_function() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_call_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).function) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_call_info),
                "::",
                stringify!(function)
            )
        );
    }
    test_field_function();
    fn test_field_caller() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_call_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).caller) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_call_info),
                "::",
                stringify!(caller)
            )
        );
    }
    test_field_caller();
    fn test_field_rank() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_call_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rank) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_call_info),
                "::",
                stringify!(rank)
            )
        );
    }
    test_field_rank();
    fn test_field_part() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_call_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).part) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_call_info),
                "::",
                stringify!(part)
            )
        );
    }
    test_field_part();
    fn test_field_data() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_call_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).data) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_call_info),
                "::",
                stringify!(data)
            )
        );
    }
    test_field_data();
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_call_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_call_info),
                "::",
                stringify!(size)
            )
        );
    }
    test_field_size();
    fn test_field_canceled() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_call_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).canceled) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_call_info),
                "::",
                stringify!(canceled)
            )
        );
    }
    test_field_canceled();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_call_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            60usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_call_info),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
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
#[test]
fn bindgen_test_layout_gls_call_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_call_options>(),
        16usize,
        concat!("Size of: ", stringify!(gls_call_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_call_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_call_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_call_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_call_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_call_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_call_options),
                "::",
                stringify!(flags)
            )
        );
    }
    test_field_flags();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_call_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_call_options),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
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
#[test]
fn bindgen_test_layout_gls_group_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_group_options>(),
        88usize,
        concat!("Size of: ", stringify!(gls_group_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_group_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_group_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_options),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_launcher() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).launcher) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_options),
                "::",
                stringify!(launcher)
            )
        );
    }
    test_field_launcher();
    fn test_field_rank() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rank) as usize - ptr as usize
            },
            20usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_options),
                "::",
                stringify!(rank)
            )
        );
    }
    test_field_rank();
    fn test_field_world_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).world_size) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_options),
                "::",
                stringify!(world_size)
            )
        );
    }
    test_field_world_size();
    fn test_field_num_threads() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_threads) as usize - ptr as usize
            },
            28usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_options),
                "::",
                stringify!(num_threads)
            )
        );
    }
    test_field_num_threads();
    fn test_field_rendezvous() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rendezvous) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_options),
                "::",
                stringify!(rendezvous)
            )
        );
    }
    test_field_rendezvous();
    fn test_field_listen() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).listen) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_options),
                "::",
                stringify!(listen)
            )
        );
    }
    test_field_listen();
    fn test_field_process_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).process_name) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_options),
                "::",
                stringify!(process_name)
            )
        );
    }
    test_field_process_name();
    fn test_field_exchange() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).exchange) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_options),
                "::",
                stringify!(exchange)
            )
        );
    }
    test_field_exchange();
    fn test_field_exchange_user_data() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).exchange_user_data) as usize - ptr as usize
            },
            64usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_options),
                "::",
                stringify!(exchange_user_data)
            )
        );
    }
    test_field_exchange_user_data();
    fn test_field_progress() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).progress) as usize - ptr as usize
            },
            72usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_options),
                "::",
                stringify!(progress)
            )
        );
    }
    test_field_progress();
    fn test_field_progress_user_data() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).progress_user_data) as usize - ptr as usize
            },
            80usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_options),
                "::",
                stringify!(progress_user_data)
            )
        );
    }
    test_field_progress_user_data();
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
#[test]
fn bindgen_test_layout_gls_group_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_group_info>(),
        48usize,
        concat!("Size of: ", stringify!(gls_group_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_group_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_group_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_info),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_rank() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rank) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_info),
                "::",
                stringify!(rank)
            )
        );
    }
    test_field_rank();
    fn test_field_world_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).world_size) as usize - ptr as usize
            },
            20usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_info),
                "::",
                stringify!(world_size)
            )
        );
    }
    test_field_world_size();
    fn test_field_local_rank() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).local_rank) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_info),
                "::",
                stringify!(local_rank)
            )
        );
    }
    test_field_local_rank();
    fn test_field_local_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).local_size) as usize - ptr as usize
            },
            28usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_info),
                "::",
                stringify!(local_size)
            )
        );
    }
    test_field_local_size();
    fn test_field_launcher() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).launcher) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_info),
                "::",
                stringify!(launcher)
            )
        );
    }
    test_field_launcher();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            36usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_info),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
    fn test_field_operations() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_group_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).operations) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_group_info),
                "::",
                stringify!(operations)
            )
        );
    }
    test_field_operations();
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
#[test]
fn bindgen_test_layout_gls_member_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_member_info>(),
        40usize,
        concat!("Size of: ", stringify!(gls_member_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_member_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_member_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_member_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_member_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_member_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_member_info),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_host() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_member_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).host) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_member_info),
                "::",
                stringify!(host)
            )
        );
    }
    test_field_host();
    fn test_field_address() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_member_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).address) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_member_info),
                "::",
                stringify!(address)
            )
        );
    }
    test_field_address();
    fn test_field_process() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_member_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).process) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_member_info),
                "::",
                stringify!(process)
            )
        );
    }
    test_field_process();
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
#[test]
fn bindgen_test_layout_gls_server_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_server_options>(),
        80usize,
        concat!("Size of: ", stringify!(gls_server_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_server_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_server_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_listen() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).listen) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_options),
                "::",
                stringify!(listen)
            )
        );
    }
    test_field_listen();
    fn test_field_parts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).parts) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_options),
                "::",
                stringify!(parts)
            )
        );
    }
    test_field_parts();
    fn test_field_num_parts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_parts) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_options),
                "::",
                stringify!(num_parts)
            )
        );
    }
    test_field_num_parts();
    fn test_field_servers() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).servers) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_options),
                "::",
                stringify!(servers)
            )
        );
    }
    test_field_servers();
    fn test_field_num_servers() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_servers) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_options),
                "::",
                stringify!(num_servers)
            )
        );
    }
    test_field_num_servers();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_options),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_num_threads() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_threads) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_options),
                "::",
                stringify!(num_threads)
            )
        );
    }
    test_field_num_threads();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            60usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_options),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
    fn test_field_open() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).open) as usize - ptr as usize
            },
            64usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_options),
                "::",
                stringify!(open)
            )
        );
    }
    test_field_open();
    fn test_field_table_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).table_bytes) as usize - ptr as usize
            },
            72usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_options),
                "::",
                stringify!(table_bytes)
            )
        );
    }
    test_field_table_bytes();
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
#[test]
fn bindgen_test_layout_gls_server_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_server_info>(),
        72usize,
        concat!("Size of: ", stringify!(gls_server_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_server_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_server_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_parts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).parts) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_info),
                "::",
                stringify!(parts)
            )
        );
    }
    test_field_parts();
    fn test_field_graph_parts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).graph_parts) as usize - ptr as usize
            },
            12usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_info),
                "::",
                stringify!(graph_parts)
            )
        );
    }
    test_field_graph_parts();
    fn test_field_clients() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).clients) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_info),
                "::",
                stringify!(clients)
            )
        );
    }
    test_field_clients();
    fn test_field_strangers() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).strangers) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_info),
                "::",
                stringify!(strangers)
            )
        );
    }
    test_field_strangers();
    fn test_field_accepted() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).accepted) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_info),
                "::",
                stringify!(accepted)
            )
        );
    }
    test_field_accepted();
    fn test_field_admitted() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).admitted) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_info),
                "::",
                stringify!(admitted)
            )
        );
    }
    test_field_admitted();
    fn test_field_evicted() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).evicted) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_info),
                "::",
                stringify!(evicted)
            )
        );
    }
    test_field_evicted();
    fn test_field_requests() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).requests) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_info),
                "::",
                stringify!(requests)
            )
        );
    }
    test_field_requests();
    fn test_field_failures() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_server_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).failures) as usize - ptr as usize
            },
            64usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_server_info),
                "::",
                stringify!(failures)
            )
        );
    }
    test_field_failures();
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
#[test]
fn bindgen_test_layout_gls_probe_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_probe_info>(),
        56usize,
        concat!("Size of: ", stringify!(gls_probe_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_probe_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_probe_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_probe_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_probe_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_probe_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_probe_info),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_version() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_probe_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).version) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_probe_info),
                "::",
                stringify!(version)
            )
        );
    }
    test_field_version();
    fn test_field_graph() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_probe_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).graph) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_probe_info),
                "::",
                stringify!(graph)
            )
        );
    }
    test_field_graph();
    fn test_field_parts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_probe_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).parts) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_probe_info),
                "::",
                stringify!(parts)
            )
        );
    }
    test_field_parts();
    fn test_field_num_parts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_probe_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).num_parts) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_probe_info),
                "::",
                stringify!(num_parts)
            )
        );
    }
    test_field_num_parts();
    fn test_field_graph_parts() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_probe_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).graph_parts) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_probe_info),
                "::",
                stringify!(graph_parts)
            )
        );
    }
    test_field_graph_parts();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_probe_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            52usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_probe_info),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
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
#[test]
fn bindgen_test_layout_gls_table_options() {
    assert_eq!(
        ::std::mem::size_of::<gls_table_options>(),
        88usize,
        concat!("Size of: ", stringify!(gls_table_options))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_table_options>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_table_options))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_options),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_width() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).width) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_options),
                "::",
                stringify!(width)
            )
        );
    }
    test_field_width();
    fn test_field_dtype() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dtype) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_options),
                "::",
                stringify!(dtype)
            )
        );
    }
    test_field_dtype();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            20usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_options),
                "::",
                stringify!(flags)
            )
        );
    }
    test_field_flags();
    fn test_field_low() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).low) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_options),
                "::",
                stringify!(low)
            )
        );
    }
    test_field_low();
    fn test_field_high() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).high) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_options),
                "::",
                stringify!(high)
            )
        );
    }
    test_field_high();
    fn test_field_seed() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).seed) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_options),
                "::",
                stringify!(seed)
            )
        );
    }
    test_field_seed();
    fn test_field_optimizer() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).optimizer) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_options),
                "::",
                stringify!(optimizer)
            )
        );
    }
    test_field_optimizer();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            52usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_options),
                "::",
                stringify!(reserved)
            )
        );
    }
    test_field_reserved();
    fn test_field_epsilon() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).epsilon) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_options),
                "::",
                stringify!(epsilon)
            )
        );
    }
    test_field_epsilon();
    fn test_field_beta1() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).beta1) as usize - ptr as usize
            },
            64usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_options),
                "::",
                stringify!(beta1)
            )
        );
    }
    test_field_beta1();
    fn test_field_beta2() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).beta2) as usize - ptr as usize
            },
            72usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_options),
                "::",
                stringify!(beta2)
            )
        );
    }
    test_field_beta2();
    fn test_field_rank() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rank) as usize - ptr as usize
            },
            80usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_options),
                "::",
                stringify!(rank)
            )
        );
    }
    test_field_rank();
    fn test_field_world_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).world_size) as usize - ptr as usize
            },
            84usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_options),
                "::",
                stringify!(world_size)
            )
        );
    }
    test_field_world_size();
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
#[test]
fn bindgen_test_layout_gls_table_info() {
    assert_eq!(
        ::std::mem::size_of::<gls_table_info>(),
        80usize,
        concat!("Size of: ", stringify!(gls_table_info))
    );
    assert_eq!(
        ::std::mem::align_of::<gls_table_info>(),
        8usize,
        concat!("Alignment of ", stringify!(gls_table_info))
    );
    fn test_field_struct_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).struct_size) as usize - ptr as usize
            },
            0usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_info),
                "::",
                stringify!(struct_size)
            )
        );
    }
    test_field_struct_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_info),
                "::",
                stringify!(name)
            )
        );
    }
    test_field_name();
    fn test_field_type() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).type_) as usize - ptr as usize
            },
            16usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_info),
                "::",
                stringify!(type_)
            )
        );
    }
    test_field_type();
    fn test_field_rows() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rows) as usize - ptr as usize
            },
            24usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_info),
                "::",
                stringify!(rows)
            )
        );
    }
    test_field_rows();
    fn test_field_width() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).width) as usize - ptr as usize
            },
            32usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_info),
                "::",
                stringify!(width)
            )
        );
    }
    test_field_width();
    fn test_field_dtype() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dtype) as usize - ptr as usize
            },
            40usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_info),
                "::",
                stringify!(dtype)
            )
        );
    }
    test_field_dtype();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            44usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_info),
                "::",
                stringify!(flags)
            )
        );
    }
    test_field_flags();
    fn test_field_optimizer() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).optimizer) as usize - ptr as usize
            },
            48usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_info),
                "::",
                stringify!(optimizer)
            )
        );
    }
    test_field_optimizer();
    fn test_field_rank() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rank) as usize - ptr as usize
            },
            52usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_info),
                "::",
                stringify!(rank)
            )
        );
    }
    test_field_rank();
    fn test_field_world_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).world_size) as usize - ptr as usize
            },
            56usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_info),
                "::",
                stringify!(world_size)
            )
        );
    }
    test_field_world_size();
    fn test_field_step() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).step) as usize - ptr as usize
            },
            64usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_info),
                "::",
                stringify!(step)
            )
        );
    }
    test_field_step();
    fn test_field_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<gls_table_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bytes) as usize - ptr as usize
            },
            72usize,
            concat!(
                "Offset of field: ",
                stringify!(gls_table_info),
                "::",
                stringify!(bytes)
            )
        );
    }
    test_field_bytes();
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
