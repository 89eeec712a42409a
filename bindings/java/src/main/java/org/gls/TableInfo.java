package org.gls;

/**
 * The description of a {@link Table}.
 *
 * @param name of the table
 * @param type node or edge type that has a row for each of its nodes or edges
 * @param rows how many
 * @param width numbers of a row
 * @param dtype of the numbers
 * @param mean whether the gradient of a row is the mean of those that a step has for it
 * @param rowSteps whether Adam counts the steps of each row
 * @param optimizer how steps change rows
 * @param rank of this trainer among those that take steps together
 * @param worldSize how many these are
 * @param step how many steps were taken, as far as this object knows
 * @param bytes of all its rows, with what the optimiser keeps
 */
public record TableInfo(
    String name,
    String type,
    long rows,
    long width,
    DType dtype,
    boolean mean,
    boolean rowSteps,
    Optimizer optimizer,
    int rank,
    int worldSize,
    long step,
    long bytes) {}
