package org.gls.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.gls.ArrayKind;
import org.gls.Batch;
import org.gls.BatchArray;
import org.gls.Context;
import org.gls.DType;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.EdgeArrays;
import org.gls.GlsException;
import org.gls.Layout;
import org.gls.Negatives;
import org.gls.NeighborLoader;
import org.gls.Role;
import org.gls.Rows;
import org.gls.SampleRequest;
import org.gls.Sampler;
import org.gls.Tensor;
import org.gls.Topology;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Links as seeds, and negatives. */
class LinkTest {
  private static final String BUYS = "user__buys__item";

  private static NeighborLoader.Builder loader(Dataset dataset) {
    return NeighborLoader.builder(dataset).fanouts(4, 3).batchSize(64).seed(3);
  }

  private static Sampler.Builder sampler(Dataset dataset) {
    return Sampler.builder(dataset).fanouts(4, 3);
  }

  private static Sampler.Builder sampler(Dataset dataset, Negatives negatives) {
    return sampler(dataset).negatives(negatives);
  }

  private static void assertInvalid(String argument, String text, Executable call) {
    GlsException error = assertThrows(GlsException.InvalidArgument.class, call);
    assertEquals(argument, error.details().get("argument"), error::getMessage);
    assertTrue(error.getMessage().contains(text), error::getMessage);
  }

  /** Sources and targets by the id of the edge. */
  private static long[][] ends(Dataset dataset, String type) {
    try (Topology csc = dataset.topology(type, Layout.CSC)) {
      long[] indptr = csc.indptr().toLongs();
      long[] indices = csc.indices().toLongs();
      long[] ids = csc.edgeIds().map(Tensor::toLongs).orElse(null);
      long[][] out = new long[2][indices.length];
      for (int target = 0; target + 1 < indptr.length; ++target) {
        for (int at = (int) indptr[target]; at < indptr[target + 1]; ++at) {
          int edge = ids == null ? at : (int) ids[at];
          out[0][edge] = indices[at];
          out[1][edge] = target;
        }
      }
      return out;
    }
  }

  private static Set<List<Long>> pairs(long[][] ends) {
    return IntStream.range(0, ends[0].length)
        .mapToObj(e -> List.of(ends[0][e], ends[1][e]))
        .collect(Collectors.toSet());
  }

  /** All pairs of four nodes are edges. */
  private static Dataset complete() {
    try (DatasetBuilder builder = new DatasetBuilder()) {
      builder.addNodeType("node", 4);
      builder.addEdges(
          Graphs.EDGES,
          Tensor.of(LongStream.range(0, 16).map(i -> i / 4).toArray()),
          Tensor.of(LongStream.range(0, 16).map(i -> i % 4).toArray()));
      return builder.build();
    }
  }

  // ---- samplers ----

  @Test
  void linksAreSeeds() {
    try (Dataset dataset = Graphs.random();
        Sampler sampler = sampler(dataset).build();
        Tensor ids = Tensor.of(new int[] {7, 0, 7, 1999});
        Tensor labels = Tensor.of(new double[] {0.5, -1, 3, 4})) {
      long[][] ends = ends(dataset, null);
      try (Batch batch = sampler.sample(new SampleRequest().links(null, ids, null, labels))) {
        long[] node = batch.node().toLongs();
        long[] source = batch.linkSource().toLongs();
        long[] target = batch.linkTarget().toLongs();
        int at = 0;
        for (int edge : new int[] {7, 0, 7, 1999}) {
          assertEquals(ends[0][edge], node[(int) source[at]]);
          assertEquals(ends[1][edge], node[(int) target[at++]]);
        }
        assertEquals(DType.FLOAT64, batch.linkLabel().dtype());
        assertEquals(-1, batch.linkLabel().doubles().get(1));
        assertEquals(Optional.of("node"), batch.inputType());
        assertEquals(8, batch.seed().size());
        assertEquals(batch.numSampledNodes()[0], batch.batchSize());
        assertThrows(GlsException.NotFound.class, batch::linkNegative);
        assertThrows(GlsException.NotFound.class, batch::input);
        assertTrue(
            batch
                .arrays()
                .contains(new BatchArray(ArrayKind.LINK_LABEL, Graphs.EDGES, null, Rows.AUTO)));
      }
      try (Batch batch = sampler.sample(1, 2)) {
        assertThrows(GlsException.NotFound.class, batch::linkSource);
        assertThrows(GlsException.NotFound.class, batch::linkLabel);
      }
    }
  }

