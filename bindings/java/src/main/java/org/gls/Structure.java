package org.gls;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.gls.low.ColumnInfo;

/** A dataset's description, read once. */
record Structure(List<NodeType> nodeTypes, List<EdgeType> edgeTypes) {
  static Structure of(org.gls.low.Dataset low) {
    List<NodeType> nodes = new ArrayList<>();
    for (long i = 0; i < low.numNodeTypes(); ++i) {
      long type = i;
      Map<String, Long> sets = new LinkedHashMap<>();
      for (long s = 0; s < low.numIdSets(type); ++s) {
        sets.put(low.idSetName(type, s), low.idSetSize(type, s));
      }
      nodes.add(
          new NodeType(
              low.nodeType(type),
              low.numNodes(type),
              low.hasKeys(type),
              columns(low.numNodeColumns(type), c -> low.nodeColumn(type, c)),
              Collections.unmodifiableMap(sets)));
    }
    List<EdgeType> edges = new ArrayList<>();
    for (long i = 0; i < low.numEdgeTypes(); ++i) {
      long type = i;
      edges.add(
          new EdgeType(
              low.edgeType(type),
              low.edgeSource(type),
              low.edgeRelation(type),
              low.edgeTarget(type),
              low.numEdges(type),
              Layout.of(low.layouts(type)),
              (int) low.indexBits(type),
              columns(low.numEdgeColumns(type), c -> low.edgeColumn(type, c))));
    }
    return new Structure(List.copyOf(nodes), List.copyOf(edges));
  }

  private static Map<String, Column> columns(long count, LongFunction<ColumnInfo> column) {
    Map<String, Column> out = new LinkedHashMap<>();
    for (long i = 0; i < count; ++i) {
      ColumnInfo info = column.apply(i);
      try {
        List<Long> shape = new ArrayList<>();
        for (int d = 0; d < info.ndim(); ++d) {
          shape.add(info.dim(d));
        }
        out.put(
            info.name(),
            new Column(
                info.name(),
                Role.of(info.role()),
                DType.of(info.dtypeCode(), info.dtypeBits()),
                List.copyOf(shape),
                info.rowStride(),
                (int) info.bits(),
                codebook(info),
                Optional.of(info.logicalType()).filter(type -> !type.isEmpty())));
      } finally {
        info.delete();
      }
    }
    return Collections.unmodifiableMap(out);
  }

  private static List<Float> codebook(ColumnInfo info) {
    List<Float> out = new ArrayList<>();
    for (long code = 0; info.bits() > 0 && code < 1L << info.bits(); ++code) {
      out.add(info.codeValue(code));
    }
    return List.copyOf(out);
  }

  /** null stands for the only one. */
  NodeType nodeType(String name) {
    return find("node", nodeTypes, NodeType::name, name);
  }

  /** null stands for the only one. */
  EdgeType edgeType(String name) {
    return find("edge", edgeTypes, EdgeType::name, name);
  }

  /** The only node type; null when there are several. */
  String onlyNodeType() {
    return nodeTypes.size() == 1 ? nodeTypes.get(0).name() : null;
  }

  private static <T> T find(String what, List<T> types, Function<T, String> nameOf, String name) {
    if (name == null) {
      if (types.size() != 1) {
        throw GlsException.invalid("type", "needed, as there are several: " + list(types, nameOf));
      }
      return types.get(0);
    }
    for (T type : types) {
      if (nameOf.apply(type).equals(name)) {
        return type;
      }
    }
    throw new GlsException.NotFound(
        "there is no " + what + " type \"" + name + "\"; there are: " + list(types, nameOf),
        Map.of("type", name));
  }

  private static <T> String list(List<T> types, Function<T, String> nameOf) {
    return types.isEmpty() ? "none" : types.stream().map(nameOf).collect(Collectors.joining(", "));
  }
}
