package org.gls;

import org.gls.low.NegativeOptions;

/**
 * The negatives to draw for links that are seeds: nodes of the links' two types, from the whole
 * graph. Samplers and loaders are given it by {@link SamplingBuilder#negatives}.
 */
public final class Negatives {
  // gls.h
  private static final int BINARY = 1;
  private static final int TRIPLET = 2;
  private static final int STRICT = 1;
  private static final int ALLOW_SHORT = 2;
  private static final int IN_TIME = 4;
  private static final int OLDEST = 8;

  private final int mode;
  private int flags;
  private double amount = 1;
  private double degreePower;
  private String sourceWeight;
  private String targetWeight;
  private int tries;

  private Negatives(int mode) {
    this.mode = mode;
  }

  /**
   * Pairs of nodes, both ends drawn. They follow the links in {@link EdgeArrays#linkSource} and
   * {@link EdgeArrays#linkTarget}.
   *
   * @return one for each link, until {@link #amount}
   */
  public static Negatives binary() {
    return new Negatives(BINARY);
  }

  /**
   * Targets for each link, whose source is kept. They are in {@link EdgeArrays#linkNegative}.
   *
   * @return one for each link, until {@link #amount}
   */
  public static Negatives triplet() {
    return new Negatives(TRIPLET);
  }

  /**
   * How many to draw per link.
   *
   * @param amount 1 by default. A whole number for triplets. For pairs it may be a fraction, and
   *     their number is rounded up over all links of a batch
   * @return this
   */
  public Negatives amount(double amount) {
    if (!(amount > 0)) {
      throw GlsException.invalid("amount", amount + " is not positive");
    }
    this.amount = amount;
    return this;
  }

  /**
   * Whether no edge of the dataset is drawn.
   *
   * @param strict false by default
   * @return this
   */
  public Negatives strict(boolean strict) {
    return flag(STRICT, strict);
  }

  /**
   * Whether there may be fewer where {@link #tries} draws found none: a pair is left out, and a
   * target is -1. Else that is an error.
   *
   * @param allowShort false by default
   * @return this
   */
  public Negatives allowShort(boolean allowShort) {
    return flag(ALLOW_SHORT, allowShort);
  }

  /**
   * Whether only nodes are drawn that exist at the time of their link: those whose {@code
   * node_time} is at most that time, or below it where times are strict. Needs {@link
   * SamplingBuilder#nodeTime}. If no such node exists, that is an error, unless {@link #oldest} or
   * {@link #allowShort}.
   *
   * @param inTime false by default
   * @return this
   */
  public Negatives inTime(boolean inTime) {
    return flag(IN_TIME, inTime);
  }

  /**
   * Whether the oldest node is drawn where none exists at the time of the link. Needs {@link
   * #inTime}.
   *
   * @param oldest false by default
   * @return this
   */
  public Negatives oldest(boolean oldest) {
    return flag(OLDEST, oldest);
  }

  private Negatives flag(int bit, boolean set) {
    flags = set ? flags | bit : flags & ~bit;
    return this;
  }

  /**
   * Draws nodes in proportion to their degree in the links' type to this power.
   *
   * @param power a multiple of 0.25 up to 2; 0, the default: uniformly
   * @return this
   */
  public Negatives degreePower(double power) {
    this.degreePower = power;
    return this;
  }

  /**
   * Draws sources in proportion to a node column of non-negative numbers. Not for triplets.
   *
   * @param column null, the default: none
   * @return this
   */
  public Negatives sourceWeight(String column) {
    this.sourceWeight = column;
    return this;
  }

  /**
   * Draws targets in proportion to a node column of non-negative numbers.
   *
   * @param column null, the default: none
   * @return this
   */
  public Negatives targetWeight(String column) {
    this.targetWeight = column;
    return this;
  }

  /**
   * Draws for each strict negative.
   *
   * @param tries at most 2048; 64 by default
   * @return this
   */
  public Negatives tries(int tries) {
    if (tries <= 0) {
      throw GlsException.invalid("tries", tries + " is not positive");
    }
    this.tries = tries;
    return this;
  }

  /** To be deleted by the caller. */
  NegativeOptions low() {
    NegativeOptions low = new NegativeOptions();
    low.setMode(mode);
    low.setFlags(flags);
    low.setAmount(amount);
    low.setDegreePower(degreePower);
    low.setWeights(sourceWeight, targetWeight);
    low.setTries(tries);
    return low;
  }
}
