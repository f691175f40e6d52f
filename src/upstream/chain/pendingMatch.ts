import { Result, Schema } from "effect"
import { type Generation, generations } from "./contracts.ts"
import type { Side } from "./events.ts"
import { type MatchCall, readMatchCall2, selector2 } from "./matchCall2.ts"
import { readMatchCall3, selectors3 } from "./matchCall3.ts"
import { orderHash, type SignedOrder } from "./orderHash.ts"

/** First bytes of the calls that match orders. */
export const matchSelectors: ReadonlyArray<string> = [selector2, ...selectors3]

/** An order's expected fill. */
export interface PendingFill {
  readonly orderHash: string
  readonly maker: string
  /** The signer of the order: the maker itself, or the owner of its wallet. */
  readonly signer: string
  readonly side: Side
  readonly token: string
  /** At the order's own price. The taker may get a better one. */
  readonly shares: number
  readonly usd: number
  readonly fee: number
  readonly builder: string | undefined
}

interface Exchange {
  readonly exchange: string
  readonly generation: Generation
}

/** A match in the mempool. Digits have the format of events. */
export interface PendingMatch extends Exchange {
  readonly tx: string
  readonly condition: string
  readonly taker: PendingFill
  readonly makers: ReadonlyArray<PendingFill>
}

const Digits = (count: number) => Schema.String.check(Schema.isPattern(new RegExp(`^0x[0-9a-f]{${count}}$`, "i")))

/** A transaction that calls a contract; those that create contracts have no `to`. */
const WireTransaction = Schema.Struct({
  hash: Digits(64),
  to: Digits(40),
  input: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]*$/i)),
})
const decodeTransaction = Schema.decodeUnknownResult(WireTransaction)

const plain = (hex: string) => hex.slice(2).toLowerCase()

const exact = (value: bigint | undefined): number => {
  if (value === undefined) throw new Error("fewer amounts than orders")
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new Error("number above 2^53 - 1")
  return number
}

const fillOf = (
  { exchange, generation }: Exchange,
  order: SignedOrder,
  filled: bigint | undefined,
  fee: bigint | undefined,
): PendingFill => {
  if (order.side > 1 || order.makerAmount === 0n) throw new Error("an order that cannot be filled")
  const isBuy = order.side === 0
  const given = exact(filled)
  const received = exact((BigInt(given) * order.takerAmount) / order.makerAmount)
  const builder = plain(order.builder)
  return {
    orderHash: orderHash(exchange, generation, order),
    maker: plain(order.maker),
    signer: plain(order.signer),
    side: isBuy ? "buy" : "sell",
    token: order.tokenId.toString(16).padStart(64, "0"),
    shares: isBuy ? received : given,
    usd: isBuy ? given : received,
    fee: exact(fee),
    builder: /^0*$/.test(builder) ? undefined : builder,
  }
}

const matchIn = (tx: string, on: Exchange, call: MatchCall): PendingMatch => ({
  tx,
  ...on,
  condition: call.condition,
  taker: fillOf(on, call.taker, call.takerFill, call.takerFee),
  makers: call.makers.map((order, i) => fillOf(on, order, call.makerFills[i], call.makerFees[i])),
})

/** The match of a pending transaction; undefined if it is another kind of transaction. */
export const readPending = (transaction: unknown): Result.Result<PendingMatch | undefined, string> => {
  const decoded = decodeTransaction(transaction)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure.message)
  const { hash, to, input } = decoded.success
  const exchange = plain(to)
  const generation = generations.get(exchange)
  if (generation === undefined || generation === 1) return Result.succeed(undefined)
  return Result.try({
    try: () => {
      const call = generation === 2 ? readMatchCall2(input) : readMatchCall3(input)
      return call === undefined ? undefined : matchIn(plain(hash), { exchange, generation }, call)
    },
    catch: (error) => (error instanceof Error ? error.message : String(error)),
  })
}