  @Test
  void negativesOfTypedLinks() {
    try (Dataset shop = Graphs.shop();
        Sampler sampler =
            sampler(shop, Negatives.triplet().amount(3).strict(true)).int32(true).build();
        Tensor links = Tensor.pairs(new long[] {5, 59, 5}, new long[] {0, 89, 89});
        Batch batch = sampler.sample(new SampleRequest().links(BUYS, links))) {
      Set<List<Long>> edges = pairs(ends(shop, BUYS));
      long[] user = batch.nodes("user").node().toLongs();
      long[] item = batch.nodes("item").node().toLongs();
      EdgeArrays buys = batch.edges(BUYS);
      assertEquals(List.of(3L, 3L), buys.linkNegative().shape());
      assertEquals(DType.INT32, buys.linkNegative().dtype());
      long[] source = buys.linkSource().toLongs();
      long[] negative = buys.linkNegative().toLongs();
      for (int i = 0; i < 9; ++i) {
        assertFalse(edges.contains(List.of(user[(int) source[i / 3]], item[(int) negative[i]])));
      }
      assertArrayEquals(source, batch.linkSource().toLongs());
      assertArrayEquals(negative, batch.linkNegative().toLongs());
      assertEquals(Optional.empty(), batch.inputType());
      assertEquals(3, batch.nodes("user").seed().size());
      assertEquals(12, batch.nodes("item").seed().size());
      assertThrows(GlsException.NotFound.class, batch::linkLabel);
      assertThrows(
          GlsException.NotFound.class, () -> batch.edges("user__knows__user").linkSource());
    }
  }

  @Test
  void theLastNegativesAndLinksCount() {
    try (Dataset dataset = Graphs.random();
        Tensor five = Tensor.of(new long[5]);
        Tensor two = Tensor.of(new long[2]);
        Sampler none = sampler(dataset, Negatives.binary()).negatives(null).build();
        Sampler some = sampler(dataset, Negatives.binary().amount(0.3)).build()) {
      SampleRequest request = new SampleRequest().links(null, two).links(null, five);
      try (Batch batch = none.sample(request)) {
        assertEquals(5, batch.linkSource().size());
      }
      try (Batch batch = some.sample(request)) {
        assertEquals(7, batch.linkSource().size());
        assertArrayEquals(new float[] {1, 1, 1, 1, 1, 0, 0}, batch.linkLabel().toFloats());
      }
    }
  }

  @Test
  void linksCanBeExcluded() {
    try (Dataset dataset = Graphs.random();
        Sampler all = Sampler.builder(dataset).fanouts(-1).edgeIds(true).build();
        Sampler others =
            Sampler.builder(dataset).fanouts(-1).edgeIds(true).excludeLinks(true).build();
        Sampler again =
            Sampler.builder(dataset).fanouts(-1).excludeLinks(true).excludeLinks(false).build();
        Tensor ids = Tensor.of(new long[] {11, 12});
        Batch with = all.sample(new SampleRequest().links(Graphs.EDGES, ids));
        Batch without = others.sample(new SampleRequest().links(Graphs.EDGES, ids));
        Batch whole = again.sample(new SampleRequest().links(Graphs.EDGES, ids))) {
      assertArrayEquals(
          Arrays.stream(with.edge().toLongs()).filter(e -> e != 11 && e != 12).toArray(),
          without.edge().toLongs());
      assertEquals(with.numEdges() - 2, without.numEdges());
      assertEquals(with.numEdges(), whole.numEdges());
    }
  }

