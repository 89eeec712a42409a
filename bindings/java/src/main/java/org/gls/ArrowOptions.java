package org.gls;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * What becomes of the fields of a stream of Arrow batches. A field is given by its name, or by its
 * number from 0 written as "#2".
 *
 * <p>Where no {@link #column} is named, each field that has no other use becomes a column of its
 * name. Its role is {@link Role#FEATURE}. Text cannot be a column. So name the columns, or drop the
 * field, where a stream has text that is no key and no split.
 *
 * <p>A null is an error that names row and field, unless the column has a fill value or a mask.
 */
public final class ArrowOptions {
  private static final int ADD_REVERSE = 1;
  private static final int ALL_FIELDS = 2;
  // GLS_ARROW_*
  private static final int COLUMN = 0;
  private static final int ID_SET = 1;
  private static final int SPLIT = 2;

  private record Field(
      String field, String name, DType dtype, String fill, String mask, Role role, int use) {
    Field {
      Objects.requireNonNull(field, "field");
      Objects.requireNonNull(role, "role");
    }
  }

  private String source;
  private String target;
  private String label;
  private Boolean allFields;
  private boolean addReverse;
  private final List<Field> fields = new ArrayList<>();

  /** Defaults: fields "#0" and "#1" are the ends of edges, nodes have no key. */
  public ArrowOptions() {}

  /**
   * The field with the source of an edge: integers, or text.
   *
   * @param field "#0" by default
   * @return this
   */
  public ArrowOptions source(String field) {
    this.source = Objects.requireNonNull(field, "field");
    return this;
  }

  /**
   * The field with the target of an edge: integers, or text.
   *
   * @param field "#1" by default
   * @return this
   */
  public ArrowOptions target(String field) {
    this.target = Objects.requireNonNull(field, "field");
    return this;
  }

  /**
   * The field with what edges call the node, in streams of nodes: integers, or text. Without this
   * row i is node i. With {@link Ids#DENSE} the keys must be 0, 1, 2, ... in this order.
   *
   * @param field none by default
   * @return this
   */
  public ArrowOptions key(String field) {
    return source(field);
  }

  /**
   * Makes a column of a field, with the name and the type of the field. A null is an error.
   *
   * @param field which
   * @param role what it is for
   * @return this
   */
  public ArrowOptions column(String field, Role role) {
    return column(field, null, null, role);
  }

  /**
   * Makes a column of a field. A null is an error. Fields with the same column name form one
   * column: in each row their values follow each other. They need one type and role.
   *
   * @param field which
   * @param name of the column; null: as the field
   * @param dtype of its elements; null: as the field. A number that the type cannot hold is an
   *     error; floats are rounded
   * @param role what it is for
   * @return this
   */
  public ArrowOptions column(String field, String name, DType dtype, Role role) {
    return column(field, name, dtype, role, null, null);
  }

  /**
   * Makes a column of a field that may have nulls.
   *
   * @param field which
   * @param name of the column; null: as the field
   * @param dtype of its elements; null: as the field
   * @param role what it is for
   * @param fill what stands for a null, such as 0, -1 or Double.NaN; null: 0 if there is a mask,
   *     else a null is an error
   * @param mask the name of one more column, BOOL [rows], which is false where the row had a null;
   *     null: none
   * @return this
   */
  public ArrowOptions column(
      String field, String name, DType dtype, Role role, Number fill, String mask) {
    String value = fill == null ? null : fill.toString();
    fields.add(new Field(field, name, dtype, value, mask, role, COLUMN));
    return this;
  }

  /**
   * Makes an id set of the nodes whose value is true, or 1. A null is an error. For nodes only.
   *
   * @param field of booleans or integers
   * @param name of the id set; null: as the field
   * @return this
   */
  public ArrowOptions idSet(String field, String name) {
    fields.add(new Field(field, name, null, null, null, Role.FEATURE, ID_SET));
    return this;
  }

  /**
   * As {@link #idSet(String, String)}, of a field that may have nulls.
   *
   * @param field of booleans or integers
   * @param name of the id set; null: as the field
   * @param nulls whether nodes whose value is null are in the set
   * @return this
   */
  public ArrowOptions idSet(String field, String name, boolean nulls) {
    fields.add(new Field(field, name, null, nulls ? "1" : "0", null, Role.FEATURE, ID_SET));
    return this;
  }

  /**
   * Makes an id set for each different text, named by it, such as "train" and "valid". At most 64
   * sets. A node whose value is null is in no set. For nodes only.
   *
   * @param field of text
   * @return this
   */
  public ArrowOptions split(String field) {
    fields.add(new Field(field, null, null, null, null, Role.FEATURE, SPLIT));
    return this;
  }

  /**
   * Whether each field that has no other use becomes a column of its name, with the role {@link
   * Role#FEATURE}.
   *
   * @param allFields by default whether no {@link #column} is named
   * @return this
   */
  public ArrowOptions allFields(boolean allFields) {
    this.allFields = allFields;
    return this;
  }

  /**
   * Whether each edge is also stored turned round; see {@link DatasetBuilder#addEdges}.
   *
   * @param addReverse false by default
   * @return this
   */
  public ArrowOptions addReverse(boolean addReverse) {
    this.addReverse = addReverse;
    return this;
  }

  /**
   * What errors call the stream.
   *
   * @param label such as the name of a file; "the Arrow stream of TYPE" by default
   * @return this
   */
  public ArrowOptions label(String label) {
    this.label = Objects.requireNonNull(label, "label");
    return this;
  }

  private boolean takesAllFields() {
    if (allFields != null) {
      return allFields;
    }
    return fields.stream().noneMatch(field -> field.use() == COLUMN);
  }

  /** To be deleted by the caller. */
  org.gls.low.ArrowOptions low() {
    org.gls.low.ArrowOptions low = new org.gls.low.ArrowOptions();
    low.setSourceField(source);
    low.setTargetField(target);
    low.addFlags((addReverse ? ADD_REVERSE : 0) | (takesAllFields() ? ALL_FIELDS : 0));
    low.setLabel(label);
    for (Field field : fields) {
      String dtype = field.dtype() == null ? null : field.dtype().name().toLowerCase(Locale.ROOT);
      low.addColumn(
          field.field(),
          field.name(),
          dtype,
          field.fill(),
          field.mask(),
          field.role().number,
          field.use());
    }
    return low;
  }
}
