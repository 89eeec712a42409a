package org.gls;

/** Where the place of a process in a {@link Group} comes from, if its options do not set it. */
public enum Launcher {
  /** The launcher whose variables are set. Without any, the process is alone, in a group of one. */
  AUTO(0),
  /** No launcher: {@link Group.Builder#place} is needed. */
  ARGUMENTS(1),
  /** Torchrun. */
  TORCHRUN(2),
  /** Open MPI. */
  OPENMPI(3),
  /** Slurm. */
  SLURM(4),
  /** PMIx, and MPICH and its kin. */
  PMIX(5);

  final int number; // in gls.h

  Launcher(int number) {
    this.number = number;
  }

  static Launcher of(int number) {
    for (Launcher one : values()) {
      if (one.number == number) {
        return one;
      }
    }
    return AUTO;
  }
}
