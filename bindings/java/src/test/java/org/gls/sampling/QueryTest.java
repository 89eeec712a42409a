package org.gls.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.gls.Batch;
import org.gls.Context;
import org.gls.DType;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.Direction;
import org.gls.EdgeEnds;
import org.gls.GlsException;
import org.gls.NeighborLoader;
import org.gls.Tensor;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Questions about the graph, and batches by number. */
class QueryTest {
  private static final int USERS = 4;
  private static final int ITEMS = 3;
  private static final String LIKES = "user__likes__item";
  private static final long[] SOURCE = {3, 0, 1, 3, 3, 0};
  private static final long[] TARGET = {2, 0, 2, 2, 1, 1};

  private static Tensor ids(long... values) {
    return Tensor.of(values);
  }

  private static Dataset likes() {
    try (DatasetBuilder builder = new DatasetBuilder(Context.getDefault())) {
      builder.addNodeType("user", USERS).addNodeType("item", ITEMS);
      builder.addEdges(LIKES, ids(SOURCE), ids(TARGET));
      return builder.build();
    }
  }

  @Test
  void endsOfEdges() {
    try (Dataset dataset = likes();
        EdgeEnds ends = dataset.findEdges(LIKES, ids(5L, 0L, 0L, 4L))) {
      assertArrayEquals(new long[] {0, 3, 3, 3}, ends.source().toLongs());
      assertArrayEquals(new long[] {1, 2, 2, 1}, ends.target().toLongs());
      GlsException error =
          assertThrows(
              GlsException.InvalidArgument.class, () -> dataset.findEdges(null, ids(0L, 6L)));
      assertTrue(error.getMessage().contains("edge id 6 at index 1"), error::getMessage);
      assertThrows(GlsException.NotFound.class, () -> dataset.findEdges("a__b__c", ids(0L)));
      assertThrows(NullPointerException.class, () -> dataset.findEdges(null, null));
    }
  }

  @Test
  void edgesBetweenNodes() {
    long[] source = LongStream.range(0, USERS * ITEMS).map(i -> i / ITEMS).toArray();
    long[] target = LongStream.range(0, USERS * ITEMS).map(i -> i % ITEMS).toArray();
    try (Dataset dataset = likes();
        Tensor found = dataset.hasEdges(null, ids(source), ids(target))) {
      assertEquals(DType.BOOL, found.dtype());
      boolean[] expected = new boolean[source.length];
      for (int e = 0; e < SOURCE.length; ++e) {
        expected[(int) (SOURCE[e] * ITEMS + TARGET[e])] = true;
      }
      for (int i = 0; i < expected.length; ++i) {
        assertEquals(expected[i] ? 1 : 0, found.bytes().get(i), "pair " + i);
      }
      assertThrows(
          GlsException.InvalidArgument.class, () -> dataset.hasEdges(null, ids(0L, 1L), ids(0L)));
    }
  }

  @Test
  void degrees() {
    try (Dataset dataset = likes();
        Tensor in = dataset.degrees(null, Direction.IN, null);
        Tensor out = dataset.degrees(LIKES, Direction.OUT, null);
        Tensor some = dataset.degrees(LIKES, Direction.OUT, ids(2L, 3L))) {
      assertArrayEquals(new long[] {1, 2, 3}, in.toLongs());
      assertArrayEquals(new long[] {2, 1, 0, 3}, out.toLongs());
      assertArrayEquals(new long[] {0, 3}, some.toLongs());
      GlsException error =
          assertThrows(
              GlsException.InvalidArgument.class,
              () -> dataset.degrees(null, Direction.IN, ids(3L)));
      assertEquals("nodes", error.details().get("argument"));
    }
  }

