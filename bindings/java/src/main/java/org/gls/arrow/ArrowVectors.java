package org.gls.arrow;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.ForeignAllocation;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.gls.DType;
import org.gls.Tensor;

/**
 * Arrays of batches as Apache Arrow vectors, on the same memory.
 *
 * <p>The memory stays for as long as Arrow uses it, also when the batch is closed before that. It
 * is returned as soon as Arrow releases it. The allocator counts it.
 */
@SuppressWarnings("exports") // only modules that use this class must require Arrow
public final class ArrowVectors {
  private ArrowVectors() {}

  /**
   * A tensor as a vector without nulls. A tensor of several dimensions is a vector of lists of
   * fixed size.
   *
   * @param name of the vector's field
   * @param tensor of any type but BOOL, whose elements are bytes here and bits in Arrow, and
   *     BFLOAT16, which Arrow has not
   * @param allocator that of the vector
   * @return on the tensor's memory, to be closed by the caller
   * @throws IllegalArgumentException for a type that Arrow has not, and as {@link #buffer} does
   */
  public static FieldVector vector(String name, Tensor tensor, BufferAllocator allocator) {
    Objects.requireNonNull(name, "name");
    FieldVector vector = field(name, tensor, 1).createVector(allocator);
    try (ArrowBuf memory = buffer(tensor, allocator)) {
      FieldVector at = vector;
      long count = tensor.dimensions() == 0 ? 1 : tensor.size(0);
      for (int d = 1; d < tensor.dimensions(); ++d) {
        at.loadFieldBuffers(new ArrowFieldNode(count, 0), Collections.singletonList(null));
        count *= tensor.size(d);
        at = at.getChildrenFromFields().get(0);
      }
      at.loadFieldBuffers(new ArrowFieldNode(count, 0), Arrays.asList(null, memory));
      return vector;
    } catch (RuntimeException | Error error) {
      vector.close();
      throw error;
    }
  }

  /**
   * The memory of a tensor.
   *
   * @param tensor of any type
   * @param allocator that of the buffer
   * @return on the tensor's memory, to be closed by the caller
   * @throws IllegalArgumentException if rows are padded; and for read-only memory, as the arrays of
   *     a dataset are: Arrow's buffers may be written, and that would crash. {@link Tensor#copy}
   *     helps
   */
  public static ArrowBuf buffer(Tensor tensor, BufferAllocator allocator) {
    if (tensor.isReadOnly()) {
      throw new IllegalArgumentException(
          "tensor: its memory is read-only, and Arrow's may be written: use copy()");
    }
    if (!tensor.isContiguous()) {
      throw new IllegalArgumentException("tensor: its rows are padded: use copy()");
    }
    Tensor own = tensor.share();
    try {
      if (own.byteSize() == 0) {
        own.close();
        return allocator.getEmpty();
      }
      return allocator.wrapForeignAllocation(
          new ForeignAllocation(own.byteSize(), own.address()) {
            @Override
            protected void release0() {
              own.close();
            }
          });
    } catch (RuntimeException | Error error) {
      own.close();
      throw error;
    }
  }

  /** The field of what lies in dimensions {@code d} and after. */
  private static Field field(String name, Tensor tensor, int d) {
    if (d >= tensor.dimensions()) {
      return new Field(name, FieldType.notNullable(type(tensor.dtype())), null);
    }
    ArrowType list = new ArrowType.FixedSizeList(Math.toIntExact(tensor.size(d)));
    return new Field(name, FieldType.notNullable(list), List.of(field("item", tensor, d + 1)));
  }

  private static ArrowType type(DType dtype) {
    switch (dtype) {
      case INT8:
      case INT16:
      case INT32:
      case INT64:
        return new ArrowType.Int(dtype.bits(), true);
      case UINT8:
      case UINT16:
      case UINT32:
      case UINT64:
        return new ArrowType.Int(dtype.bits(), false);
      case FLOAT16:
        return new ArrowType.FloatingPoint(FloatingPointPrecision.HALF);
      case FLOAT32:
        return new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case FLOAT64:
        return new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      default:
        throw new IllegalArgumentException(
            "tensor: Arrow has no vector whose memory is as that of " + dtype);
    }
  }
}
