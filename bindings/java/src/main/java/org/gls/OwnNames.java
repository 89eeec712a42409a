package org.gls;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What the names of gls.h are called in this package, for messages of the library. */
final class OwnNames {
  private static final Map<String, String> FLAGS =
      Map.ofEntries(
          Map.entry("GLS_SAMPLE_EDGE_IDS", "edgeIds"),
          Map.entry("GLS_SAMPLE_DISJOINT", "disjoint"),
          Map.entry("GLS_SAMPLE_TOWARD_SEEDS", "towardSeeds"),
          Map.entry("GLS_SAMPLE_INT32", "int32"),
          Map.entry("GLS_SAMPLE_TIME_STRICT", "timeStrict"),
          Map.entry("GLS_SAMPLE_EXCLUDE_LINKS", "excludeLinks"),
          Map.entry("GLS_SAMPLE_LAYER_DEPENDENT", "layerDependent"),
          Map.entry("GLS_NEGATIVE_IN_TIME", "inTime"),
          Map.entry("GLS_NEGATIVE_OLDEST", "oldest"),
          Map.entry("GLS_LOADER_SHUFFLE", "shuffle"),
          Map.entry("GLS_LOADER_DROP_LAST", "dropLast"),
          Map.entry("GLS_SUPERVISION_SAMPLED", "sampled"),
          Map.entry("GLS_TABLE_MEAN", "mean"),
          Map.entry("GLS_TABLE_ROW_STEPS", "rowSteps"),
          Map.entry("GLS_EDGES_ADD_REVERSE", "addReverse"),
          Map.entry("GLS_ARROW_ALL_FIELDS", "allFields"),
          Map.entry("GLS_LINK_SPLIT_UNDIRECTED", "undirected"),
          Map.entry("GLS_STORE_EDGE_IDS", "edgeIds"));
  private static final Map<String, String> VALUES =
      Map.ofEntries(
          Map.entry("GLS_EXCLUDE_REVERSE_ID", "ExcludeMode.REVERSE_ID"),
          Map.entry("GLS_EXCLUDE_REVERSE_TYPES", "ExcludeMode.REVERSE_TYPES"),
          Map.entry("GLS_LAW_DEGREE", "SeedLaw.DEGREE"),
          Map.entry("GLS_LAW_INVERSE_DEGREE", "SeedLaw.INVERSE_DEGREE"),
          Map.entry("GLS_LAYOUT_CSC", "Layout.CSC"),
          Map.entry("GLS_LAYOUT_CSR", "Layout.CSR"),
          Map.entry("GLS_MADE_BY_SERVERS", "MadeBy.SERVERS"),
          Map.entry("GLS_NEGATIVE_NONE", "null"),
          Map.entry("GLS_SEEDS_DRAW", "drawSeeds"),
          Map.entry("GLS_SEEDS_CLUSTER", "clusters"),
          Map.entry("GLS_SUBGRAPH_BIDIRECTIONAL", "Subgraph.BIDIRECTIONAL"),
          Map.entry("GLS_BATCH_NODE_COLUMN", "node column"),
          Map.entry("GLS_BATCH_EDGE_COLUMN", "edge column"),
          Map.entry("GLS_BATCH_NUM_NODES", "numSampledNodes"),
          Map.entry("GLS_BATCH_NUM_EDGES", "numSampledEdges"),
          Map.entry("GLS_BATCH_INPUT", "inputId"));

  /** Options in messages about other options; an option that is the argument is known anyway. */
  private static final Set<String> OPTIONS =
      Set.of(
          "allow_short",
          "anchor_labels",
          "batch_size",
          "degree_power",
          "edge_time",
          "edge_type",
          "edge_types",
          "exclude_mode",
          "hot_fanouts",
          "hot_fraction",
          "hot_id_set",
          "hot_rows",
          "id_set",
          "made_by",
          "max_labels",
          "node_time",
          "node_type",
          "num_threads",
          "prefetch_bytes",
          "reverse_column",
          "reverse_types",
          "seed_rule",
          "seed_sets",
          "seed_weight",
          "time_strategy",
          "world_size");