  @Test
  void rowsAndOwners() {
    try (Dataset dataset = Graphs.random();
        Tensor whole = dataset.nodeColumn(null, "y");
        Tensor rows = dataset.rows(null, "y", ids(7L, 0L, 7L));
        Tensor owners = dataset.owners(null, ids(7L, 0L))) {
      long[] all = whole.toLongs();
      assertArrayEquals(new long[] {all[7], all[0], all[7]}, rows.toLongs());
      assertEquals(DType.INT32, owners.dtype());
      assertArrayEquals(new long[] {0, 0}, owners.toLongs());
      GlsException error =
          assertThrows(
              GlsException.InvalidArgument.class, () -> dataset.rows(null, "y", ids(0L, -1L)));
      assertEquals("ids", error.details().get("argument"));
      assertThrows(GlsException.NotFound.class, () -> dataset.rows(null, "none", ids(0L)));
      assertThrows(GlsException.NotFound.class, () -> dataset.owners("a__b__c", ids(0L)));
      assertThrows(NullPointerException.class, () -> dataset.rows(null, null, ids(0L)));
      assertThrows(NullPointerException.class, () -> dataset.owners(null, null));
    }
  }

  @Test
  void sharesOfWhatIsInNoParts() {
    try (Dataset dataset = likes();
        Tensor some = dataset.shareIds("item", ids(2L, 0L, 2L), 0, 2);
        Tensor all = dataset.shareIds(LIKES, null, 1, 4);
        Tensor placed = dataset.shareIds("user", null, 1, 2, ids(0L, 0L))) {
      assertEquals(DType.INT64, some.dtype());
      assertArrayEquals(new long[] {2, 0}, some.toLongs());
      assertArrayEquals(new long[] {2, 3}, all.toLongs());
      assertArrayEquals(new long[] {2, 3}, placed.toLongs());
      refused("rank", () -> dataset.shareIds("user", null, 2, 2));
      refused("rank", () -> dataset.shareIds("user", null, -1, 2));
      refused("worldSize", () -> dataset.shareIds("user", null, 0, 0));
      refused("worldSize", () -> dataset.shareIds("user", null, 0, -1));
      refused("ids", () -> dataset.shareIds("user", ids(4L), 0, 1));
      refused("rankParts", () -> dataset.shareIds("user", null, 0, 2, ids(0L, 1L)));
      refused("rankParts", () -> dataset.shareIds("user", null, 0, 2, ids(0L)));
      assertThrows(GlsException.NotFound.class, () -> dataset.shareIds("none", null, 0, 1));
    }
  }

  private static void refused(String argument, Executable call) {
    GlsException error = assertThrows(GlsException.InvalidArgument.class, call);
    assertEquals(argument, error.details().get("argument"));
  }

  private static List<Object> image(Batch batch) {
    try (batch) {
      List<Object> out = new ArrayList<>();
      out.add(batch.epoch());
      out.add(batch.number());
      for (Tensor tensor :
          List.of(batch.node(), batch.row(), batch.col(), batch.column("x"), batch.column("y"))) {
        byte[] bytes = new byte[tensor.bytes().remaining()];
        tensor.bytes().get(bytes);
        out.add(IntStream.range(0, bytes.length).mapToObj(i -> bytes[i]).toList());
      }
      return out;
    }
  }

  @Test
  void batchesByNumber() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader whole = loader(dataset).build();
        NeighborLoader half = loader(dataset).trainer(1, 2).build()) {
      List<List<List<Object>>> expected = new ArrayList<>();
      for (int epoch = 0; epoch < 2; ++epoch) {
        List<List<Object>> batches = new ArrayList<>();
        whole.forEach(batch -> batches.add(image(batch)));
        expected.add(batches);
      }
      assertEquals(4, half.numGlobalBatches());
      IntStream.range(0, 8)
          .parallel()
          .forEach(
              i ->
                  assertEquals(
                      expected.get(1 - i / 4).get(i % 4), image(half.sample(1 - i / 4, i % 4))));
      assertEquals(0, half.stats().batches());
      GlsException error =
          assertThrows(GlsException.InvalidArgument.class, () -> half.sample(0, 4));
      assertEquals("batch", error.details().get("argument"));
      half.close();
      assertThrows(IllegalStateException.class, () -> half.sample(0, 0));
    }
  }

  private static NeighborLoader.Builder loader(Dataset dataset) {
    return NeighborLoader.builder(dataset).fanouts(4, 3).batchSize(64).shuffle(true).seed(3);
  }
}
