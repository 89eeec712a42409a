//! GraphSAGE of two layers on sampled mini-batches, in ndarray: forward, backward, and Adam.
//!
//! The aggregator is "gcn": the average over a node's neighbours and itself. A batch lists the
//! seeds first, and edges hop by hop. So each layer reads a prefix. The last layer computes the
//! seeds from the edges of the first hop. The first layer computes the nodes within one hop from
//! the edges of both.

use gls::{Batch, Result};
use ndarray::{Array1, Array2, ArrayView2, Axis, Zip};

/// Numbers between 0 and 1: xorshift* of 64 bits.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn uniform(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// Rows of which few elements are not zero, as words of a text.
pub struct Sparse {
    begin: Vec<usize>,
    column: Vec<u32>,
    value: Vec<f32>,
}

impl Sparse {
    fn of(rows: ArrayView2<'_, f32>) -> Self {
        let mut out = Self {
            begin: vec![0],
            column: Vec::new(),
            value: Vec::new(),
        };
        for row in rows.outer_iter() {
            for (column, &value) in row.iter().enumerate().filter(|(_, &value)| value != 0.0) {
                out.column.push(column as u32);
                out.value.push(value);
            }
            out.begin.push(out.column.len());
        }
        out
    }

    fn len(&self) -> usize {
        self.begin.len() - 1
    }

    fn elements(&self, row: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let range = self.begin[row]..self.begin[row + 1];
        range.map(move |i| (self.column[i] as usize, self.value[i]))
    }

    fn dropped_out(&self, share: f32, random: &mut Random) -> Self {
        let keep = |&value: &f32| {
            if random.uniform() < share {
                0.0
            } else {
                value / (1.0 - share)
            }
        };
        Self {
            begin: self.begin.clone(),
            column: self.column.clone(),
            value: self.value.iter().map(keep).collect(),
        }
    }

    /// `self` @ `weight`
    fn times(&self, weight: &Array2<f32>) -> Array2<f32> {
        let mut out = Array2::zeros((self.len(), weight.ncols()));
        for (row, mut to) in out.outer_iter_mut().enumerate() {
            for (column, value) in self.elements(row) {
                to.scaled_add(value, &weight.row(column));
            }
        }
        out
    }

    /// The transpose of `self` @ `grad`
    fn transposed_times(&self, grad: &Array2<f32>, columns: usize) -> Array2<f32> {
        let mut out = Array2::zeros((columns, grad.ncols()));
        for (row, from) in grad.outer_iter().enumerate() {
            for (column, value) in self.elements(row) {
                out.row_mut(column).scaled_add(value, &from);
            }
        }
        out
    }
}

/// The averaging of one layer: each of the first `degree.len()` nodes over its edges and itself.
struct Neighbourhood {
    row: Vec<usize>,
    col: Vec<usize>,
    degree: Vec<f32>,
}

impl Neighbourhood {
    fn new(row: &[i64], col: &[i64], targets: usize) -> Self {
        let join = |ends: &[i64]| ends.iter().map(|&v| v as usize).chain(0..targets).collect();
        let (row, col): (Vec<_>, Vec<_>) = (join(row), join(col));
        let mut degree = vec![0.0; targets];
        col.iter().for_each(|&v| degree[v] += 1.0);
        Self { row, col, degree }
    }

    fn average(&self, source: &Array2<f32>) -> Array2<f32> {
        let mut out = Array2::zeros((self.degree.len(), source.ncols()));
        for (&row, &col) in self.row.iter().zip(&self.col) {
            let mut to = out.row_mut(col);
            to += &source.row(row);
        }
        for (mut to, &degree) in out.outer_iter_mut().zip(&self.degree) {
            to /= degree;
        }
        out
    }

    /// The transpose of average(): carries a gradient from the targets back to the sources.
    fn spread(&self, grad: &Array2<f32>, sources: usize) -> Array2<f32> {
        let mut out = Array2::zeros((sources, grad.ncols()));
        for (&row, &col) in self.row.iter().zip(&self.col) {
            out.row_mut(row)
                .scaled_add(1.0 / self.degree[col], &grad.row(col));
        }
        out
    }
}

/// A batch as the model takes it.
pub struct Input {
    x: Sparse,
    layers: [Neighbourhood; 2],
    pub y: Vec<usize>,
}

impl Input {
    /// Normalises the features by row, where they lie.
    pub fn of(mut batch: Batch, features: usize) -> Result<Self> {
        for row in batch.column_mut::<f32>("x")?.chunks_exact_mut(features) {
            let sum = row.iter().sum::<f32>().max(1.0);
            row.iter_mut().for_each(|value| *value /= sum);
        }
        let nodes = batch.num_sampled_nodes()?;
        let edges = batch.num_sampled_edges()?;
        let (row, col) = (batch.row::<i64>()?, batch.col::<i64>()?);
        let layer = |hops: usize| {
            let targets: i64 = nodes[..hops].iter().sum();
            let edges = edges[..hops].iter().sum::<i64>() as usize;
            Neighbourhood::new(&row[..edges], &col[..edges], targets as usize)
        };
        let y = batch.column("y")?.as_slice::<i64>()?;
        Ok(Self {
            x: Sparse::of(batch.column("x")?.array()?),
            layers: [layer(2), layer(1)],
            y: y.iter().map(|&class| class as usize).collect(),
        })
    }
}

pub struct Parameter {
    value: Array2<f32>,
    mean: Array2<f32>,
    square: Array2<f32>,
    decay: f32,
}

impl Parameter {
    fn new(value: Array2<f32>, decay: f32) -> Self {
        let zero = Array2::zeros(value.raw_dim());
        Self {
            mean: zero.clone(),
            square: zero,
            value,
            decay,
        }
    }
}

