package org.gls;

/**
 * A tunable of the library, for {@link Context#set}.
 *
 * @param key for example "memory.huge_pages"
 * @param type "int", "size" (accepts 64K, 2M, 1G), "bool", or its values: "a|b|c"
 * @param defaultValue as text
 * @param env environment variable that is read when a context is made
 * @param help one sentence
 */
public record Setting(String key, String type, String defaultValue, String env, String help) {}
