package org.gls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.gls.support.Graphs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Errors name options, flags and names that do not exist as Java's callers wrote them. */
final class OwnNamesTest {
  private static GlsException failed(String argument, Executable call) {
    GlsException error = assertThrows(GlsException.class, call);
    assertEquals(argument, error.details().get("argument"), error::getMessage);
    assertFalse(error.getMessage().contains("GLS_"), error::getMessage);
    return error;
  }

  @Test
  void optionsAreTheCallers() {
    try (Dataset dataset = Graphs.random()) {
      NeighborLoader.Builder loader = NeighborLoader.builder(dataset).fanouts(2);
      GlsException error = failed("seeds", () -> loader.seeds("practice").build());
      assertTrue(error.getMessage().startsWith("seeds: "), error::getMessage);
      assertTrue(error.getMessage().contains("train"), error::getMessage);
      failed("links", () -> loader(dataset).walks(Walks.ofLength(2)).links(null).build());
      failed("negatives", () -> loader(dataset).fanouts(2).negatives(Negatives.binary()).build());
      failed("excludeLinks", () -> loader(dataset).fanouts(2).excludeLinks(true).build());
      failed("layerDependent", () -> loader(dataset).fanouts(2).layerDependent(true).build());
      failed("nodeTime", () -> loader(dataset).fanouts(2).nodeTime("moment").build());
    }
  }

  private static NeighborLoader.Builder loader(Dataset dataset) {
    return NeighborLoader.builder(dataset);
  }

  @Test
  void unknownNamesAreListed() {
    try (Dataset dataset = Graphs.random()) {
      GlsException error =
          failed("weight", () -> loader(dataset).fanouts(2).weight("heft").build());
      assertEquals("heft", error.details().get("column"));
      assertTrue(error.getMessage().contains("edge_attr"), error::getMessage);
      error = failed("column", () -> loader(dataset).fanouts(2).column("z").build());
      assertEquals("z", error.details().get("column"));
      assertTrue(error.getMessage().contains("x, "), error::getMessage);
    }
    try (Context context = Context.create()) {
      GlsException error = failed("key", () -> context.set("memory.hugepages", "true"));
      assertEquals("memory.hugepages", error.details().get("setting"));
      assertTrue(error.getMessage().contains("memory.huge_pages"), error::getMessage);
    }
  }

  @Test
  void arraysAreNamedAsTheirMethods() {
    try (Dataset dataset = Graphs.random();
        Sampler sampler = Sampler.builder(dataset).fanouts(2).build();
        Batch batch = sampler.sample(1)) {
      GlsException error =
          assertThrows(GlsException.class, () -> batch.edges(Graphs.EDGES).linkSource());
      assertTrue(error.getMessage().contains("linkSource"), error::getMessage);
    }
  }

  @Test
  void aLoaderSaysWhatItIs() {
    try (Dataset dataset = Graphs.random()) {
      NeighborLoader loader = loader(dataset).fanouts(2).seeds("train").batchSize(30).build();
      String expected =
          String.format(
              "NeighborLoader(epoch=0, batches=%d, batchSize=30, seeds=%d)",
              loader.numBatches(), loader.numSeeds());
      assertEquals(expected, loader.toString());
      loader.close();
      assertEquals("NeighborLoader(closed)", loader.toString());
    }
  }

  @Test
  void wordsInQuotesAreTheCallersOwn() {
    GlsException error =
        OwnNames.of(
            -1, "id_set is \"id_set\", in a/id_set, not id_set", Map.of("argument", "id_set"));
    assertEquals("idSet is \"id_set\", in a/id_set, not idSet", error.getMessage());
    assertEquals("idSet", error.details().get("argument"));
    error = OwnNames.of(-1, "environment variable GLS_NET_PLAIN is 3", Map.of());
    assertEquals("environment variable GLS_NET_PLAIN is 3", error.getMessage());
  }
}
