import { decimalAmount } from "#src/domain/amounts.ts"
import { legHex } from "#src/simulator/chain/ids.ts"
import type { Market } from "#src/simulator/world/Venue.ts"
import type { TrueComboAct } from "./trueCombos.ts"

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers
type Json = any

export const micro = (amount: number | bigint) => decimalAmount(BigInt(amount))
export const legIds = ({ legs = [] }: Market) => legs.map((leg) => BigInt(`0x${legHex(leg)}`).toString())
const ids = (tokens: TrueComboAct["given"]) => (tokens ?? []).map(({ id }) => id)

export const expectedEvent =
  (isOfWallet: boolean) =>
  ({ tx, block, at, kind, wallet, market, token, shares, usd, given, received }: TrueComboAct) => [
    tx,
    block,
    at,
    isOfWallet ? kind : kind.replace(/_(in|out)$/, ""),
    wallet,
    market.conditionId,
    token?.id ?? null,
    micro(shares),
    micro(kind === "execution" ? usd : shares),
    kind === "execution" || kind === "split" || usd === 0 ? null : micro(usd),
    ids(given),
    ids(received),
    legIds(market),
  ]
export const shownEvent = (row: Json) => [
  row.tx_hash,
  row.block_number,
  row.timestamp,
  row.event_kind,
  row.wallet_address,
  row.combo_condition_id,
  row.combo_position_id,
  row.shares,
  row.amount_usdc,
  row.payout_usdc,
  row.source_position_ids,
  row.destination_position_ids,
  row.legs.map((leg: Json) => leg.leg_position_id),
]

export const expectedTrade = ({ tx, at, isOwn, wallet, market, token, isSale, shares, usd, fee }: TrueComboAct) => [
  tx,
  at,
  isOwn ? "taker" : "maker",
  wallet,
  market.conditionId,
  token?.id,
  token?.outcome === 0 ? "YES" : "NO",
  isSale ? "SELL" : "BUY",
  micro(shares),
  micro(usd),
  micro(fee ?? 0),
]
export const shownTrade = (row: Json) => [
  row.tx_hash,
  row.timestamp,
  row.wallet_role,
  row.wallet_address,
  row.combo_condition_id,
  row.position_id,
  row.outcome,
  row.side,
  row.size,
  row.amount_usdc,
  row.fee,
]

export const legStatus = ({ market, outcome }: NonNullable<Market["legs"]>[number]) => {
  if (market.payouts === undefined) return "open"
  if (market.payouts[outcome] === 0) return "lost"
  return market.payouts[outcome === 0 ? 1 : 0] === 0 ? "won" : "split"
}

/** Every share that changes hands, is minted or merged counts once in its token. */
export const volumeOf = (executions: ReadonlyArray<TrueComboAct>) =>
  [...Map.groupBy(executions, ({ tx }) => tx).values()].reduce((sum, fills) => {
    const taker = fills.find(({ isOwn }) => isOwn)
    const makers = fills.filter(({ isOwn }) => isOwn !== true)
    const same = makers.filter(({ token }) => token === taker?.token)
    const total = (all: ReadonlyArray<TrueComboAct>, of: "usd" | "shares") => all.reduce((n, fill) => n + fill[of], 0)
    const isBeyond = (taker?.shares ?? 0) > total(same, "shares")
    return sum + total(makers, "usd") + (isBeyond ? Math.max(0, (taker?.usd ?? 0) - total(same, "usd")) : 0)
  }, 0)

export const busiest = (acts: ReadonlyArray<TrueComboAct>) =>
  [...Map.groupBy(acts, ({ wallet }) => wallet)]
    .flatMap(([wallet, own]) => (wallet === null ? [] : [{ wallet, own }]))
    .sort((a, b) => b.own.length - a.own.length)
