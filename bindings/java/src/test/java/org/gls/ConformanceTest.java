package org.gls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.gls.support.Graphs;
import org.gls.support.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Replays the vectors of tests/conformance through the public interface. */
class ConformanceTest {
  private static final long MOST_SEEDS = 1 << 21; // orders of more need as many nodes in memory

  private static Stream<JsonObject> cases(String file) {
    List<JsonObject> out = new ArrayList<>();
    for (JsonElement element : Vectors.load(file).getAsJsonArray("cases")) {
      out.add(element.getAsJsonObject());
    }
    return out.stream();
  }

  private static String name(String file, JsonObject object) {
    return file + ": " + object.get("name").getAsString();
  }

  // ---- sample ----

  @TestFactory
  List<DynamicTest> samples() throws IOException {
    List<String> files;
    try (Stream<Path> paths = Files.list(Graphs.ROOT.resolve("tests/conformance/vectors"))) {
      files =
          paths
              .map(p -> p.getFileName().toString())
              .filter(n -> n.startsWith("sample_") && n.endsWith(".json"))
              .sorted()
              .collect(Collectors.toList());
    }
    List<DynamicTest> out = new ArrayList<>();
    for (String file : files) {
      for (boolean int32 : new boolean[] {false, true}) {
        cases(file)
            .map(
                c ->
                    DynamicTest.dynamicTest(
                        name(file, c) + (int32 ? ", int32" : ""), () -> sample(file, c, int32)))
            .forEach(out::add);
      }
    }
    assertTrue(out.size() > 1400, "most vectors are gone: " + out.size());
    return out;
  }

  private static void sample(String file, JsonObject test, boolean int32) {
    Dataset dataset = Vectors.dataset(file, test.get("graph").getAsString());
    if (test.has("error")) {
      GlsException error =
          assertThrows(GlsException.class, () -> sampled(dataset, test, int32).close());
      assertEquals(test.get("error").getAsString(), error.statusName());
      return;
    }
    try (Batch batch = sampled(dataset, test, int32)) {
      boolean digests = Vectors.flag(test, "short");
      JsonObject expected = test.getAsJsonObject("expected");
      assertEquals(expected.getAsJsonObject("nodes").keySet(), batch.nodes().keySet());
      assertEquals(expected.getAsJsonObject("edges").keySet(), batch.edges().keySet());
      for (Map.Entry<String, NodeArrays> entry : batch.nodes().entrySet()) {
        JsonObject want = expected.getAsJsonObject("nodes").getAsJsonObject(entry.getKey());
        NodeArrays got = entry.getValue();
        compare(want.get("node"), got.node().toLongs(), digests);
        compare(want.get("seed"), got.seed().toLongs(), digests);
        if (want.has("batch")) {
          compare(want.get("batch"), got.tree().toLongs(), digests);
        }
        if (want.has("seed_time")) {
          assertEquals(DType.INT64, got.seedTime().dtype());
          compare(want.get("seed_time"), got.seedTime().toLongs(), digests);
        } else {
          assertThrows(GlsException.NotFound.class, got::seedTime);
        }
        assertArrayEquals(Vectors.longs(want.get("num_sampled_nodes")), got.numSampledNodes());
        JsonObject walks = expected.getAsJsonObject("walks");
        if (walks != null && walks.has(entry.getKey())) {
          JsonObject paths = walks.getAsJsonObject(entry.getKey());
          rows(paths.getAsJsonArray("walk"), got.walk(), int32);
          if (paths.has("walk_edge")) {
            rows(paths.getAsJsonArray("walk_edge"), got.walkEdge(), int32);
          } else {
            assertThrows(GlsException.NotFound.class, got::walkEdge);
          }
        } else {
          assertThrows(GlsException.NotFound.class, got::walk);
        }
        JsonObject near = expected.getAsJsonObject("near");
        if (near != null && near.has(entry.getKey())) {
          near(near.getAsJsonObject(entry.getKey()), got, int32);
        } else {
          assertThrows(GlsException.NotFound.class, got::nearNode);
        }
      }
      for (Map.Entry<String, EdgeArrays> entry : batch.edges().entrySet()) {
        JsonObject want = expected.getAsJsonObject("edges").getAsJsonObject(entry.getKey());
        EdgeArrays got = entry.getValue();
        assertEquals(int32 ? DType.INT32 : DType.INT64, got.row().dtype());
        compare(want.get("row"), got.row().toLongs(), digests);
        compare(want.get("col"), got.col().toLongs(), digests);
        if (want.has("edge")) {
          compare(want.get("edge"), got.edge().toLongs(), digests);
        }
        assertArrayEquals(Vectors.longs(want.get("num_sampled_edges")), got.numSampledEdges());
        JsonObject links = expected.getAsJsonObject("links");
        if (links != null && links.has(entry.getKey())) {
          JsonObject given = test.getAsJsonObject("request").getAsJsonObject("links");
          links(links.getAsJsonObject(entry.getKey()), got, given.has("labels"), int32);
        } else {
          assertThrows(GlsException.NotFound.class, got::linkSource);
          assertThrows(GlsException.NotFound.class, got::linkTarget);
          assertThrows(GlsException.NotFound.class, got::linkNegative);
          assertThrows(GlsException.NotFound.class, got::linkLabel);
        }
      }
      if (expected.has("labels")) {
        for (JsonElement element : expected.getAsJsonArray("labels")) {
          JsonObject want = element.getAsJsonObject();
          String name = want.get("name").getAsString();
          Tensor got =
              want.get("role").getAsString().equals("negative")
                  ? batch.negatives(name)
                  : batch.positives(name);
          rows(want.getAsJsonArray("label"), got, int32);
        }
      } else {
        assertThrows(GlsException.NotFound.class, () -> batch.positives("x"));
      }
    }
  }

