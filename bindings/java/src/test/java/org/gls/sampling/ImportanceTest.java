package org.gls.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.LongStream;
import org.gls.Batch;
import org.gls.Context;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.GlsException;
import org.gls.Importance;
import org.gls.NeighborLoader;
import org.gls.Ppr;
import org.gls.Sampler;
import org.gls.Tensor;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Importance neighbours and personalised PageRank through samplers and loaders. */
class ImportanceTest {
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
  void importanceCountsVisits() {
    Importance importance = Importance.of(9).walks(20).traversals(1);
    try (Dataset dataset = ring();
        Sampler sampler = Sampler.builder(dataset).importance(importance).build();
        Batch batch = sampler.sample(7, 30, 7)) {
      assertArrayEquals(new long[] {2, 6}, batch.numSampledNodes());
      long[] node = batch.node().toLongs();
      long[] seed = batch.nearSeed().toLongs();
      long[] near = batch.nearNode().toLongs();
      float[] score = batch.nearScore().toFloats();
      float[] visits = new float[2];
      for (int i = 0; i < seed.length; ++i) {
        long step = node[(int) near[i]] - node[(int) seed[i]];
        assertTrue(step >= 1 && step <= 3);
        assertEquals(score[2 * i + 1] / 20, score[2 * i]);
        visits[(int) seed[i]] += score[2 * i + 1];
      }
      assertArrayEquals(new float[] {20, 20}, visits);
      assertEquals(0, batch.row().size());
      assertThrows(GlsException.NotFound.class, batch::walk);
    }
  }

  @Test
  void loadersPush() {
    try (Dataset dataset = ring();
        NeighborLoader loader =
            NeighborLoader.builder(dataset).ppr(Ppr.of(4)).batchSize(20).build()) {
      int seen = 0;
      for (Batch batch : loader) {
        try (batch) {
          long[] seed = batch.nearSeed().toLongs();
          long[] near = batch.nearNode().toLongs();
          float[] score = batch.nearScore().toFloats();
          for (int i = 0; i < seed.length; ++i) {
            assertEquals(i % 4 == 0, seed[i] == near[i]);
            assertEquals(i % 4 == 0 ? 1 : 0.5F, score[2 * i + 1]);
            seen += i % 4 == 0 ? 1 : 0;
          }
        }
      }
      assertEquals(NODES, seen);
    }
  }

  @Test
  void channelsPushByThemselves() {
    try (DatasetBuilder builder = new DatasetBuilder(Context.getDefault())) {
      builder.addEdges(
          "node__a__node", Tensor.of(new long[] {1, 2, 0}), Tensor.of(new long[] {0, 1, 2}));
      builder.addEdges(
          "node__b__node", Tensor.of(new long[] {3, 4, 0}), Tensor.of(new long[] {0, 3, 4}));
      Ppr ppr = Ppr.of(3).channel(0.7, "node__a__node").channel(0.3, "node__b__node");
      try (Dataset dataset = builder.build();
          Sampler sampler = Sampler.builder(dataset).ppr(ppr).build();
          Batch batch = sampler.sample(0)) {
        // Two of the first, the seed among them, and the best of the other.
        assertArrayEquals(new long[] {0, 1, 3}, batch.node().toLongs());
        assertEquals(List.of(3L, 8L), batch.nearScore().shape());
        float[] score = batch.nearScore().toFloats();
        for (int i = 0; i < 3; ++i) {
          assertEquals(i == 2 ? 0 : 1, score[8 * i + 4]);
          assertEquals(i == 1 ? 0 : 1, score[8 * i + 7]);
          assertEquals(Math.max(score[8 * i + 2], score[8 * i + 5]), score[8 * i]);
          assertEquals(i == 0 ? 1 : 0.5F, score[8 * i + 1]);
        }
      }
    }
  }

  @Test
  void whatCannotBeIsRefused() {
    try (Dataset dataset = ring()) {
      assertInvalid("neighbors", () -> Importance.of(0));
      assertInvalid("walks", () -> Importance.of(1).walks(0));
      assertInvalid("traversals", () -> Importance.of(1).traversals(-1));
      assertInvalid("hops", () -> Importance.of(1).hops(0));
      assertInvalid("hops", () -> build(dataset, Importance.of(1).hops(256)));
      assertInvalid("stop", () -> build(dataset, Importance.of(1).stop(1.5)));
      assertThrows(
          GlsException.NotFound.class, () -> build(dataset, Importance.of(1).along("a__b__c")));
      assertInvalid("neighbors", () -> Ppr.of(0));
      assertInvalid("alpha", () -> Ppr.of(1).alpha(0));
      assertInvalid("alpha", () -> build(dataset, Ppr.of(1).alpha(2)));
      assertInvalid("epsilon", () -> Ppr.of(1).epsilon(0));
      assertInvalid("epsilon", () -> build(dataset, Ppr.of(1).epsilon(Double.NaN)));
      assertInvalid("maxEdges", () -> Ppr.of(1).maxEdges(0));
      assertInvalid("rowLimit", () -> Ppr.of(1).rowLimit(-1));
      assertInvalid("edgeTypes", () -> build(dataset, Ppr.of(1).along(Graphs.EDGES, Graphs.EDGES)));
      assertInvalid("channels", () -> build(dataset, Ppr.of(1).channel(1)));
      assertInvalid("channels", () -> build(dataset, Ppr.of(1).channel(0.5, Graphs.EDGES)));
      assertInvalid(
          "channels",
          () -> build(dataset, Ppr.of(1).channel(0, Graphs.EDGES).channel(1, Graphs.EDGES)));
      assertInvalid(
          "channels", () -> build(dataset, Ppr.of(1).channel(1, Graphs.EDGES, Graphs.EDGES)));
      assertThrows(
          GlsException.NotFound.class, () -> build(dataset, Ppr.of(1).channel(1, "a__b__c")));
      build(dataset, Ppr.of(1).channel(0.5, Graphs.EDGES).channel(0.5, Graphs.EDGES));
      assertInvalid(
          "fanouts", () -> Sampler.builder(dataset).fanouts(3).ppr(Ppr.of(2)).build().close());
      build(dataset, Ppr.of(1).topUp(false).maxEdges(100).rowLimit(2).along(Graphs.EDGES));
      try (Sampler sampler = Sampler.builder(dataset).fanouts(1).build();
          Batch batch = sampler.sample(1)) {
        assertThrows(GlsException.NotFound.class, batch::nearScore);
        assertThrows(GlsException.NotFound.class, batch::nearSeed);
      }
    }
  }

  private static void build(Dataset dataset, Importance importance) {
    Sampler.builder(dataset).importance(importance).build().close();
  }

  private static void build(Dataset dataset, Ppr ppr) {
    Sampler.builder(dataset).ppr(ppr).build().close();
  }
}
