/** The newest fill of an order, as far as it was read. */
export interface LastFill {
  readonly orderHash: string
  /** Of its log entry. */
  readonly seq: bigint
  readonly block: number
  readonly logIndex: number
  /** Block time, in milliseconds. */
  readonly at: number
}

export interface Quiet {
  /** Complete as of this fill, in the order of completion. */
  readonly complete: ReadonlyArray<LastFill>
  /** Touched orders that may still continue. */
  readonly open: ReadonlyMap<string, LastFill>
}

/**
 * Orders without a fill for the quiet period, in block time: before their next fill, or up to now. The result is the
 * same whether fills come one by one or all at once.
 */
export const quietOrders = (
  known: ReadonlyMap<string, LastFill>,
  fills: Iterable<LastFill>,
  now: number,
  quietMillis: number,
): Quiet => {
  const complete: Array<LastFill> = []
  const open = new Map(known)
  for (const fill of fills) {
    const before = open.get(fill.orderHash)
    if (before !== undefined && fill.at - before.at >= quietMillis) complete.push(before)
    open.set(fill.orderHash, fill)
  }
  for (const [hash, last] of open) {
    if (now - last.at < quietMillis) continue
    complete.push(last)
    open.delete(hash)
  }
  return { complete, open }
}
