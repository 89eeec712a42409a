//! Arrays of other numbers, made of those in a file.

use super::bytes::Scratch;
use super::{Array, DType};
use crate::failure::Failure;

const MOST_QUANTILES: usize = 255;
/// Bits of a number that a pass over all numbers settles.
const DIGIT: u32 = 8;

/// Calls `each` with all elements, in C order.
fn for_each(
    array: &Array,
    mut each: impl FnMut(Number) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let array = array.clone().into_aligned()?;
    let dtype = array.dtype;
    for element in array.bytes().chunks_exact(dtype.size()) {
        let number = match dtype {
            DType::F64 => element.try_into().map(f64::from_ne_bytes).ok(),
            DType::F32 => element
                .try_into()
                .map(|bytes| f64::from(f32::from_ne_bytes(bytes)))
                .ok(),
            _ => None,
        };
        each(match (number, dtype.i64_of(element)) {
            (Some(number), _) => Number::Real(number),
            (None, Some(number)) => Number::Whole(number),
            _ => return Err(Failure::invalid(format!("numbers of the type {dtype}"))),
        })?;
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Number {
    Whole(i64),
    Real(f64),
}

impl Number {
    fn real(self) -> f64 {
        match self {
            Number::Whole(number) => number as f64,
            Number::Real(number) => number,
        }
    }

    /// Without its fraction.
    fn whole(self) -> Option<i64> {
        const END: f64 = 9_223_372_036_854_775_808.0;
        match self {
            Number::Whole(number) => Some(number),
            Number::Real(number) => {
                let whole = number.trunc();
                (-END..END).contains(&whole).then_some(whole as i64)
            }
        }
    }
}

/// The same numbers in another type, which must be able to hold them.
pub fn cast(array: Array, name: &str) -> Result<Array, Failure> {
    let dtype = DType::of_name(name);
    let Some(dtype @ (DType::I32 | DType::I64 | DType::F32 | DType::F64)) = dtype else {
        return Err(Failure::invalid(format!(
            "cast: {name:?}: expected int32, int64, float32 or float64"
        )));
    };
    if array.dtype == dtype {
        return Ok(array);
    }
    let size = dtype.size();
    let bytes = usize::try_from(array.count())
        .ok()
        .and_then(|count| count.checked_mul(size));
    let mut scratch =
        Scratch::new(bytes.ok_or_else(|| Failure::invalid("cast: too many numbers"))?)?;
    let mut out = scratch.bytes_mut().chunks_exact_mut(size);
    for_each(&array, |number| {
        let beyond = || Failure::invalid(format!("cast: {} is no {name}", number.real()));
        let whole = || number.whole().ok_or_else(beyond);
        let Some(to) = out.next() else {
            return Ok(());
        };
        match dtype {
            DType::I32 => {
                let number = i32::try_from(whole()?).map_err(|_| beyond())?;
                to.copy_from_slice(&number.to_ne_bytes());
            }
            DType::I64 => to.copy_from_slice(&whole()?.to_ne_bytes()),
            DType::F32 => to.copy_from_slice(&(number.real() as f32).to_ne_bytes()),
            _ => to.copy_from_slice(&number.real().to_ne_bytes()),
        }
        Ok(())
    })?;
    Array::new(dtype, array.shape, scratch.finish()).map_err(Failure::invalid)
}

/// Numbers, each as often as it says: int32.
pub fn repeated(runs: &[[i64; 2]]) -> Result<Array, Failure> {
    let wrong = |what: String| Failure::invalid(format!("runs: {what}"));
    let mut rows = 0_i64;
    for &[_, count] in runs {
        let next = rows.checked_add(count).filter(|_| count >= 0);
        rows = next.ok_or_else(|| wrong(format!("{count} rows")))?;
    }
    let bytes = usize::try_from(rows).ok().and_then(|n| n.checked_mul(4));
    let mut scratch = Scratch::new(bytes.ok_or_else(|| wrong(format!("{rows} rows")))?)?;
    let mut out = scratch.bytes_mut();
    for &[number, count] in runs {
        let narrow = i32::try_from(number).map_err(|_| wrong(format!("{number} is no int32")))?;
        let (run, rest) = out.split_at_mut(count as usize * 4);
        run.chunks_exact_mut(4)
            .for_each(|to| to.copy_from_slice(&narrow.to_ne_bytes()));
        out = rest;
    }
    Array::new(DType::I32, vec![rows], scratch.finish()).map_err(Failure::invalid)
}

/// How many of the quantiles each number is above. Between two numbers, quantiles lie where NumPy puts them.
pub fn above(array: Array, quantiles: &[f64]) -> Result<Array, Failure> {
    let in_range = |part: &f64| (0.0..=1.0).contains(part);
    if array.shape.len() != 1 || quantiles.len() > MOST_QUANTILES || !quantiles.iter().all(in_range)
    {
        let what = "quantiles: expected numbers of 0 to 1, of one number a row";
        return Err(Failure::invalid(what));
    }
    let rows = array.rows();
    let mut scratch = Scratch::new(rows as usize)?;
    if rows > 0 {
        let mut bounds = Vec::with_capacity(quantiles.len());
        for part in quantiles {
            bounds.push(quantile(&array, *part)?);
        }
        let mut out = scratch.bytes_mut().iter_mut();
        for_each(&array, |number| {
            let number = number.real();
            if let Some(to) = out.next() {
                *to = bounds.iter().filter(|&&bound| number > bound).count() as u8;
            }
            Ok(())
        })?;
    }
    Array::new(DType::U8, vec![rows], scratch.finish()).map_err(Failure::invalid)
}

fn quantile(array: &Array, part: f64) -> Result<f64, Failure> {
    let last = array.rows() - 1;
    let place = part * last as f64;
    let below = (place.floor() as i64).clamp(0, last);
    let rest = place - below as f64;
    let low = in_order(array, below)?;
    let high = in_order(array, (below + 1).min(last))?;
    Ok(if rest >= 0.5 {
        high - (high - low) * (1.0 - rest)
    } else {
        low + (high - low) * rest
    })
}

/// Where a number stands among all others, as an integer.
fn rank(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

fn of_rank(rank: u64) -> f64 {
    f64::from_bits(if rank >> 63 == 1 {
        rank & !(1 << 63)
    } else {
        !rank
    })
}

/// The number at a place in ascending order, by a few passes and a small table.
fn in_order(array: &Array, place: i64) -> Result<f64, Failure> {
    let mut left = place as u64;
    let (mut known, mut shift) = (0_u64, u64::BITS);
    while shift > 0 {
        let mut counts = vec![0_u64; 1 << DIGIT];
        let fixed = u64::MAX.checked_shl(shift).unwrap_or(0);
        shift -= DIGIT;
        for_each(array, |number| {
            let number = number.real();
            if number.is_nan() {
                return Err(Failure::invalid("quantiles: there is a NaN"));
            }
            let rank = rank(number);
            if rank & fixed == known {
                counts[(rank >> shift) as usize & ((1 << DIGIT) - 1)] += 1;
            }
            Ok(())
        })?;
        let mut digit = 0;
        while digit + 1 < counts.len() && left >= counts[digit] {
            left -= counts[digit];
            digit += 1;
        }
        known |= (digit as u64) << shift;
    }
    Ok(of_rank(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::Bytes;

    fn reals(numbers: &[f64]) -> Array {
        let bytes = numbers.iter().flat_map(|n| n.to_ne_bytes()).collect();
        Array::new(DType::F64, vec![numbers.len() as i64], Bytes::of_vec(bytes)).unwrap()
    }

    #[test]
    fn numbers_are_cast() {
        let found = cast(reals(&[1.0, -2.9, 3e9]), "int64").unwrap();
        assert_eq!(found.to_i64s().unwrap(), [1, -2, 3_000_000_000]);
        for (numbers, name) in [
            ([3e9], "int32"),
            ([f64::NAN], "int64"),
            ([1e19], "int64"),
            ([1.0], "uint8"),
            ([1.0], "x"),
        ] {
            assert!(cast(reals(&numbers), name).is_err(), "{numbers:?} {name}");
        }
        let back = cast(Array::of_i64(&[5, -6]).unwrap(), "float64").unwrap();
        assert_eq!(cast(back, "int32").unwrap().to_i64s().unwrap(), [5, -6]);
    }

    #[test]
    fn numbers_are_repeated() {
        let found = repeated(&[[7, 2], [-1, 0], [3, 1]]).unwrap();
        assert_eq!(found.dtype, DType::I32);
        assert_eq!(found.to_i64s().unwrap(), [7, 7, 3]);
        assert_eq!(repeated(&[[1, 0]]).unwrap().rows(), 0);
        for runs in [
            [[1, -1], [1, 2]],
            [[1 << 40, 1], [0, 0]],
            [[0, i64::MAX], [0, 1]],
        ] {
            assert!(repeated(&runs).is_err(), "{runs:?}");
        }
    }

    #[test]
    fn numbers_stand_in_order() {
        let mut numbers = vec![
            0.5,
            -0.0,
            0.0,
            -3.25,
            f64::INFINITY,
            1e-300,
            -1e300,
            7.0,
            7.0,
        ];
        let array = reals(&numbers);
        numbers.sort_by(f64::total_cmp);
        for (place, &number) in numbers.iter().enumerate() {
            assert_eq!(in_order(&array, place as i64).unwrap(), number);
        }
    }

    #[test]
    fn quantiles_are_those_of_numpy() {
        // numpy.quantile(range(11), [0.7, 0.85]) is [7.0, 8.5].
        let all: Vec<i64> = (0..11).rev().collect();
        let found = above(Array::of_i64(&all).unwrap(), &[0.7, 0.85]).unwrap();
        assert_eq!(found.dtype, DType::U8);
        assert_eq!(found.to_i64s().unwrap(), [2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
        let same = above(reals(&[4.0; 3]), &[0.0, 0.5, 1.0]).unwrap();
        assert_eq!(same.to_i64s().unwrap(), [0, 0, 0]);
        assert_eq!(above(reals(&[]), &[0.5]).unwrap().rows(), 0);
        for (numbers, part) in [([1.0], 1.5), ([f64::NAN], 0.5), ([1.0], f64::NAN)] {
            assert!(above(reals(&numbers), &[part]).is_err());
        }
    }
}
