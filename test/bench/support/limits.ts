/** The load on the limiter. */
export interface LimitsLoad {
  readonly owners: number
  /** Concurrent requests. */
  readonly concurrency: number
  /** Above the number of requests in the windows, all are admitted; otherwise all are refused. */
  readonly limit: number
}

/** A rate limiter under measurement. */
export interface LimitsSubject {
  /** Fills the windows of this many owners; returns the bytes that Redis uses for one of them. */
  readonly fill: (owners: number) => Promise<number>
  /** Checks per second. */
  readonly check: (load: LimitsLoad, millis: number) => Promise<number>
}

/** Requests in a full window of the largest plan. */
export const windowSize = 4000
/** Longer than the bench, so that the windows stay full. */
export const windowMillis = 3_600_000

/** Checks repeatedly, each time for the next owners; returns checks per second. */
export const countFor = async (
  { owners, concurrency }: LimitsLoad,
  millis: number,
  check: (owners: ReadonlyArray<number>) => Promise<unknown>,
): Promise<number> => {
  const since = performance.now()
  let checks = 0
  while (performance.now() - since < millis) {
    await check(Array.from({ length: concurrency }, (_, i) => (checks + i) % owners))
    checks += concurrency
  }
  return (checks * 1000) / (performance.now() - since)
}
