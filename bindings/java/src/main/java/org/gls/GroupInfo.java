package org.gls;

/**
 * The place of a process in its {@link Group}.
 *
 * @param name of the group
 * @param rank of this process
 * @param worldSize how many processes there are
 * @param localRank of this process among those on this host
 * @param localSize how many processes are on this host
 * @param launcher who was believed; {@link Launcher#AUTO}: nobody, as the process is alone
 * @param operations barriers and all-gathers that ended well here
 */
public record GroupInfo(
    String name,
    int rank,
    int worldSize,
    int localRank,
    int localSize,
    Launcher launcher,
    long operations) {}
