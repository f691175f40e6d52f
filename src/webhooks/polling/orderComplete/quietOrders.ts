/** The newest fill of an order, as far as it has been read. */
export interface LastFill {
  readonly orderHash: string
  /** Of its entry in the log. */
  readonly seq: bigint
  readonly block: number
  readonly logIndex: number
  /** Of the chain, in milliseconds. */
  readonly at: number
}

export interface Quiet {
  /** Complete as of this fill, in the order in which they came to rest. */
  readonly complete: ReadonlyArray<LastFill>
  /** Orders that may still go on, those that were touched. */
  readonly open: ReadonlyMap<string, LastFill>
}

/**
 * Orders without a fill for so long, in the time of the chain: before their next fill, or up to now. Comes out the same
 * whether fills are seen one by one or all at once.
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
