package org.gls.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.gls.ArrayKind;
import org.gls.Batch;
import org.gls.Context;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.GlsException;
import org.gls.Layout;
import org.gls.NeighborLoader;
import org.gls.Role;
import org.gls.SampleRequest;
import org.gls.Sampler;
import org.gls.Subgraph;
import org.gls.Tensor;
import org.gls.TimeStrategy;
import org.gls.Topology;
import org.gls.WriteOptions;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Sampling by times, and induced subgraphs. */
class TimeTest {
  private static final long[] SINCE = new Random(8).longs(Graphs.NODES, -50, 50).toArray();
  private static final long[] AT = new Random(9).longs(Graphs.NUM_EDGES, -50, 50).toArray();

  /** Nodes have times in "since", edges in "at". */
  private static Dataset dataset() {
    try (DatasetBuilder builder = Graphs.builder(Context.getDefault())) {
      builder.addNodeColumn("node", "since", Tensor.of(SINCE), Role.TIME);
      builder.addEdgeColumn(Graphs.EDGES, "at", Tensor.of(AT), Role.TIME);
      return builder.build(new WriteOptions().layouts(Layout.CSC, Layout.CSR));
    }
  }

  private static NeighborLoader.Builder loader(Dataset dataset) {
    return NeighborLoader.builder(dataset).fanouts(4, 3).batchSize(16).seeds("train");
  }

  private static Sampler.Builder sampler(Dataset dataset) {
    return Sampler.builder(dataset).fanouts(4, 3);
  }

  private static void assertInvalid(String argument, String text, Executable call) {
    GlsException error = assertThrows(GlsException.InvalidArgument.class, call);
    assertEquals(argument, error.details().get("argument"), error::getMessage);
    assertTrue(error.getMessage().contains(text), error::getMessage);
  }

  private static List<String> contents(NeighborLoader.Builder builder) {
    List<String> out = new ArrayList<>();
    try (NeighborLoader loader = builder.build()) {
      for (Batch batch : loader) {
        try (batch) {
          out.add(
              Arrays.toString(batch.node().toLongs())
                  + Arrays.toString(batch.tree().toLongs())
                  + Arrays.toString(batch.seedTime().toLongs()));
        }
      }
    }
    return out;
  }

  @Test
  void seedsHaveTheTimesOfTheirRows() {
    try (Dataset dataset = dataset();
        NeighborLoader loader =
            loader(dataset).nodeTime("since").timeWindow(40).shuffle(true).build()) {
      boolean late = false;
      for (Batch batch : loader) {
        try (batch) {
          long[] node = batch.node().toLongs();
          long[] tree = batch.tree().toLongs();
          long[] seed = batch.seed().toLongs();
          long[] times = batch.seedTime().toLongs();
          assertEquals(seed.length, times.length);
          for (int i = 0; i < seed.length; ++i) {
            assertEquals(SINCE[(int) node[(int) seed[i]]], times[i]);
          }
          for (int i = 0; i < node.length; ++i) {
            long behind = times[(int) tree[i]] - SINCE[(int) node[i]];
            assertTrue(behind >= 0 && behind <= 40, () -> "not in time by " + behind);
            late |= behind > 0;
          }
        }
      }
      assertTrue(late);
    }
  }

  @Test
  void timesOfSeedsCanBeGiven() {
    long[] train = Graphs.train();
    long[] own = Arrays.stream(train).map(id -> SINCE[(int) id]).toArray();
    int[] narrow = Arrays.stream(own).mapToInt(Math::toIntExact).toArray();
    try (Dataset dataset = dataset()) {
      List<String> expected = contents(loader(dataset).nodeTime("since").shuffle(true));
      assertEquals(7, expected.size());
      try (Tensor times = Tensor.of(own);
          Tensor narrowTimes = Tensor.of(narrow)) {
        for (Tensor given : List.of(times, narrowTimes)) {
          assertEquals(
              expected, contents(loader(dataset).nodeTime("since").times(given).shuffle(true)));
        }
        assertEquals(
            expected,
            contents(loader(dataset).nodeTime("since").times(times).times(null).shuffle(true)));
        assertEquals(7, contents(loader(dataset).edgeTime("at").times(times)).size());
        NeighborLoader.Builder late = loader(dataset).nodeTime("since").times(times);
        times.close();
        assertThrows(IllegalStateException.class, late::build);
      }
    }
  }

  @Test
  void theLastEdgesAreTaken() {
    try (Dataset dataset = dataset();
        Sampler sampler =
            Sampler.builder(dataset)
                .fanouts(3)
                .edgeTime("at")
                .timeStrategy(TimeStrategy.LAST)
                .timeStrict(true)
                .edgeIds(true)
                .build();
        Sampler all = Sampler.builder(dataset).fanouts(-1).edgeIds(true).build();
        Tensor ids = Tensor.of(new long[] {17});
        Tensor times = Tensor.of(new int[] {20});
        Batch batch = sampler.sample(new SampleRequest().seeds(null, ids, times));
        Batch whole = all.sample(17)) {
      long[] early =
          Arrays.stream(whole.edge().toLongs())
              .map(e -> AT[(int) e])
              .filter(t -> t < 20)
              .sorted()
              .toArray();
      assertTrue(early.length > 3, "too few edges to choose from");
      assertArrayEquals(
          Arrays.copyOfRange(early, early.length - 3, early.length),
          Arrays.stream(batch.edge().toLongs()).map(e -> AT[(int) e]).sorted().toArray());
      assertArrayEquals(new long[] {20}, batch.seedTime().toLongs());
      assertArrayEquals(new long[4], batch.tree().toLongs());
      assertTrue(
          batch.arrays().stream()
              .anyMatch(a -> a.kind() == ArrayKind.SEED_TIME && a.type().equals("node")));
      assertThrows(GlsException.NotFound.class, whole::seedTime);
    }
  }

