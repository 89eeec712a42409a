package org.gls;

import java.lang.ref.Cleaner;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;
import org.gls.low.glsjni;

/**
 * An array in memory that the library made or mapped, or that was given to it.
 *
 * <p>{@link #longs}, {@link #floats} and so on return the memory in place, in native byte order. A
 * buffer, and every view of it, keeps the memory alive while it is reachable, even when other
 * objects are closed. Arrays of a batch may be written, because the library does not read them
 * again. Arrays of a dataset are read-only, and so are their buffers.
 *
 * <p>An array on a GPU cannot be read here. It has its {@link #address} there and {@link
 * #toDlpack}; methods that read elements throw {@link GlsException.Unsupported}. {@link
 * Batch#toHost} copies a batch to the host.
 *
 * <p>A tensor of a batch is closed with the batch. Close other tensors, or leave them to the
 * garbage collector.
 */
public final class Tensor implements AutoCloseable {
  private static final int FIXED = 7; // numbers before the shape in what describe() gives
  private static final ByteBuffer EMPTY =
      ByteBuffer.allocateDirect(0).order(ByteOrder.nativeOrder());

  private final Handle<org.gls.low.Tensor> handle;
  private final Object owner; // the batch that closes this when it is not reachable any more
  private final Cleaner.Cleanable cleanable; // null when there is an owner
  // address, code, bits, read-only, dimensions, device type, its number, shape, strides
  private final long[] info;
  private final DType dtype;
  private ByteBuffer whole;

  private Tensor(Handle<org.gls.low.Tensor> handle, long[] info, Object owner) {
    this.handle = handle;
    this.info = info;
    this.owner = owner;
    this.dtype = DType.of((int) info[1], (int) info[2]);
    this.cleanable = owner != null ? null : NativeMemory.CLEANER.register(this, handle::close);
  }

  /** One that is on its own. */
  static Tensor of(org.gls.low.Tensor low) {
    try {
      return new Tensor(
          new Handle<>("tensor", low, org.gls.low.Tensor::delete), low.describe(), null);
    } catch (RuntimeException | Error error) {
      low.delete();
      throw error;
    }
  }

  /** One that {@code owner} closes. */
  static Tensor of(Handle<org.gls.low.Tensor> handle, long[] info, Object owner) {
    return new Tensor(handle, info, owner);
  }

  // ---- made in Java ----

  /**
   * Maps a NumPy {@code .npy} file read-only; nothing is read but its header.
   *
   * @param path the file
   * @return its array
   */
  public static Tensor mapNpy(Path path) {
    return of(org.gls.low.Tensor.mapNpy(path.toString()));
  }

  /**
   * A copy of an array.
   *
   * @param values the elements, row by row
   * @param shape extents; none: a vector
   * @return INT64
   */
  public static Tensor of(long[] values, long... shape) {
    return copied(values, values.length, DType.INT64, shape);
  }

  /**
   * A copy of an array.
   *
   * @param values the elements, row by row
   * @param shape extents; none: a vector
   * @return INT32
   */
  public static Tensor of(int[] values, long... shape) {
    return copied(values, values.length, DType.INT32, shape);
  }

  /**
   * A copy of an array.
   *
   * @param values the elements, row by row
   * @param shape extents; none: a vector
   * @return INT16
   */
  public static Tensor of(short[] values, long... shape) {
    return copied(values, values.length, DType.INT16, shape);
  }

  /**
   * A copy of an array.
   *
   * @param values the elements, row by row
   * @param shape extents; none: a vector
   * @return INT8
   */
  public static Tensor of(byte[] values, long... shape) {
    return copied(values, values.length, DType.INT8, shape);
  }

  /**
   * A copy of an array.
   *
   * @param values the elements, row by row
   * @param shape extents; none: a vector
   * @return BOOL
   */
  public static Tensor of(boolean[] values, long... shape) {
    return copied(values, values.length, DType.BOOL, shape);
  }

  /**
   * A copy of an array.
   *
   * @param values the elements, row by row
   * @param shape extents; none: a vector
   * @return FLOAT32
   */
  public static Tensor of(float[] values, long... shape) {
    return copied(values, values.length, DType.FLOAT32, shape);
  }

  /**
   * A copy of an array.
   *
   * @param values the elements, row by row
   * @param shape extents; none: a vector
   * @return FLOAT64
   */
  public static Tensor of(double[] values, long... shape) {
    return copied(values, values.length, DType.FLOAT64, shape);
  }

