package org.gls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.gls.arrow.ArrowVectors;
import org.gls.internal.NativeMemory;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;

class ArrowTest {
  @Test
  void vectorsAreTheMemoryOfTheBatch() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader =
            NeighborLoader.builder(dataset).fanouts(3).batchSize(10).edgeIds(true).build();
        BufferAllocator allocator = new RootAllocator();
        Batch batch = loader.next().orElseThrow()) {
      try (BigIntVector node = (BigIntVector) ArrowVectors.vector("n", batch.node(), allocator);
          FixedSizeListVector x =
              (FixedSizeListVector) ArrowVectors.vector("x", batch.column("x"), allocator)) {
        assertEquals(batch.node().address(), node.getDataBuffer().memoryAddress());
        assertEquals(batch.node().size(), node.getValueCount());
        assertEquals(0, node.getNullCount());
        Float4Vector values = (Float4Vector) x.getDataVector();
        assertEquals(batch.column("x").address(), values.getDataBuffer().memoryAddress());
        assertEquals(Graphs.FEATURES, x.getListSize());
        assertEquals(batch.numNodes(), x.getValueCount());
        for (int i = 0; i < node.getValueCount(); ++i) {
          assertEquals(batch.node().longs().get(i), node.get(i));
          assertFalse(node.isNull(i) || x.isNull(i));
          assertEquals(
              batch.column("x").floats().get(i * Graphs.FEATURES + 5),
              values.get(x.getElementStartIndex(i) + 5));
        }
        batch.node().longs().put(0, 4711);
        assertEquals(4711, node.get(0));
      }
      assertEquals(0, allocator.getAllocatedMemory());
    }
  }

  @Test
  void memoryStaysUntilArrowLetsGo() {
    long before = NativeMemory.held();
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = NeighborLoader.builder(dataset).fanouts(3).batchSize(50).build();
        BufferAllocator allocator = new RootAllocator()) {
      Batch batch = loader.next().orElseThrow();
      long[] copy = batch.node().toLongs();
      BigIntVector node = (BigIntVector) ArrowVectors.vector("node", batch.node(), allocator);
      ArrowBuf row = ArrowVectors.buffer(batch.row(), allocator);
      batch.close();
      loader.next().orElseThrow().close(); // may use what was given back
      assertTrue(NativeMemory.held() > before);
      for (int i = 0; i < copy.length; ++i) {
        assertEquals(copy[i], node.get(i));
      }
      FieldVector moved = (FieldVector) node.getTransferPair(allocator).getTo();
      node.makeTransferPair(moved).transfer();
      node.close();
      row.close();
      assertTrue(NativeMemory.held() > before);
      moved.close();
      assertEquals(before, NativeMemory.held());
      assertEquals(0, allocator.getAllocatedMemory());
    }
  }

  @Test
  void everyType() {
    try (BufferAllocator allocator = new RootAllocator()) {
      for (DType dtype : DType.values()) {
        try (Tensor tensor =
            Tensor.of(ByteBuffer.allocateDirect(48), dtype, 3, 2, 8 / dtype.bytes())) {
          if (dtype == DType.BOOL || dtype == DType.BFLOAT16) {
            IllegalArgumentException error =
                assertThrows(
                    IllegalArgumentException.class,
                    () -> ArrowVectors.vector("a", tensor, allocator));
            assertTrue(error.getMessage().contains(dtype.name()), error::getMessage);
            ArrowVectors.buffer(tensor, allocator).close();
            continue;
          }
          try (FieldVector vector = ArrowVectors.vector("a", tensor, allocator)) {
            assertEquals(3, vector.getValueCount());
            FieldVector rows = vector.getChildrenFromFields().get(0);
            assertEquals(6, rows.getValueCount());
            FieldVector values = rows.getChildrenFromFields().get(0);
            assertEquals(48 / dtype.bytes(), values.getValueCount());
            assertEquals(tensor.address(), values.getDataBuffer().memoryAddress());
          }
        }
      }
      try (Tensor nothing = Tensor.of(new long[0], 0, 4);
          FieldVector vector = ArrowVectors.vector("a", nothing, allocator)) {
        assertEquals(0, vector.getValueCount());
      }
    }
  }

  @Test
  void whatCannotBeShownIsRefused() {
    try (Dataset dataset = Graphs.random();
        Tensor column = dataset.nodeColumn(null, "x");
        Tensor copy = column.copy();
        Tensor closed = Tensor.of(new long[1]);
        BufferAllocator allocator = new RootAllocator();
        BufferAllocator small = allocator.newChildAllocator("small", 0, 64)) {
      assertThrows(
          IllegalArgumentException.class, () -> ArrowVectors.vector("x", column, allocator));
      ArrowVectors.vector("x", copy, allocator).close();
      assertThrows(OutOfMemoryException.class, () -> ArrowVectors.vector("x", copy, small));
      assertThrows(NullPointerException.class, () -> ArrowVectors.vector(null, copy, allocator));
      closed.close();
      assertThrows(IllegalStateException.class, () -> ArrowVectors.vector("x", closed, allocator));
      assertEquals(0, allocator.getAllocatedMemory()); // what failed left nothing
    }
  }
}