  @Test
  void strictNegativesMayNotExist() {
    try (Dataset dataset = complete();
        Tensor links = Tensor.of(new long[] {0, 5})) {
      SampleRequest request = new SampleRequest().links(null, links);
      for (Negatives negatives : List.of(Negatives.binary(), Negatives.triplet())) {
        negatives.strict(true).tries(5);
        try (Sampler sampler = sampler(dataset, negatives).build()) {
          GlsException error =
              assertThrows(GlsException.NotFound.class, () -> sampler.sample(request));
          assertTrue(error.getMessage().contains("5 tries"), error::getMessage);
        }
        try (NeighborLoader loader = loader(dataset).links(null).negatives(negatives).build()) {
          assertThrows(GlsException.NotFound.class, loader::next);
        }
        try (Sampler sampler = sampler(dataset, negatives.strict(false)).build()) {
          sampler.sample(request).close();
        }
        negatives.strict(true).allowShort(true);
      }
      try (Sampler sampler =
              sampler(dataset, Negatives.triplet().amount(2).strict(true).allowShort(true))
                  .build();
          Batch batch = sampler.sample(request)) {
        assertArrayEquals(new long[] {-1, -1, -1, -1}, batch.linkNegative().toLongs());
      }
      try (Sampler sampler =
              sampler(dataset, Negatives.binary().strict(true).allowShort(true)).build();
          Batch batch = sampler.sample(request)) {
        assertEquals(2, batch.linkSource().size());
      }
    }
  }

  @Test
  void negativesExistAtTheTimeOfTheirLink() {
    long[] since = new long[Graphs.NODES];
    for (int v = 0; v < since.length; ++v) {
      since[v] = v * 7L % since.length;
    }
    try (DatasetBuilder builder = Graphs.builder(Context.getDefault())) {
      builder.addNodeColumn("node", "since", Tensor.of(since), Role.TIME);
      try (Dataset dataset = builder.build();
          Tensor links = Tensor.of(new long[] {0, 5, 7});
          Tensor times = Tensor.of(new long[] {20, 3, -1})) {
        SampleRequest request = new SampleRequest().links(null, links, times, null);
        Negatives negatives = Negatives.triplet().amount(30).inTime(true);
        try (Sampler sampler = sampler(dataset, negatives).nodeTime("since").build()) {
          GlsException error =
              assertThrows(GlsException.NotFound.class, () -> sampler.sample(request));
          assertTrue(error.getMessage().contains("link 2 has the time -1"), error::getMessage);
        }
        negatives.oldest(true);
        try (Sampler sampler = sampler(dataset, negatives).nodeTime("since").build();
            Batch batch = sampler.sample(request)) {
          long[] node = batch.node().toLongs();
          long[] drawn = batch.linkNegative().toLongs();
          for (int i = 0; i < drawn.length; ++i) {
            long time = since[(int) node[(int) drawn[i]]];
            assertTrue(time <= (i < 30 ? 20 : i < 60 ? 3 : 0), () -> "since " + time);
          }
        }
        assertInvalid(
            "inTime",
            "no nodeTime",
            () -> sampler(dataset, Negatives.triplet().inTime(true)).build());
      }
    }
  }

