package org.gls.support;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.LongStream;
import org.gls.Dataset;
import org.gls.DatasetBuilder;
import org.gls.Direction;
import org.gls.ExcludeMode;
import org.gls.Hgt;
import org.gls.Importance;
import org.gls.Layout;
import org.gls.Negatives;
import org.gls.Pick;
import org.gls.Ppr;
import org.gls.Replace;
import org.gls.Role;
import org.gls.SampleRequest;
import org.gls.SamplingBuilder;
import org.gls.Subgraph;
import org.gls.Supervision;
import org.gls.Tensor;
import org.gls.TimeStrategy;
import org.gls.Walks;
import org.gls.WriteOptions;

/** Reads the files of tests/conformance; the format is described there. */
public final class Vectors {
  private static final Map<String, JsonObject> FILES = new HashMap<>();
  private static final Map<String, Dataset> GRAPHS = new HashMap<>();

  private Vectors() {}

  public static JsonObject load(String name) {
    return FILES.computeIfAbsent(
        name,
        n -> {
          try {
            String text =
                Files.readString(Graphs.ROOT.resolve("tests/conformance/vectors").resolve(n));
            return JsonParser.parseString(text).getAsJsonObject();
          } catch (IOException error) {
            throw new UncheckedIOException(error);
          }
        });
  }

  public static long[] longs(JsonElement array) {
    JsonArray values = array.getAsJsonArray();
    long[] out = new long[values.size()];
    for (int i = 0; i < out.length; ++i) {
      out[i] = values.get(i).getAsLong();
    }
    return out;
  }

  public static String text(JsonObject object, String key, String otherwise) {
    return object.has(key) && !object.get(key).isJsonNull()
        ? object.get(key).getAsString()
        : otherwise;
  }

  public static boolean flag(JsonObject object, String key) {
    return object.has(key) && object.get(key).getAsBoolean();
  }

  /** Decimal digits of an unsigned number. */
  public static long unsigned(JsonObject object, String key) {
    return Long.parseUnsignedLong(text(object, key, "0"));
  }

  public static String digest(long[] values) {
    long h = 0xcbf29ce484222325L;
    for (long value : values) {
      h = (h ^ value) * 1099511628211L;
    }
    return Long.toUnsignedString(h);
  }

  // ---- graphs ----

  public static Dataset dataset(String file, String name) {
    return GRAPHS.computeIfAbsent(
        file + "/" + name,
        key -> {
          for (JsonElement graph : load(file).getAsJsonArray("graphs")) {
            if (graph.getAsJsonObject().get("name").getAsString().equals(name)) {
              return build(graph.getAsJsonObject());
            }
          }
          throw new AssertionError("no graph " + name + " in " + file);
        });
  }

  private static Dataset build(JsonObject graph) {
    try (DatasetBuilder builder = new DatasetBuilder()) {
      for (JsonElement type : graph.getAsJsonArray("node_types")) {
        JsonObject object = type.getAsJsonObject();
        String name = object.get("name").getAsString();
        builder.addNodeType(name, object.get("count").getAsLong());
        if (object.has("time_cycle")) {
          Tensor times = times(object, object.get("count").getAsInt());
          builder.addNodeColumn(name, "time", times, Role.TIME);
        }
        if (object.has("weight_cycle")) {
          float[] weights = weights(object, object.get("count").getAsInt());
          builder.addNodeColumn(name, "weight", Tensor.of(weights), Role.OTHER);
        }
      }
      for (JsonElement type : graph.getAsJsonArray("edge_types")) {
        JsonObject object = type.getAsJsonObject();
        String name = object.get("name").getAsString();
        long[][] ends = ends(object);
        builder.addEdges(name, Tensor.of(ends[0]), Tensor.of(ends[1]));
        if (object.has("weight") || object.has("weight_cycle")) {
          float[] weights = weights(object, ends[0].length);
          builder.addEdgeColumn(name, "weight", Tensor.of(weights), Role.OTHER);
        }
        if (object.has("time_cycle")) {
          builder.addEdgeColumn(name, "time", times(object, ends[0].length), Role.TIME);
        }
        if (object.has("reverse")) {
          builder.addEdgeColumn(
              name, "reverse", Tensor.of(longs(object.get("reverse"))), Role.OTHER);
        }
      }
      return builder.build(new WriteOptions().layouts(Layout.CSC, Layout.CSR));
    }
  }

