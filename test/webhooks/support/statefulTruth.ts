import { Effect, Stream } from "effect"
import { transactionSql } from "#src/dictionary/factSql.ts"
import type { PositionFact } from "#src/domain/Fact.ts"
import { isCanonical } from "#src/ledger/events.ts"
import { readFacts } from "#src/ledger/readFacts.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"

/** Expected deliveries, computed from the whole ledger. */

export interface TruthFill {
  readonly kind: string
  readonly block: number
  readonly log_index: number
  readonly at: Date
  readonly id: string
  readonly order: string
  readonly maker: string
  readonly is_own: boolean
  readonly token: string
  readonly usd: bigint
  readonly shares: bigint
}

/** All fills in chain order. */
export const allFills = Effect.flatMap(
  Postgres,
  ({ sql }) => sql<TruthFill>`
    select 'fill' as kind, f.block, f.log_index, to_timestamp(f.at) as at,
      '0x' || encode(${sql.literal(transactionSql("f"))}, 'hex') || '_' || f.log_index as id,
      encode(f.order_hash, 'hex') as order, '0x' || encode(w.address, 'hex') as maker, f.taker = 0 as is_own,
      encode(t.hash, 'hex') as token, f.usd, f.shares
    from fill f join wallet w on w.id = f.maker join token t on t.id = f.token order by f.block, f.log_index`,
)

/** Whether a fact is delivered: it is new, canonical and confirmed. */
export type IsReported = (fact: {
  readonly kind: string
  readonly block: number
  readonly log_index: number
}) => boolean

export const reportedSince = Effect.fnUntraced(function* (since: bigint, upTo: number) {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ place: string }>`
    select e.kind || ' ' || e.ref || ' ' || e.sub as place from event_log e
    where e.seq > ${since} and e.ref <= ${upTo} and ${isCanonical(sql)} and e.sub is not null`
  const places = new Set(rows.map(({ place }) => place))
  const isReported: IsReported = ({ kind, block, log_index }) => places.has(`${kind} ${block} ${log_index}`)
  return isReported
})

export const firstTrades = (fills: ReadonlyArray<TruthFill>, isReported: IsReported, minMicros = 0n) => {
  const known = new Set<string>()
  return fills.flatMap((fill) => {
    const isFirst = !known.has(fill.maker)
    known.add(fill.maker)
    return isFirst && isReported(fill) && fill.usd >= minMicros ? [fill.id] : []
  })
}

/** In hundredths of a percent, to stay in whole numbers. */
export const priceChanges = (fills: ReadonlyArray<TruthFill>, isReported: IsReported, minBasisPoints?: bigint) => {
  const last = new Map<string, bigint>()
  return fills.flatMap((fill) => {
    if (fill.is_own || !isReported(fill) || fill.shares === 0n) return []
    const doubled = (2_000_000n * fill.usd) / fill.shares
    const price = (doubled + 1n) / 2n
    const before = last.get(fill.token)
    const change = before === undefined ? 0n : price > before ? price - before : before - price
    const isMove =
      before === undefined
        ? minBasisPoints === undefined
        : change > 0n && (minBasisPoints === undefined || change * 10_000n >= minBasisPoints * before)
    if (before === undefined || isMove) last.set(fill.token, price)
    return isMove ? [`${fill.id} ${price} ${before ?? "null"}`] : []
  })
}

export const completeOrders = (
  fills: ReadonlyArray<TruthFill>,
  isReported: IsReported,
  horizon: { readonly block: number; readonly at: number },
  quiet: number,
) => {
  const orders = new Map<string, Array<TruthFill>>()
  for (const fill of fills) {
    if (fill.block > horizon.block) continue
    orders.set(fill.order, [...(orders.get(fill.order) ?? []), fill])
  }
  return [...orders.values()].flatMap((own) =>
    own.flatMap((fill, place) => {
      const next = own[place + 1]?.at.getTime() ?? horizon.at
      const total = own.slice(0, place + 1).reduce((sum, { usd }) => sum + usd, 0n)
      const isComplete = place > 0 && next - fill.at.getTime() >= quiet && isReported(fill)
      return isComplete ? [`${fill.order} ${fill.id} ${place + 1} ${total}`] : []
    }),
  )
}

interface TruthGain {
  readonly kind: string
  readonly block: number
  readonly log_index: number
  readonly address: string
  readonly token: string
  readonly amount: bigint
}