  private static void rows(JsonArray rows, Tensor got, boolean int32) {
    assertEquals(int32 ? DType.INT32 : DType.INT64, got.dtype());
    assertEquals(2, got.dimensions());
    assertEquals(rows.size(), got.size(0));
    for (int i = 0; i < rows.size(); ++i) {
      try (Tensor row = got.row(i)) {
        compare(rows.get(i), row.toLongs(), false);
      }
    }
  }

  private static void near(JsonObject want, NodeArrays got, boolean int32) {
    assertEquals(int32 ? DType.INT32 : DType.INT64, got.nearSeed().dtype());
    compare(want.get("near_seed"), got.nearSeed().toLongs(), false);
    compare(want.get("near_node"), got.nearNode().toLongs(), false);
    JsonArray rows = want.getAsJsonArray("near_score");
    assertEquals(2, got.nearScore().dimensions());
    assertEquals(rows.size(), got.nearScore().size(0));
    int columns = (int) got.nearScore().size(1);
    float[] all = new float[columns * rows.size()];
    for (int i = 0; i < rows.size(); ++i) {
      JsonArray row = rows.get(i).getAsJsonArray();
      assertEquals(columns, row.size());
      for (int c = 0; c < columns; ++c) {
        all[i * columns + c] = row.get(c).getAsFloat();
      }
    }
    assertArrayEquals(all, got.nearScore().toFloats());
  }

  private static void links(JsonObject want, EdgeArrays got, boolean labelled, boolean int32) {
    DType ids = int32 ? DType.INT32 : DType.INT64;
    assertEquals(ids, got.linkSource().dtype());
    assertEquals(ids, got.linkTarget().dtype());
    compare(want.get("source"), got.linkSource().toLongs(), false);
    compare(want.get("target"), got.linkTarget().toLongs(), false);
    if (want.has("negative")) {
      rows(want.getAsJsonArray("negative"), got.linkNegative(), int32);
    } else {
      assertThrows(GlsException.NotFound.class, got::linkNegative);
    }
    if (!want.has("label")) {
      assertThrows(GlsException.NotFound.class, got::linkLabel);
    } else if (labelled) {
      assertEquals(DType.INT64, got.linkLabel().dtype());
      compare(want.get("label"), got.linkLabel().toLongs(), false);
    } else {
      JsonArray label = want.getAsJsonArray("label");
      float[] all = new float[label.size()];
      for (int i = 0; i < all.length; ++i) {
        all[i] = label.get(i).getAsFloat();
      }
      assertEquals(DType.FLOAT32, got.linkLabel().dtype());
      assertArrayEquals(all, got.linkLabel().toFloats());
    }
  }

  private static Batch sampled(Dataset dataset, JsonObject test, boolean int32) {
    Sampler.Builder builder = Sampler.builder(dataset).int32(int32);
    Vectors.apply(test.getAsJsonObject("options"), builder);
    builder.int32(int32);
    try (Sampler sampler = builder.build()) {
      return sampler.sample(Vectors.request(test.getAsJsonObject("request")));
    }
  }

  private static void compare(JsonElement want, long[] got, boolean digests) {
    if (!digests) {
      assertArrayEquals(Vectors.longs(want), got);
      return;
    }
    assertEquals(want.getAsJsonObject().get("length").getAsInt(), got.length);
    assertEquals(want.getAsJsonObject().get("digest").getAsString(), Vectors.digest(got));
  }

  // ---- order, plan ----

