//! The records of a file of delimited text, in batches of bounded memory.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_csv::reader::{Decoder, Format, ReaderBuilder};
use arrow_schema::SchemaRef;

use super::text_of;
use crate::failure::Failure;

const BATCH_ROWS: usize = if cfg!(test) { 1 << 8 } else { 1 << 14 };
/// Batches of wide tables have fewer rows.
const BATCH_FIELDS: usize = 1 << 21;
const BATCH_BYTES: u64 = if cfg!(test) { 1 << 10 } else { 8 << 20 };
/// Longer records, and headers, are damaged: such as a quote that never ends.
pub const MOST_RECORD_BYTES: u64 = if cfg!(test) { 1 << 16 } else { 64 << 20 };
const BUFFER_BYTES: usize = if cfg!(test) { 100 } else { 1 << 18 };

pub struct Records {
    path: PathBuf,
    text: BufReader<Box<dyn Read + Send>>,
    decoder: Decoder,
    consumed: u64,
    ended: bool,
}

impl Records {
    /// `all` has the fields of the file, of which those in `places` are read.
    pub fn open(
        path: &Path,
        format: &Format,
        all: &SchemaRef,
        places: &[usize],
    ) -> Result<Self, Failure> {
        let rows = (BATCH_FIELDS / all.fields().len().max(1)).clamp(1, BATCH_ROWS);
        let decoder = ReaderBuilder::new(all.clone())
            .with_format(format.clone())
            .with_batch_size(rows)
            .with_projection(places.to_vec())
            .build_decoder();
        Ok(Records {
            path: path.to_owned(),
            text: BufReader::with_capacity(BUFFER_BYTES, text_of(path)?),
            decoder,
            consumed: 0,
            ended: false,
        })
    }

    /// Bytes of the text before the next batch.
    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    pub fn next(&mut self) -> Result<Option<RecordBatch>, Failure> {
        let (mut of_batch, mut of_record) = (0, 0);
        while !self.ended && self.decoder.capacity() > 0 {
            let text = self.text.fill_buf();
            let text = text.map_err(|error| Failure::of_file(&self.path, error))?;
            self.ended = text.is_empty();
            // A piece with one end of a line, and that at its end, cannot begin the next record.
            let to_end = of_batch >= BATCH_BYTES;
            let end = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let piece = match end.filter(|_| to_end) {
                Some(end) => &text[..=end],
                None => text,
            };
            let left = self.decoder.capacity();
            let used = self.decoder.decode(piece);
            let used = used.map_err(|error| Failure::of_file(&self.path, error))?;
            self.text.consume(used);
            self.consumed += used as u64;
            of_batch += used as u64;
            if self.decoder.capacity() == left {
                of_record += used as u64;
            } else if to_end {
                break;
            } else {
                of_record = 0;
            }
            if of_record > MOST_RECORD_BYTES {
                let what = format!("a record has more than {MOST_RECORD_BYTES} bytes");
                return Err(Failure::of_file(&self.path, what));
            }
        }
        let batch = self.decoder.flush();
        batch.map_err(|error| Failure::of_file(&self.path, error))
    }
}