  private static Tensor times(JsonObject type, int rows) {
    long[] cycle = longs(type.get("time_cycle"));
    long[] out = new long[rows];
    for (int i = 0; i < rows; ++i) {
      out[i] = cycle[i % cycle.length];
    }
    return Tensor.of(out);
  }

  private static float[] weights(JsonObject type, int rows) {
    JsonArray given = type.getAsJsonArray(type.has("weight") ? "weight" : "weight_cycle");
    float[] out = new float[rows];
    for (int i = 0; i < rows; ++i) {
      out[i] = given.get(i % given.size()).getAsFloat();
    }
    if (type.has("weight_special")) {
      for (JsonElement element : type.getAsJsonArray("weight_special")) {
        JsonObject special = element.getAsJsonObject();
        out[special.get("edge").getAsInt()] =
            special.get("value").getAsString().equals("nan") ? Float.NaN : Float.POSITIVE_INFINITY;
      }
    }
    return out;
  }

  private static long[][] ends(JsonObject type) {
    if (!type.has("generator")) {
      return new long[][] {longs(type.get("source")), longs(type.get("target"))};
    }
    JsonObject rule = type.getAsJsonObject("generator");
    switch (rule.get("rule").getAsString()) {
      case "ring":
        return ring(rule.get("nodes").getAsInt(), longs(rule.get("steps")));
      case "star":
        long[] leaves = LongStream.rangeClosed(1, rule.get("leaves").getAsLong()).toArray();
        long[] hub = new long[leaves.length];
        return rule.get("hub_is").getAsString().equals("target")
            ? new long[][] {leaves, hub}
            : new long[][] {hub, leaves};
      case "triangle":
        return triangle(rule.get("nodes").getAsInt());
      case "random":
        return random(rule);
      default:
        throw new AssertionError("unknown rule " + rule);
    }
  }

  private static long[][] ring(int n, long[] steps) {
    long[][] out = new long[2][n * steps.length];
    for (int v = 0, e = 0; v < n; ++v) {
      for (long step : steps) {
        out[0][e] = v;
        out[1][e++] = (v + step) % n;
      }
    }
    return out;
  }

  private static long[][] triangle(int n) {
    long[][] out = new long[2][n * (n - 1) / 2];
    for (int t = 0, e = 0; t < n; ++t) {
      for (int s = 0; s < t; ++s) {
        out[0][e] = s;
        out[1][e++] = t;
      }
    }
    return out;
  }

  private static long[][] random(JsonObject rule) {
    long state = Long.parseUnsignedLong(rule.get("seed").getAsString());
    long sources = rule.get("sources").getAsLong();
    long targets = rule.get("targets").getAsLong();
    int edges = rule.get("edges").getAsInt();
    long[][] out = new long[2][edges];
    long[] draws = new long[3];
    for (int e = 0; e < edges; ++e) {
      for (int i = 0; i < 3; ++i) {
        state = 6364136223846793005L * state + 1442695040888963407L;
        draws[i] = state >>> 32;
      }
      out[0][e] = (draws[0] * sources) >>> 32;
      out[1][e] = (((draws[1] * draws[2]) >>> 32) * targets) >>> 32;
    }
    return out;
  }

  // ---- options ----

  public static Tensor edgeSet(JsonObject set) {
    return set.has("ids")
        ? Tensor.of(longs(set.get("ids")))
        : Tensor.pairs(longs(set.get("source")), longs(set.get("target")));
  }