  private static Dataset seeds;

  private static synchronized Dataset seedsOnly() {
    if (seeds == null) {
      seeds = Graphs.seeds(MOST_SEEDS);
    }
    return seeds;
  }

  @TestFactory
  List<DynamicTest> orders() {
    List<DynamicTest> out =
        cases("order.json")
            .filter(c -> c.get("n").getAsLong() <= MOST_SEEDS)
            .map(c -> DynamicTest.dynamicTest(name("order.json", c), () -> order(c)))
            .collect(Collectors.toList());
    assertEquals(58, out.size());
    return out;
  }

  private static void order(JsonObject test) {
    int n = test.get("n").getAsInt();
    long[] order = new long[n];
    try (NeighborLoader loader =
        NeighborLoader.builder(seedsOnly())
            .fanouts(0)
            .seeds(LongStream.range(0, n).toArray())
            .batchSize(Math.max(n / 3, 1))
            .shuffle(true)
            .seed(Vectors.unsigned(test, "seed"))
            .build()) {
      loader.setEpoch(Vectors.unsigned(test, "epoch"));
      int filled = 0;
      for (Batch batch : loader) {
        try (batch) {
          long[] input = batch.input().toLongs();
          System.arraycopy(input, 0, order, filled, input.length);
          filled += input.length;
        }
      }
      assertEquals(n, filled);
    }
    long[] positions =
        test.has("positions")
            ? Vectors.longs(test.get("positions"))
            : LongStream.range(0, n).toArray();
    long[] got = Arrays.stream(positions).map(i -> order[Math.toIntExact(i)]).toArray();
    assertArrayEquals(Vectors.longs(test.getAsJsonObject("expected").get("values")), got);
  }

  @TestFactory
  List<DynamicTest> plans() {
    List<DynamicTest> out =
        cases("plan.json")
            .map(c -> DynamicTest.dynamicTest(name("plan.json", c), () -> plan(c)))
            .collect(Collectors.toList());
    assertEquals(107, out.size());
    return out;
  }

  private static NeighborLoader trainer(JsonObject test, int rank, int world) {
    NeighborLoader loader =
        NeighborLoader.builder(seedsOnly())
            .fanouts(0)
            .seeds(LongStream.range(0, test.get("n").getAsLong()).toArray())
            .batchSize(test.get("batch_size").getAsInt())
            .shuffle(Vectors.flag(test, "shuffle"))
            .dropLast(Vectors.flag(test, "drop_last"))
            .seed(Vectors.unsigned(test, "seed"))
            .trainer(rank, world)
            .even(Even.valueOf(Vectors.upper(Vectors.text(test, "even", "none"))))
            .build();
    loader.setEpoch(Vectors.unsigned(test, "epoch"));
    return loader;
  }

  private static void plan(JsonObject test) {
    try (NeighborLoader loader =
        trainer(test, test.get("rank").getAsInt(), test.get("world").getAsInt())) {
      if (test.has("done_steps")) {
        try (NeighborLoader before = trainer(test, 0, test.get("done_world").getAsInt())) {
          for (int i = 0; i < test.get("done_steps").getAsInt(); ++i) {
            before.next().orElseThrow().close();
          }
          loader.restore(before.save());
        }
      }
      JsonObject expected = test.getAsJsonObject("expected");
      List<long[]> inputs = new ArrayList<>();
      List<Long> numbers = new ArrayList<>();
      for (Batch batch : loader) {
        try (batch) {
          numbers.add(batch.number());
          inputs.add(batch.input().toLongs());
        }
      }
      assertArrayEquals(
          Vectors.longs(expected.get("batches")),
          numbers.stream().mapToLong(Long::longValue).toArray());
      int shown = Math.min(test.get("show").getAsInt(), inputs.size());
      assertEquals(expected.getAsJsonArray("positions").size(), shown);
      for (int i = 0; i < shown; ++i) {
        assertArrayEquals(
            Vectors.longs(expected.getAsJsonArray("positions").get(i)), inputs.get(i));
      }
    }
  }

  // ---- seeds ----

  @TestFactory
  List<DynamicTest> seeds() {
    return cases("seeds.json")
        .filter(c -> !(c.has("law") && c.has("weight"))) // which cannot be said here
        .map(c -> DynamicTest.dynamicTest(name("seeds.json", c), () -> seeds(c)))
        .collect(Collectors.toList());
  }