/// What forward() leaves for backward().
struct Tape {
    x: Sparse,
    hidden: Array2<f32>,
    gate: Array2<f32>,
}

pub struct GraphSage {
    /// Weights and biases of both layers.
    parameters: [Parameter; 4],
    dropout: f32,
    steps: i32,
}

const LEARNING_RATE: f32 = 0.01;
const BETA: (f32, f32) = (0.9, 0.999);

impl GraphSage {
    pub fn new(sizes: [usize; 3], dropout: f32, decay: f32, random: &mut Random) -> Self {
        let mut weight = |rows: usize, columns: usize| {
            let limit = (6.0 / (rows + columns) as f32).sqrt(); // Glorot and Bengio, 2010
            let value = || (random.uniform() * 2.0 - 1.0) * limit;
            let mut value = value;
            Parameter::new(
                Array2::from_shape_simple_fn((rows, columns), &mut value),
                decay,
            )
        };
        let bias = |columns| Parameter::new(Array2::zeros((1, columns)), 0.0);
        let [features, hidden, classes] = sizes;
        Self {
            parameters: [
                weight(features, hidden),
                bias(hidden),
                weight(hidden, classes),
                bias(classes),
            ],
            dropout,
            steps: 0,
        }
    }

    /// Scores [seeds, classes]. Dropout is on when there is a source of random numbers.
    fn forward(&self, input: &Input, random: Option<&mut Random>) -> (Array2<f32>, Tape) {
        let [weight0, bias0, weight1, bias1] = &self.parameters;
        let mut random = random;
        let x = match &mut random {
            Some(random) => input.x.dropped_out(self.dropout, random),
            None => input.x.dropped_out(0.0, &mut Random::new(0)),
        };
        // average(h) @ w equals average(h @ w), which moves shorter rows.
        let hidden = input.layers[0].average(&x.times(&weight0.value)) + &bias0.value;
        let mut kept = || match &mut random {
            None => 1.0,
            Some(random) => {
                let keeps = random.uniform() >= self.dropout;
                f32::from(u8::from(keeps)) / (1.0 - self.dropout)
            }
        };
        let gate = hidden.mapv(|value| kept() * f32::from(u8::from(value > 0.0)));
        let hidden = hidden * &gate;
        let scores = input.layers[1].average(&hidden.dot(&weight1.value)) + &bias1.value;
        (scores, Tape { x, hidden, gate })
    }

    /// One step of Adam (Kingma and Ba, 2015) on the mean cross-entropy over the seeds.
    pub fn train(&mut self, input: &Input, random: &mut Random) {
        let (scores, tape) = self.forward(input, Some(random));
        let seeds = scores.nrows() as f32;
        let mut grad = log_softmax(scores).mapv(f32::exp);
        for (mut row, &class) in grad.outer_iter_mut().zip(&input.y) {
            row[class] -= 1.0;
        }
        grad /= seeds;
        let sum = |grad: &Array2<f32>| grad.sum_axis(Axis(0)).insert_axis(Axis(0));
        let bias1 = sum(&grad);
        let projected = input.layers[1].spread(&grad, tape.hidden.nrows());
        let weight1 = tape.hidden.t().dot(&projected);
        let grad = projected.dot(&self.parameters[2].value.t()) * &tape.gate;
        let bias0 = sum(&grad);
        let projected = input.layers[0].spread(&grad, tape.x.len());
        let features = self.parameters[0].value.nrows();
        let weight0 = tape.x.transposed_times(&projected, features);
        self.step([weight0, bias0, weight1, bias1]);
    }

    fn step(&mut self, grads: [Array2<f32>; 4]) {
        self.steps += 1;
        let mean_scale = 1.0 / (1.0 - BETA.0.powi(self.steps));
        let square_scale = 1.0 / (1.0 - BETA.1.powi(self.steps));
        for (parameter, grad) in self.parameters.iter_mut().zip(grads) {
            let decay = parameter.decay; // an L2 penalty in the loss, on weights only
            Zip::from(&mut parameter.value)
                .and(&mut parameter.mean)
                .and(&mut parameter.square)
                .and(&grad)
                .for_each(|value, mean, square, &grad| {
                    let grad = grad + decay * *value;
                    *mean += (1.0 - BETA.0) * (grad - *mean);
                    *square += (1.0 - BETA.1) * (grad * grad - *square);
                    *value -= LEARNING_RATE * (*mean * mean_scale)
                        / ((*square * square_scale).sqrt() + 1e-8);
                });
        }
    }

    /// Accuracy and mean loss.
    pub fn evaluate(&self, inputs: &[Input]) -> (f64, f64) {
        let (mut right, mut loss, mut count) = (0, 0.0, 0);
        for input in inputs {
            let log_p = log_softmax(self.forward(input, None).0);
            for (row, &class) in log_p.outer_iter().zip(&input.y) {
                let best = row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
                right += usize::from(best.map(|b| b.0) == Some(class));
                loss -= f64::from(row[class]);
                count += 1;
            }
        }
        (right as f64 / count as f64, loss / count as f64)
    }

    pub fn values(&self) -> Vec<Array2<f32>> {
        self.parameters.iter().map(|p| p.value.clone()).collect()
    }

    pub fn set_values(&mut self, values: Vec<Array2<f32>>) {
        for (parameter, value) in self.parameters.iter_mut().zip(values) {
            parameter.value = value;
        }
    }
}

fn log_softmax(mut scores: Array2<f32>) -> Array2<f32> {
    for mut row in scores.outer_iter_mut() {
        let most = row.fold(f32::NEG_INFINITY, |most, &value| most.max(value));
        let shifted: Array1<f32> = row.mapv(|value| value - most);
        let sum = shifted.mapv(f32::exp).sum().ln();
        row.assign(&(shifted - sum));
    }
    scores
}