  /** Options whose methods have other names. */
  private static final Map<String, String> RENAMED =
      Map.of("source_field", "source", "target_field", "target");

  /** Of a loader, whose builder has other methods than the library has options. */
  private static final Map<String, String> OF_LOADER =
      Map.of(
          "idSet", "seeds",
          "edgeType", "links",
          "walk", "walks",
          "seedLaw", "drawSeeds",
          "seedWeight", "drawSeeds",
          "seedSets", "addSeeds",
          "cluster", "clusters",
          "supervisions", "supervision",
          "columns", "column");

  private static final Pattern CONSTANT = Pattern.compile("\\bGLS_[A-Z0-9_]+\\b");
  private static final Pattern OPTION =
      Pattern.compile("(?<![\\w./-])[a-z]+(_[a-z0-9]+)+(?![\\w./-])");

  /** A word that no sentence has. */
  private static final Pattern CAMEL = Pattern.compile("(?<![\\w./-])[a-z]+[A-Z]\\w*(?![\\w./-])");

  private static final Pattern FIRST = Pattern.compile("^\\w+");
  private static final String ARRAY = "GLS_BATCH_";

  private OwnNames() {}

  /** Flags, values and options as Java has them. */
  static GlsException of(int status, String message, Map<String, String> details) {
    Map<String, String> own = new LinkedHashMap<>(details);
    String argument = details.getOrDefault("argument", "");
    if (argument.equals("flags")) {
      CONSTANT
          .matcher(message)
          .results()
          .map(MatchResult::group)
          .filter(FLAGS::containsKey)
          .findFirst()
          .ifPresent(flag -> own.put("argument", FLAGS.get(flag)));
    } else if (OPTION.matcher(argument).matches()) {
      own.put("argument", camel(argument));
    }
    String text =
        outsideQuotes(
            CONSTANT.matcher(message).replaceAll(match -> constant(match.group())),
            part ->
                OPTION
                    .matcher(part)
                    .replaceAll(
                        match -> {
                          String name = match.group();
                          boolean known = name.equals(argument) || OPTIONS.contains(name);
                          return known ? camel(name) : name;
                        }));
    return GlsException.made(status, text, own);
  }

  /** What `make` gives; its errors name the options of a loader as its builder does. */
  static <T> T ofLoader(Supplier<T> make) {
    try {
      return make.get();
    } catch (GlsException error) {
      Map<String, String> own = new LinkedHashMap<>(error.details());
      own.computeIfPresent("argument", (key, name) -> OF_LOADER.getOrDefault(name, name));
      Function<MatchResult, String> rename =
          match -> OF_LOADER.getOrDefault(match.group(), match.group());
      String message =
          outsideQuotes(
              FIRST.matcher(error.getMessage()).replaceFirst(rename),
              part -> CAMEL.matcher(part).replaceAll(rename));
      GlsException out = GlsException.made(error.status(), message, own);
      out.setStackTrace(error.getStackTrace());
      throw out;
    }
  }

  private static String constant(String name) {
    String own = FLAGS.getOrDefault(name, VALUES.get(name));
    if (own != null) {
      return own;
    }
    return name.startsWith(ARRAY) ? camel(name.substring(ARRAY.length()).toLowerCase()) : name;
  }

  private static String camel(String name) {
    if (RENAMED.containsKey(name)) {
      return RENAMED.get(name);
    }
    StringBuilder out = new StringBuilder();
    for (String word : name.split("_")) {
      out.append(out.length() == 0 ? word : word.substring(0, 1).toUpperCase() + word.substring(1));
    }
    return out.toString();
  }

  /** Text of the caller's own, such as the name of a column, is in quotes. */
  private static String outsideQuotes(String text, Function<String, String> change) {
    String[] parts = text.split("\"", -1);
    for (int i = 0; i < parts.length; i += 2) {
      parts[i] = change.apply(parts[i]);
    }
    return String.join("\"", parts);
  }
}
