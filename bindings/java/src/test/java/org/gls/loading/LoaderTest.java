package org.gls.loading;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.LongBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.gls.ArrayKind;
import org.gls.Batch;
import org.gls.BatchArray;
import org.gls.Context;
import org.gls.DType;
import org.gls.Dataset;
import org.gls.Device;
import org.gls.EdgeArrays;
import org.gls.Even;
import org.gls.GlsException;
import org.gls.Layout;
import org.gls.LoaderStats;
import org.gls.NeighborLoader;
import org.gls.OpenOptions;
import org.gls.Rows;
import org.gls.Sampler;
import org.gls.Tensor;
import org.gls.Topology;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Samplers, loaders and what their batches hold. */
class LoaderTest {
  private static NeighborLoader.Builder options(Dataset dataset) {
    return NeighborLoader.builder(dataset).fanouts(4, 3).batchSize(16).seed(5);
  }

  private static List<Long> numbers(Iterable<Batch> batches) {
    List<Long> out = new ArrayList<>();
    for (Batch batch : batches) {
      try (batch) {
        out.add(batch.number());
      }
    }
    return out;
  }

  private static List<String> contents(Iterator<Batch> batches) {
    List<String> out = new ArrayList<>();
    while (batches.hasNext()) {
      try (Batch batch = batches.next()) {
        out.add(batch.epoch() + " " + Arrays.toString(batch.node().toLongs()));
      }
    }
    return out;
  }