  public static void apply(JsonObject options, SamplingBuilder<?> builder) {
    for (JsonElement element : options.getAsJsonArray("fanouts")) {
      JsonObject fanouts = element.getAsJsonObject();
      int[] perHop =
          Arrays.stream(longs(fanouts.get("per_hop"))).mapToInt(Math::toIntExact).toArray();
      String type = text(fanouts, "edge_type", null);
      if (type == null) {
        builder.fanouts(perHop);
      } else {
        builder.fanouts(type, perHop);
      }
    }
    builder.seed(unsigned(options, "seed"));
    builder.direction(Direction.valueOf(upper(text(options, "direction", "in"))));
    builder.replace(Replace.valueOf(upper(text(options, "replace", "never"))));
    builder.weight(text(options, "weight", null));
    builder.edgeIds(flag(options, "edge_ids"));
    builder.disjoint(flag(options, "disjoint"));
    builder.towardSeeds(flag(options, "toward_seeds"));
    if (options.has("exclude")) {
      for (JsonElement element : options.getAsJsonArray("exclude")) {
        JsonObject set = element.getAsJsonObject();
        builder.exclude(text(set, "edge_type", null), edgeSet(set));
      }
    }
    builder.excludeMode(ExcludeMode.valueOf(upper(text(options, "exclude_mode", "self"))));
    builder.reverseColumn(text(options, "reverse_column", null));
    if (options.has("reverse_types")) {
      for (JsonElement element : options.getAsJsonArray("reverse_types")) {
        JsonObject pair = element.getAsJsonObject();
        builder.reverseTypes(
            pair.get("edge_type").getAsString(), pair.get("reverse_type").getAsString());
      }
    }
    builder.nodeTime(text(options, "node_time", null));
    builder.edgeTime(text(options, "edge_time", null));
    builder.timeStrict(flag(options, "time_strict"));
    if (options.has("time_window")) {
      builder.timeWindow(options.get("time_window").getAsLong());
    }
    builder.timeStrategy(TimeStrategy.valueOf(upper(text(options, "time_strategy", "uniform"))));
    builder.excludeLinks(flag(options, "exclude_links"));
    if (options.has("negatives")) {
      builder.negatives(negatives(options.getAsJsonObject("negatives")));
    }
    if (options.has("walk")) {
      builder.walks(walks(options.getAsJsonObject("walk")));
    }
    if (options.has("supervisions")) {
      for (JsonElement element : options.getAsJsonArray("supervisions")) {
        builder.supervision(supervision(element.getAsJsonObject()));
      }
    }
    if (options.has("importance")) {
      builder.importance(importance(options.getAsJsonObject("importance")));
    }
    if (options.has("ppr")) {
      builder.ppr(ppr(options.getAsJsonObject("ppr")));
    }
    if (options.has("hgt")) {
      builder.hgt(hgt(options.getAsJsonObject("hgt")));
    }
    builder.subgraph(Subgraph.valueOf(upper(text(options, "subgraph", "sampled"))));
    builder.pick(Pick.valueOf(upper(text(options, "pick", "independent"))));
    builder.batchDependency((long) number(options, "batch_dependency", 0));
    builder.layerDependent(flag(options, "layer_dependent"));
  }

  private static Supervision supervision(JsonObject options) {
    String edgeType = text(options, "edge_type", null);
    String name = text(options, "name", null);
    Supervision out =
        edgeType == null ? Supervision.given(name == null ? "" : name) : Supervision.of(edgeType);
    if (edgeType != null && name != null) {
      out.name(name);
    }
    return out.nodeType(text(options, "node_type", null))
        .negative(text(options, "role", "positive").equals("negative"))
        .sampled(flag(options, "sampled"))
        .maxLabels((int) number(options, "max_labels", 0));
  }

  /** Rows of one length. */
  public static Tensor rows(JsonElement rows) {
    if (rows.isJsonNull()) {
      return null;
    }
    JsonArray all = rows.getAsJsonArray();
    int width = all.isEmpty() ? 0 : all.get(0).getAsJsonArray().size();
    long[] flat = new long[all.size() * width];
    for (int i = 0; i < flat.length; ++i) {
      flat[i] = all.get(i / width).getAsJsonArray().get(i % width).getAsLong();
    }
    return Tensor.of(flat, all.size(), width);
  }

  private static Importance importance(JsonObject options) {
    return Importance.of((int) number(options, "neighbors", 0))
        .walks((int) number(options, "walks", 10))
        .traversals((int) number(options, "traversals", 2))
        .stop(number(options, "stop", 0))
        .hops((int) number(options, "hops", 1))
        .along(names(options, "path"));
  }

  private static Hgt hgt(JsonObject options) {
    int[] forAll = {};
    for (JsonElement element : options.getAsJsonArray("samples")) {
      JsonObject entry = element.getAsJsonObject();
      forAll = entry.get("node_type").isJsonNull() ? perHop(entry) : forAll;
    }
    Hgt out = Hgt.of(forAll);
    for (JsonElement element : options.getAsJsonArray("samples")) {
      JsonObject entry = element.getAsJsonObject();
      if (!entry.get("node_type").isJsonNull()) {
        out.samples(entry.get("node_type").getAsString(), perHop(entry));
      }
    }
    return out.mostNeighbors((int) number(options, "most_neighbors", 50));
  }

