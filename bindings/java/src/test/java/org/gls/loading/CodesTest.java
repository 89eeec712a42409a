package org.gls.loading;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.LongStream;
import org.gls.Batch;
import org.gls.Column;
import org.gls.Context;
import org.gls.DType;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.GlsException;
import org.gls.NeighborLoader;
import org.gls.Quantization;
import org.gls.Role;
import org.gls.Tensor;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;

/** Quantised columns. */
class CodesTest {
  private static final int NODES = 9;

  private static DatasetBuilder chain() {
    DatasetBuilder builder = new DatasetBuilder(Context.getDefault());
    builder.addEdges(
        Graphs.EDGES,
        Tensor.of(LongStream.range(0, NODES).map(v -> (v + 1) % NODES).toArray()),
        Tensor.of(LongStream.range(0, NODES).toArray()));
    return builder;
  }

  private static int code(long node, int place) {
    return (int) ((node + place) % 4);
  }

  private static ByteTensor codes() {
    byte[] bytes = new byte[2 * NODES];
    for (int v = 0; v < NODES; ++v) {
      for (int i = 0; i < 4; ++i) {
        bytes[2 * v] |= (byte) (code(v, i) << (6 - 2 * i));
      }
      bytes[2 * v + 1] = (byte) (code(v, 4) << 6 | 0x3f);
    }
    return new ByteTensor(bytes);
  }

  /** Unsigned bytes. */
  private record ByteTensor(byte[] bytes) {
    Tensor tensor() {
      java.nio.ByteBuffer buffer = java.nio.ByteBuffer.allocateDirect(bytes.length);
      buffer.put(bytes).flip();
      return Tensor.of(buffer, DType.UINT8, NODES, bytes.length / NODES);
    }
  }

  @Test
  void packedRowsAreDecoded() {
    float[] codebook = {0.5f, -1, 7.25f, 3};
    Quantization how = Quantization.codebook(2, 5, codebook);
    try (DatasetBuilder builder = chain()) {
      builder.addNodeCodes(null, "x", codes().tensor(), how, Role.FEATURE);
      builder.addEdgeCodes(null, "f", codes().tensor(), how, Role.FEATURE);
      try (Dataset dataset = builder.build();
          NeighborLoader loader =
              NeighborLoader.builder(dataset).fanouts(1).edgeIds(true).batchSize(4).build();
          Batch batch = loader.next().orElseThrow()) {
        Column column = dataset.nodeTypes().get(0).columns().get("x");
        assertEquals(2, column.bits());
        assertEquals(List.of(0.5f, -1f, 7.25f, 3f), column.codebook());
        assertEquals(List.of((long) NODES, 5L), column.shape());
        assertEquals(DType.FLOAT32, column.dtype());
        long[] nodes = batch.node().toLongs();
        float[] x = batch.column("x").toFloats();
        for (int row = 0; row < nodes.length; ++row) {
          for (int i = 0; i < 5; ++i) {
            assertEquals(codebook[code(nodes[row], i)], x[5 * row + i]);
          }
        }
      }
    }
  }

  @Test
  void numbersArePacked() {
    Tensor numbers = Tensor.of(new float[] {0, 0.5f, 1, 0.4f, 9, -9}, 2, 3);
    Tensor codes = Quantization.quantize(numbers, 1, 0, 1);
    assertEquals(DType.UINT8, codes.dtype());
    byte[] bytes = new byte[2];
    codes.bytes().get(bytes);
    assertArrayEquals(new byte[] {0b0010_0000, 0b0100_0000}, bytes);
  }

  @Test
  void mistakesAreNamed() {
    try (DatasetBuilder builder = chain()) {
      for (Quantization how :
          List.of(
              Quantization.even(3, 5, 0, 1),
              Quantization.even(-1, 5, 0, 1),
              Quantization.even(2, 9, 0, 1),
              Quantization.even(2, 5, 1, 0),
              Quantization.codebook(2, 5, 1, 2, 3),
              Quantization.codebook(2, 5, 1, 2, 3, Float.NaN))) {
        assertThrows(
            GlsException.InvalidArgument.class,
            () -> builder.addNodeCodes(null, "x", codes().tensor(), how, Role.FEATURE));
      }
    }
  }
}