export const pnlChanges = Effect.fnUntraced(function* (
  addresses: ReadonlySet<string>,
  isReported: IsReported,
  minMicros: bigint,
) {
  const { sql } = yield* Postgres
  const gains = yield* sql<TruthGain>`
    select case r.kind when 0 then 'fill' when 1 then 'merge' when 2 then 'fee_refund' else 'resolution' end as kind,
      r.block, r.log_index, '0x' || encode(w.address, 'hex') as address, encode(t.hash, 'hex') as token, r.amount
    from realized_event r join wallet w on w.id = r.wallet join token t on t.id = r.token
    order by r.block, r.log_index, r.sub`
  const [total, reported] = [new Map<string, bigint>(), new Map<string, bigint>()]
  return gains.flatMap((gain) => {
    const key = `${gain.address} ${gain.token}`
    const before = total.get(key) ?? 0n
    const now = before + gain.amount
    total.set(key, now)
    if (!addresses.has(gain.address) || !isReported(gain)) return []
    const last = reported.get(key) ?? before
    const change = now - last
    const isMove = change !== 0n && (change < 0n ? -change : change) >= minMicros
    reported.set(key, isMove ? now : last)
    return isMove ? [`${gain.block} ${gain.log_index} ${key} ${now} ${change}`] : []
  })
})

/** Changes of shares by a fact, by wallet and token id. */
const movesOf = (fact: PositionFact<number>): ReadonlyArray<readonly [number, number, bigint]> => {
  switch (fact.kind) {
    case "fill":
      return [
        [
          fact.maker,
          fact.token,
          BigInt(fact.side === "sell" ? -fact.shares : fact.shares - (fact.feeInShares ? fact.fee : 0)),
        ],
      ]
    case "fee_refund":
      return fact.inShares ? [[fact.wallet, fact.token, BigInt(fact.amount)]] : []
    case "split":
      return fact.tokens.map((token) => [fact.wallet, token, BigInt(fact.amount)])
    case "merge":
      return fact.tokens.map((token) => [fact.wallet, token, BigInt(-fact.amount)])
    case "redemption":
      return fact.redeemed.map(({ token, shares }) => [fact.wallet, token, BigInt(-shares)])
    case "conversion":
      return [
        ...fact.nos.map((token) => [fact.wallet, token, BigInt(-fact.amount)] as const),
        ...fact.yeses.map((token) => [fact.wallet, token, BigInt(fact.amount)] as const),
      ]
    case "transfer":
      return [
        [fact.sender, fact.token, BigInt(-fact.shares)],
        [fact.receiver, fact.token, BigInt(fact.shares)],
      ]
    default:
      return []
  }
}

/** From the first fact on; changes after a block are delivered. */
export const statusChanges = Effect.fnUntraced(function* (addresses: ReadonlySet<string>, since: number, upTo: number) {
  const { sql } = yield* Postgres
  const tokens = yield* sql<{ id: number; hash: string; condition: number | null; outcome: number | null }>`
    select id, encode(hash, 'hex') as hash, condition, outcome from token order by outcome`
  const wallets = yield* sql<{ id: number; address: string }>`
    select id, '0x' || encode(address, 'hex') as address from wallet`
  const hashOf = new Map(tokens.map(({ id, hash }) => [id, hash]))
  const addressOf = new Map(wallets.map(({ id, address }) => [id, address]))
  const ofCondition = new Map<number, Array<number>>()
  for (const { id, condition } of tokens) {
    if (condition !== null) ofCondition.set(condition, [...(ofCondition.get(condition) ?? []), id])
  }
  const tokensOf = (condition: number) => ofCondition.get(condition) ?? []
  const facts = yield* Stream.runCollect(readFacts(sql, tokensOf, 0, upTo))
  const held = new Map<string, bigint>()
  const status = new Map<string, string>()
  const resolved = new Set<number>()
  const reported: Array<string> = []
  for (const fact of [...facts].flatMap((part) => part.facts)) {
    const touch = (wallet: number, token: number, delta: bigint) => {
      if (!addresses.has(addressOf.get(wallet) ?? "")) return
      const key = `${wallet} ${token}`
      const before = held.get(key) ?? 0n
      const now = before + delta
      held.set(key, now)
      const from = status.get(key) ?? "none"
      const wasHeld = from === "open" || from === "redeemable"
      const ended = fact.kind === "redemption" ? "redeemed" : "closed"
      const to = now > 0n ? (resolved.has(token) ? "redeemable" : "open") : wasHeld ? ended : from
      status.set(key, to)
      if (to === from || fact.block <= since) return
      reported.push(
        `${fact.block} ${fact.logIndex} ${fact.kind} ${addressOf.get(wallet)} ${hashOf.get(token)} ${from} ${to} ${before} ${now}`,
      )
    }
    for (const [wallet, token, delta] of movesOf(fact)) touch(wallet, token, delta)
    if (fact.kind !== "resolution") continue
    for (const token of tokensOf(fact.condition)) {
      resolved.add(token)
      for (const key of [...held.keys()]) {
        const [wallet, of] = key.split(" ").map(Number)
        if (wallet !== undefined && of === token) touch(wallet, of, 0n)
      }
    }
  }
  return reported
})
