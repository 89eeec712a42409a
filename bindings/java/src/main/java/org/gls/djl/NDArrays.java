package org.gls.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import org.gls.DType;
import org.gls.Tensor;

/**
 * Arrays of batches as arrays of the Deep Java Library.
 *
 * <p>The engine receives the memory itself, as a direct buffer in native byte order. Whether it
 * copies it, and for how long it keeps it, depends on the engine.
 */
@SuppressWarnings("exports") // only modules that use this class must require DJL
public final class NDArrays {
  private NDArrays() {}

  /**
   * A tensor as an array of the same shape and type.
   *
   * @param manager of the engine that is to have it
   * @param tensor one with read-only memory, as the arrays of a dataset, is copied first
   * @return attached to the manager
   * @throws org.gls.GlsException.Unsupported if rows are padded, see {@link Tensor#copy}, or there
   *     are more than 2^31 - 1 bytes
   * @throws UnsupportedOperationException by some engines, for types that they have not
   */
  public static NDArray of(NDManager manager, Tensor tensor) {
    if (tensor.isReadOnly()) {
      try (Tensor copy = tensor.copy()) {
        return of(manager, copy);
      }
    }
    long[] shape = tensor.shape().stream().mapToLong(Long::longValue).toArray();
    return manager.create(tensor.bytes(), new Shape(shape), type(tensor.dtype()));
  }

  private static DataType type(DType dtype) {
    return dtype == DType.BOOL ? DataType.BOOLEAN : DataType.valueOf(dtype.name());
  }
}
