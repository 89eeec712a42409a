package org.gls.loading;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.gls.Batch;
import org.gls.Context;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.EdgeArrays;
import org.gls.GlsException;
import org.gls.Negatives;
import org.gls.NeighborLoader;
import org.gls.Pad;
import org.gls.Tensor;
import org.junit.jupiter.api.Test;

/** Loaders of seeds of several types. */
final class SeedSetTest {
  private static final long[] USERS = {5, 19, 0, 7};

  private static Dataset shop() {
    long[] users = LongStream.range(0, 60).map(i -> i * 7 % 20).toArray();
    long[] items = LongStream.range(0, 60).map(i -> i * 11 % 30).toArray();
    try (DatasetBuilder builder = new DatasetBuilder(Context.getDefault())) {
      builder.addEdges("user__likes__item", Tensor.of(users), Tensor.of(items));
      builder.addEdges("item__of__user", Tensor.of(items), Tensor.of(users));
      return builder.build();
    }
  }

  private static NeighborLoader.Builder loader(Dataset dataset) {
    return NeighborLoader.builder(dataset).fanouts(2).seed(4).batchSize(5).shuffle(true);
  }

  @Test
  void nodesOfSeveralTypesAreOneOrder() {
    try (Dataset dataset = shop();
        Tensor users = Tensor.of(USERS);
        NeighborLoader loader =
            loader(dataset).addSeeds("item", null, null).addSeeds("user", users, null).build()) {
      List<Long> seenItems = new ArrayList<>();
      List<Long> seenUsers = new ArrayList<>();
      for (Batch batch : loader) {
        try (batch) {
          long[] items = batch.nodes("item").input().toLongs();
          long[] positions = batch.nodes("user").input().toLongs();
          long[] seed = batch.nodes("user").seed().toLongs();
          long[] node = batch.nodes("user").node().toLongs();
          for (int i = 0; i < positions.length; ++i) {
            assertEquals(USERS[(int) positions[i]], node[(int) seed[i]]);
            seenUsers.add(positions[i]);
          }
          for (long item : items) {
            seenItems.add(item);
          }
          assertTrue(items.length + positions.length <= 5);
          assertTrue(batch.inputType().isEmpty());
        }
      }
      Collections.sort(seenItems);
      Collections.sort(seenUsers);
      assertEquals(LongStream.range(0, 30).boxed().toList(), seenItems);
      assertEquals(List.of(0L, 1L, 2L, 3L), seenUsers);
    }
  }

  @Test
  void linksOfSeveralTypesHaveArraysOfTheirOwn() {
    try (Dataset dataset = shop();
        Tensor ids = Tensor.of(LongStream.range(0, 10).toArray());
        Tensor labels = Tensor.of(LongStream.range(100, 110).toArray());
        NeighborLoader loader =
            loader(dataset)
                .shuffle(false)
                .batchSize(12)
                .negatives(Negatives.binary())
                .addLinks("user__likes__item", ids, null, labels)
                .addLinks("item__of__user", ids, null, null)
                .build()) {
      int first = 0;
      for (Batch batch : loader) {
        try (batch) {
          EdgeArrays likes = batch.edges("user__likes__item");
          EdgeArrays of = batch.edges("item__of__user");
          int count = likes.input().toLongs().length;
          assertEquals(first == 0 ? 10 : 0, count);
          assertEquals(first == 0 ? 2 : 8, of.input().toLongs().length);
          assertEquals(2 * count, likes.linkSource().toLongs().length);
          if (first == 0) {
            long[] own = likes.linkLabel().toLongs();
            assertArrayEquals(new long[] {100, 101, 0}, new long[] {own[0], own[1], own[10]});
          }
          ++first;
        }
      }
      assertEquals(2, first);
    }
  }

  @Test
  void whatDoesNotGoTogetherIsRefused() {
    try (Dataset dataset = shop();
        Tensor users = Tensor.of(USERS)) {
      NeighborLoader.Builder several =
          loader(dataset).addSeeds("item", null, null).addSeeds("user", users, null);
      assertThrows(GlsException.Unsupported.class, () -> several.pad(Pad.estimated()).build());
      NeighborLoader.Builder twice =
          loader(dataset).addSeeds("item", null, null).addSeeds("item", null, null);
      GlsException error = assertThrows(GlsException.InvalidArgument.class, twice::build);
      assertTrue(error.getMessage().contains("given twice"), error::getMessage);
      NeighborLoader.Builder both = loader(dataset).seeds(USERS).addSeeds("item", null, null);
      assertThrows(GlsException.InvalidArgument.class, both::build);
    }
  }
}