  private static NeighborLoader seedsLoader(JsonObject test) {
    NeighborLoader.Builder builder =
        NeighborLoader.builder(Vectors.dataset("seeds.json", test.get("graph").getAsString()))
            .subgraph(Subgraph.INDUCED)
            .batchSize(test.get("batch_size").getAsInt())
            .shuffle(Vectors.flag(test, "shuffle"))
            .dropLast(Vectors.flag(test, "drop_last"));
    if (test.has("seed")) {
      builder.seed(Long.parseUnsignedLong(test.get("seed").getAsString()));
    }
    String type = test.get("type").getAsString();
    if (Vectors.flag(test, "links")) {
      builder.links(type);
    } else {
      builder.nodeType(type);
    }
    if (test.has("ids")) {
      builder.seeds(Vectors.longs(test.get("ids")));
    }
    long batches = test.has("batches") ? test.get("batches").getAsLong() : 0;
    if (test.has("cluster")) {
      builder.clusters(test.get("cluster").getAsString());
    } else if (test.has("clusters")) {
      builder.clusters(Tensor.of(Vectors.longs(test.get("clusters"))));
    } else if (test.has("weight")) {
      builder.drawSeeds(test.get("weight").getAsString(), batches);
    } else {
      String law = test.has("law") ? test.get("law").getAsString() : "uniform";
      builder.drawSeeds(SeedLaw.valueOf(law.toUpperCase(java.util.Locale.ROOT)), batches);
    }
    return builder.build();
  }

  private static void seeds(JsonObject test) {
    if (test.has("error")) {
      GlsException error = assertThrows(GlsException.class, () -> seedsLoader(test).close());
      assertEquals(test.get("error").getAsString(), error.statusName());
      return;
    }
    JsonObject expected = test.getAsJsonObject("expected");
    long epoch = test.has("epoch") ? Long.parseUnsignedLong(test.get("epoch").getAsString()) : 0;
    try (NeighborLoader loader = seedsLoader(test)) {
      assertEquals(expected.get("epoch_batches").getAsLong(), loader.numGlobalBatches());
      long[] show = Vectors.longs(test.get("show"));
      for (int i = 0; i < show.length; ++i) {
        try (Batch batch = loader.sample(epoch, show[i])) {
          assertArrayEquals(
              Vectors.longs(expected.getAsJsonArray("positions").get(i)), batch.input().toLongs());
        }
      }
    }
  }

  @TestFactory
  List<DynamicTest> seedSets() {
    return cases("seed_sets.json")
        .map(c -> DynamicTest.dynamicTest(name("seed_sets.json", c), () -> seedSets(c)))
        .collect(Collectors.toList());
  }

  private static NeighborLoader seedSetsLoader(JsonObject test) {
    NeighborLoader.Builder builder =
        NeighborLoader.builder(Vectors.dataset("seed_sets.json", test.get("graph").getAsString()))
            .subgraph(Subgraph.INDUCED)
            .batchSize(test.get("batch_size").getAsInt())
            .shuffle(Vectors.flag(test, "shuffle"))
            .dropLast(Vectors.flag(test, "drop_last"));
    if (test.has("seed")) {
      builder.seed(Long.parseUnsignedLong(test.get("seed").getAsString()));
    }
    for (var one : test.getAsJsonArray("sets")) {
      JsonObject set = one.getAsJsonObject();
      String type = set.get("type").getAsString();
      Tensor ids = set.has("ids") ? Tensor.of(Vectors.longs(set.get("ids")), new long[0]) : null;
      if (Vectors.flag(test, "links")) {
        builder.addLinks(type, ids, null, null);
      } else {
        builder.addSeeds(type, ids, null);
      }
    }
    return builder.build();
  }

  private static void seedSets(JsonObject test) {
    if (test.has("error")) {
      GlsException error = assertThrows(GlsException.class, () -> seedSetsLoader(test).close());
      assertEquals(test.get("error").getAsString(), error.statusName());
      return;
    }
    JsonObject expected = test.getAsJsonObject("expected");
    long epoch = test.has("epoch") ? Long.parseUnsignedLong(test.get("epoch").getAsString()) : 0;
    try (NeighborLoader loader = seedSetsLoader(test)) {
      assertEquals(expected.get("epoch_batches").getAsLong(), loader.numGlobalBatches());
      long[] show = Vectors.longs(test.get("show"));
      for (int i = 0; i < show.length; ++i) {
        try (Batch batch = loader.sample(epoch, show[i])) {
          JsonObject positions = expected.getAsJsonArray("positions").get(i).getAsJsonObject();
          for (String type : positions.keySet()) {
            Tensor input =
                Vectors.flag(test, "links") ? batch.edges(type).input() : batch.nodes(type).input();
            assertArrayEquals(Vectors.longs(positions.get(type)), input.toLongs());
          }
        }
      }
    }
  }
}
