import type { Quote } from "./model.ts"

/** The midpoint that the next price change of a token is measured from, in 10⁻⁶. */
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
 * Finds midpoints that moved by the threshold, at most once a second for each token. A token that moves within that second
 * is checked again when it is over; if it has moved back by then, nothing is announced.
 */
export class PriceMoves {
  readonly #baselines = new Map<string, { readonly mid: number; readonly announcedAt: number }>()
  readonly #candidates = new Set<string>()

  changed(token: string): void {
    this.#candidates.add(token)
  }

  remove(token: string): void {
    this.#candidates.delete(token)
    this.#baselines.delete(token)
  }

  /** The announced baselines are uncertain; they are loaded again. */
  clearBaselines(): void {
    this.#baselines.clear()
  }

  /** Changed tokens that have no baseline. */
  withoutBaseline(): ReadonlyArray<string> {
    return [...this.#candidates].filter((token) => !this.#baselines.has(token))
  }

  /** Sets stored baselines. */
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

  /** The moves and first baselines have been committed. */
  confirm({ moves, first }: ReturnType<PriceMoves["due"]>, now: number): void {
    for (const { token, mid } of moves) this.#baselines.set(token, { mid, announcedAt: now })
    for (const { token, mid } of first) this.#baselines.set(token, { mid, announcedAt: 0 })
  }
}
