package org.gls;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * How a delimited file is to be read. A field is given by its name in the header line, or by its
 * number from 0 written as "#2".
 */
public final class TextOptions {
  private static final int ADD_REVERSE = 1;
  private static final int RAGGED = 2;

  /** How the characters of a file are written. */
  public enum Encoding {
    /** UTF-8. */
    UTF_8(1),
    /** ISO 8859-1: each byte is a character. */
    LATIN_1(2),
    /**
     * UTF-16 in the byte order of its mark; without one, in that which makes the first character
     * one of ASCII.
     */
    UTF_16(3);

    final int number; // in gls.h

    Encoding(int number) {
      this.number = number;
    }
  }

  private record Field(String field, String name, DType dtype, Role role) {}

  private String source;
  private String target;
  private char delimiter;
  private char comment;
  private int header;
  private Encoding encoding;
  private boolean ragged;
  private boolean addReverse;
  private final List<Field> columns = new ArrayList<>();

  /** Defaults: fields "#0" and "#1"; everything else is detected. */
  public TextOptions() {}

  /**
   * The field with the source of an edge.
   *
   * @param field "#0" by default
   * @return this
   */
  public TextOptions source(String field) {
    this.source = Objects.requireNonNull(field, "field");
    return this;
  }

  /**
   * The field with the target of an edge.
   *
   * @param field "#1" by default
   * @return this
   */
  public TextOptions target(String field) {
    this.target = Objects.requireNonNull(field, "field");
    return this;
  }

  /**
   * The field with what edges call the node, in files of nodes.
   *
   * @param field "#0" by default
   * @return this
   */
  public TextOptions key(String field) {
    return source(field);
  }

  /**
   * What stands between fields. Without this: the first of tab, comma, semicolon, pipe that ends
   * the first field, else runs of blanks.
   *
   * @param delimiter an ASCII character
   * @return this
   */
  public TextOptions delimiter(char delimiter) {
    this.delimiter = ascii("delimiter", delimiter);
    return this;
  }

  /**
   * Lines beginning with this are skipped. Without this: those beginning with "#" or "%".
   *
   * @param comment an ASCII character
   * @return this
   */
  public TextOptions comment(char comment) {
    this.comment = ascii("comment", comment);
    return this;
  }

  /**
   * No line is a comment.
   *
   * @return this
   */
  public TextOptions noComments() {
    this.comment = '\n'; // no line can begin with a line's end
    return this;
  }

  /**
   * Whether the file has a header line. By default this is detected.
   *
   * @param header whether the first line is one
   * @return this
   */
  public TextOptions header(boolean header) {
    this.header = header ? 1 : 2;
    return this;
  }

  /**
   * The encoding of the file. Without this: UTF-8, or UTF-16 where the file begins with its byte
   * order mark.
   *
   * @param encoding one of them
   * @return this
   */
  public TextOptions encoding(Encoding encoding) {
    this.encoding = Objects.requireNonNull(encoding, "encoding");
    return this;
  }

  /**
   * Whether lines may have more or fewer fields than the first. Without this such a line is an
   * error.
   *
   * @param ragged false by default
   * @return this
   */
  public TextOptions ragged(boolean ragged) {
    this.ragged = ragged;
    return this;
  }

  /**
   * Makes a column of a field.
   *
   * @param field which
   * @param name of the column; null: as the field
   * @param dtype of its elements
   * @param role what it is for
   * @return this
   */
  public TextOptions column(String field, String name, DType dtype, Role role) {
    columns.add(
        new Field(
            Objects.requireNonNull(field, "field"),
            name,
            Objects.requireNonNull(dtype, "dtype"),
            Objects.requireNonNull(role, "role")));
    return this;
  }

  /**
   * Whether each edge is also stored turned round; see {@link DatasetBuilder#addEdges}.
   *
   * @param addReverse false by default
   * @return this
   */
  public TextOptions addReverse(boolean addReverse) {
    this.addReverse = addReverse;
    return this;
  }

  private static char ascii(String argument, char value) {
    if (value == 0 || value > 0x7F) {
      throw GlsException.invalid(argument, "not an ASCII character");
    }
    return value;
  }

  /** To be deleted by the caller. */
  org.gls.low.TextOptions low() {
    org.gls.low.TextOptions low = new org.gls.low.TextOptions();
    low.setDelimiter(delimiter);
    low.setComment(comment);
    low.setHeader(header);
    low.setSourceField(source);
    low.setTargetField(target);
    low.setEncoding(encoding == null ? 0 : encoding.number);
    low.setFlags((addReverse ? ADD_REVERSE : 0) | (ragged ? RAGGED : 0));
    for (Field field : columns) {
      String dtype = field.dtype().name().toLowerCase(java.util.Locale.ROOT);
      low.addColumn(field.field(), field.name(), dtype, field.role().number);
    }
    return low;
  }
}
