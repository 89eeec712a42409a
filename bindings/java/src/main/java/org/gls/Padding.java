package org.gls;

/** Whether a batch was padded; see {@link Pad}. */
public enum Padding { // in the order of gls.h
  /** Padding was not requested. */
  NONE,
  /** The arrays have the loader's sizes. */
  FITS,
  /** There is more than fits: the arrays have their own sizes. */
  OVERFLOW
}