  @Test
  void timesOfRequestsAreChecked() {
    try (Dataset dataset = dataset();
        Sampler timed = sampler(dataset).nodeTime("since").edgeTime("at").build();
        Sampler plain = sampler(dataset).build();
        Tensor ids = Tensor.of(new long[] {3, 4, 5});
        Tensor times = Tensor.of(new long[] {1, 2, 3});
        Tensor two = Tensor.of(new long[] {1, 2});
        Tensor reals = Tensor.of(new float[] {1, 2, 3})) {
      SampleRequest without = new SampleRequest().seeds("node", ids);
      SampleRequest with = new SampleRequest().seeds("node", ids, times);
      timed.sample(with).close();
      plain.sample(without).close();
      plain.sample(new SampleRequest().seeds("node", ids, null)).close();
      assertInvalid("times", "expected one each", () -> timed.sample(without));
      assertInvalid("times", "neither nodeTime nor edgeTime", () -> plain.sample(with));
      assertInvalid(
          "times",
          "2 for 3 seeds",
          () -> timed.sample(new SampleRequest().seeds("node", ids, two)));
      assertInvalid(
          "times", "float", () -> timed.sample(new SampleRequest().seeds("node", ids, reals)));
      times.close();
      assertThrows(IllegalStateException.class, () -> timed.sample(with));
    }
  }

  @Test
  void timesOfLoadersAreChecked() {
    try (Dataset dataset = dataset();
        Tensor times = Tensor.of(new long[100]);
        Tensor two = Tensor.of(new long[2])) {
      assertInvalid("times", "neither", () -> loader(dataset).times(times).build());
      assertInvalid(
          "times", "2 for 100 seeds", () -> loader(dataset).edgeTime("at").times(two).build());
      assertInvalid("times", "nodeTime", () -> loader(dataset).edgeTime("at").build());
      loader(dataset).edgeTime("at").times(times).build().close(); // was not taken before
    }
  }

  @Test
  void optionsAreChecked() {
    try (Dataset dataset = dataset()) {
      assertInvalid(
          "timeWindow", "-1 is negative", () -> loader(dataset).nodeTime("since").timeWindow(-1));
      assertInvalid("timeWindow", "neither", () -> sampler(dataset).timeWindow(1).build());
      assertInvalid("timeStrict", "neither", () -> sampler(dataset).timeStrict(true).build());
      assertInvalid(
          "timeStrategy",
          "neither",
          () -> sampler(dataset).timeStrategy(TimeStrategy.LAST).build());
      assertInvalid(
          "nodeTime", "expected one integer", () -> loader(dataset).nodeTime("x").build());
      assertThrows(GlsException.NotFound.class, () -> sampler(dataset).edgeTime("nothing").build());
      assertThrows(NullPointerException.class, () -> sampler(dataset).timeStrategy(null));
      assertThrows(NullPointerException.class, () -> sampler(dataset).subgraph(null));
      sampler(dataset).timeStrict(true).timeStrict(false).build().close();
    }
  }

  @Test
  void aSubgraphHasAllEdgesBetweenItsNodes() {
    long[] ids = LongStream.range(0, 60).toArray();
    try (Dataset dataset = dataset();
        Topology csc = dataset.topology(null, Layout.CSC);
        Sampler sampler =
            Sampler.builder(dataset).subgraph(Subgraph.INDUCED).edgeIds(true).build();
        Batch batch = sampler.sample(ids)) {
      assertArrayEquals(ids, batch.node().toLongs());
      assertEquals(0, batch.numHops());
      assertArrayEquals(new long[] {60}, batch.numSampledNodes());
      long[] indptr = csc.indptr().toLongs();
      long[] indices = csc.indices().toLongs();
      List<List<Long>> expected = new ArrayList<>();
      for (int col = 0; col < ids.length; ++col) {
        for (int at = (int) indptr[col]; at < indptr[col + 1]; ++at) {
          if (indices[at] < ids.length) {
            expected.add(List.of(indices[at], (long) col));
          }
        }
      }
      long[] row = batch.row().toLongs();
      long[] col = batch.col().toLongs();
      assertEquals(
          expected, IntStream.range(0, row.length).mapToObj(i -> List.of(row[i], col[i])).toList());
      assertArrayEquals(new long[] {expected.size()}, batch.numSampledEdges());
      assertEquals(expected.size(), batch.edge().size());
      assertInvalid("fanouts", "none given", () -> Sampler.builder(dataset).build());
    }
  }

  @Test
  void loadersInduceSubgraphs() {
    try (Dataset dataset = dataset();
        NeighborLoader loader = loader(dataset).subgraph(Subgraph.INDUCED).build();
        NeighborLoader picked = loader(dataset).build();
        NeighborLoader seeds =
            NeighborLoader.builder(dataset).subgraph(Subgraph.INDUCED).batchSize(150).build()) {
      try (Batch all = loader.next().orElseThrow();
          Batch some = picked.next().orElseThrow();
          Batch none = seeds.next().orElseThrow()) {
        assertArrayEquals(some.node().toLongs(), all.node().toLongs());
        assertTrue(all.numEdges() > some.numEdges());
        assertEquals(Optional.of("node"), none.inputType());
        assertEquals(150, none.numNodes());
        assertTrue(none.numEdges() > 0);
        assertEquals(150, none.column("x").size(0));
      }
    }
  }
}