  /**
   * The elements between position and limit of a buffer. A direct buffer in native byte order is
   * used in place, and kept alive while it is in use: do not change it meanwhile. Other buffers are
   * copied.
   *
   * @param values the elements, row by row
   * @param shape extents; none: a vector
   * @return INT64
   */
  public static Tensor of(LongBuffer values, long... shape) {
    if (inPlace(values.isDirect(), values.order())) {
      return wrapped(values, DType.INT64, values.remaining(), shape);
    }
    long[] copy = new long[values.remaining()];
    values.duplicate().get(copy);
    return of(copy, shape);
  }

  /**
   * As {@link #of(LongBuffer, long...)}.
   *
   * @param values the elements, row by row
   * @param shape extents; none: a vector
   * @return INT32
   */
  public static Tensor of(IntBuffer values, long... shape) {
    if (inPlace(values.isDirect(), values.order())) {
      return wrapped(values, DType.INT32, values.remaining(), shape);
    }
    int[] copy = new int[values.remaining()];
    values.duplicate().get(copy);
    return of(copy, shape);
  }

  /**
   * As {@link #of(LongBuffer, long...)}.
   *
   * @param values the elements, row by row
   * @param shape extents; none: a vector
   * @return FLOAT32
   */
  public static Tensor of(FloatBuffer values, long... shape) {
    if (inPlace(values.isDirect(), values.order())) {
      return wrapped(values, DType.FLOAT32, values.remaining(), shape);
    }
    float[] copy = new float[values.remaining()];
    values.duplicate().get(copy);
    return of(copy, shape);
  }

  /**
   * As {@link #of(LongBuffer, long...)}.
   *
   * @param values the elements, row by row
   * @param shape extents; none: a vector
   * @return FLOAT64
   */
  public static Tensor of(DoubleBuffer values, long... shape) {
    if (inPlace(values.isDirect(), values.order())) {
      return wrapped(values, DType.FLOAT64, values.remaining(), shape);
    }
    double[] copy = new double[values.remaining()];
    values.duplicate().get(copy);
    return of(copy, shape);
  }

  /**
   * The elements, of any type, between position and limit of a buffer. A direct buffer is used in
   * place, and kept alive while it is in use: do not change it meanwhile. Other buffers are copied.
   *
   * @param values the elements in the machine's byte order, whatever {@link ByteBuffer#order} says
   * @param dtype what the bytes are
   * @param shape extents; none: a vector
   * @return a tensor of {@code dtype}
   */
  public static Tensor of(ByteBuffer values, DType dtype, long... shape) {
    if (values.remaining() % dtype.bytes() != 0) {
      throw GlsException.invalid(
          "values", values.remaining() + " bytes are no whole number of " + dtype);
    }
    ByteBuffer direct = values;
    if (!values.isDirect()) {
      direct = ByteBuffer.allocateDirect(values.remaining()).put(values.duplicate()).flip();
    }
    return wrapped(direct, dtype, direct.remaining() / dtype.bytes(), shape);
  }

  /**
   * Edges as sources and targets, for sets of edges to exclude.
   *
   * @param sources node ids
   * @param targets as many
   * @return INT64, of shape [2, edges]
   */
  public static Tensor pairs(long[] sources, long[] targets) {
    if (sources.length != targets.length) {
      throw GlsException.invalid(
          "targets", targets.length + " targets for " + sources.length + " sources");
    }
    long[] both = new long[2 * sources.length];
    System.arraycopy(sources, 0, both, 0, sources.length);
    System.arraycopy(targets, 0, both, sources.length, sources.length);
    return of(both, 2, sources.length);
  }

  private static boolean inPlace(boolean direct, ByteOrder order) {
    return direct && order == ByteOrder.nativeOrder();
  }

  private static Tensor copied(Object array, int length, DType dtype, long[] shape) {
    long[] extents = extents(length, shape);
    return of(glsjni.tensorFromArray(array, dtype.code, dtype.bits(), extents));
  }

  private static Tensor wrapped(Buffer buffer, DType dtype, int length, long[] shape) {
    long[] extents = extents(length, shape);
    long width = buffer instanceof ByteBuffer ? 1 : dtype.bytes();
    return of(
        glsjni.tensorFromBuffer(
            buffer,
            buffer.position() * width,
            dtype.code,
            dtype.bits(),
            extents,
            buffer.isReadOnly()));
  }

