package org.gls.loading;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.gls.ArrayKind;
import org.gls.Batch;
import org.gls.Context;
import org.gls.DType;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.GlsException;
import org.gls.NeighborLoader;
import org.gls.Pad;
import org.gls.Padding;
import org.gls.Quantization;
import org.gls.Role;
import org.gls.SeedLaw;
import org.gls.Tensor;
import org.gls.support.Graphs;
import org.gls.support.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Replays the vectors of padded batches and of quantised columns. */
class LoaderVectorsTest {
  private static List<DynamicTest> tests(String file, Consumer<JsonObject> test) {
    List<DynamicTest> out = new ArrayList<>();
    for (JsonElement element : Vectors.load(file).getAsJsonArray("cases")) {
      JsonObject object = element.getAsJsonObject();
      String name = file + ": " + object.get("name").getAsString();
      out.add(DynamicTest.dynamicTest(name, () -> test.accept(object)));
    }
    return out;
  }

  // ---- padded batches ----

  @TestFactory
  List<DynamicTest> padded() {
    return tests(
        "pad.json",
        test -> {
          pad(test, false);
          pad(test, true);
        });
  }

  private static Pad pad(JsonObject given) {
    Pad pad = Pad.estimated().sigma(given.get("sigma").getAsDouble());
    pad.multiple(given.get("multiple").getAsInt());
    if (given.has("batches")) {
      pad.batches(given.get("batches").getAsInt());
    }
    if (given.has("sizes")) {
      for (JsonElement element : given.getAsJsonArray("sizes")) {
        JsonArray size = element.getAsJsonArray();
        pad.size(size.get(0).getAsString(), size.get(1).getAsLong());
      }
    }
    return pad;
  }

  private static NeighborLoader loader(JsonObject test, boolean int32) {
    JsonObject given = test.getAsJsonObject("loader");
    NeighborLoader.Builder builder =
        NeighborLoader.builder(Vectors.dataset("pad.json", test.get("graph").getAsString()))
            .batchSize(given.get("batch_size").getAsInt())
            .shuffle(Vectors.flag(given, "shuffle"))
            .dropLast(Vectors.flag(given, "drop_last"))
            .pad(pad(test.getAsJsonObject("pad")));
    Vectors.apply(test.getAsJsonObject("options"), builder);
    builder.int32(int32);
    String type = given.get("type").getAsString();
    if (Vectors.flag(given, "links")) {
      builder.links(type);
    } else {
      builder.nodeType(type);
    }
    if (given.has("ids")) {
      builder.seeds(Vectors.longs(given.get("ids")));
    }
    if (given.has("clusters")) {
      builder.clusters(Tensor.of(Vectors.longs(given.get("clusters"))));
    }
    if (given.has("batches")) {
      builder.drawSeeds(SeedLaw.UNIFORM, given.get("batches").getAsLong());
    }
    if (given.has("labels")) {
      JsonArray labels = given.getAsJsonArray("labels");
      Tensor[] rows = new Tensor[labels.size()];
      for (int i = 0; i < rows.length; ++i) {
        rows[i] = Vectors.rows(labels.get(i));
      }
      builder.anchorLabels(rows);
    }
    return builder.build();
  }

  private static void pad(JsonObject test, boolean int32) {
    if (test.has("error")) {
      GlsException error = assertThrows(GlsException.class, () -> loader(test, int32).close());
      assertEquals(test.get("error").getAsString(), error.statusName());
      return;
    }
    JsonObject expected = test.getAsJsonObject("expected");
    JsonArray batches = expected.getAsJsonArray("batches");
    long[] show = Vectors.longs(test.get("show"));
    assertEquals(show.length, batches.size());
    try (NeighborLoader loader = loader(test, int32)) {
      for (Map.Entry<String, JsonElement> size : expected.getAsJsonObject("sizes").entrySet()) {
        assertEquals(size.getValue().getAsLong(), loader.padSize(size.getKey()));
      }
      long epoch = Vectors.unsigned(test.getAsJsonObject("loader"), "epoch");
      for (int i = 0; i < show.length; ++i) {
        try (Batch batch = loader.sample(epoch, show[i])) {
          JsonObject want = batches.get(i).getAsJsonObject();
          assertEquals(
              Padding.valueOf(Vectors.upper(want.get("padding").getAsString())), batch.padding());
          JsonArray arrays = want.getAsJsonArray("arrays");
          assertEquals(arrays.size(), batch.arrays().size());
          for (JsonElement array : arrays) {
            compare(array.getAsJsonObject(), batch);
          }
        }
      }
    }
  }

