package org.gls.loading;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.gls.Batch;
import org.gls.BatchArray;
import org.gls.Dataset;
import org.gls.Device;
import org.gls.DeviceInfo;
import org.gls.Feed;
import org.gls.GlsException;
import org.gls.NeighborLoader;
import org.gls.Sampler;
import org.gls.Tensor;
import org.gls.support.Graphs;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Batches on a GPU: the plugin is the one that needs none, see scripts/cuda_on_host.sh. */
class DeviceTest {
  private static final Device GPU = Device.cuda(0);

  @BeforeAll
  static void thePluginIsThere() {
    String folder = System.getenv("GLS_PLUGIN_PATH");
    assertTrue(
        folder != null && Files.exists(Path.of(folder, "libgls_cuda.so")),
        folder + ": run scripts/cuda_on_host.sh, or scripts/java.sh, which does");
  }

  private static NeighborLoader.Builder options(Dataset dataset) {
    return NeighborLoader.builder(dataset).fanouts(4, 3).batchSize(32).shuffle(true).seed(5);
  }

  private static void assertSame(Batch expected, Batch copy) {
    assertEquals(expected.arrays(), copy.arrays());
    for (BatchArray array : expected.arrays()) {
      Tensor one = expected.tensor(array.kind(), array.type(), array.name());
      Tensor other = copy.tensor(array.kind(), array.type(), array.name());
      assertEquals(one.shape(), other.shape());
      assertEquals(one.bytes(), other.bytes(), array.toString());
    }
  }

  @Test
  void gpusAreDescribed() {
    List<Device> all = Device.all();
    assertEquals(4, all.size());
    DeviceInfo info = all.get(1).info();
    assertEquals(Device.cuda(1), info.device());
    assertFalse(info.name().isEmpty());
    assertTrue(info.byteSize() > 0 && info.freeBytes() <= info.byteSize() && info.major() > 0);
    GlsException none = assertThrows(GlsException.Unsupported.class, () -> Device.cuda(4).info());
    assertTrue(none.getMessage().contains("there is no GPU 4; this machine has 4"));
    assertThrows(GlsException.InvalidArgument.class, Device.HOST::info);
  }

  @Test
  void devicesHaveNames() {
    assertEquals(Device.HOST, Device.of("cpu"));
    assertEquals(Device.HOST, Device.of("cpu:0"));
    assertEquals(Device.cuda(3), Device.of("cuda:3"));
    assertEquals("cuda:3", Device.cuda(3).toString());
    assertEquals("cpu", Device.HOST.toString());
    assertTrue(Device.HOST.isHost() && !GPU.isHost());
    if (System.getenv("LOCAL_RANK") == null) {
      assertEquals(GPU, Device.of("cuda"));
    }
    for (String name : List.of("gpu", "cuda:", "cuda:-1", "cuda:x", "cpu:1", "")) {
      GlsException error = assertThrows(GlsException.InvalidArgument.class, () -> Device.of(name));
      assertEquals("device", error.details().get("argument"));
    }
    assertThrows(GlsException.InvalidArgument.class, () -> Device.cuda(-1));
    assertThrows(NullPointerException.class, () -> Device.of(null));
  }

