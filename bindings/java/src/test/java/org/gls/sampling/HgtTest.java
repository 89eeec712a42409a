package org.gls.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.LongStream;
import org.gls.Batch;
import org.gls.Context;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.GlsException;
import org.gls.Hgt;
import org.gls.NeighborLoader;
import org.gls.Sampler;
import org.gls.Tensor;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Nodes drawn from budgets, through samplers and loaders. */
class HgtTest {
  private static final int NODES = 50;

  /** Edge e goes from node e / 3 + 1 + e % 3 to node e / 3. */
  private static Dataset ring() {
    try (DatasetBuilder builder = new DatasetBuilder(Context.getDefault())) {
      builder.addEdges(
          Graphs.EDGES,
          Tensor.of(LongStream.range(0, 3 * NODES).map(e -> (e / 3 + 1 + e % 3) % NODES).toArray()),
          Tensor.of(LongStream.range(0, 3 * NODES).map(e -> e / 3).toArray()));
      return builder.build();
    }
  }

  private static void assertInvalid(String argument, Executable call) {
    GlsException error = assertThrows(GlsException.InvalidArgument.class, call);
    assertEquals(argument, error.details().get("argument"), error::getMessage);
  }

  @Test
  void loadersDrawNodes() {
    try (Dataset dataset = ring();
        NeighborLoader loader =
            NeighborLoader.builder(dataset).hgt(Hgt.of(2, 1)).batchSize(20).build()) {
      int number = 0;
      for (Batch batch : loader) {
        try (batch) {
          long seeds = number++ < 2 ? 20 : 10;
          assertArrayEquals(new long[] {seeds, 2, 1}, batch.numSampledNodes());
          assertEquals(seeds + 3, batch.node().toLongs().length);
          assertEquals(1, batch.numSampledEdges().length);
        }
      }
      assertEquals(3, number);
    }
  }

  @Test
  void whatCannotBeIsRefused() {
    try (Dataset dataset = ring()) {
      assertInvalid("mostNeighbors", () -> Hgt.of(1).mostNeighbors(0));
      assertInvalid("samples", () -> build(dataset, Hgt.of()));
      assertInvalid("samples", () -> build(dataset, Hgt.of(-2)));
      assertThrows(
          GlsException.NotFound.class, () -> build(dataset, Hgt.of(1).samples("person", 1)));
      assertInvalid(
          "fanouts", () -> Sampler.builder(dataset).fanouts(3).hgt(Hgt.of(2)).build().close());
      build(dataset, Hgt.of(3).samples("node", -1).mostNeighbors(2));
    }
  }

  private static void build(Dataset dataset, Hgt hgt) {
    Sampler.builder(dataset).hgt(hgt).build().close();
  }
}
