package org.gls.loading;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.gls.Attach;
import org.gls.Batch;
import org.gls.Context;
import org.gls.Dataset;
import org.gls.Feed;
import org.gls.GlsException;
import org.gls.LoaderStats;
import org.gls.NeighborLoader;
import org.gls.OpenOptions;
import org.gls.PlanOptions;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A plan of an epoch says what its loader then samples and reads. */
class PlanTest {
  private static final long MEMORY = 20_000;

  private static NeighborLoader.Builder options(Dataset dataset) {
    return NeighborLoader.builder(dataset).fanouts(4, 3).batchSize(8).shuffle(true).edgeIds(true);
  }

  private static JsonObject plan(NeighborLoader loader, PlanOptions options) {
    return JsonParser.parseString(loader.plan(options)).getAsJsonObject();
  }

  /** Totals per hop, by type. */
  private static void check(Map<String, long[]> expected, JsonElement types) {
    assertEquals(expected.size(), types.getAsJsonArray().size());
    for (JsonElement of : types.getAsJsonArray()) {
      JsonObject type = of.getAsJsonObject();
      long[] hops =
          StreamSupport.stream(type.getAsJsonArray("hops").spliterator(), false)
              .mapToLong(hop -> hop.getAsJsonObject().get("total").getAsLong())
              .toArray();
      assertArrayEquals(expected.get(type.get("type").getAsString()), hops);
    }
  }

  private static void add(Map<String, long[]> sums, String type, long[] counts) {
    long[] sum = sums.computeIfAbsent(type, t -> new long[counts.length]);
    for (int hop = 0; hop < counts.length; ++hop) {
      sum[hop] += counts[hop];
    }
  }

  private static void checkCounts(NeighborLoader loader, long epoch, JsonObject plan) {
    Map<String, long[]> nodes = new HashMap<>();
    Map<String, long[]> edges = new HashMap<>();
    long[] seeds = {0};
    long planned = plan.getAsJsonObject("batches").get("planned").getAsLong();
    for (long number = 0; number < planned; ++number) {
      try (Batch batch = loader.next().orElseThrow()) {
        batch.nodes().forEach((type, of) -> add(nodes, type, of.numSampledNodes()));
        batch.edges().forEach((type, of) -> add(edges, type, of.numSampledEdges()));
        seeds[0] += batch.input().size();
      }
    }
    check(nodes, plan.get("nodes"));
    check(edges, plan.get("edges"));
    assertEquals(seeds[0], plan.get("seeds").getAsLong());
    assertEquals(epoch, plan.get("epoch").getAsLong());
  }

  @Test
  void countsAreThoseOfTheBatches() {
    try (Dataset shop = Graphs.shop();
        NeighborLoader loader = options(shop).nodeType("user").build()) {
      assertEquals(0, loader.epoch());
      checkCounts(loader, 0, plan(loader, new PlanOptions()));
      loader.setEpoch(3);
      JsonObject some = plan(loader, new PlanOptions().epoch(3).batches(2));
      assertEquals(8, some.getAsJsonObject("batches").get("epoch").getAsLong());
      assertEquals(2, some.getAsJsonObject("batches").get("planned").getAsLong());
      checkCounts(loader, 3, some);
    }
  }

  @Test
  void readsAreThoseOfTheLoader(@TempDir Path folder) {
    try (Dataset dataset = Graphs.random()) {
      dataset.save(folder.resolve("graph"));
    }
    try (Context context = Context.builder().numThreads(2).build()) {
      context.set("storage.way", "planned");
      context.set("storage.memory", Long.toString(MEMORY));
      context.set("storage.folder", folder.toString());
      try (Dataset dataset =
              Dataset.open(folder.resolve("graph"), new OpenOptions().context(context));
          NeighborLoader loader = options(dataset).build()) {
        JsonObject plan = plan(loader, new PlanOptions().memory(MEMORY));
        assertEquals(1, plan.getAsJsonArray("memory").size());
        JsonObject memory = plan.getAsJsonArray("memory").get(0).getAsJsonObject();
        for (Batch batch : loader) {
          batch.close();
        }
        LoaderStats stats = loader.stats();
        assertEquals(MEMORY, memory.get("bytes").getAsLong());
        assertTrue(stats.diskRows() > 0 && stats.diskReadBytes() > 0);
        long rows = 0;
        for (JsonElement column : plan.getAsJsonArray("columns")) {
          rows += column.getAsJsonObject().get("rows").getAsLong();
        }
        assertEquals(stats.hostRows(), rows);
        assertEquals(stats.diskRows(), memory.get("missed_rows").getAsLong());
        assertEquals(stats.diskRowBytes(), memory.get("missed_bytes").getAsLong());
        assertEquals(stats.diskReadBytes(), memory.get("read_bytes").getAsLong());
        assertEquals(stats.diskPackedBytes(), memory.get("packed_bytes").getAsLong());
        assertTrue(memory.get("packed_bytes").getAsLong() > 0);
        String temporary = plan.getAsJsonObject("disk").get("temporary_folder").getAsString();
        assertEquals(folder.toString(), temporary);
        JsonObject sizes = plan(loader, new PlanOptions().batches(1).memory(1 << 30, MEMORY));
        assertEquals(2, sizes.getAsJsonArray("memory").size());
        assertEquals(5, plan(loader, new PlanOptions()).getAsJsonArray("memory").size());
      }
    }
  }

  @Test
  void whatIsRefused(@TempDir Path folder) {
    PlanOptions options = new PlanOptions();
    for (long wrong : new long[] {0, -1}) {
      GlsException error =
          assertThrows(GlsException.InvalidArgument.class, () -> options.memory(MEMORY, wrong));
      assertEquals("memory", error.details().get("argument"));
    }
    Path path = folder.resolve("feed.sock");
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = options(dataset).build()) {
      GlsException error =
          assertThrows(
              GlsException.InvalidArgument.class, () -> loader.plan(new PlanOptions().batches(26)));
      assertEquals("batches", error.details().get("argument"));
      try (Feed feed = Feed.builder(loader, path).build();
          NeighborLoader attached = Attach.to(path).open()) {
        assertEquals(0, feed.info().batches());
        assertThrows(GlsException.Unsupported.class, () -> attached.plan(options));
      }
      loader.close();
      assertThrows(IllegalStateException.class, () -> loader.plan(options));
    }
  }

  @Test
  void progressEndsAPlan() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = options(dataset).build()) {
      long[] calls = {0};
      loader.plan(
          new PlanOptions()
              .progress(
                  (stage, done, total, unit) -> {
                    assertEquals("sample", stage);
                    assertEquals("batches", unit);
                    assertEquals(25, total);
                    assertEquals(++calls[0], done);
                  }));
      assertEquals(25, calls[0]);
      RuntimeException own = new RuntimeException("enough");
      PlanOptions ended =
          new PlanOptions()
              .progress(
                  (stage, done, total, unit) -> {
                    throw own;
                  });
      assertSame(own, assertThrows(RuntimeException.class, () -> loader.plan(ended)));
      Thread.currentThread().interrupt();
      assertThrows(GlsException.Interrupted.class, () -> loader.plan(new PlanOptions()));
      assertTrue(Thread.interrupted());
    }
  }
}