  @Test
  void negativesAreChecked() {
    try (Dataset dataset = Graphs.random()) {
      assertInvalid("amount", "0.0 is not positive", () -> Negatives.binary().amount(0));
      assertInvalid("amount", "NaN", () -> Negatives.binary().amount(Double.NaN));
      assertInvalid("tries", "-1 is not positive", () -> Negatives.binary().tries(-1));
      assertInvalid(
          "amount", "whole", () -> sampler(dataset, Negatives.triplet().amount(1.5)).build());
      assertInvalid(
          "tries", "2049", () -> sampler(dataset, Negatives.triplet().tries(2049)).build());
      for (double power : new double[] {0.3, -1, 2.25, Double.NaN}) {
        assertInvalid(
            "degreePower",
            "0.25",
            () -> sampler(dataset, Negatives.binary().degreePower(power)).build());
      }
      assertInvalid(
          "sourceWeight",
          "triplets",
          () -> sampler(dataset, Negatives.triplet().sourceWeight("w")).build());
      assertInvalid(
          "degreePower",
          "one of the two",
          () -> sampler(dataset, Negatives.binary().degreePower(0.75).targetWeight("w")).build());
      sampler(dataset, Negatives.triplet().sourceWeight("w").sourceWeight(null)).build().close();
      try (Sampler sampler = sampler(dataset, Negatives.binary().targetWeight("w")).build();
          Tensor links = Tensor.of(new long[1])) {
        GlsException error =
            assertThrows(
                GlsException.NotFound.class,
                () -> sampler.sample(new SampleRequest().links(null, links)));
        assertEquals("targetWeight", error.details().get("argument"));
      }
    }
  }

  @Test
  void nodesAreDrawnByTheirWeights() {
    float[] weights = new float[Graphs.NODES];
    weights[17] = 2;
    try (DatasetBuilder builder = Graphs.builder(Context.getDefault())) {
      builder.addNodeColumn("node", "share", Tensor.of(weights), Role.WEIGHT);
      try (Dataset dataset = builder.build();
          Sampler sampler =
              sampler(dataset, Negatives.binary().sourceWeight("share").amount(2)).build();
          Tensor links = Tensor.of(new long[] {1, 2});
          Batch batch = sampler.sample(new SampleRequest().links(null, links))) {
        long[] node = batch.node().toLongs();
        long[] source = batch.linkSource().toLongs();
        for (int i = 2; i < 6; ++i) {
          assertEquals(17, node[(int) source[i]]);
        }
      }
    }
  }

  @Test
  void linksOfRequestsAreChecked() {
    try (Dataset dataset = Graphs.random();
        Dataset shop = Graphs.shop();
        Sampler sampler = sampler(dataset).build();
        Sampler typed = sampler(shop).build();
        Tensor ids = Tensor.of(new long[] {1, 2});
        Tensor far = Tensor.of(new long[] {1, Graphs.NUM_EDGES});
        Tensor beyond = Tensor.pairs(new long[] {0, 1}, new long[] {0, Graphs.NODES});
        Tensor three = Tensor.of(new long[] {1, 2, 3});
        Tensor reals = Tensor.of(new float[] {1, 2})) {
      assertInvalid("links", "2000", () -> sampler.sample(new SampleRequest().links(null, far)));
      assertInvalid(
          "links",
          "target 200 at index 1",
          () -> sampler.sample(new SampleRequest().links(null, beyond)));
      assertInvalid("links", "float", () -> sampler.sample(new SampleRequest().links(null, reals)));
      assertInvalid(
          "labels",
          "for 2 links",
          () -> sampler.sample(new SampleRequest().links(null, ids, null, three)));
      assertInvalid(
          "links",
          "seeds, too",
          () -> sampler.sample(new SampleRequest().seeds(ids).links(null, ids)));
      assertInvalid(
          "times",
          "neither",
          () -> sampler.sample(new SampleRequest().links(null, ids, ids, null)));
      assertThrows(
          GlsException.NotFound.class,
          () -> sampler.sample(new SampleRequest().links("nothing", ids)));
      assertThrows(
          GlsException.InvalidArgument.class,
          () -> typed.sample(new SampleRequest().links(null, ids)));
      assertThrows(NullPointerException.class, () -> new SampleRequest().links(null, null));
      SampleRequest late = new SampleRequest().links(null, ids, null, three);
      three.close();
      assertThrows(IllegalStateException.class, () -> sampler.sample(late));
    }
  }

