//! Checks the sizes that an Arrow IPC file states, as its decoder reserves memory by them. A failed
//! reservation would end the process.

use std::path::Path;

use arrow_ipc::{root_as_footer, root_as_message, Block, BodyCompression, CompressionType};

use crate::arrays::Bytes;
use crate::failure::Failure;

const MAGIC: &[u8] = b"ARROW1";
/// The length of the footer, and the magic.
const END_BYTES: usize = 10;
const CONTINUATION: &[u8] = &[0xff; 4];
/// Before a compressed buffer: its size when it is unpacked.
const PREFIX_BYTES: usize = 8;

/// A file that states sizes which it cannot have is an error. What else is wrong, the decoder tells.
pub fn check(path: &Path) -> Result<(), Failure> {
    let bytes = Bytes::map(path)?;
    check_blocks(bytes.as_slice()).map_err(|what| Failure::of_file(path, what))
}

fn check_blocks(bytes: &[u8]) -> Result<(), String> {
    let Some((rest, end)) = bytes.split_last_chunk::<END_BYTES>() else {
        return Ok(());
    };
    if &end[4..] != MAGIC {
        return Ok(());
    }
    let size = i32::from_le_bytes([end[0], end[1], end[2], end[3]]);
    let begin = usize::try_from(size)
        .ok()
        .and_then(|size| rest.len().checked_sub(size))
        .ok_or_else(|| format!("a footer of {size} bytes"))?;
    let footer = aligned(&rest[begin..]);
    let footer = root_as_footer(&footer).map_err(|error| format!("the footer: {error}"))?;
    let dictionaries = footer.dictionaries().into_iter().flatten();
    for block in dictionaries.chain(footer.recordBatches().into_iter().flatten()) {
        check_block(bytes, block)?;
    }
    Ok(())
}

/// A copy, as the decoder has it: FlatBuffers reads only what is aligned, and files may not be.
fn aligned(bytes: &[u8]) -> Vec<u8> {
    bytes.to_vec()
}

fn check_block(bytes: &[u8], block: &Block) -> Result<(), String> {
    let cut = || "a batch lies beyond the file's end".to_owned();
    let part = |begin: i64, size: i64| {
        let begin = usize::try_from(begin).ok()?;
        let end = begin.checked_add(usize::try_from(size).ok()?)?;
        bytes.get(begin..end)
    };
    let head_size = i64::from(block.metaDataLength());
    let head = part(block.offset(), head_size).ok_or_else(cut)?;
    let body =
        part(block.offset().saturating_add(head_size), block.bodyLength()).ok_or_else(cut)?;
    let skipped = if head.starts_with(CONTINUATION) { 8 } else { 4 };
    let head = aligned(head);
    let head = head.get(skipped..).ok_or("a batch without a head")?;
    let message = root_as_message(head).map_err(|error| format!("a batch's head: {error}"))?;
    let dictionary = || message.header_as_dictionary_batch()?.data();
    let Some(batch) = message.header_as_record_batch().or_else(dictionary) else {
        return Ok(());
    };
    let compression = batch.compression();
    let mut in_all = 0;
    let buffers = batch.buffers().into_iter().flatten();
    for buffer in buffers.filter(|buffer| buffer.length() != 0) {
        let whole = usize::try_from(buffer.offset())
            .ok()
            .and_then(|begin| {
                body.get(begin..)?
                    .get(..usize::try_from(buffer.length()).ok()?)
            })
            .ok_or("a buffer lies beyond its batch's end")?;
        // Buffers that share bytes would make a large batch of a small file.
        in_all += whole.len();
        if in_all > body.len() {
            return Err("the buffers of a batch share bytes".to_owned());
        }
        if let Some(compression) = compression {
            check_unpacked(compression, whole)?;
        }
    }
    Ok(())
}

fn check_unpacked(compression: BodyCompression<'_>, whole: &[u8]) -> Result<(), String> {
    let Some((prefix, packed)) = whole.split_first_chunk::<PREFIX_BYTES>() else {
        return Err("a compressed buffer without a size".to_owned());
    };
    // LZ4 packs at most 255 to 1; zstd, blocks of 128 KiB to 4 bytes.
    let most = match compression.codec() {
        CompressionType::LZ4_FRAME => 255,
        _ => 1 << 15,
    };
    let size = i64::from_le_bytes(*prefix);
    let possible = packed.len().saturating_mul(most);
    if usize::try_from(size).is_ok_and(|size| size > possible) {
        return Err(format!("{} bytes cannot be {size}", packed.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Int64Array, RecordBatch};
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
    use arrow_schema::{DataType, Field, Schema};

    use super::*;

    fn file(codec: CompressionType) -> Vec<u8> {
        let schema = Arc::new(Schema::new(vec![Field::new("x", DataType::Int64, false)]));
        let column = Arc::new(Int64Array::from(vec![7; 1000]));
        let batch = RecordBatch::try_new(schema.clone(), vec![column]).unwrap();
        let options = IpcWriteOptions::default();
        let options = options.try_with_compression(Some(codec)).unwrap();
        let mut out = Vec::new();
        let mut writer = FileWriter::try_new_with_options(&mut out, &schema, options).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        out
    }

    #[test]
    fn sizes_that_a_buffer_cannot_have_are_errors() {
        for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
            let mut bytes = file(codec);
            check_blocks(&bytes).unwrap();
            let size = 8000_i64.to_le_bytes();
            let at = bytes.windows(8).position(|window| window == size).unwrap();
            bytes[at + 7] = 0x60;
            let refused = check_blocks(&bytes).unwrap_err();
            assert!(refused.contains("cannot be"), "{refused}");
        }
    }

    #[test]
    fn batches_beyond_the_end_are_errors() {
        let bytes = file(CompressionType::ZSTD);
        // The footer alone: the batch that it names is not there.
        let size = bytes.len() - END_BYTES;
        let footer = i32::from_le_bytes(bytes[size..size + 4].try_into().unwrap()) as usize;
        assert!(check_blocks(&bytes[size - footer..]).is_err());
        let mut longer = bytes.clone();
        longer[size..size + 4].copy_from_slice(&i32::MAX.to_le_bytes());
        assert!(check_blocks(&longer).is_err());
    }
}
