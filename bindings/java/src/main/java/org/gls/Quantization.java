package org.gls;

import java.util.function.Function;

/**
 * How the rows of a quantised column are packed, and what its codes stand for. Codes are packed
 * from the highest bits of each byte down; the rest of the last byte of a row is not read.
 */
public final class Quantization {
  private final int bits;
  private final long width;
  private final float[] codebook; // null: even steps
  private final double lowest;
  private final double highest;

  private Quantization(int bits, long width, float[] codebook, double lowest, double highest) {
    this.bits = bits;
    this.width = width;
    this.codebook = codebook;
    this.lowest = lowest;
    this.highest = highest;
  }

  /**
   * Code c stands for {@code low + c / (2^bits - 1) * (high - low)}.
   *
   * @param bits of a code: 1, 2, 4 or 8
   * @param width numbers in a row
   * @param low what the first code stands for
   * @param high what the last code stands for
   * @return of even steps
   */
  public static Quantization even(int bits, long width, double low, double high) {
    return new Quantization(bits, width, null, low, high);
  }

  /**
   * Code c stands for entry c of a codebook.
   *
   * @param bits of a code: 1, 2, 4 or 8
   * @param width numbers in a row
   * @param codebook 2^bits finite numbers
   * @return of these
   */
  public static Quantization codebook(int bits, long width, float... codebook) {
    return new Quantization(bits, width, codebook.clone(), 0, 0);
  }

  /**
   * Packs numbers as codes of even steps: each becomes the nearest, of two the even one; those
   * beyond become the first or the last.
   *
   * @param numbers [rows, width], of any number
   * @param bits of a code: 1, 2, 4 or 8
   * @param low what the first code stands for
   * @param high what the last code stands for
   * @return UINT8 [rows, ceil(width * bits / 8)]
   */
  public static Tensor quantize(Tensor numbers, int bits, double low, double high) {
    return even(bits, 0, low, high)
        .call(how -> numbers.handle().call(tensor -> Tensor.of(how.quantize(tensor))));
  }

  <T> T call(Function<org.gls.low.Quantization, T> body) {
    if (bits < 0) {
      throw GlsException.invalid("bits", bits + " is negative");
    }
    org.gls.low.Quantization low = new org.gls.low.Quantization(bits, width);
    try {
      if (codebook == null) {
        low.setRange(lowest, highest);
      } else {
        for (float value : codebook) {
          low.addValue(value);
        }
      }
      return body.apply(low);
    } finally {
      low.delete();
    }
  }
}