  private static long[] extents(int length, long[] shape) {
    if (shape.length == 0) {
      return new long[] {length};
    }
    long product = 1;
    for (long extent : shape) {
      if (extent < 0) {
        throw GlsException.invalid("shape", "an extent is " + extent);
      }
      try {
        product = Math.multiplyExact(product, extent);
      } catch (ArithmeticException error) {
        throw GlsException.invalid("shape", "too large");
      }
    }
    if (product != length) {
      throw GlsException.invalid("shape", "of " + product + " elements, but there are " + length);
    }
    return shape.clone();
  }

  // ---- description ----

  /**
   * Type of the elements.
   *
   * @return never null
   */
  public DType dtype() {
    return dtype;
  }

  /**
   * Number of dimensions.
   *
   * @return 0 or more
   */
  public int dimensions() {
    return (int) info[4];
  }

  /**
   * Extent of one dimension.
   *
   * @param dimension from 0
   * @return 0 or more
   */
  public long size(int dimension) {
    return info[FIXED + checked(dimension)];
  }

  /**
   * Distance of neighbours in one dimension. Rows may be padded.
   *
   * @param dimension from 0
   * @return in elements
   */
  public long stride(int dimension) {
    return info[FIXED + dimensions() + checked(dimension)];
  }

  private int checked(int dimension) {
    if (dimension < 0 || dimension >= dimensions()) {
      throw new IndexOutOfBoundsException("dimension " + dimension + " of " + dimensions());
    }
    return dimension;
  }

  /**
   * Extents.
   *
   * @return one for each dimension
   */
  public List<Long> shape() {
    List<Long> out = new ArrayList<>();
    for (int d = 0; d < dimensions(); ++d) {
      out.add(size(d));
    }
    return Collections.unmodifiableList(out);
  }

  /**
   * Number of elements.
   *
   * @return 0 or more
   */
  public long size() {
    long product = 1;
    for (int d = 0; d < dimensions(); ++d) {
      product *= size(d);
    }
    return product;
  }

  /**
   * Bytes of the elements, without padding.
   *
   * @return 0 or more
   */
  public long byteSize() {
    return size() * dtype.bytes();
  }

  /**
   * Whether the memory must not be written.
   *
   * @return true for arrays of datasets and of read-only buffers
   */
  public boolean isReadOnly() {
    return info[3] != 0;
  }

  /**
   * Whether the elements lie row by row without padding.
   *
   * @return true for vectors and for what loaders gather
   */
  public boolean isContiguous() {
    long expected = 1;
    for (int d = dimensions() - 1; d >= 0; --d) {
      if (size(d) != 1 && stride(d) != expected) {
        return size() == 0;
      }
      expected *= size(d);
    }
    return true;
  }

  /**
   * Where the elements lie.
   *
   * @return {@link Device#HOST}, or a GPU
   */
  public Device device() {
    return new Device((int) info[5], (int) info[6]);
  }

  private void checkOnHost() {
    if (!device().isHost()) {
      throw new GlsException.Unsupported(
          "the array lies on "
              + device()
              + ", whose memory Java cannot read: take it from Batch.toHost(), or pass address() or"
              + " toDlpack() to native code",
          Map.of());
    }
  }

  /**
   * Names a stream of a GPU on which native code works with the elements. Later batches reuse the
   * memory only after the work that is queued there at its release. On the host this does nothing.
   *
   * @param stream a {@code cudaStream_t}; 0: the default stream. It must exist until then
   */
  public void recordStream(long stream) {
    handle.run(low -> low.recordStream(stream));
  }

  /**
   * Hands the memory to a consumer of DLPack, in place: native code that takes such a tensor, or a
   * library with a binding to it. A stream that works with it is named by {@link #recordStream}.
   *
   * @return address of a new {@code DLManagedTensorVersioned}. It keeps the memory until its {@code
   *     deleter} is called, which the consumer must do
   */
  public long toDlpack() {
    return handle.call(org.gls.low.Tensor::toDlpack);
  }

  /**
   * Address of the first element, to be passed to other native code. The memory is there as long as
   * this tensor is open, or a buffer of it is reachable.
   *
   * @return 0 for some empty arrays; in memory of {@link #device}
   */
  public long address() {
    if (handle.isClosed()) {
      throw handle.closed();
    }
    return info[0];
  }

  // ---- the memory ----

  /**
   * The elements as bytes.
   *
   * @return a buffer on the memory itself
   * @throws GlsException.Unsupported if rows are padded, see {@link #row} and {@link #copy}, or
   *     there are more than 2^31 - 1 bytes, see {@link #memory}
   */
  public ByteBuffer bytes() {
    checkOnHost();
    if (!isContiguous()) {
      throw new GlsException.Unsupported(
          "the rows are padded: use row() for one of them, or copy()", Map.of());
    }
    return memory(0, byteSize());
  }

