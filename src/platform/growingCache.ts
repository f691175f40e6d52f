import { LRUCache } from "lru-cache"

/**
 * The most recently used entries, up to `most`. With its own `max`, `LRUCache` allocates all of them at once: 19 ms and
 * megabytes for 60,000 entries, in every process, however few are ever used.
 */
export const growingCache = <K extends {}, V extends {}>(most: number) =>
  new LRUCache<K, V>({ maxSize: most, sizeCalculation: () => 1 })
