package org.gls;

import java.util.Objects;

/** How {@link Dataset#open(java.nio.file.Path, OpenOptions)} goes about it. */
public final class OpenOptions {
  Context context;
  Residency residency = Residency.MAPPED;
  boolean verify;
  Progress progress;

  /** Defaults: files are mapped, nothing is read, the default context. */
  public OpenOptions() {}

  /**
   * Context of the dataset and of what is made from it.
   *
   * @param context instead of the default one
   * @return this
   */
  public OpenOptions context(Context context) {
    this.context = Objects.requireNonNull(context, "context");
    return this;
  }

  /**
   * Where the dataset lies.
   *
   * @param residency instead of MAPPED
   * @return this
   */
  public OpenOptions residency(Residency residency) {
    this.residency = Objects.requireNonNull(residency, "residency");
    return this;
  }

  /**
   * Whether to read every byte and compare checksums first. {@link Dataset#verify} checks more.
   *
   * @param verify false by default
   * @return this
   */
  public OpenOptions verify(boolean verify) {
    this.verify = verify;
    return this;
  }

  /**
   * Where to report the progress of reading. Opening a dataset without reading it reports nothing.
   *
   * @param progress null, the default: it is not reported
   * @return this
   */
  public OpenOptions progress(Progress progress) {
    this.progress = progress;
    return this;
  }
}