  /**
   * Part of the memory as it is, padding included.
   *
   * @param offset in bytes from the first element
   * @param length in bytes
   * @return a buffer on the memory itself
   * @throws GlsException.Unsupported if {@code length} is more than 2^31 - 1
   */
  public ByteBuffer memory(long offset, long length) {
    checkOnHost();
    long span = span();
    if (offset < 0 || length < 0 || offset > span - length) {
      throw new IndexOutOfBoundsException(
          length + " bytes at " + offset + " are not within the " + span + " there are");
    }
    if (length > Integer.MAX_VALUE) {
      throw new GlsException.Unsupported(
          length + " bytes are more than a Java buffer can hold: use memory() for parts", Map.of());
    }
    if (span > Integer.MAX_VALUE) {
      return show(offset, length);
    }
    ByteBuffer all;
    synchronized (this) {
      if (handle.isClosed()) {
        throw handle.closed();
      }
      if (whole == null) {
        whole = show(0, span);
      }
      all = whole;
    }
    return all.slice((int) offset, (int) length).order(ByteOrder.nativeOrder());
  }

  /** A buffer of its own on the memory, which it keeps in use until it is unreachable. */
  private ByteBuffer show(long offset, long length) {
    org.gls.low.Tensor low = handle.enter();
    ByteBuffer buffer = null;
    try {
      if (length == 0) {
        return EMPTY;
      }
      buffer = (ByteBuffer) low.buffer(offset, length);
      NativeMemory.CLEANER.register(buffer, handle::leave);
    } finally {
      if (buffer == null) {
        handle.leave();
      }
    }
    ByteBuffer shown = isReadOnly() ? buffer.asReadOnlyBuffer() : buffer;
    return shown.order(ByteOrder.nativeOrder());
  }

  /** Bytes from the first to behind the last element, padding included. */
  private long span() {
    if (size() == 0) {
      return 0;
    }
    long last = 0;
    for (int d = 0; d < dimensions(); ++d) {
      last += (size(d) - 1) * stride(d);
    }
    return (last + 1) * dtype.bytes();
  }

  /**
   * The elements of an INT64 or UINT64 tensor.
   *
   * @return a buffer on the memory itself; see {@link #bytes}
   */
  public LongBuffer longs() {
    require("longs", DType.INT64, DType.UINT64);
    return bytes().asLongBuffer();
  }

  /**
   * The elements of an INT32 or UINT32 tensor.
   *
   * @return a buffer on the memory itself; see {@link #bytes}
   */
  public IntBuffer ints() {
    require("ints", DType.INT32, DType.UINT32);
    return bytes().asIntBuffer();
  }

  /**
   * The elements of a tensor of 16 bits, or the bits of FLOAT16 and BFLOAT16.
   *
   * @return a buffer on the memory itself; see {@link #bytes}
   */
  public ShortBuffer shorts() {
    require("shorts", DType.INT16, DType.UINT16, DType.FLOAT16, DType.BFLOAT16);
    return bytes().asShortBuffer();
  }

  /**
   * The elements of a FLOAT32 tensor.
   *
   * @return a buffer on the memory itself; see {@link #bytes}
   */
  public FloatBuffer floats() {
    require("floats", DType.FLOAT32);
    return bytes().asFloatBuffer();
  }

  /**
   * The elements of a FLOAT64 tensor.
   *
   * @return a buffer on the memory itself; see {@link #bytes}
   */
  public DoubleBuffer doubles() {
    require("doubles", DType.FLOAT64);
    return bytes().asDoubleBuffer();
  }

  private void require(String method, DType... expected) {
    for (DType one : expected) {
      if (one == dtype) {
        return;
      }
    }
    throw GlsException.invalid(method, "the elements are " + dtype + ", expected " + expected[0]);
  }

  /**
   * A copy of the elements of any integer tensor.
   *
   * @return row by row; UINT64 beyond 2^63 - 1 appear negative
   */
  public long[] toLongs() {
    long[] out = new long[checkedLength()];
    copyTo(out);
    return out;
  }

  /**
   * A copy of the elements of a FLOAT32 tensor.
   *
   * @return row by row
   */
  public float[] toFloats() {
    float[] out = new float[checkedLength()];
    copyTo(out);
    return out;
  }

