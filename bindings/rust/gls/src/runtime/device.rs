//! Devices: where arrays lie, and which GPUs exist.

use std::fmt;
use std::str::FromStr;

use gls_sys as sys;

use crate::runtime::error::{call, lossy, Error, Result};

/// Where datasets, samplers and loaders work, and arrays lie.
///
/// ```
/// use gls::Device;
///
/// assert_eq!("cuda:1".parse::<Device>()?, Device::Cuda(1));
/// assert_eq!(Device::Host.to_string(), "cpu");
/// assert!("gpu".parse::<Device>().is_err());
/// # Ok::<(), gls::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Device {
    /// Memory of the host, "cpu".
    #[default]
    Host,
    /// A GPU by CUDA, "cuda:0", as `CUDA_VISIBLE_DEVICES` leaves them.
    Cuda(i32),
    /// Another one, by DLPack's numbers: of foreign tensors.
    Other {
        /// The kind.
        device_type: u32,
        /// Which of them.
        device_id: i32,
    },
}

/// A GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// As its maker calls it.
    pub name: String,
    /// Of its memory.
    pub bytes: u64,
    /// Of its memory now, for all processes; 0: not known, as this process uses nothing there yet.
    pub free_bytes: u64,
    /// Compute capability, major and minor.
    pub capability: (i32, i32),
}

impl Device {
    /// The GPUs that can be used. Empty without a GPU, or when GPUs cannot be used: then
    /// [`Device::info`] of `Device::Cuda(0)` gives the reason.
    pub fn all() -> Vec<Self> {
        // SAFETY: needs nothing.
        let count = unsafe { sys::gls_device_count() };
        (0..count as i32).map(Self::Cuda).collect()
    }

    /// Describes a GPU.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when this GPU does not exist, or GPUs cannot be used here; the text
    /// gives the reason.
    pub fn info(self) -> Result<DeviceInfo> {
        let mut info = sys::gls_device_info_t::default();
        // SAFETY: a struct of the stated size.
        call(|error| unsafe { sys::gls_device_get_info(self.to_dl(), &mut info, error) })?;
        Ok(DeviceInfo {
            // SAFETY: the library ends it.
            name: unsafe { lossy(info.name.as_ptr()) }.to_owned(),
            bytes: info.bytes,
            free_bytes: info.free_bytes,
            capability: (info.major, info.minor),
        })
    }

    /// The library's value for "the device of the object that this is made from".
    pub(crate) const INHERITED: sys::DLDevice = sys::DLDevice {
        device_type: 0,
        device_id: 0,
    };

    /// The arguments of a call that only asks for a device.
    pub(crate) fn asked(
        call: impl FnOnce(*mut sys::DLDevice, *mut *mut sys::gls_error_t) -> sys::gls_status_t,
    ) -> Result<Self> {
        let mut out = Self::INHERITED;
        crate::runtime::error::call(|error| call(&mut out, error))?;
        Ok(Self::from_dl(out))
    }

    /// Whether the processor reads its memory.
    pub fn is_host(self) -> bool {
        self == Self::Host
    }

    pub(crate) fn to_dl(self) -> sys::DLDevice {
        let (device_type, device_id) = match self {
            Self::Host => (sys::kDLCPU, 0),
            Self::Cuda(id) => (sys::kDLCUDA, id),
            Self::Other {
                device_type,
                device_id,
            } => (device_type, device_id),
        };
        sys::DLDevice {
            device_type,
            device_id,
        }
    }

    pub(crate) fn from_dl(device: sys::DLDevice) -> Self {
        match device.device_type {
            sys::kDLCPU => Self::Host,
            sys::kDLCUDA => Self::Cuda(device.device_id),
            device_type => Self::Other {
                device_type,
                device_id: device.device_id,
            },
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("cpu"),
            Self::Cuda(id) => write!(f, "cuda:{id}"),
            Self::Other {
                device_type,
                device_id,
            } => write!(f, "device {device_id} of type {device_type}"),
        }
    }
}

/// "cpu", "cuda:1", or "cuda": the GPU that the environment variable LOCAL_RANK numbers, as torchrun
/// sets it for each process of a machine; without it, the first.
impl FromStr for Device {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let number = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            plain.then(|| digits.parse::<i32>().ok()).flatten()
        };
        match name {
            "cpu" | "cpu:0" => return Ok(Self::Host),
            "cuda" => {
                let rank = std::env::var("LOCAL_RANK").unwrap_or_else(|_| "0".to_owned());
                return number(&rank).map(Self::Cuda).ok_or_else(|| {
                    Error::here(
                        sys::GLS_ERR_INVALID_STATE,
                        "device",
                        format!(
                            "device: \"cuda\" is the GPU that LOCAL_RANK numbers, but that is \
                             {rank:?}"
                        ),
                    )
                });
            }
            _ => {}
        }
        name.strip_prefix("cuda:")
            .and_then(number)
            .map(Self::Cuda)
            .ok_or_else(|| {
                let message =
                    format!("{name:?}, expected \"cpu\", \"cuda\" or one like \"cuda:0\"");
                Error::invalid("device", message)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_names() {
        for (name, device) in [
            ("cpu", Device::Host),
            ("cuda:0", Device::Cuda(0)),
            ("cuda:17", Device::Cuda(17)),
        ] {
            assert_eq!(name.parse::<Device>().unwrap(), device);
            assert_eq!(device.to_string(), name);
            assert_eq!(Device::from_dl(device.to_dl()), device);
        }
        assert_eq!("cpu:0".parse::<Device>().unwrap(), Device::Host);
        for name in ["", "gpu", "cuda:", "cuda:-1", "cuda:+1", "cuda:x", "cpu:1"] {
            assert!(matches!(
                name.parse::<Device>(),
                Err(Error::InvalidArgument(_))
            ));
        }
        assert!("cuda:99999999999".parse::<Device>().is_err());
        let other = Device::Other {
            device_type: sys::kDLROCM,
            device_id: 3,
        };
        assert_eq!(Device::from_dl(other.to_dl()), other);
        assert_eq!(other.to_string(), "device 3 of type 10");
        assert!(Device::default().is_host() && !other.is_host());
    }
}
