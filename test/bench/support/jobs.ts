/** A job worker under measurement. All rates are jobs per second. */
export interface JobsSubject {
  readonly add: (count: number) => Promise<number>
  /** Processes the added jobs. */
  readonly work: (count: number) => Promise<number>
}

export const concurrency = 50
/** Jobs added with one call. */
export const batch = 500

export interface Payload {
  readonly deliveryId: string
  readonly endpoint: string
  readonly sequence: number
}

export const payloadsOf = (count: number, salt: number): ReadonlyArray<Payload> =>
  Array.from({ length: count }, (_, sequence) => ({
    deliveryId: `${salt}-${sequence}`,
    endpoint: "https://example.org/hooks/trades",
    sequence,
  }))

/** Measures a round from its first run to its last. */
export const stopwatch = (count: number) => {
  let seen = 0
  let startedAt = 0
  let finish: (perSecond: number) => void = () => undefined
  const finished = new Promise<number>((resolve) => {
    finish = resolve
  })
  const tick = () => {
    if (seen === 0) startedAt = performance.now()
    if (++seen === count) finish((count * 1000) / (performance.now() - startedAt))
  }
  return { tick, finished }
}