  @Test
  void batchesHoldWhatTheGraphHas() {
    long[] labels = Graphs.y();
    float[] x = Graphs.x();
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader =
            options(dataset).seeds("train").shuffle(true).edgeIds(true).build();
        Topology csc = dataset.topology(null, Layout.CSC)) {
      assertEquals(100, loader.numSeeds());
      assertEquals(16, loader.batchSize());
      assertEquals(7, loader.numBatches());
      assertEquals(7, loader.numGlobalBatches());
      LongBuffer indptr = csc.indptr().longs();
      Set<Long> seen = new TreeSet<>();
      int count = 0;
      for (Batch batch : loader) {
        try (batch) {
          assertEquals(count, batch.number());
          assertEquals(0, batch.epoch());
          assertEquals(2, batch.numHops());
          assertTrue(batch.byteSize() > 0 && batch.sampleNanos() > 0 && batch.gatherNanos() >= 0);
          assertEquals(Optional.of("node"), batch.inputType());
          long[] node = batch.node().toLongs();
          long[] nodes = batch.numSampledNodes();
          long[] edges = batch.numSampledEdges();
          assertEquals(node.length, LongStream.of(nodes).sum());
          assertEquals(batch.numEdges(), LongStream.of(edges).sum());
          assertEquals(batch.numNodes(), node.length);
          assertEquals(batch.batchSize(), nodes[0]);
          assertEquals(List.of((long) node.length, 12L), batch.column("x").shape());
          float[] gathered = batch.column("x").toFloats();
          for (int i = 0; i < node.length; ++i) {
            int at = (int) node[i];
            assertArrayEquals(
                Arrays.copyOfRange(x, 12 * at, 12 * at + 12),
                Arrays.copyOfRange(gathered, 12 * i, 12 * i + 12));
          }
          long[] y = batch.column("y").toLongs();
          long[] seed = batch.seed().toLongs();
          long[] input = batch.input().toLongs();
          assertEquals(seed.length, y.length);
          for (int i = 0; i < seed.length; ++i) {
            long id = node[(int) seed[i]];
            assertEquals(2 * input[i], id);
            assertEquals(labels[(int) id], y[i]);
            assertTrue(seen.add(id));
          }
          long[] col = batch.col().toLongs();
          for (int e = 0; e < col.length; ++e) {
            int target = (int) node[(int) col[e]];
            assertTrue(indptr.get(target + 1) > indptr.get(target));
          }
          assertEquals(col.length, batch.edge().size());
          assertEquals(List.of(2L, (long) col.length), batch.edgeIndex().shape());
          long[] ends = batch.edgeIndex().toLongs(); // the sources, then the targets
          assertArrayEquals(batch.row().toLongs(), Arrays.copyOf(ends, col.length));
          assertArrayEquals(col, Arrays.copyOfRange(ends, col.length, ends.length));
          assertEquals(List.of((long) col.length, 3L), batch.column("edge_attr").shape());
          assertEquals(List.of("x", "y", "edge_attr"), batch.columns());
          assertEquals(List.of("x", "y"), batch.nodes("node").columns());
          assertEquals(List.of("edge_attr"), batch.edges(Graphs.EDGES).columns());
          assertThrows(GlsException.NotFound.class, () -> batch.column("z"));
          assertThrows(GlsException.NotFound.class, batch::tree);
          assertThrows(GlsException.NotFound.class, () -> batch.nodes("nobody"));
          ++count;
        }
      }
      assertEquals(7, count);
      assertEquals(100, seen.size());
      LoaderStats stats = loader.stats();
      assertEquals(7, stats.batches());
      assertEquals(100, stats.seeds());
      assertEquals(stats.gatheredRows(), stats.hostRows());
      assertEquals(
          0, stats.deviceRows() + stats.pinnedRows() + stats.remoteRows() + stats.peerRows());
      assertTrue(stats.gatheredBytes() > 0 && stats.sampleNanos() > 0 && stats.wallNanos() > 0);
      assertEquals(
          0,
          stats.diskRows()
              + stats.diskRowBytes()
              + stats.diskReadBytes()
              + stats.diskPackedBytes());
    }
  }

  @Test
  void statisticsOfTheDisk(@TempDir Path folder) {
    try (Dataset dataset = Graphs.random()) {
      dataset.save(folder.resolve("graph"));
    }
    try (Context context = Context.builder().numThreads(2).build()) {
      context.set("storage.way", "planned");
      context.set("storage.memory", "20000");
      try (Dataset dataset =
              Dataset.open(folder.resolve("graph"), new OpenOptions().context(context));
          NeighborLoader loader = options(dataset).column("x").batchSize(8).build()) {
        for (Batch batch : loader) {
          batch.close();
        }
        LoaderStats stats = loader.stats();
        assertTrue(0 < stats.diskRows() && stats.diskRows() < stats.hostRows());
        assertEquals(4L * Graphs.FEATURES * stats.diskRows(), stats.diskRowBytes());
        assertTrue(stats.diskReadBytes() > 0 && stats.diskPackedBytes() > 0);
        assertNotEquals(stats.diskReadBytes(), stats.diskPackedBytes());
      }
    }
  }

  @Test
  void severalTypes() {
    try (Dataset shop = Graphs.shop();
        NeighborLoader loader =
            NeighborLoader.builder(shop)
                .fanouts(3, 2)
                .fanouts("item__sold_in__shop", 1, 1)
                .nodeType("user")
                .seeds(new long[] {0, 1, 2, 3, 4})
                .batchSize(5)
                .edgeIds(true)
                .build()) {
      try (Batch batch = loader.next().orElseThrow()) {
        assertEquals(Set.of("user", "item", "shop"), batch.nodes().keySet());
        assertEquals(4, batch.edges().size());
        assertEquals(Optional.of("user"), batch.inputType());
        assertEquals(5, batch.seed().size());
        assertEquals(5, batch.input().size());
        assertEquals(5, batch.batchSize());
        assertThrows(GlsException.InvalidArgument.class, () -> batch.column("x"));
        assertEquals(4, batch.nodes("user").column("x").size(1));
        assertEquals(6, batch.nodes("item").column("x").size(1));
        assertThrows(GlsException.NotFound.class, () -> batch.nodes("shop").column("x"));
        assertEquals(5, batch.column("y").size());
        EdgeArrays bought = batch.edges("item__bought_by__user");
        assertEquals("item__bought_by__user", bought.type());
        assertEquals(bought.numEdges(), bought.edge().size());
        assertThrows(GlsException.class, batch::row);
      }
    }
  }

  @Test
  void columnsCanBeChosen() {
    try (Dataset dataset = Graphs.random()) {
      try (NeighborLoader loader = options(dataset).noColumns().build();
          Batch batch = loader.next().orElseThrow()) {
        assertEquals(List.of(), batch.columns());
      }
      try (NeighborLoader loader =
              options(dataset)
                  .column("node", "y", Rows.ALL, null)
                  .column("node", "x", Rows.SEEDS, DType.FLOAT32)
                  .build();
          Batch batch = loader.next().orElseThrow()) {
        assertEquals(batch.numNodes(), batch.column("y").size(0));
        assertEquals(16, batch.column("x").size(0));
        BatchArray x =
            batch.arrays().stream().filter(a -> "x".equals(a.name())).findAny().orElseThrow();
        assertEquals(new BatchArray(ArrayKind.NODE_COLUMN, "node", "x", Rows.SEEDS), x);
      }
      assertThrows(GlsException.NotFound.class, () -> options(dataset).column("nothing").build());
    }
  }

  @Test
  void eachIteratorIsAnEpoch() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = options(dataset).shuffle(true).build()) {
      List<String> first = contents(loader.iterator());
      List<String> second = contents(loader.iterator());
      assertEquals(13, first.size());
      assertTrue(first.get(0).startsWith("0 ") && second.get(0).startsWith("1 "));
      assertNotEquals(first.get(0).substring(2), second.get(0).substring(2));
      assertEquals(1, loader.epoch());
      loader.setEpoch(0);
      assertEquals(first, contents(loader.iterator()));
      assertEquals(second, contents(loader.iterator()));
      try (Stream<Batch> stream = loader.stream()) {
        assertEquals(13, stream.peek(b -> assertEquals(2, b.epoch())).peek(Batch::close).count());
      }
      loader.setEpoch(-1); // the last of all
      assertEquals(13, contents(loader.iterator()).size());
      assertThrows(GlsException.InvalidState.class, loader::iterator);
    }
  }

  @Test
  void anIteratorEndsWhenAnotherBegins() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = options(dataset).build()) {
      Iterator<Batch> first = loader.iterator();
      first.next().close();
      Iterator<Batch> second = loader.iterator();
      assertThrows(GlsException.InvalidState.class, first::next);
      assertEquals(1, second.next().epoch());
      loader.setEpoch(4);
      assertThrows(GlsException.InvalidState.class, second::hasNext);
      Iterator<Batch> third = loader.iterator();
      while (third.hasNext()) {
        assertEquals(4, third.next().epoch());
      }
      assertFalse(third.hasNext());
      assertThrows(NoSuchElementException.class, third::next);
    }
  }

  @Test
  void nextGoesOnToTheEnd() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = options(dataset).batchSize(150).build()) {
      assertEquals(0, loader.nextBatch());
      assertEquals(0, loader.next().orElseThrow().number());
      assertEquals(1, loader.next(Duration.ofDays(1 << 20)).orElseThrow().number());
      assertEquals(Optional.empty(), loader.next());
      assertEquals(Optional.empty(), loader.next(Duration.ZERO));
      assertEquals(1, contents(loader.iterator()).get(0).charAt(0) - '0');
      loader.setEpoch(7);
      assertEquals(7, loader.next().orElseThrow().epoch());
      assertThrows(GlsException.InvalidArgument.class, () -> loader.next(Duration.ofMillis(-1)));
    }
  }

  @Test
  void waitingHasALimit() {
    try (Dataset dataset = Graphs.seeds(1 << 20);
        NeighborLoader loader =
            NeighborLoader.builder(dataset).fanouts(0).batchSize(1 << 20).numWorkers(1).build()) {
      int early = 0;
      Optional<Batch> batch = Optional.empty();
      while (batch.isEmpty()) {
        try {
          batch = loader.next(Duration.ofNanos(early == 0 ? 0 : 100_000));
        } catch (GlsException.TimedOut error) {
          assertEquals("GLS_ERR_TIMED_OUT", error.statusName());
          ++early;
        }
      }
      assertTrue(early > 0);
      assertEquals(0, batch.get().number());
    }
  }

  @Test
  void cancelEndsWithTheNextEpoch() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = options(dataset).build()) {
      loader.next().orElseThrow().close();
      loader.cancel();
      assertThrows(GlsException.Canceled.class, loader::next);
      assertThrows(GlsException.Canceled.class, loader::next);
      assertEquals(13, numbers(loader).size());
    }
  }

  @Test
  void resumesFromAState() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = options(dataset).shuffle(true).build()) {
      loader.setEpoch(3);
      List<String> whole = contents(loader.iterator());
      loader.setEpoch(3);
      Iterator<Batch> begun = loader.iterator();
      for (int i = 0; i < 4; ++i) {
        begun.next().close();
      }
      String state = loader.save();
      try (NeighborLoader other = options(dataset).shuffle(true).numWorkers(1).build()) {
        other.restore(state);
        other.setEpoch(3); // of the state: changes nothing
        assertEquals(whole.subList(4, 13), contents(other.iterator()));
        assertEquals(4, other.iterator().next().epoch());
        other.restore(state);
        assertEquals(4, other.next().orElseThrow().number());
        other.restore(state);
        other.setEpoch(0);
        assertEquals(0, other.next().orElseThrow().number());
      }
      try (NeighborLoader other = options(dataset).shuffle(true).seed(6).build()) {
        GlsException error =
            assertThrows(GlsException.InvalidArgument.class, () -> other.restore(state));
        assertTrue(error.getMessage().contains("seed"), error::getMessage);
        assertThrows(GlsException.InvalidArgument.class, () -> other.restore("nonsense"));
        assertThrows(NullPointerException.class, () -> other.restore(null));
      }
    }
  }

  @Test
  void trainersShareAnEpoch() {
    try (Dataset dataset = Graphs.random()) {
      List<Long> all = new ArrayList<>();
      for (int rank = 0; rank < 3; ++rank) {
        try (NeighborLoader loader =
            options(dataset).trainer(rank, 3).even(Even.REPEAT).dropLast(true).build()) {
          assertEquals(4, loader.numBatches());
          all.addAll(numbers(loader));
        }
      }
      assertEquals(
          LongStream.range(0, 12).boxed().collect(Collectors.toList()),
          all.stream().sorted().collect(Collectors.toList()));
    }
  }

  @Test
  void optionsAreChecked() {
    try (Dataset dataset = Graphs.random()) {
      assertThrows(GlsException.InvalidArgument.class, () -> options(dataset).batchSize(0));
      assertThrows(GlsException.InvalidArgument.class, () -> options(dataset).numWorkers(-1));
      assertThrows(GlsException.InvalidArgument.class, () -> options(dataset).prefetch(0));
      assertThrows(GlsException.InvalidArgument.class, () -> options(dataset).prefetchBytes(0));
      assertThrows(GlsException.InvalidArgument.class, () -> options(dataset).trainer(-1, 2));
      assertThrows(
          GlsException.InvalidArgument.class, () -> options(dataset).trainer(2, 2).build());
      assertThrows(GlsException.InvalidArgument.class, () -> options(dataset).contract(-1));
      assertThrows(GlsException.class, () -> options(dataset).contract(99).build());
      assertThrows(
          GlsException.Unsupported.class, () -> options(dataset).device(new Device(10, 0)).build());
      assertThrows(GlsException.NotFound.class, () -> options(dataset).seeds("nothing").build());
      assertThrows(
          GlsException.InvalidArgument.class,
          () -> options(dataset).seeds(new long[] {1000}).build().next());
      assertThrows(
          GlsException.InvalidArgument.class, () -> NeighborLoader.builder(dataset).build());
      assertThrows(NullPointerException.class, () -> NeighborLoader.builder(null));
      assertThrows(NullPointerException.class, () -> options(dataset).direction(null));
      options(dataset).numWorkers(2).prefetch(1).prefetchBytes(1).device("cpu").build().close();
    }
  }

  @Test
  void samplersSampleOnDemand() {
    try (Dataset dataset = Graphs.random();
        Sampler sampler = Sampler.builder(dataset).fanouts(2, 2).disjoint(true).build()) {
      try (Batch batch = sampler.sample(3, 4, 3)) {
        assertEquals(3, batch.seed().size());
        assertEquals(batch.numNodes(), batch.tree().size());
        assertEquals(Optional.of("node"), batch.inputType());
        assertThrows(GlsException.NotFound.class, batch::input);
        assertEquals(List.of(), batch.columns());
      }
      try (Batch batch = sampler.sample()) {
        assertEquals(0, batch.numNodes());
      }
      GlsException error =
          assertThrows(GlsException.InvalidArgument.class, () -> sampler.sample(1, 200));
      assertTrue(error.getMessage().contains("200"), error::getMessage);
    }
  }

  @Test
  void seedsGivenAsTensorAreUsedInPlace() {
    try (Dataset dataset = Graphs.random();
        Tensor seeds = Tensor.of(new int[] {7, 8, 9});
        NeighborLoader loader = options(dataset).seeds(seeds).int32(true).build()) {
      seeds.close();
      try (Batch batch = loader.next().orElseThrow()) {
        assertEquals(DType.INT32, batch.node().dtype());
        assertEquals(7, batch.node().ints().get(0));
        assertArrayEquals(new long[] {7, 8, 9}, Arrays.copyOf(batch.node().toLongs(), 3));
      }
    }
  }
}
