import type { Simulation } from "#src/simulator/Simulation.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { exchangeAsTaker, Side, TxKind } from "#src/simulator/world/Facts.ts"

/** A fill of an order according to the venue's books. */
export interface TrueFill {
  /** The code of the builder that routed the order. */
  readonly builder: string | undefined
  readonly wallet: string
  readonly token: number
  readonly block: number
  /** Unix seconds. */
  readonly at: number
  readonly isSale: boolean
  readonly isTaker: boolean
  readonly usd: bigint
  readonly fee: bigint
}

/** All fills up to the venue's newest block, oldest first. */
export const trueFills = ({ model, chain, head }: Simulation): ReadonlyArray<TrueFill> => {
  const { facts, clock } = model.world
  const [, end] = chain.txRange(head)
  const fills: Array<TrueFill> = []
  for (let tx = 0; tx < end; tx++) {
    if (facts.kind.get(tx) !== TxKind.match) continue
    const block = facts.block.get(tx) + firstBlock
    const first = facts.firstFill.get(tx)
    for (let fill = first; fill < first + facts.fillCount.get(tx); fill++) {
      fills.push({
        builder: model.builders[facts.builder.get(fill) - 1]?.code,
        wallet: model.wallets[facts.maker.get(fill)]?.address ?? "",
        token: facts.fillToken.get(fill),
        block,
        at: clock.timestampOf(block),
        isSale: facts.side.get(fill) === Side.sell,
        isTaker: facts.taker.get(fill) === exchangeAsTaker,
        usd: BigInt(facts.usd.get(fill)),
        // Orders of the first exchange have no builder, and later fees are in dollars.
        fee: BigInt(facts.fee.get(fill)),
      })
    }
  }
  return fills
}

const sum = (fills: ReadonlyArray<TrueFill>, counts: (fill: TrueFill) => boolean) =>
  fills.reduce((total, fill) => (counts(fill) ? total + fill.usd : total), 0n)

/** What an answer shows of some fills. Amounts are integers of 10⁻⁶. */
export const trueFigures = (fills: ReadonlyArray<TrueFill>) => ({
  fills: fills.length,
  users: new Set(fills.map(({ wallet }) => wallet)).size,
  volume: sum(fills, () => true),
  buys: sum(fills, ({ isSale }) => !isSale),
  sales: sum(fills, ({ isSale }) => isSale),
  maker: sum(fills, ({ isTaker }) => !isTaker),
  taker: sum(fills, ({ isTaker }) => isTaker),
  fees: fills.reduce((total, { fee }) => total + fee, 0n),
  first: fills[0]?.at,
  last: fills.at(-1)?.at,
})

/** Decimal dollars as an integer of 10⁻⁶. */
const micros = (text: string) => {
  const [whole = "", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(6, "0"))
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers
type Json = any

/** The figures of a builder or a day, in the same form. */
export const shownFigures = (row: Json): ReturnType<typeof trueFigures> => ({
  fills: row.fill_count,
  users: row.users,
  volume: BigInt(row.volume_e6),
  buys: BigInt(row.buy_volume_e6),
  sales: micros(row.sell_volume_usdc),
  maker: micros(row.total_maker_volume),
  taker: micros(row.total_taker_volume_usdc),
  fees: micros(row.total_fees),
  first: row.first_fill === null ? undefined : Number(row.first_fill),
  last: row.last_fill === null ? undefined : Number(row.last_fill),
})

export const dateOf = ({ at }: TrueFill) => new Date(at * 1000).toISOString().slice(0, 10)
