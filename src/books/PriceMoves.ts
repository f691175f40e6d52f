import type { Quote } from "./model.ts"

/** Where the next price change of a token is measured from, in 10⁻⁶. */
export interface Baseline {
  readonly token: string
  readonly mid: number
}

export interface StoredBaseline extends Baseline {
  readonly setAt: number
}

export interface PriceMove extends Baseline {
  readonly bid: number
  readonly ask: number
  readonly previous: number
}

const oncePerMillis = 1_000

/**
 * Finds midpoints that have moved far enough to be announced, each token at most once a second. One that moves too soon
 * after it was announced is looked at again when the second is over; if it is back by then, nothing happened.
 */
export class PriceMoves {
  readonly #baselines = new Map<string, { readonly mid: number; readonly announcedAt: number }>()
  readonly #candidates = new Set<string>()

  changed(token: string): void {
    this.#candidates.add(token)
  }

  forget(token: string): void {
    this.#candidates.delete(token)
    this.#baselines.delete(token)
  }

  /** Nobody knows any more what was announced; it is recalled. */
  clearBaselines(): void {
    this.#baselines.clear()
  }

  /** Those that changed and have nothing to be compared with. */
  withoutBaseline(): ReadonlyArray<string> {
    return [...this.#candidates].filter((token) => !this.#baselines.has(token))
  }

  /** What was measured from before this process began. */
  load(baselines: ReadonlyArray<StoredBaseline>): void {
    for (const { token, mid, setAt } of baselines) this.#baselines.set(token, { mid, announcedAt: setAt })
  }

  due(quoteOf: (token: string) => Quote | undefined, threshold: number, now: number) {
    const moves: Array<PriceMove> = []
    const first: Array<Baseline> = []
    for (const token of this.#candidates) {
      const { bid = null, ask = null, mid = null } = quoteOf(token) ?? {}
      const baseline = this.#baselines.get(token)
      const isFar = mid !== null && baseline !== undefined && Math.abs(mid - baseline.mid) >= Math.max(1, threshold)
      if (bid === null || ask === null || mid === null || (baseline !== undefined && !isFar)) {
        this.#candidates.delete(token)
      } else if (baseline === undefined) first.push({ token, mid })
      else if (now - baseline.announcedAt >= oncePerMillis) {
        moves.push({ token, bid, ask, mid, previous: baseline.mid })
      }
    }
    return { moves, first }
  }

  /** They are announced, or known, for good. */
  confirm({ moves, first }: ReturnType<PriceMoves["due"]>, now: number): void {
    for (const { token, mid } of moves) this.#baselines.set(token, { mid, announcedAt: now })
    for (const { token, mid } of first) this.#baselines.set(token, { mid, announcedAt: 0 })
  }
}
