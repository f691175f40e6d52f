/** Long enough that a source which speaks in bursts has a steady rate, short enough that a stop shows. */
const windowMillis = 30_000

interface Sample {
  readonly at: number
  readonly value: number
}

/** How fast totals have grown lately. */
export class Lately {
  readonly #samples = new Map<string, Array<Sample>>()

  /** Notes what the total is now and tells by how much a second it grew; the moments are of a clock that never goes back. */
  perSecond(name: string, value: number, at: number): number {
    const samples = this.#samples.get(name) ?? []
    this.#samples.set(name, samples)
    samples.push({ at, value })
    // One that is older than the window stays, so that the window is always covered.
    while (samples[1] !== undefined && samples[1].at <= at - windowMillis) samples.shift()
    const [first] = samples
    if (first === undefined || at <= first.at) return 0
    return Math.max(0, (1000 * (value - first.value)) / (at - first.at))
  }
}
