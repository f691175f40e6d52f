/** A list whose JSON has about this many bytes. */
export const listOf = (bytes: number) => {
  const items: Array<{ id: string; slug: string; title: string; recurrence: string; active: boolean }> = []
  for (let size = 0; size < bytes; ) {
    const n = items.length
    const item = {
      id: String(10_000 + n),
      slug: `btc-up-or-down-${(n * 2_654_435_761) % 1_000_003}`,
      title: `Bitcoin up or down, number ${n}`,
      recurrence: n % 2 === 0 ? "5m" : "1h",
      active: n % 3 !== 0,
    }
    items.push(item)
    size += JSON.stringify(item).length + 1
  }
  return { series: items, count: items.length }
}

export const sizes = { small: 2000, large: 50_000 } as const

export interface CachedSubject {
  /** Serves `/small` and `/large` on a free port; returns a key with a limit that the bench never reaches. */
  readonly listen: () => Promise<{ readonly port: number; readonly key: string }>
}