  @Test
  void linksHaveTimes() {
    long[] at = LongStream.range(0, Graphs.NUM_EDGES).toArray();
    try (DatasetBuilder builder = Graphs.builder(Context.getDefault())) {
      builder.addEdgeColumn(Graphs.EDGES, "at", Tensor.of(at), Role.TIME);
      try (Dataset dataset = builder.build();
          Sampler sampler =
              sampler(dataset, Negatives.triplet().amount(2)).edgeTime("at").edgeIds(true).build();
          Tensor ids = Tensor.of(new long[] {900, 1000});
          Tensor times = Tensor.of(new int[] {900, 1000})) {
        try (Batch batch = sampler.sample(new SampleRequest().links(null, ids, times, null))) {
          assertArrayEquals(
              new long[] {900, 1000, 900, 1000, 900, 900, 1000, 1000}, batch.seedTime().toLongs());
          assertTrue(Arrays.stream(batch.edge().toLongs()).allMatch(e -> e <= 1000));
        }
        assertInvalid(
            "times",
            "expected one each",
            () -> sampler.sample(new SampleRequest().links(null, ids)));
        assertInvalid("times", "links", () -> loader(dataset).links(null).edgeTime("at").build());
        try (Tensor all = Tensor.of(at);
            NeighborLoader loader =
                loader(dataset).links(null).edgeTime("at").times(all).shuffle(true).build();
            Batch batch = loader.next().orElseThrow()) {
          long[] input = batch.input().toLongs();
          assertArrayEquals(
              LongStream.concat(Arrays.stream(input), Arrays.stream(input)).toArray(),
              batch.seedTime().toLongs());
        }
      }
    }
  }

  // ---- loaders ----

  @Test
  void loadersGoOverLinks() {
    long[] labels = LongStream.range(0, Graphs.NUM_EDGES).map(e -> 3 * e + 1).toArray();
    try (Dataset dataset = Graphs.random();
        Tensor given = Tensor.of(labels);
        NeighborLoader loader =
            loader(dataset)
                .links(Graphs.EDGES)
                .labels(given)
                .negatives(Negatives.binary())
                .shuffle(true)
                .build()) {
      long[][] ends = ends(dataset, null);
      assertEquals(Graphs.NUM_EDGES, loader.numSeeds());
      assertEquals(32, loader.numBatches());
      Set<Long> seen = new HashSet<>();
      boolean shuffled = false;
      for (Batch batch : loader) {
        try (batch) {
          long[] input = batch.input().toLongs();
          long[] node = batch.node().toLongs();
          long[] source = batch.linkSource().toLongs();
          long[] target = batch.linkTarget().toLongs();
          long[] label = batch.linkLabel().toLongs();
          assertArrayEquals(input, batch.edges(Graphs.EDGES).input().toLongs());
          assertThrows(GlsException.NotFound.class, () -> batch.nodes("node").input());
          assertEquals(2 * input.length, source.length);
          assertEquals(2 * input.length, label.length);
          for (int i = 0; i < input.length; ++i) {
            int edge = (int) input[i];
            assertTrue(seen.add(input[i]));
            assertEquals(ends[0][edge], node[(int) source[i]]);
            assertEquals(ends[1][edge], node[(int) target[i]]);
            assertEquals(labels[edge], label[i]);
            assertEquals(0, label[input.length + i]);
            shuffled |= edge != 64 * batch.number() + i;
          }
          assertEquals(4 * input.length, batch.seed().size());
          assertEquals(node.length, batch.column("x").size(0));
        }
      }
      assertEquals(Graphs.NUM_EDGES, seen.size());
      assertTrue(shuffled);
    }
  }

