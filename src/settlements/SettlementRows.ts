import { Effect } from "effect"
import type { Dictionary } from "#src/dictionary/Dictionary.ts"
import { exchangeCode } from "#src/dictionary/exchangeCodes.ts"
import { bulkInsert } from "#src/platform/sql/bulkInsert.ts"
import type { PendingFill, PendingMatch } from "#src/upstream/chain/ChainNode.ts"
import { type Sighting, statusCode } from "./model.ts"

const bytes = (hex: string) => Buffer.from(hex, "hex")

export const insertSettlements = bulkInsert<{
  tx: Buffer
  exchange: number
  condition: number
  status: number
  detected_at: Date
  changed_at: Date
  seen_after: number
}>({
  table: "settlement",
  columns: {
    tx: "bytea",
    exchange: "int2",
    condition: "int4",
    status: "int2",
    detected_at: "timestamptz",
    changed_at: "timestamptz",
    seen_after: "int4",
  },
  suffix: "on conflict (tx) do nothing returning id, encode(tx, 'hex') as tx",
})

export const insertOrders = bulkInsert<{
  settlement: bigint
  place: number
  order_hash: Buffer
  maker: number
  signer: Buffer
  token: number
  side: number
  shares: bigint
  usd: bigint
  fee: bigint
  builder: number | null
}>({
  table: "settlement_order",
  columns: {
    settlement: "int8",
    place: "int4",
    order_hash: "bytea",
    maker: "int4",
    signer: "bytea",
    token: "int4",
    side: "int2",
    shares: "int8",
    usd: "int8",
    fee: "int8",
    builder: "int4",
  },
})

/** The taker's own order first. */
const ordersOf = ({ taker, makers }: PendingMatch): ReadonlyArray<PendingFill> => [taker, ...makers]

/** How matches are written, once everything that they name has a number. */
export const rowsFor = Effect.fnUntraced(function* (
  dictionary: Dictionary["Service"],
  sightings: ReadonlyArray<Sighting>,
) {
  const orders = sightings.flatMap(({ match }) => ordersOf(match))
  const wallets = yield* dictionary.wallets(orders.map(({ maker }) => maker))
  const tokens = yield* dictionary.tokens(orders.map(({ token }) => token))
  const conditions = yield* dictionary.conditions(sightings.map(({ match }) => match.condition))
  const builders = yield* dictionary.builders(orders.flatMap(({ builder }) => (builder === undefined ? [] : [builder])))
  return {
    taker: ({ match }: Sighting) => wallets.get(match.taker.maker) as number,
    settlement: ({ match, at }: Sighting, seenAfter: number) => ({
      tx: bytes(match.tx),
      exchange: exchangeCode(match.exchange),
      condition: conditions.get(match.condition) as number,
      status: statusCode.pending,
      detected_at: new Date(at),
      changed_at: new Date(at),
      seen_after: seenAfter,
    }),
    orders: (settlement: bigint, { match }: Sighting) =>
      ordersOf(match).map((order, place) => ({
        settlement,
        place,
        order_hash: bytes(order.orderHash),
        maker: wallets.get(order.maker) as number,
        signer: bytes(order.signer),
        token: tokens.get(order.token) as number,
        side: order.side === "buy" ? 0 : 1,
        shares: BigInt(order.shares),
        usd: BigInt(order.usd),
        fee: BigInt(order.fee),
        builder: order.builder === undefined ? null : (builders.get(order.builder) as number),
      })),
  }
})
