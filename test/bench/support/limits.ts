/** Which windows are asked, and how. */
export interface LimitsLoad {
  readonly owners: number
  /** Requests that are under way together. */
  readonly together: number
  /** Above what lies in the windows all are admitted, otherwise all are refused. */
  readonly limit: number
}

/** A rate limiter under measurement. */
export interface LimitsSubject {
  /** Fills the windows of so many owners to `places`, and tells the bytes that Redis needs for one of them. */
  readonly fill: (owners: number) => Promise<number>
  /** Checks a second. */
  readonly check: (load: LimitsLoad, millis: number) => Promise<number>
}

/** A full window of the largest plan. */
export const places = 4000
/** Longer than the bench takes, so that the windows stay full. */
export const windowMillis = 3_600_000

/** Asks again and again, each time for the next owners, and counts. */
export const countFor = async (
  { owners, together }: LimitsLoad,
  millis: number,
  ask: (owners: ReadonlyArray<number>) => Promise<unknown>,
): Promise<number> => {
  const since = performance.now()
  let asked = 0
  while (performance.now() - since < millis) {
    await ask(Array.from({ length: together }, (_, i) => (asked + i) % owners))
    asked += together
  }
  return (asked * 1000) / (performance.now() - since)
}
