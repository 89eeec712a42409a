package org.gls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.util.passthrough.PassthroughNDManager;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.gls.djl.NDArrays;
import org.gls.low.glsjni;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;

/** With the manager that is in DJL's interface itself, and keeps what it is given. */
class DjlTest {
  private static final NDManager MANAGER = PassthroughNDManager.INSTANCE;

  private static long address(NDArray array) {
    return glsjni.bufferAddress(array.toByteBuffer());
  }

  @Test
  void theEngineIsGivenTheMemoryOfTheBatch() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = NeighborLoader.builder(dataset).fanouts(3).batchSize(10).build();
        Batch batch = loader.next().orElseThrow()) {
      float[] copy = batch.column("x").toFloats();
      NDArray x = NDArrays.of(MANAGER, batch.column("x"));
      assertEquals(new Shape(batch.numNodes(), Graphs.FEATURES), x.getShape());
      assertEquals(DataType.FLOAT32, x.getDataType());
      assertEquals(batch.column("x").address(), address(x));
      NDArray node = NDArrays.of(MANAGER, batch.node());
      assertEquals(DataType.INT64, node.getDataType());
      assertEquals(batch.node().address(), address(node));
      batch.close();
      float[] values = new float[copy.length];
      x.toByteBuffer().order(ByteOrder.nativeOrder()).asFloatBuffer().get(values);
      assertEquals(Arrays.toString(copy), Arrays.toString(values));
    }
  }

  @Test
  void everyType() {
    for (DType dtype : DType.values()) {
      try (Tensor tensor = Tensor.of(ByteBuffer.allocateDirect(16), dtype, 2, 8 / dtype.bytes())) {
        NDArray array = NDArrays.of(MANAGER, tensor);
        assertEquals(dtype.bytes(), array.getDataType().getNumOfBytes(), dtype::name);
        assertEquals(new Shape(2, 8 / dtype.bytes()), array.getShape());
      }
    }
  }

  @Test
  void readOnlyMemoryIsCopied() {
    try (Dataset dataset = Graphs.random();
        Tensor y = dataset.nodeColumn(null, "y")) {
      NDArray array = NDArrays.of(MANAGER, y);
      assertNotEquals(y.address(), address(array));
      assertEquals(y.longs().get(7), array.toByteBuffer().order(y.bytes().order()).getLong(7 * 8));
    }
  }
}
