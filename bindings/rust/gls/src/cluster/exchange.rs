//! How processes that join a group exchange their addresses, by a function of the caller.

use std::any::Any;
use std::error::Error as StdError;
use std::os::raw::c_void;
use std::panic::{self, AssertUnwindSafe};
use std::{ptr, slice};

use gls_sys as sys;

use crate::cluster::calls::Failure;
use crate::runtime::error::{Error, Result};

pub(crate) type ExchangeFn<'f> =
    dyn FnMut(&[u8]) -> Result<Vec<Vec<u8>>, Box<dyn StdError + Send + Sync>> + 'f;

struct State<'s, 'f> {
    function: &'s mut ExchangeFn<'f>,
    world_size: u32,
    failure: Option<Failure>,
    panic: Option<Box<dyn Any + Send>>,
}

impl State<'_, '_> {
    fn call(&mut self, mine: &[u8], out: &mut [u8]) -> Result<(), Failure> {
        let all = (self.function)(mine)?;
        if all.len() != self.world_size as usize {
            let (here, wanted) = (all.len(), self.world_size);
            return Err(format!("it returned {here} items, expected {wanted}").into());
        }
        for (item, place) in all.iter().zip(out.chunks_exact_mut(mine.len())) {
            if item.len() != place.len() {
                let (here, wanted) = (item.len(), place.len());
                return Err(format!("it returned {here} bytes, expected {wanted}").into());
            }
            place.copy_from_slice(item);
        }
        Ok(())
    }
}

unsafe extern "C" fn exchange(
    user_data: *mut c_void,
    mine: *const c_void,
    size: usize,
    all: *mut c_void,
) -> i32 {
    // SAFETY: what with_exchange() passed, which is waiting for the call, on this thread; arrays of
    // `size` bytes and of as many for each process.
    let state = &mut *user_data.cast::<State<'_, '_>>();
    let mine = slice::from_raw_parts(mine.cast::<u8>(), size);
    ptr::write_bytes(all.cast::<u8>(), 0, size * state.world_size as usize);
    let all = slice::from_raw_parts_mut(all.cast::<u8>(), size * state.world_size as usize);
    match panic::catch_unwind(AssertUnwindSafe(|| state.call(mine, all))) {
        Ok(Ok(())) => 0,
        Ok(Err(failure)) => {
            state.failure = Some(failure);
            1
        }
        Err(payload) => {
            state.panic = Some(payload);
            1
        }
    }
}

/// Makes `call` with a function and its data. If the function fails, its error replaces that of the
/// library. A panic in it continues after the call.
pub(crate) fn with_exchange<R>(
    function: Option<&mut ExchangeFn<'_>>,
    world_size: u32,
    call: impl FnOnce(sys::gls_exchange_fn, *mut c_void) -> Result<R>,
) -> Result<R> {
    let function = match function {
        Some(function) => function,
        None => return call(None, ptr::null_mut()),
    };
    let mut state = State {
        function,
        world_size,
        failure: None,
        panic: None,
    };
    let result = call(Some(exchange), ptr::addr_of_mut!(state).cast());
    if let Some(payload) = state.panic {
        drop(result);
        panic::resume_unwind(payload);
    }
    match (result, state.failure) {
        (Err(_), Some(failure)) => Err(Error::caused(sys::GLS_ERR_CANCELED, "exchange", failure)),
        (result, _) => result,
    }
}