  @Test
  void batchesAreThoseOfTheHost() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader here = options(dataset).edgeIds(true).build();
        NeighborLoader there = options(dataset).edgeIds(true).device("cuda:0").build()) {
      int count = 0;
      var expected = here.iterator();
      for (Batch batch : there) {
        try (batch;
            Batch copy = batch.toHost();
            Batch one = expected.next()) {
          assertEquals(GPU, batch.device());
          assertEquals(GPU, batch.column("x").device());
          assertEquals(Device.HOST, copy.device());
          assertArrayEquals(one.numSampledNodes(), batch.numSampledNodes());
          assertArrayEquals(one.numSampledEdges(), batch.numSampledEdges());
          assertEquals(one.batchSize(), batch.batchSize());
          assertSame(one, copy);
          batch.recordStream(0);
          copy.recordStream(0);
          ++count;
        }
      }
      assertEquals(7, count);
    }
  }

  @Test
  void samplersSampleOnTheirDevice() {
    long[] seeds = {5, 1, 99, 5};
    try (Dataset dataset = Graphs.random();
        Sampler here = Sampler.builder(dataset).fanouts(4, 3).edgeIds(true).build();
        Sampler there = Sampler.builder(dataset).fanouts(4, 3).edgeIds(true).device(GPU).build();
        Batch expected = here.sample(seeds);
        Batch batch = there.sample(seeds);
        Batch copy = batch.toHost()) {
      assertEquals(Device.HOST, here.device());
      assertEquals(GPU, there.device());
      assertEquals(GPU, batch.device());
      assertSame(expected, copy);
      assertThrows(GlsException.InvalidArgument.class, () -> there.sample(-1));
      assertThrows(
          GlsException.Unsupported.class,
          () -> Sampler.builder(dataset).fanouts(2).device("cuda:64").build());
    }
  }

  @Test
  void devicesAreInherited() {
    try (Dataset dataset = Graphs.random();
        Dataset there = dataset.on("cuda:1");
        Dataset back = there.on(Device.HOST)) {
      assertEquals(Device.HOST, dataset.device());
      assertEquals(Device.cuda(1), there.device());
      assertEquals(Device.HOST, back.device());
      try (Sampler sampler = Sampler.builder(there).fanouts(2).build();
          Sampler onHost = Sampler.builder(there).fanouts(2).device(Device.HOST).build();
          NeighborLoader loader = options(there).build();
          NeighborLoader other = options(there).device(GPU).build();
          NeighborLoader host = options(there).device("cpu").build();
          Batch batch = loader.sample(0, 0);
          Batch copy = batch.toHost();
          Batch moved = other.sample(0, 0);
          Batch expected = host.sample(0, 0)) {
        assertEquals(Device.cuda(1), sampler.device());
        assertEquals(Device.HOST, onHost.device());
        assertEquals(Device.cuda(1), batch.device());
        assertEquals(GPU, moved.device());
        assertEquals(Device.HOST, expected.device());
        assertSame(expected, copy);
      }
      GlsException error =
          assertThrows(GlsException.Unsupported.class, () -> dataset.on("cuda:64"));
      assertTrue(error.getMessage().contains("there is no GPU 64"));
      assertThrows(NullPointerException.class, () -> dataset.on((Device) null));
    }
  }

  @Test
  void rowsLieWhereTheDatasetIs() {
    try (Dataset dataset = Graphs.random();
        Dataset there = dataset.on(GPU);
        Tensor ids = Tensor.of(new long[] {5, 1, 99, 5});
        Tensor expected = dataset.rows(null, "x", ids);
        Tensor rows = there.rows(null, "x", ids)) {
      assertEquals(GPU, rows.device());
      assertEquals(expected.shape(), rows.shape());
      assertEquals(expected.dtype(), rows.dtype());
      assertNotEquals(0, rows.address());
      rows.recordStream(0);
      try (Tensor wrong = Tensor.of(new long[] {1_000_000})) {
        assertThrows(GlsException.InvalidArgument.class, () -> there.rows(null, "x", wrong));
      }
    }
  }

  @Test
  void whatReadsOnTheHostIsRefused() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = options(dataset).device(GPU).build();
        Batch batch = loader.next().orElseThrow()) {
      Tensor x = batch.column("x");
      Tensor node = batch.node();
      for (Executable read :
          List.<Executable>of(
              x::bytes,
              x::floats,
              x::toFloats,
              x::copy,
              node::longs,
              node::toLongs,
              () -> x.memory(0, 4),
              () -> x.row(0),
              () -> x.copyTo(new float[(int) x.size()]))) {
        GlsException error = assertThrows(GlsException.Unsupported.class, read);
        assertTrue(error.getMessage().contains("cuda:0"), error.getMessage());
        assertTrue(error.getMessage().contains("Batch.toHost()"), error.getMessage());
      }
      assertTrue(x.toString().contains("cuda:0"));
      assertThrows(
          GlsException.Unsupported.class,
          () -> NeighborLoader.builder(dataset).fanouts(2).seeds(node).build());
    }
  }

  @Test
  void arraysHaveTheirAddressAndAreHandedToOthers() {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = options(dataset).device(GPU).build()) {
      long free = GPU.info().freeBytes();
      Tensor kept;
      try (Batch batch = loader.sample(0, 0)) {
        assertNotEquals(0, batch.column("x").address());
        kept = batch.column("x").share();
      }
      kept.recordStream(0); // also when its batch is gone
      assertTrue(GPU.info().freeBytes() < free);
      long taken = kept.toDlpack();
      kept.close();
      assertTrue(GPU.info().freeBytes() < free); // it is still kept
      // As its consumer would: Tensor of the same layout, through the deleter.
      org.gls.low.glsjni.releaseDlpack(taken);
      assertTrue(GPU.info().freeBytes() >= free);
    }
  }

  @Test
  void feedsPassOnBatchesOfTheHost(@TempDir Path folder) {
    try (Dataset dataset = Graphs.random();
        NeighborLoader loader = options(dataset).device(GPU).build()) {
      GlsException error =
          assertThrows(
              GlsException.Unsupported.class,
              () -> Feed.builder(loader, folder.resolve("feed")).build());
      assertTrue(error.getMessage().contains("feeds pass on batches of the host"));
    }
  }

  @Test
  void devicesThatAreNotThere() {
    try (Dataset dataset = Graphs.random()) {
      GlsException error =
          assertThrows(
              GlsException.Unsupported.class, () -> options(dataset).device("cuda:64").build());
      assertTrue(error.getMessage().contains("there is no GPU 64"));
      assertEquals("device", error.details().get("argument"));
      assertThrows(NullPointerException.class, () -> options(dataset).device((Device) null));
    }
  }

  /** Run in a process where devices have little memory. */
  static final class Holder {
    public static void main(String[] arguments) {
      try (Dataset dataset = Graphs.random();
          NeighborLoader loader = options(dataset).numWorkers(1).prefetch(1).device(GPU).build()) {
        List<Batch> held = new ArrayList<>();
        try {
          for (long epoch = 0; ; ++epoch) {
            held.add(loader.sample(epoch, 0));
          }
        } catch (GlsException.OutOfMemory error) {
          System.out.println("after some: " + !held.isEmpty() + ", " + error.statusName());
          System.out.println(error.getMessage());
        }
        held.forEach(Batch::close);
        int count = 0;
        for (Batch batch : loader) {
          batch.close();
          ++count;
        }
        System.out.println(count + " batches then");
      }
    }
  }

  @Test
  void afterOutOfMemoryTheNextBatchesCome() throws Exception {
    String out = run(Holder.class, Map.of("CUDA_ON_HOST_MEMORY", "2000000"));
    assertTrue(out.contains("after some: true, GLS_ERR_OUT_OF_MEMORY"), out);
    assertTrue(out.contains("GPU 0") && out.contains("bytes left"), out);
    assertTrue(out.contains("7 batches then"), out);
  }

  /** Run in a process that has no plugin. */
  static final class Nothing {
    public static void main(String[] arguments) {
      System.out.println(Device.all().size() + " devices");
      try {
        GPU.info();
      } catch (GlsException.Unsupported error) {
        System.out.println(error.getMessage());
      }
    }
  }

  @Test
  void withoutThePluginTheErrorNamesIt() throws Exception {
    String out = run(Nothing.class, Map.of("GLS_PLUGIN_PATH", ""));
    assertTrue(out.contains("0 devices"), out);
    assertTrue(out.contains("libgls_cuda.so was not found in"), out);
    assertTrue(out.contains("install the part \"cuda\" of GLS"), out);
  }

  private static String run(Class<?> main, Map<String, String> variables) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    command.add("-Dgls.root=" + Graphs.ROOT);
    command.add("-Dgls.cache.dir=" + System.getProperty("gls.cache.dir"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(variables);
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes());
    assertEquals(0, process.waitFor(), out);
    return out;
  }
}