  /**
   * Copies the elements of any integer tensor, row by row. Unlike a buffer, this leaves nothing to
   * the garbage collector.
   *
   * @param out at least as long as there are elements
   */
  public void copyTo(long[] out) {
    if (dtype == DType.FLOAT16
        || dtype == DType.BFLOAT16
        || dtype == DType.FLOAT32
        || dtype == DType.FLOAT64) {
      throw GlsException.invalid("out", "the elements are " + dtype);
    }
    checkRoom(out.length);
    read(bytes -> widen(bytes, out));
  }

  /**
   * Copies the elements of a FLOAT32 tensor, row by row. Unlike a buffer, this leaves nothing to
   * the garbage collector.
   *
   * @param out at least as long as there are elements
   */
  public void copyTo(float[] out) {
    require("out", DType.FLOAT32);
    checkRoom(out.length);
    read(bytes -> bytes.asFloatBuffer().get(out, 0, bytes.remaining() / Float.BYTES));
  }

  private int checkedLength() {
    if (size() > Integer.MAX_VALUE) {
      throw new GlsException.Unsupported(
          size() + " elements are more than a Java array can hold", Map.of());
    }
    return (int) size();
  }

  private void checkRoom(int length) {
    if (length < size()) {
      throw GlsException.invalid("out", "room for " + length + " of " + size() + " elements");
    }
  }

  /** Passes the elements, row by row, to a reader that keeps no buffer. */
  private void read(java.util.function.Consumer<ByteBuffer> reader) {
    checkOnHost();
    org.gls.low.Tensor low = handle.enter();
    try {
      if (size() == 0) {
        return;
      }
      if (byteSize() > Integer.MAX_VALUE) {
        throw new GlsException.Unsupported(
            byteSize() + " bytes are more than a Java buffer can hold: use memory()", Map.of());
      }
      org.gls.low.Tensor packed = isContiguous() ? null : low.copy();
      try {
        Object buffer = (packed == null ? low : packed).buffer(0, byteSize());
        reader.accept(((ByteBuffer) buffer).order(ByteOrder.nativeOrder()));
      } finally {
        if (packed != null) {
          packed.delete();
        }
      }
    } finally {
      handle.leave();
    }
  }

  private void widen(ByteBuffer bytes, long[] out) {
    int length = bytes.remaining() / dtype.bytes();
    switch (dtype) {
      case INT64, UINT64 -> bytes.asLongBuffer().get(out, 0, length);
      case INT32 -> {
        for (int i = 0; i < length; ++i) {
          out[i] = bytes.getInt(4 * i);
        }
      }
      case UINT32 -> {
        for (int i = 0; i < length; ++i) {
          out[i] = Integer.toUnsignedLong(bytes.getInt(4 * i));
        }
      }
      case INT16 -> {
        for (int i = 0; i < length; ++i) {
          out[i] = bytes.getShort(2 * i);
        }
      }
      case UINT16 -> {
        for (int i = 0; i < length; ++i) {
          out[i] = Short.toUnsignedLong(bytes.getShort(2 * i));
        }
      }
      case INT8 -> {
        for (int i = 0; i < length; ++i) {
          out[i] = bytes.get(i);
        }
      }
      default -> {
        for (int i = 0; i < length; ++i) {
          out[i] = Byte.toUnsignedLong(bytes.get(i));
        }
      }
    }
  }

  /**
   * One entry of the first dimension, which must not be the only one.
   *
   * @param index which
   * @return a tensor of its own on the same memory
   */
  public Tensor row(long index) {
    checkOnHost();
    return of(handle.call(low -> low.row(index)));
  }

  /**
   * A row-major copy.
   *
   * @return a tensor of its own, which may be written
   */
  public Tensor copy() {
    checkOnHost();
    return of(handle.call(org.gls.low.Tensor::copy));
  }

  /**
   * Another tensor on the same memory, with its own lifetime: it stays when this tensor, or its
   * batch, is closed. For keeping one array of a batch, and for native code that has the {@link
   * #address}.
   *
   * @return another tensor on the memory, to be closed by itself
   */
  public Tensor share() {
    Handle<org.gls.low.Tensor> from = handle;
    return new Tensor(new Handle<>("tensor", from.enter(), low -> from.leave()), info, null);
  }

  /** For calls that take tensors. */
  Handle<org.gls.low.Tensor> handle() {
    return handle;
  }

  /** Releases the array. Buffers made of it stay valid. */
  @Override
  public void close() {
    synchronized (this) {
      whole = null;
    }
    if (cleanable != null) {
      cleanable.clean();
    } else {
      handle.close();
    }
  }

  @Override
  public String toString() {
    String place = device().isHost() ? "" : ", " + device();
    return "Tensor(" + dtype + shape() + place + (isReadOnly() ? ", read-only)" : ")");
  }
}
