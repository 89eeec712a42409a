package org.gls.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.gls.Batch;
import org.gls.Context;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.GlsException;
import org.gls.NeighborLoader;
import org.gls.Sampler;
import org.gls.Tensor;
import org.gls.Walks;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Random walks through samplers and loaders. */
class WalkTest {
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
  void everyStepIsAnEdge() {
    Walks walks = Walks.ofLength(6).perSeed(4).biases(0.5, 2);
    long[] seeds = {7, 7, 30};
    try (Dataset dataset = ring();
        Sampler sampler = Sampler.builder(dataset).walks(walks).edgeIds(true).seed(3).build();
        Batch batch = sampler.sample(seeds)) {
      long[] node = batch.node().toLongs();
      assertEquals(12, batch.walk().size(0));
      assertEquals(7, batch.walk().size(1));
      for (int i = 0; i < 12; ++i) {
        try (Tensor walk = batch.walk().row(i);
            Tensor edge = batch.walkEdge().row(i)) {
          long[] ids = LongStream.of(walk.toLongs()).map(local -> node[(int) local]).toArray();
          long[] edges = edge.toLongs();
          assertEquals(seeds[i / 4], ids[0]);
          assertEquals(6, edges.length);
          for (int step = 0; step < edges.length; ++step) {
            assertEquals(edges[step] / 3, ids[step]);
            assertEquals((edges[step] / 3 + 1 + edges[step] % 3) % NODES, ids[step + 1]);
          }
        }
      }
      assertEquals(2, batch.numSampledNodes()[0]);
      assertEquals(0, batch.row().size());
    }
  }

  @Test
  void loadersWalk() {
    try (Dataset dataset = ring();
        NeighborLoader loader =
            NeighborLoader.builder(dataset)
                .walks(Walks.ofLength(5).stop(0.2).restart(0.1))
                .batchSize(20)
                .shuffle(true)
                .build()) {
      List<Long> seen = new ArrayList<>();
      for (Batch batch : loader) {
        try (batch) {
          long[] node = batch.node().toLongs();
          for (int i = 0; i < batch.walk().size(0); ++i) {
            try (Tensor walk = batch.walk().row(i)) {
              seen.add(node[(int) walk.toLongs()[0]]);
            }
          }
          assertThrows(GlsException.NotFound.class, batch::walkEdge);
        }
      }
      assertArrayEquals(
          LongStream.range(0, NODES).toArray(),
          seen.stream().mapToLong(Long::longValue).sorted().toArray());
    }
  }

  @Test
  void whatMakesNoWalkIsRefused() {
    try (Dataset dataset = ring()) {
      assertInvalid("length", () -> build(dataset, Walks.ofLength(0)));
      assertInvalid("length", () -> Walks.ofLength(-1));
      assertInvalid("walks", () -> Walks.ofLength(3).perSeed(0));
      assertInvalid("p", () -> Walks.ofLength(3).biases(0, 1));
      assertInvalid("q", () -> build(dataset, Walks.ofLength(3).biases(1, -1)));
      assertInvalid("restart", () -> build(dataset, Walks.ofLength(3).restart(1.5)));
      assertInvalid("stop", () -> build(dataset, Walks.ofLength(3).stop(Double.NaN)));
      assertThrows(GlsException.NotFound.class, () -> build(dataset, Walks.along("a__b__c")));
      assertInvalid(
          "fanouts",
          () -> Sampler.builder(dataset).fanouts(3).walks(Walks.ofLength(2)).build().close());
      try (Sampler sampler = Sampler.builder(dataset).walks(Walks.along(Graphs.EDGES)).build();
          Batch batch = sampler.sample(1)) {
        assertEquals(2, batch.walk().size(1));
      }
      try (Sampler sampler = Sampler.builder(dataset).fanouts(1).build();
          Batch batch = sampler.sample(1)) {
        assertThrows(GlsException.NotFound.class, batch::walk);
        assertTrue(batch.row().size() > 0);
      }
    }
  }

  private static void build(Dataset dataset, Walks walks) {
    Sampler.builder(dataset).walks(walks).build().close();
  }
}
