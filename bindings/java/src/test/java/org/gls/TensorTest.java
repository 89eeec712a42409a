package org.gls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.gls.internal.Handle;
import org.gls.internal.NativeMemory;
import org.gls.low.glsjni;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TensorTest {
  private static ByteBuffer direct(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }

  @Test
  void arraysAreCopied() {
    long[] values = {1, -2, 3, Long.MAX_VALUE};
    try (Tensor tensor = Tensor.of(values, 2, 2)) {
      values[0] = 99;
      assertEquals(List.of(2L, 2L), tensor.shape());
      assertEquals(DType.INT64, tensor.dtype());
      assertFalse(tensor.isReadOnly());
      assertEquals(0, tensor.address() % 64);
      assertEquals(32, tensor.byteSize());
      assertArrayEquals(new long[] {1, -2, 3, Long.MAX_VALUE}, tensor.toLongs());
      assertEquals(2, tensor.stride(0));
      assertThrows(IndexOutOfBoundsException.class, () -> tensor.size(2));
      assertThrows(IndexOutOfBoundsException.class, () -> tensor.stride(-1));
    }
  }

  @Test
  void everyPrimitiveType() {
    assertArrayEquals(new long[] {-1, 7}, Tensor.of(new int[] {-1, 7}).toLongs());
    assertArrayEquals(new long[] {-1, 7}, Tensor.of(new short[] {-1, 7}).toLongs());
    assertArrayEquals(new long[] {-1, 7}, Tensor.of(new byte[] {-1, 7}).toLongs());
    assertArrayEquals(new long[] {1, 0}, Tensor.of(new boolean[] {true, false}).toLongs());
    assertArrayEquals(new float[] {1.5f}, Tensor.of(new float[] {1.5f}).toFloats());
    assertEquals(2.5, Tensor.of(new double[] {2.5}).doubles().get(0));
    assertEquals(-1, Tensor.of(new short[] {-1}).shorts().get(0));
    assertEquals(-1, Tensor.of(new int[] {-1}).ints().get(0));
    assertEquals(0, Tensor.of(new long[0]).longs().remaining());
    assertEquals(0, Tensor.of(new float[0], 0, 5).size());
  }

  @Test
  void shapesMustFit() {
    assertThrows(GlsException.InvalidArgument.class, () -> Tensor.of(new int[3], 2));
    assertThrows(GlsException.InvalidArgument.class, () -> Tensor.of(new int[3], -1, -3));
    assertThrows(
        GlsException.InvalidArgument.class,
        () -> Tensor.of(new int[3], Long.MAX_VALUE, Long.MAX_VALUE));
    assertThrows(NullPointerException.class, () -> Tensor.of((int[]) null));
  }

  @Test
  void directBuffersAreUsedInPlace() {
    ByteBuffer memory = direct(64);
    LongBuffer longs = memory.asLongBuffer();
    longs.put(3, 42);
    try (Tensor tensor = Tensor.of(longs.slice(2, 4))) {
      assertEquals(glsjni.bufferAddress(memory) + 16, tensor.address());
      assertEquals(42, tensor.longs().get(1));
      longs.put(3, 43);
      assertEquals(43, tensor.longs().get(1));
    }
    longs.position(5);
    try (Tensor tensor = Tensor.of(longs)) {
      assertEquals(glsjni.bufferAddress(memory) + 40, tensor.address());
      assertEquals(3, tensor.size());
    }
    memory.position(8).limit(16);
    try (Tensor tensor = Tensor.of(memory, DType.FLOAT16)) {
      assertEquals(glsjni.bufferAddress(memory) + 8, tensor.address());
      assertEquals(4, tensor.size());
      assertEquals(DType.FLOAT16, tensor.dtype());
    }
  }

  @Test
  void otherBuffersAreCopied() {
    LongBuffer heap = LongBuffer.wrap(new long[] {5, 6});
    try (Tensor tensor = Tensor.of(heap)) {
      assertArrayEquals(new long[] {5, 6}, tensor.toLongs());
      assertEquals(2, heap.remaining());
    }
    LongBuffer swapped =
        ByteBuffer.allocateDirect(16).order(ByteOrder.BIG_ENDIAN).asLongBuffer().put(0, 7);
    try (Tensor tensor = Tensor.of(swapped)) {
      assertEquals(7, tensor.longs().get(0));
    }
    ByteBuffer bytes = ByteBuffer.wrap(new byte[] {1, 0, 2, 0});
    try (Tensor tensor = Tensor.of(bytes, DType.UINT16)) {
      assertArrayEquals(new long[] {1, 2}, tensor.toLongs());
      assertEquals(4, bytes.remaining());
    }
    assertThrows(
        GlsException.InvalidArgument.class, () -> Tensor.of(ByteBuffer.allocate(3), DType.INT16));
  }

  @Test
  void misalignedMemoryIsRefused() {
    ByteBuffer memory = direct(32).position(1).limit(17);
    assertThrows(GlsException.class, () -> Tensor.of(memory, DType.INT64));
  }

  @Test
  void viewsHaveTheSameAddress() {
    try (Tensor tensor = Tensor.of(new long[] {1, 2, 3})) {
      assertEquals(tensor.address(), glsjni.bufferAddress(tensor.bytes()));
      assertEquals(tensor.address(), glsjni.bufferAddress(tensor.longs()));
      assertEquals(tensor.address() + 8, glsjni.bufferAddress(tensor.memory(8, 16)));
      assertEquals(ByteOrder.nativeOrder(), tensor.bytes().order());
      assertEquals(ByteOrder.nativeOrder(), tensor.memory(8, 16).order());
      tensor.longs().put(1, 77);
      assertEquals(77, tensor.longs().get(1));
      assertThrows(IndexOutOfBoundsException.class, () -> tensor.memory(8, 17));
      assertThrows(IndexOutOfBoundsException.class, () -> tensor.memory(-1, 1));
      assertThrows(IndexOutOfBoundsException.class, () -> tensor.memory(0, Long.MAX_VALUE));
    }
  }

  @Test
  void wrongTypesAreRefused() {
    try (Tensor tensor = Tensor.of(new int[] {1})) {
      GlsException error = assertThrows(GlsException.InvalidArgument.class, tensor::longs);
      assertEquals("longs: the elements are INT32, expected INT64", error.getMessage());
      assertThrows(GlsException.InvalidArgument.class, tensor::floats);
      assertThrows(GlsException.InvalidArgument.class, tensor::doubles);
      assertThrows(GlsException.InvalidArgument.class, tensor::shorts);
    }
    assertThrows(GlsException.InvalidArgument.class, () -> Tensor.of(new float[] {1}).toLongs());
    assertThrows(
        GlsException.InvalidArgument.class, () -> Tensor.of(new int[2]).copyTo(new long[1]));
    assertThrows(
        GlsException.InvalidArgument.class, () -> Tensor.of(new float[2]).copyTo(new float[1]));
  }

  @Test
  void readOnlyMemoryCannotBeWritten() {
    try (Dataset dataset = Graphs.random()) {
      Tensor x = dataset.nodeColumn(null, "x");
      assertTrue(x.isReadOnly());
      Tensor row = x.row(3);
      assertThrows(ReadOnlyBufferException.class, () -> row.floats().put(0, 1f));
      assertThrows(ReadOnlyBufferException.class, () -> row.bytes().put(0, (byte) 1));
      assertThrows(ReadOnlyBufferException.class, () -> row.memory(0, 4).putInt(0, 1));
      Tensor copy = x.copy();
      assertFalse(copy.isReadOnly());
      copy.floats().put(0, 5f);
      assertNotEquals(5f, x.row(0).floats().get(0));
    }
    ByteBuffer memory = direct(8);
    Tensor given = Tensor.of(memory.asReadOnlyBuffer(), DType.INT32);
    assertTrue(given.isReadOnly());
    assertThrows(ReadOnlyBufferException.class, () -> given.ints().put(0, 1));
  }

  @Test
  void rowsMayBePadded(@TempDir Path folder) {
    Path path = folder.resolve("padded");
    try (DatasetBuilder builder = new DatasetBuilder()) {
      builder.addNodeType("node", 3);
      builder.addEdges(Graphs.EDGES, Tensor.of(new long[1]), Tensor.of(new long[1]));
      float[] x = new float[3 * 60];
      for (int i = 0; i < x.length; ++i) {
        x[i] = i;
      }
      builder.addNodeColumn("node", "x", Tensor.of(x, 3, 60), Role.FEATURE);
      builder.write(path);
      try (Dataset dataset = Dataset.open(path);
          Tensor column = dataset.nodeColumn("node", "x")) {
        long stride = dataset.nodeType(null).columns().get("x").rowStride();
        assertTrue(stride > 240, () -> "rows of 240 bytes lie " + stride + " bytes apart");
        assertFalse(column.isContiguous());
        assertEquals(stride, column.stride(0) * 4);
        assertThrows(GlsException.Unsupported.class, column::bytes);
        assertThrows(GlsException.Unsupported.class, column::floats);
        assertArrayEquals(x, column.toFloats());
        assertArrayEquals(x, column.copy().toFloats());
        assertEquals(60, column.row(1).floats().get(0));
        assertEquals(column.address() + stride, column.row(1).address());
        assertEquals(60, column.memory(stride, 4).getFloat(0));
      }
    }
  }

  private static byte[] npyHeader(String type, long length) {
    String header =
        "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + length + ",), }";
    header += " ".repeat(117 - header.length()) + "\n";
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(0x93);
    out.writeBytes("NUMPY".getBytes(StandardCharsets.US_ASCII));
    out.writeBytes(new byte[] {1, 0, (byte) header.length(), 0});
    out.writeBytes(header.getBytes(StandardCharsets.US_ASCII));
    return out.toByteArray();
  }

  /** A file with a hole, which takes no room. */
  @Test
  void largeArraysAreShownInParts(@TempDir Path folder) throws IOException {
    long length = 3L << 30;
    Path path = folder.resolve("large.npy");
    byte[] header = npyHeader("|i1", length);
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.write(header);
      file.setLength(header.length + length);
      file.seek(header.length + length - 1);
      file.write(42);
    }
    try (Tensor tensor = Tensor.mapNpy(path)) {
      assertEquals(length, tensor.byteSize());
      assertThrows(GlsException.Unsupported.class, tensor::bytes);
      assertThrows(GlsException.Unsupported.class, tensor::toLongs);
      assertThrows(GlsException.Unsupported.class, () -> tensor.memory(0, length));
      ByteBuffer end = tensor.memory(length - 8, 8);
      assertEquals(42, end.get(7));
      assertEquals(tensor.address() + length - 8, glsjni.bufferAddress(end));
      assertThrows(ReadOnlyBufferException.class, () -> end.put(0, (byte) 1));
      tensor.close();
      System.gc();
      assertEquals(42, end.get(7));
    }
  }

  @Test
  void npyFilesAreMapped(@TempDir Path folder) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(npyHeader("<i8", 2));
    out.writeBytes(new byte[] {9, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0});
    // A name that JNI's own encoding would spoil.
    Path file = folder.resolve("größe-\uD83D\uDE00.npy");
    Files.write(file, out.toByteArray());
    try (Tensor tensor = Tensor.mapNpy(file)) {
      assertArrayEquals(new long[] {9, 8}, tensor.toLongs());
      assertTrue(tensor.isReadOnly());
      assertThrows(ReadOnlyBufferException.class, () -> tensor.longs().put(0, 1));
    }
    GlsException error =
        assertThrows(GlsException.FileNotFound.class, () -> Tensor.mapNpy(Path.of("no\u00e9ne")));
    assertEquals("no\u00e9ne", error.details().get("file"));
  }

  @Test
  void buffersOutliveTheTensor() {
    FloatBuffer floats;
    try (Tensor tensor = Tensor.of(Graphs.x())) {
      floats = tensor.floats();
    }
    for (int i = 0; i < 5; ++i) {
      System.gc();
    }
    float[] got = new float[floats.remaining()];
    floats.get(got);
    assertArrayEquals(Graphs.x(), got);
  }

  @Test
  void arraysOfABatchAreItsMemory() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader =
            NeighborLoader.builder(dataset).fanouts(3).batchSize(10).edgeIds(true).build()) {
      Batch batch = loader.next().orElseThrow();
      org.gls.low.Batch low = lowOf(batch);
      for (BatchArray array : batch.arrays()) {
        Tensor tensor = batch.tensor(array.kind(), array.type(), array.name());
        assertSame(tensor, batch.tensor(array.kind(), array.type(), array.name()));
        org.gls.low.Tensor own = low.tensor(array.kind().number, array.type(), array.name());
        assertEquals(own.address(), tensor.address(), array::toString);
        own.delete();
        if (tensor.size() > 0) {
          assertEquals(tensor.address(), glsjni.bufferAddress(tensor.bytes()));
        }
      }
      LongBuffer nodes = batch.node().longs();
      nodes.put(0, 4711); // may be written
      assertEquals(4711, batch.node().longs().get(0));
      assertNotSame(nodes, batch.node().longs());
      batch.close();
      assertEquals(4711, nodes.get(0)); // stays valid
      assertThrows(IllegalStateException.class, batch::node);
    }
  }

  @Test
  void aSharedTensorLivesOnItsOwn() {
    assertTrue(MemoryTest.collectUntil(() -> NativeMemory.held() == 0)); // what other tests left
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = NeighborLoader.builder(dataset).fanouts(3).build()) {
      Batch batch = loader.next().orElseThrow();
      long address = batch.node().address();
      long[] copy = batch.node().toLongs();
      Tensor shared = batch.node().share();
      Tensor again = shared.share();
      batch.close();
      shared.close();
      shared.close();
      assertThrows(IllegalStateException.class, shared::address);
      assertThrows(IllegalStateException.class, shared::share);
      assertEquals(address, again.address());
      assertArrayEquals(copy, again.toLongs());
      assertTrue(NativeMemory.held() > 0);
      again.close();
      assertEquals(0, NativeMemory.held()); // at once: no buffer was made
    }
  }

  /** The same batch as the library sees it. */
  private static org.gls.low.Batch lowOf(Batch batch) {
    try {
      var state = Batch.class.getDeclaredField("state");
      state.setAccessible(true);
      var handle = state.getType().getDeclaredField("handle");
      handle.setAccessible(true);
      var low = Handle.class.getDeclaredField("low");
      low.setAccessible(true);
      return (org.gls.low.Batch) low.get(handle.get(state.get(batch)));
    } catch (ReflectiveOperationException error) {
      throw new AssertionError(error);
    }
  }
}