  @Test
  void someLinksOfSeveralTypes() {
    long[] sources = LongStream.range(0, 50).toArray();
    long[] targets = LongStream.range(0, 50).map(i -> 89 - i).toArray();
    byte[] labels = new byte[50];
    for (int i = 0; i < labels.length; ++i) {
      labels[i] = (byte) i;
    }
    try (Dataset shop = Graphs.shop();
        Tensor seeds = Tensor.pairs(sources, targets);
        Tensor given = Tensor.of(labels)) {
      NeighborLoader loader =
          loader(shop).links(BUYS).seeds(seeds).labels(given).batchSize(16).shuffle(true).build();
      seeds.close();
      given.close(); // the loader has its own
      int count = 0;
      try (loader) {
        for (Batch batch : loader) {
          try (batch) {
            long[] user = batch.nodes("user").node().toLongs();
            long[] item = batch.nodes("item").node().toLongs();
            long[] input = batch.input().toLongs();
            long[] source = batch.linkSource().toLongs();
            long[] target = batch.linkTarget().toLongs();
            for (int i = 0; i < input.length; ++i) {
              assertEquals(sources[(int) input[i]], user[(int) source[i]]);
              assertEquals(targets[(int) input[i]], item[(int) target[i]]);
              assertEquals(labels[(int) input[i]], batch.linkLabel().bytes().get(i));
            }
            assertEquals(Optional.empty(), batch.inputType());
            assertThrows(
                GlsException.NotFound.class, () -> batch.edges("user__knows__user").input());
            count += input.length;
          }
        }
      }
      assertEquals(50, count);
      try (NeighborLoader ids = loader(shop).links(BUYS).seeds(new long[] {399, 0}).build();
          Batch batch = ids.next().orElseThrow()) {
        assertEquals(2, batch.linkSource().size());
        assertArrayEquals(new long[] {0, 1}, batch.edges(BUYS).input().toLongs());
      }
    }
  }

  @Test
  void loadersOfLinksResume() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = loader(dataset).links(null).shuffle(true).build();
        NeighborLoader other = loader(dataset).links(null).shuffle(true).build();
        NeighborLoader nodes = loader(dataset).shuffle(true).build()) {
      loader.next().orElseThrow().close();
      String state = loader.save();
      other.restore(state);
      try (Batch expected = loader.next().orElseThrow();
          Batch got = other.next().orElseThrow()) {
        assertEquals(1, got.number());
        assertArrayEquals(expected.input().toLongs(), got.input().toLongs());
        assertArrayEquals(expected.node().toLongs(), got.node().toLongs());
      }
      assertThrows(GlsException.InvalidArgument.class, () -> nodes.restore(state));
    }
  }

  @Test
  void linksOfLoadersAreChecked() {
    try (Dataset dataset = Graphs.random();
        Dataset shop = Graphs.shop();
        Tensor two = Tensor.of(new long[2]);
        Tensor all = Tensor.of(new long[Graphs.NUM_EDGES]);
        Tensor beyond = Tensor.pairs(new long[] {0, Graphs.NODES}, new long[2])) {
      assertInvalid("labels", "2000 links", () -> loader(dataset).links(null).labels(two).build());
      assertInvalid("labels", "nodes", () -> loader(dataset).labels(two).build());
      assertInvalid(
          "seeds",
          "2000",
          () -> loader(dataset).links(null).seeds(new long[] {Graphs.NUM_EDGES}).build());
      assertInvalid(
          "seeds",
          "source 200 at index 1",
          () -> loader(dataset).links(null).seeds(beyond).build());
      assertInvalid(
          "nodeType", "one of the two", () -> loader(dataset).links(null).nodeType("node").build());
      assertInvalid("seeds", "links", () -> loader(dataset).links(null).seeds("train").build());
      assertInvalid("type", "several", () -> loader(shop).links(null).build());
      assertThrows(GlsException.NotFound.class, () -> loader(shop).links("nothing").build());
      assertThrows(GlsException.NotFound.class, () -> loader(shop).links("").build());
      loader(dataset).links(null).labels(two).labels(null).build().close();
      NeighborLoader.Builder late = loader(dataset).links(null).labels(all);
      late.build().close(); // was not taken before
      all.close();
      assertThrows(IllegalStateException.class, late::build);
    }
  }
}
