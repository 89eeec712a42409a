package org.gls;

import java.util.Objects;

/** The description of a {@link Table}, and the place of this trainer in its steps. */
public final class TableOptions {
  static final int MEAN = 1; // GLS_TABLE_MEAN
  static final int ROW_STEPS = 2; // GLS_TABLE_ROW_STEPS
  private static final double NONE = -1; // of a number for which 0 is the default

  private final long width;
  private DType dtype = DType.FLOAT32;
  private boolean mean;
  private boolean rowSteps;
  private double from; // each number begins with one of [from, to)
  private double to;
  private long seed;
  private Optimizer optimizer = Optimizer.NONE;
  private double epsilon; // 0: the default
  private double beta1;
  private double beta2;
  private int rank;
  int worldSize; // 0: this trainer alone

  /**
   * A table of FLOAT32 that begins with zeros and has no optimiser, for one trainer.
   *
   * @param width numbers of a row, 1 to 2^20
   */
  public TableOptions(long width) {
    this.width = width;
  }

  /**
   * Type of the numbers.
   *
   * @param dtype instead of FLOAT32, which all optimisers need
   * @return this
   */
  public TableOptions dtype(DType dtype) {
    this.dtype = Objects.requireNonNull(dtype, "dtype");
    return this;
  }

  /**
   * Each number begins with a value that is drawn evenly from a range. The value depends on the
   * seed, the name of the table, the id and the place in the row. It does not depend on the owner
   * of the row.
   *
   * @param low the least
   * @param high just beyond the greatest
   * @return this
   */
  public TableOptions uniform(double low, double high) {
    this.from = low;
    this.to = high;
    return this;
  }

  /**
   * Each number begins with this one.
   *
   * @param value instead of 0; other values are for FLOAT32 alone
   * @return this
   */
  public TableOptions constant(double value) {
    return uniform(value, value);
  }

  /**
   * The random seed of the drawn numbers.
   *
   * @param seed different seeds give different numbers
   * @return this
   */
  public TableOptions seed(long seed) {
    this.seed = seed;
    return this;
  }

  /**
   * How steps change rows.
   *
   * @param optimizer instead of NONE
   * @return this
   */
  public TableOptions optimizer(Optimizer optimizer) {
    this.optimizer = Objects.requireNonNull(optimizer, "optimizer");
    return this;
  }

  /**
   * The number that is added to the root that Adagrad and Adam divide by. The default is 1e-10 for
   * Adagrad and 1e-8 for Adam.
   *
   * @param epsilon 0 or more
   * @return this
   */
  public TableOptions epsilon(double epsilon) {
    this.epsilon = given("epsilon", epsilon);
    return this;
  }

  /**
   * The share of Adam's mean of gradients, and of their squares, that a step keeps. The defaults
   * are 0.9 and 0.999.
   *
   * @param beta1 from 0 on, below 1
   * @param beta2 from 0 on, below 1
   * @return this
   */
  public TableOptions betas(double beta1, double beta2) {
    this.beta1 = given("beta1", beta1);
    this.beta2 = given("beta2", beta2);
    return this;
  }

  private static double given(String name, double value) {
    if (value < 0) {
      throw GlsException.invalid(name, value + ", expected at least 0");
    }
    return value == 0 ? NONE : value;
  }

  /**
   * Whether the gradient of a row is the mean of those that a step has for it, of all trainers, and
   * not their sum.
   *
   * @param mean false by default
   * @return this
   */
  public TableOptions mean(boolean mean) {
    this.mean = mean;
    return this;
  }

  /**
   * Whether Adam counts the steps of each row instead of the steps of the table. Adam then divides
   * {@code m} by {@code 1 - beta1^t}. It divides {@code v} by {@code 1 - beta2^t} before it adds
   * epsilon to the root.
   *
   * @param rowSteps false by default
   * @return this
   */
  public TableOptions rowSteps(boolean rowSteps) {
    this.rowSteps = rowSteps;
    return this;
  }

  /**
   * Which of the trainers that take steps together this is.
   *
   * @param rank 0 .. worldSize - 1
   * @param worldSize number of trainers, at most 16384; 1 by default
   * @return this
   */
  public TableOptions trainer(int rank, int worldSize) {
    if (rank < 0) {
      throw GlsException.invalid("rank", rank + " is negative");
    }
    if (worldSize < 1) {
      throw GlsException.invalid("worldSize", worldSize + ", expected at least 1");
    }
    this.rank = rank;
    this.worldSize = worldSize;
    return this;
  }

  /** To be deleted by the caller. */
  org.gls.low.TableOptions low() {
    org.gls.low.TableOptions low = new org.gls.low.TableOptions(width);
    low.setDtype(dtype.code, dtype.bits());
    low.setFlags((mean ? MEAN : 0) | (rowSteps ? ROW_STEPS : 0));
    low.setRange(from, to);
    low.setSeed(seed);
    low.setOptimizer(optimizer.number);
    low.setEpsilon(epsilon);
    low.setBeta1(beta1);
    low.setBeta2(beta2);
    low.setTrainer(rank, worldSize);
    return low;
  }
}
