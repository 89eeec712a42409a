package org.gls;

import java.util.Map;

/**
 * How a step changes the rows of a {@link Table} whose gradients it has; g is the gradient of a
 * number w.
 */
public enum Optimizer {
  /** Not at all: rows are written. */
  NONE(0),
  /** {@code w -= rate * g}. */
  SGD(1),
  /** {@code s += g * g; w -= rate * g / (sqrt(s) + epsilon)}. */
  ADAGRAD(2),
  /**
   * Adam. It changes only the rows of a step, t steps after the beginning. {@link
   * TableOptions#rowSteps} counts the steps of each row instead.
   *
   * <pre>{@code
   * m += (1 - beta1) * (g - m)
   * v += (1 - beta2) * (g * g - v)
   * w -= rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon)
   * }</pre>
   */
  ADAM(3);

  final int number; // in gls.h

  Optimizer(int number) {
    this.number = number;
  }

  static Optimizer of(int number) {
    for (Optimizer value : values()) {
      if (value.number == number) {
        return value;
      }
    }
    throw new GlsException.Unsupported("optimizer " + number, Map.of());
  }
}
