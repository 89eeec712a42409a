package org.gls;

/**
 * The place of a process in its {@link Group}.
 *
 * @param name of the group
 * @param rank of this process
 * @param worldSize number of processes
 * @param localRank of this process among those on this host
 * @param localSize number of processes on this host
 * @param launcher the launcher that was used; {@link Launcher#AUTO}: none, as the process is alone
 * @param operations barriers and all-gathers that succeeded here
 */
public record GroupInfo(
    String name,
    int rank,
    int worldSize,
    int localRank,
    int localSize,
    Launcher launcher,
    long operations) {}
