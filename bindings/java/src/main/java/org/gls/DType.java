package org.gls;

import java.util.Map;

/** Type of the elements of an array. */
public enum DType {
  /** One byte, 0 or 1. */
  BOOL(6, 8),
  /** Signed, 8 bits. */
  INT8(0, 8),
  /** Signed, 16 bits. */
  INT16(0, 16),
  /** Signed, 32 bits. */
  INT32(0, 32),
  /** Signed, 64 bits. */
  INT64(0, 64),
  /** Unsigned, 8 bits. */
  UINT8(1, 8),
  /** Unsigned, 16 bits. */
  UINT16(1, 16),
  /** Unsigned, 32 bits. */
  UINT32(1, 32),
  /** Unsigned, 64 bits. */
  UINT64(1, 64),
  /** IEEE 754 binary16; in Java, its bits as {@code short}. */
  FLOAT16(2, 16),
  /** The upper half of a float; in Java, its bits as {@code short}. */
  BFLOAT16(4, 16),
  /** IEEE 754 binary32. */
  FLOAT32(2, 32),
  /** IEEE 754 binary64. */
  FLOAT64(2, 64);

  final int code; // in DLPack
  private final int bits;

  DType(int code, int bits) {
    this.code = code;
    this.bits = bits;
  }

  /**
   * Width of an element.
   *
   * @return 8, 16, 32 or 64
   */
  public int bits() {
    return bits;
  }

  /**
   * Width of an element.
   *
   * @return 1, 2, 4 or 8
   */
  public int bytes() {
    return bits / 8;
  }

  private static final DType[] ALL = values();

  static DType of(int code, int bits) {
    for (DType dtype : ALL) {
      if (dtype.code == code && dtype.bits == bits) {
        return dtype;
      }
    }
    throw new GlsException.Unsupported(
        "elements of DLPack type " + code + " with " + bits + " bits", Map.of());
  }
}
