package org.gls.support;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/** Batches of Arrow as the bytes of a file, and their reader. */
public final class ArrowFiles {
  public static final ArrowType TEXT = new ArrowType.Utf8();
  public static final ArrowType BOOL = new ArrowType.Bool();
  public static final ArrowType INT64 = new ArrowType.Int(64, true);
  public static final ArrowType FLOAT32 =
      new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
  public static final ArrowType FLOAT64 =
      new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
  public static final ArrowType TIME = new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC");

  private ArrowFiles() {}

  public static Field field(String name, ArrowType type) {
    return Field.nullable(name, type);
  }

  public static Field list(String name, int width, ArrowType values) {
    return new Field(
        name,
        FieldType.nullable(new ArrowType.FixedSizeList(width)),
        List.of(field("item", values)));
  }

  /** The bytes of a file, with one batch for each function that fills the vectors. */
  @SafeVarargs
  public static byte[] write(
      BufferAllocator allocator, List<Field> fields, Consumer<VectorSchemaRoot>... batches) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (VectorSchemaRoot root = VectorSchemaRoot.create(new Schema(fields), allocator);
        ArrowStreamWriter writer = new ArrowStreamWriter(root, null, out)) {
      writer.start();
      for (Consumer<VectorSchemaRoot> batch : batches) {
        root.allocateNew();
        batch.accept(root);
        writer.writeBatch();
      }
      writer.end();
    } catch (IOException error) {
      throw new AssertionError(error);
    }
    return out.toByteArray();
  }

  /** Rows of values as {@link #put} takes them. */
  public static Consumer<VectorSchemaRoot> rows(Object[]... rows) {
    return root -> {
      for (int i = 0; i < rows.length; ++i) {
        for (int f = 0; f < rows[i].length; ++f) {
          put(root.getVector(f), i, rows[i][f]);
        }
      }
      root.setRowCount(rows.length);
    };
  }

  public static Object[] row(Object... values) {
    return values;
  }

  /** Sets a value: null, or a String, Long, Boolean, Float, Double, or float[]. */
  private static void put(FieldVector vector, int row, Object value) {
    if (value == null) {
      vector.setNull(row);
    } else if (vector instanceof VarCharVector text) {
      text.setSafe(row, ((String) value).getBytes(StandardCharsets.UTF_8));
    } else if (vector instanceof BigIntVector numbers) {
      numbers.setSafe(row, (Long) value);
    } else if (vector instanceof TimeStampVector times) {
      times.setSafe(row, (Long) value);
    } else if (vector instanceof BitVector bits) {
      bits.setSafe(row, (Boolean) value ? 1 : 0);
    } else if (vector instanceof Float4Vector numbers) {
      numbers.setSafe(row, (Float) value);
    } else if (vector instanceof Float8Vector numbers) {
      numbers.setSafe(row, (Double) value);
    } else {
      FixedSizeListVector lists = (FixedSizeListVector) vector;
      float[] items = (float[]) value;
      lists.setNotNull(row);
      for (int k = 0; k < items.length; ++k) {
        put(lists.getDataVector(), row * items.length + k, items[k]);
      }
    }
  }

  /** Reads such bytes, counts how often it is closed, and fails where a test wants it. */
  public static class Reader extends ArrowStreamReader {
    private final int failsAt;
    private final IOException failure;
    private int batches;
    private int closed;

    public Reader(byte[] file, BufferAllocator allocator) {
      this(file, allocator, -1, null);
    }

    /** Throws instead of reading batch {@code failsAt}, or, if that is -1, when it is closed. */
    public Reader(byte[] file, BufferAllocator allocator, int failsAt, IOException failure) {
      super(new ByteArrayInputStream(file), allocator);
      this.failsAt = failsAt;
      this.failure = failure;
    }

    public int closed() {
      return closed;
    }

    @Override
    public boolean loadNextBatch() throws IOException {
      if (batches++ == failsAt) {
        throw failure;
      }
      return super.loadNextBatch();
    }

    @Override
    public void close(boolean closeReadSource) throws IOException {
      ++closed;
      super.close(closeReadSource);
      if (failsAt < 0 && failure != null) {
        throw failure;
      }
    }
  }
}
