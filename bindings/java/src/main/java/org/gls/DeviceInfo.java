package org.gls;

/**
 * A GPU.
 *
 * @param device which
 * @param name as its maker calls it
 * @param byteSize of its memory
 * @param freeBytes of its memory now, for all processes; 0: not known, as this process uses nothing
 *     there yet
 * @param major compute capability
 * @param minor compute capability
 */
public record DeviceInfo(
    Device device, String name, long byteSize, long freeBytes, int major, int minor) {}
