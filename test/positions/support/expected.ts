import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { marketFields } from "#src/simulator/data/rows.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"
import type { Token } from "#src/simulator/world/Venue.ts"

/** Expected position: from the venue's books, and dates and last prices from the facts. */
export interface Expected {
  readonly wallet: string
  readonly token: Token
  readonly shares: number
  readonly cost: number
  readonly realized: number
  readonly bought: number
  readonly paid: number
  readonly isResolved: boolean
  readonly isOpen: boolean
  readonly isRedeemed: boolean
  readonly price: number | null
  readonly unrealized: number
  readonly changedAt: number
  readonly closedAt: number | null
  readonly resolvedAt: number | null
  readonly names: ReturnType<typeof marketFields> | undefined
  readonly tags: ReadonlyArray<string>
  /** All legs of a combo; null for other markets, and while no leg is listed. */
  readonly legs: string | null
}

const halfUp = (numerator: bigint, denominator: bigint) => {
  const [twice, both] = [2n * numerator + denominator, 2n * denominator]
  return Number((twice - (((twice % both) + both) % both)) / both)
}

/** Time of the last change of each position, from all kinds of facts. */
const changes = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ wallet: string; token: string; at: number }>`
    with touched as (
      select maker as wallet, token, to_timestamp(at) as at from fill
      union all select s.wallet, t.id, s.at from split s join token t on t.condition = s.condition
      union all select s.wallet, t.id, s.at from merge s join token t on t.condition = s.condition
      union all select wallet, unnest(tokens), at from redemption
      union all select wallet, unnest(nos || yeses), at from conversion
      union all select sender, token, at from transfer
      union all select receiver, token, at from transfer
      union all select wallet, token, at from fee_refund
      union all select wallet, token, at from realized_event)
    select '0x' || encode(w.address, 'hex') as wallet, encode(t.hash, 'hex') as token, extract(epoch from max(x.at))::int as at
    from touched x join wallet w on w.id = x.wallet join token t on t.id = x.token group by 1, 2`
  return new Map(rows.map(({ wallet, token, at }) => [`${wallet} ${token}`, at]))
})

const lastPrices = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ token: string; usd: bigint; shares: bigint }>`
    select distinct on (f.token) encode(t.hash, 'hex') as token, f.usd, f.shares from fill f join token t on t.id = f.token
    order by f.token, f.block desc, f.log_index desc`
  return new Map(rows.map(({ token, usd, shares }) => [token, halfUp(1_000_000n * usd, shares)]))
})

const listed = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ condition: string; tags: ReadonlyArray<string>; prices: ReadonlyArray<number> }>`
    select '0x' || encode(c.hash, 'hex') as condition, e.tags, m.prices
    from market m join condition c on c.id = m.condition join event e on e.id = m.event`
  return new Map(rows.map((row) => [row.condition, row]))
})

const resolutions = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ condition: string; at: number }>`
    select '0x' || encode(c.hash, 'hex') as condition, extract(epoch from r.at)::int as at
    from resolution r join condition c on c.id = r.condition`
  return new Map(rows.map(({ condition, at }) => [condition, at]))
})

/** Redeemed positions, by the indexes of wallet and token. */
const redemptions = ({ facts, venue }: Simulation["model"]["world"]): ReadonlySet<string> => {
  const redeemed = new Set<string>()
  for (let tx = 0; tx < facts.length; tx++) {
    if (facts.kind.get(tx) !== TxKind.redeem) continue
    const [first, second] = venue.markets[facts.market.get(tx)]?.tokens ?? []
    if (facts.amount.get(tx) > 0) redeemed.add(`${facts.wallet.get(tx)} ${first}`)
    if (facts.second.get(tx) > 0) redeemed.add(`${facts.wallet.get(tx)} ${second}`)
  }
  return redeemed
}

const legsOf = ({ market: { legs, isCombo } }: Token, isListed: (condition: string) => boolean) =>
  isCombo && legs?.some(({ market }) => isListed(market.conditionId))
    ? legs
        .map(({ market: { conditionId, plan }, outcome }) =>
          isListed(conditionId) ? `${plan.question} (${plan.outcomes[outcome]})` : "unlisted market",
        )
        .join(" + ")
    : null

/** All positions of a settled world that the ledger has caught up with. */
export const expectedPositions = Effect.fnUntraced(function* (simulation: Simulation) {
  const { model } = simulation
  const [changedAt, traded, catalogue, resolved] = [
    yield* changes,
    yield* lastPrices,
    yield* listed,
    yield* resolutions,
  ]
  const redeemed = redemptions(model.world)
  const { books, tokens } = model.world.venue
  return Array.from({ length: books.shares.length }, (_, position): Expected => {
    const wallet = model.wallets[books.walletOf.get(position)]?.address ?? ""
    const token = tokens[books.tokenOf.get(position)] as Token
    const { conditionId, payouts } = token.market
    const [shares, cost] = [books.shares.get(position), books.cost.get(position)]
    const isResolved = payouts !== undefined
    const isOpen = shares > 0 && !isResolved
    const market = catalogue.get(conditionId)
    const price = isResolved
      ? halfUp(1_000_000n * BigInt(payouts[token.outcome]), BigInt(payouts[0] + payouts[1]))
      : (traded.get(token.hex) ?? market?.prices[token.outcome] ?? null)
    const last = changedAt.get(`${wallet} ${token.hex}`) ?? 0
    const resolvedAt = resolved.get(conditionId) ?? null
    return {
      wallet,
      token,
      shares,
      cost,
      realized: books.realized.get(position),
      bought: books.bought.get(position),
      paid: books.paid.get(position),
      isResolved,
      isOpen,
      isRedeemed: redeemed.has(`${books.walletOf.get(position)} ${token.index}`),
      price,
      unrealized: isOpen && price !== null ? halfUp(BigInt(shares) * BigInt(price), 1_000_000n) - cost : 0,
      changedAt: last,
      closedAt: isOpen ? null : Math.min(last, resolvedAt ?? last),
      resolvedAt,
      names: market === undefined ? undefined : marketFields(simulation, token.market),
      tags: market?.tags ?? [],
      legs: legsOf(token, (condition) => catalogue.has(condition)),
    }
  })
})

export const averageOf = ({ paid, bought }: Expected) =>
  bought === 0 ? 0 : Math.max(0, halfUp(1_000_000n * BigInt(paid), BigInt(bought))) / 1_000_000