  private static int[] perHop(JsonObject entry) {
    JsonArray list = entry.getAsJsonArray("per_hop");
    int[] out = new int[list.size()];
    for (int i = 0; i < out.length; ++i) {
      out[i] = list.get(i).getAsInt();
    }
    return out;
  }

  private static Ppr ppr(JsonObject options) {
    Ppr ppr = Ppr.of((int) number(options, "neighbors", 50));
    if (options.has("channels")) {
      for (JsonElement given : options.getAsJsonArray("channels")) {
        JsonObject channel = given.getAsJsonObject();
        ppr.channel(channel.get("share").getAsDouble(), names(channel, "edge_types"));
      }
    }
    return ppr.alpha(number(options, "alpha", 0.5))
        .epsilon(number(options, "epsilon", 1e-4))
        .topUp(!options.has("top_up") || flag(options, "top_up"))
        .maxEdges((long) number(options, "max_edges", 1 << 24))
        .rowLimit((int) number(options, "row_limit", 0))
        .along(names(options, "edge_types"));
  }

  private static String[] names(JsonObject options, String list) {
    if (!options.has(list)) {
      return new String[0];
    }
    JsonArray names = options.getAsJsonArray(list);
    String[] out = new String[names.size()];
    for (int i = 0; i < out.length; ++i) {
      out[i] = names.get(i).getAsString();
    }
    return out;
  }

  private static Walks walks(JsonObject options) {
    return Walks.along(names(options, "path"))
        .length((int) number(options, "length", 0))
        .perSeed((int) number(options, "walks", 1))
        .biases(number(options, "p", 1), number(options, "q", 1))
        .restart(number(options, "restart", 0))
        .stop(number(options, "stop", 0));
  }

  private static double number(JsonObject options, String name, double otherwise) {
    return options.has(name) ? options.get(name).getAsDouble() : otherwise;
  }

  private static Negatives negatives(JsonObject options) {
    Negatives out =
        options.get("mode").getAsString().equals("binary")
            ? Negatives.binary()
            : Negatives.triplet();
    out.strict(flag(options, "strict")).allowShort(flag(options, "allow_short"));
    out.inTime(flag(options, "in_time")).oldest(flag(options, "oldest"));
    if (options.has("amount")) {
      out.amount(options.get("amount").getAsDouble());
    }
    if (options.has("degree_power")) {
      out.degreePower(options.get("degree_power").getAsDouble());
    }
    out.sourceWeight(text(options, "source_weight", null));
    out.targetWeight(text(options, "target_weight", null));
    if (options.has("tries")) {
      out.tries(options.get("tries").getAsInt());
    }
    return out;
  }

  public static String upper(String text) {
    return text.toUpperCase(java.util.Locale.ROOT);
  }

  /** null where there is none. */
  private static Tensor column(JsonObject object, String key) {
    return object.has(key) ? Tensor.of(longs(object.get(key))) : null;
  }

  public static SampleRequest request(JsonObject request) {
    SampleRequest out = new SampleRequest();
    for (JsonElement element : request.getAsJsonArray("seeds")) {
      JsonObject seeds = element.getAsJsonObject();
      long[] ids;
      if (seeds.has("range")) {
        JsonObject range = seeds.getAsJsonObject("range");
        long first = range.get("first").getAsLong();
        long step = range.get("step").getAsLong();
        ids =
            LongStream.range(0, range.get("count").getAsLong())
                .map(i -> first + i * step)
                .toArray();
      } else {
        ids = longs(seeds.get("ids"));
      }
      out.seeds(seeds.get("node_type").getAsString(), Tensor.of(ids), column(seeds, "times"));
    }
    if (request.has("links")) {
      JsonObject links = request.getAsJsonObject("links");
      String type = text(links, "edge_type", null);
      out.links(type, edgeSet(links), column(links, "times"), column(links, "labels"));
    }
    if (request.has("labels")) {
      JsonArray labels = request.getAsJsonArray("labels");
      Tensor[] rows = new Tensor[labels.size()];
      for (int i = 0; i < rows.length; ++i) {
        rows[i] = rows(labels.get(i));
      }
      out.anchorLabels(rows);
    }
    out.epoch(unsigned(request, "epoch")).batch(unsigned(request, "batch"));
    if (request.has("exclude")) {
      for (JsonElement element : request.getAsJsonArray("exclude")) {
        JsonObject set = element.getAsJsonObject();
        out.exclude(text(set, "edge_type", null), edgeSet(set));
      }
    }
    return out;
  }
}