  private static void compare(JsonObject want, Batch batch) {
    String array = want.get("array").getAsString();
    Tensor got =
        batch.tensor(
            ArrayKind.valueOf(Vectors.upper(array)),
            want.get("type").getAsString(),
            Vectors.text(want, "name", null));
    long[] shape = got.shape().stream().mapToLong(Long::longValue).toArray();
    assertArrayEquals(Vectors.longs(want.get("shape")), shape, array);
    JsonElement values = want.get("values");
    if (got.dtype() == DType.FLOAT32) {
      assertArrayEquals(floats(values), got.toFloats(), array);
    } else if (got.dtype() == DType.BOOL) {
      ByteBuffer bytes = got.bytes();
      long[] all = new long[bytes.remaining()];
      for (int i = 0; i < all.length; ++i) {
        all[i] = bytes.get(i);
      }
      assertArrayEquals(Vectors.longs(values), all, array);
    } else {
      assertArrayEquals(Vectors.longs(values), got.toLongs(), array);
    }
  }

  private static float[] floats(JsonElement values) {
    JsonArray array = values.getAsJsonArray();
    float[] out = new float[array.size()];
    for (int i = 0; i < out.length; ++i) {
      out[i] = array.get(i).getAsFloat();
    }
    return out;
  }

  // ---- quantised columns ----

  @TestFactory
  List<DynamicTest> quantised() {
    return tests("codes.json", LoaderVectorsTest::codes);
  }

  /** Of nodes and of edges, each of which is the loop at its node. */
  private static Dataset coded(JsonObject test) {
    JsonArray rows = test.getAsJsonArray("packed");
    int width = rows.get(0).getAsJsonArray().size();
    int bits = test.get("bits").getAsInt();
    long numbers = test.get("width").getAsLong();
    Quantization how =
        test.has("codebook")
            ? Quantization.codebook(bits, numbers, floats(test.get("codebook")))
            : Quantization.even(
                bits, numbers, test.get("low").getAsDouble(), test.get("high").getAsDouble());
    try (DatasetBuilder builder = new DatasetBuilder(Context.getDefault())) {
      long[] loops = LongStream.range(0, rows.size()).toArray();
      builder.addEdges(Graphs.EDGES, Tensor.of(loops), Tensor.of(loops));
      builder.addNodeCodes(null, "x", packed(rows, width), how, Role.FEATURE);
      builder.addEdgeCodes(null, "f", packed(rows, width), how, Role.FEATURE);
      return builder.build();
    }
  }

  private static Tensor packed(JsonArray rows, int width) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(rows.size() * width);
    for (JsonElement row : rows) {
      for (long value : Vectors.longs(row)) {
        bytes.put((byte) value);
      }
    }
    bytes.flip();
    return Tensor.of(bytes, DType.UINT8, rows.size(), width);
  }

  private static void codes(JsonObject test) {
    if (test.has("error")) {
      GlsException error = assertThrows(GlsException.class, () -> coded(test).close());
      assertEquals(test.get("error").getAsString(), error.statusName());
      return;
    }
    JsonObject expected = test.getAsJsonObject("expected");
    long[] rows = Vectors.longs(test.get("rows"));
    try (Dataset dataset = coded(test);
        NeighborLoader loader =
            NeighborLoader.builder(dataset)
                .fanouts(1)
                .edgeIds(true)
                .seeds(rows)
                .batchSize(rows.length)
                .build();
        Batch batch = loader.next().orElseThrow()) {
      List<Float> codebook = dataset.nodeTypes().get(0).columns().get("x").codebook();
      float[] steps = new float[codebook.size()];
      for (int i = 0; i < steps.length; ++i) {
        steps[i] = codebook.get(i);
      }
      // Zeros have a sign, and this tells one from the other.
      assertArrayEquals(floats(expected.get("codebook")), steps);
      JsonArray values = expected.getAsJsonArray("values");
      for (ArrayKind kind : List.of(ArrayKind.NODE_COLUMN, ArrayKind.EDGE_COLUMN)) {
        boolean ofNodes = kind == ArrayKind.NODE_COLUMN;
        Tensor got = batch.tensor(kind, ofNodes ? "node" : Graphs.EDGES, ofNodes ? "x" : "f");
        assertEquals(values.size(), got.size(0));
        assertEquals(test.get("width").getAsLong(), got.size(1));
        float[] all = got.toFloats();
        int at = 0;
        for (JsonElement row : values) {
          for (float value : floats(row)) {
            assertEquals(Float.floatToRawIntBits(value), Float.floatToRawIntBits(all[at++]));
          }
        }
      }
    }
  }
}
