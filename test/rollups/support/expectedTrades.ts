import type { FillFact } from "#test/webhooks/support/world/facts.ts"

export interface Trade {
  readonly token: string
  readonly at: number
  readonly block: number
  readonly logIndex: number
  readonly isBuy: boolean
  readonly shares: bigint
  readonly usd: bigint
}

const tradeOf = (fill: FillFact, shares: bigint, usd: bigint): Trade => ({
  token: fill.token,
  at: Math.floor(fill.at.getTime() / 1000),
  block: fill.block,
  logIndex: fill.log_index,
  // The taker is on the other side of a maker's fill.
  isBuy: fill.taker === null ? fill.side === 0 : fill.side === 1,
  shares,
  usd,
})

/** What a match traded: its makers' fills, and what the taker minted or merged beyond those of its own token. */
const tradesOf = (makers: ReadonlyArray<FillFact>, taker: FillFact | undefined): ReadonlyArray<Trade> => {
  const ofMakers = makers.map((fill) => tradeOf(fill, fill.shares, fill.usd))
  if (taker === undefined) return ofMakers
  const same = makers.filter((maker) => maker.token === taker.token && maker.taker === taker.maker)
  const sum = (read: (fill: FillFact) => bigint) => same.reduce((all, fill) => all + read(fill), 0n)
  const shares = taker.shares - sum((fill) => fill.shares)
  return shares > 0n ? [...ofMakers, tradeOf(taker, shares, taker.usd - sum((fill) => fill.usd))] : ofMakers
}

/** Trades of all tokens, match by match. */
export const expectedTrades = (fills: ReadonlyArray<FillFact>): ReadonlyArray<Trade> =>
  [...Map.groupBy(fills, ({ tx }) => tx).values()].flatMap((ofTransaction) => {
    const trades: Array<Trade> = []
    let makers: Array<FillFact> = []
    for (const fill of ofTransaction.toSorted((a, b) => a.log_index - b.log_index)) {
      if (fill.taker !== null) makers.push(fill)
      else {
        trades.push(...tradesOf(makers, fill))
        makers = []
      }
    }
    return [...trades, ...tradesOf(makers, undefined)]
  })
