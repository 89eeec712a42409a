package org.gls;

/**
 * A process of a {@link Group}.
 *
 * @param name in errors and logs
 * @param host where it runs
 * @param address "host:port" where it can be called
 * @param process its id on that host
 */
public record Member(String name, String host, String address, long process) {}
