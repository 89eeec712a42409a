//! The description of a table, and the place of this trainer in its steps.

use gls_sys as sys;

use crate::memory::dtype::DType;
use crate::runtime::error::{Error, Result};

/// How a step changes the rows of a [`Table`](crate::Table) whose gradients it has; g is the gradient of
/// a number w.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Optimizer {
    /// `w -= rate * g`.
    Sgd = sys::GLS_OPTIMIZER_SGD as isize,
    /// `s += g * g; w -= rate * g / (sqrt(s) + epsilon)`.
    Adagrad = sys::GLS_OPTIMIZER_ADAGRAD as isize,
    /// `m += (1 - beta1) * (g - m); v += (1 - beta2) * (g * g - v);
    /// w -= rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon)`, of the rows of a step
    /// alone, t steps after the beginning. [`TableOptions::row_steps`] counts the steps of each row
    /// instead.
    Adam = sys::GLS_OPTIMIZER_ADAM as isize,
}

impl Optimizer {
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        [Self::Sgd, Self::Adagrad, Self::Adam]
            .into_iter()
            .find(|&known| known as i32 == number)
    }
}

/// The description of a [`Table`](crate::Table), and the place of this trainer in its steps. See
/// [`Dataset::table`](crate::Dataset::table).
#[derive(Debug, Clone, PartialEq)]
#[must_use = "options do nothing by themselves"]
pub struct TableOptions {
    width: usize,
    dtype: DType,
    mean: bool,
    row_steps: bool,
    low: f64,
    high: f64,
    seed: u64,
    optimizer: Option<Optimizer>,
    epsilon: Option<f64>,
    betas: Option<(f64, f64)>,
    trainer: Option<(u32, u32)>,
}

impl TableOptions {
    /// Rows of so many float32, 1 to 2^20, that begin as zeros and have no optimiser, for one trainer.
    pub fn new(width: usize) -> Self {
        Self {
            width,
            dtype: DType::F32,
            mean: false,
            row_steps: false,
            low: 0.0,
            high: 0.0,
            seed: 0,
            optimizer: None,
            epsilon: None,
            betas: None,
            trainer: None,
        }
    }

    /// The type of the numbers, instead of float32, which all optimisers need.
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = dtype;
        self
    }

    /// Each number begins with a value that is drawn evenly from `low` to below `high`. The value
    /// depends on the seed, the name of the table, the id and the place in the row. It does not
    /// depend on the owner of the row.
    pub fn uniform(mut self, low: f64, high: f64) -> Self {
        self.low = low;
        self.high = high;
        self
    }

    /// Each number begins with this one; anything but 0 is for float32 alone.
    pub fn constant(self, value: f64) -> Self {
        self.uniform(value, value)
    }

    /// The random seed of the drawn numbers.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How steps change rows. Without one they are only written.
    pub fn optimizer(mut self, optimizer: Optimizer) -> Self {
        self.optimizer = Some(optimizer);
        self
    }

    /// The number that is added to the root that Adagrad and Adam divide by, 0 or more. The default
    /// is 1e-10 for Adagrad and 1e-8 for Adam.
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.epsilon = Some(epsilon);
        self
    }

    /// The share of Adam's mean of gradients, and of their squares, that a step keeps, from 0 to
    /// below 1. The defaults are 0.9 and 0.999.
    pub fn betas(mut self, beta1: f64, beta2: f64) -> Self {
        self.betas = Some((beta1, beta2));
        self
    }

    /// Whether the gradient of a row is the mean of those that a step has for it, of all trainers, and
    /// not their sum.
    pub fn mean(mut self, mean: bool) -> Self {
        self.mean = mean;
        self
    }

    /// Whether Adam counts the steps of each row instead of the steps of the table. Adam then
    /// divides `m` by `1 - beta1^t`. It divides `v` by `1 - beta2^t` before it adds epsilon to the
    /// root.
    pub fn row_steps(mut self, row_steps: bool) -> Self {
        self.row_steps = row_steps;
        self
    }

    /// Which of the `world_size` trainers that take steps together this is: 0 .. world_size-1. By
    /// default it is alone.
    pub fn trainer(mut self, rank: u32, world_size: u32) -> Self {
        self.trainer = Some((rank, world_size));
        self
    }

    pub(crate) fn describe(&self) -> Result<sys::gls_table_options_t> {
        let (beta1, beta2) = match self.betas {
            Some((beta1, beta2)) => (given("beta1", beta1)?, given("beta2", beta2)?),
            None => (0.0, 0.0),
        };
        if matches!(self.trainer, Some((_, 0))) {
            return Err(Error::invalid("world_size", "0, expected at least 1"));
        }
        let (rank, world_size) = self.trainer.unwrap_or_default();
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        Ok(sys::gls_table_options_t {
            width: i64::try_from(self.width).unwrap_or(i64::MAX),
            dtype: self.dtype.to_dl(),
            flags: flag(self.mean, sys::GLS_TABLE_MEAN)
                | flag(self.row_steps, sys::GLS_TABLE_ROW_STEPS),
            low: self.low,
            high: self.high,
            seed: self.seed,
            optimizer: self.optimizer.map_or(0, |optimizer| optimizer as i32),
            epsilon: self
                .epsilon
                .map_or(Ok(0.0), |value| given("epsilon", value))?,
            beta1,
            beta2,
            rank,
            world_size,
            ..Default::default()
        })
    }
}

/// The value of gls.h for a given number. There 0 is the default, and a negative number is none.
fn given(argument: &'static str, value: f64) -> Result<f64> {
    if value < 0.0 {
        return Err(Error::invalid(
            argument,
            format_args!("{value}, expected at least 0"),
        ));
    }
    Ok(if value == 0.0 { -1.0 } else { value })
}
