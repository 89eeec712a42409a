package org.gls.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.gls.Attach;
import org.gls.Batch;
import org.gls.Dataset;
import org.gls.Feed;
import org.gls.FeedInfo;
import org.gls.GlsException;
import org.gls.NeighborLoader;
import org.gls.Tensor;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sampling in processes of its own; here both ends are in one. */
class FeedTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir Path folder;

  private static NeighborLoader.Builder loader(Dataset dataset) {
    return NeighborLoader.builder(dataset).fanouts(3, 2).batchSize(16).shuffle(true).seed(7);
  }

  private static List<ByteBuffer> contents(Iterable<Batch> batches) {
    List<ByteBuffer> out = new ArrayList<>();
    for (Batch batch : batches) {
      try (batch) {
        for (Tensor array : List.of(batch.node(), batch.row(), batch.seed(), batch.column("x"))) {
          ByteBuffer copy = ByteBuffer.allocate(array.bytes().remaining());
          out.add(copy.put(array.bytes()).flip());
        }
      }
    }
    return out;
  }

  @Test
  void givesTheBatchesOfTheLoader() {
    Path one = folder.resolve("one.sock");
    Path two = folder.resolve("two.sock");
    try (Dataset dataset = Graphs.random();
        NeighborLoader first = loader(dataset).build();
        NeighborLoader second = loader(dataset).build();
        Feed feed = Feed.builder(first, one).consumers(2).bytes(1 << 20).mode(0600).build();
        Feed other = Feed.builder(second, two).consumers(2).prefetch(3).build()) {
      NeighborLoader zero = Attach.to(one).and(two).timeout(SOON).open();
      NeighborLoader trainer = Attach.to(one).and(two).trainer(1, 2).open();
      try (zero;
          trainer;
          NeighborLoader alone = loader(dataset).trainer(1, 2).build()) {
        for (int epoch = 0; epoch < 2; ++epoch) {
          assertEquals(contents(alone), contents(trainer));
        }
        assertEquals(contents(loader(dataset).trainer(0, 2).build()), contents(zero));
        assertEquals(alone.numGlobalBatches(), trainer.numGlobalBatches());
        assertThrows(GlsException.Unsupported.class, () -> trainer.sample(0, 0));
        assertFalse(feed.await(Duration.ZERO));
      }
      assertTrue(feed.await(SOON));
      FeedInfo info = feed.info();
      assertEquals(2, info.attached());
      assertEquals(0, info.consumers());
      assertEquals(0, info.lost());
      assertEquals(first, feed.loader());
      assertTrue(other.info().batches() > 0);
    }
  }

  @Test
  void saysWhatIsWrong() {
    Path path = folder.resolve("feed.sock");
    Duration brief = Duration.ofMillis(5);
    assertThrows(GlsException.TimedOut.class, () -> Attach.to(path).timeout(brief).open());
    Duration poll = Duration.ZERO;
    assertThrows(GlsException.TimedOut.class, () -> Attach.to(path).timeout(poll).open());
    assertThrows(GlsException.InvalidArgument.class, () -> Attach.to(path).trainer(-1, 2));
    try (Dataset dataset = Graphs.random();
        NeighborLoader own = loader(dataset).build()) {
      Feed.Builder builder = Feed.builder(own, path);
      assertThrows(GlsException.InvalidArgument.class, () -> builder.consumers(0));
      NeighborLoader attached;
      try (Feed feed = builder.build()) {
        assertThrows(GlsException.FileExists.class, () -> Feed.builder(own, path).build());
        assertThrows(GlsException.InvalidArgument.class, () -> Attach.to(path).pin(-1));
        assertThrows(GlsException.Unsupported.class, () -> Attach.to(path).pin(10_000).open());
        assertEquals(0, feed.info().copiedBytes());
        attached = Attach.to(path).open();
        assertThrows(GlsException.AlreadyExists.class, () -> Attach.to(path).open());
        attached.next().orElseThrow().close();
        assertEquals(1, feed.info().consumers());
      }
      try (attached) {
        assertThrows(GlsException.IoError.class, () -> contents(attached));
      }
    }
  }

  @Test
  void arraysOutliveTheFeedAndCannotBeWritten() {
    Path path = folder.resolve("feed.sock");
    Batch batch;
    try (Dataset dataset = Graphs.random();
        NeighborLoader own = loader(dataset).build();
        Feed feed = Feed.builder(own, path).build();
        NeighborLoader attached = Attach.to(path).open()) {
      batch = attached.next().orElseThrow();
      assertEquals(1, feed.info().consumers());
    }
    try (batch) {
      assertTrue(batch.column("x").bytes().isReadOnly());
      long node = batch.node().bytes().getLong(0);
      float x = batch.column("x").bytes().getFloat(0);
      assertEquals(Graphs.x()[(int) node * Graphs.FEATURES], x);
    }
  }
}
