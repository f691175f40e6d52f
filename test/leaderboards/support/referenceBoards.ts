import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"

interface Held {
  readonly wallet: string
  readonly token: number
  readonly open: boolean
  readonly partial: boolean
  readonly shares: bigint
  readonly cost: bigint
  readonly realized: bigint
  readonly volume: bigint
}

interface Gained {
  readonly wallet: string
  readonly token: number
  readonly at: number
  readonly amount: bigint
}

export interface Named {
  readonly token: number
  readonly id: string
  readonly condition: string
  readonly market: string
  readonly event: string
  readonly category: string | null
  readonly tags: ReadonlyArray<string>
}

export interface ReferenceRow {
  readonly wallet: string
  readonly realized: bigint
  readonly profit: bigint
  readonly wins: number
  readonly losses: number
  readonly positions: number
  readonly open: number
  readonly volume: bigint
  readonly unrealized: bigint
  readonly partial: number
}

type ReferenceBoard = (tokens: ReadonlySet<number> | undefined, days: number | undefined) => ReadonlyArray<ReferenceRow>

const dayMillis = 86_400_000

/**
 * Reference implementation: boards added up from the current ledger, one row after the other. The stored boards must be at
 * the ledger's block.
 */
export const referenceBoards = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const held = yield* sql<Held>`
    select encode(w.address, 'hex') as wallet, p.token, p.shares, p.cost, p.realized, p.volume, p.partial,
      p.shares > 0 and not p.partial and not exists (select from resolution r, token t where t.id = p.token and r.condition = t.condition) as open
    from position p join wallet w on w.id = p.wallet`
  const gained = yield* sql<Gained>`
    select encode(w.address, 'hex') as wallet, e.token, (extract(epoch from e.at) * 1000)::float8 as at, e.amount
    from realized_event e join wallet w on w.id = e.wallet`
  const named = yield* sql<Named>`
    select distinct on (t.id) t.id as token, encode(t.hash, 'hex') as id, encode(c.hash, 'hex') as condition, m.slug as market,
      e.slug as event, e.category, array(select jsonb_array_elements_text(e.tags)) as tags
    from token t join condition c on c.id = t.condition join market m on m.condition = t.condition join event e on e.id = m.event
    where t.outcome is not null order by t.id, m.id desc`
  const prices = new Map(
    (yield* sql<{ token: number; price: number | null }>`
      select t.id as token, coalesce(
        (select least(1000000, round(usd::numeric * 1000000 / shares)) from fill where token = t.id and shares > 0
          order by block desc, log_index desc limit 1),
        (select (prices ->> t.outcome)::numeric from market m where m.condition = t.condition order by m.id desc limit 1))::int as price
      from token t`).flatMap(({ token, price }) => (price === null ? [] : [[token, BigInt(price)] as const])),
  )
  const [state] = yield* sql<{ at: number; behind: number }>`
    select (extract(epoch from s.at) * 1000)::float8 as at, c.block - s.block as behind from leaderboard_state s, chain_cursor c`
  if (state?.behind !== 0) throw new Error("the boards are behind the ledger")

  const board: ReferenceBoard = (tokens, days) => {
    const isIn = ({ token }: { readonly token: number }) => tokens === undefined || tokens.has(token)
    const rows = new Map<string, { -readonly [name in keyof ReferenceRow]: ReferenceRow[name] }>()
    const empty = {
      realized: 0n,
      profit: 0n,
      wins: 0,
      losses: 0,
      positions: 0,
      open: 0,
      volume: 0n,
      unrealized: 0n,
      partial: 0,
    }
    const of = (wallet: string) => {
      const row = rows.get(wallet) ?? { wallet, ...empty }
      rows.set(wallet, row)
      return row
    }
    for (const one of held.filter(isIn)) {
      const row = of(one.wallet)
      row.positions += 1
      row.volume += one.volume
      if (one.partial) row.partial += 1
      if (!one.open) continue
      row.open += 1
      const price = prices.get(one.token)
      if (price !== undefined) row.unrealized += (one.shares * price + 500_000n) / 1_000_000n - one.cost
    }
    const seen = new Set<string>()
    for (const one of gained.filter(isIn)) {
      if (days !== undefined && one.at <= state.at - days * dayMillis) continue
      const row = of(one.wallet)
      seen.add(one.wallet)
      row.realized += one.amount
      if (one.amount > 0n) {
        row.profit += one.amount
        row.wins += 1
      }
      if (one.amount < 0n) row.losses += 1
    }
    return [...rows.values()].filter(({ wallet }) => days === undefined || seen.has(wallet))
  }
  return { named, board, asOf: Math.floor(state.at / 1000) }
})

export type Reference = Effect.Success<typeof referenceBoards>

/** Rows as a client sees them: highest value first, equal values by address. */
export const ranked = (rows: ReadonlyArray<ReferenceRow>, value: (row: ReferenceRow) => bigint, depth: number) => {
  const usd = (amount: bigint) => Number(amount) / 1e6
  return rows
    .toSorted((a, b) => (value(a) === value(b) ? (a.wallet < b.wallet ? -1 : 1) : value(a) > value(b) ? -1 : 1))
    .slice(0, depth)
    .map((row, index) => ({
      rank: index + 1,
      wallet: `0x${row.wallet}`,
      realized_pnl: usd(row.realized),
      net_realized_pnl: usd(row.realized),
      gross_profit: usd(row.profit),
      gross_loss: usd(row.profit - row.realized),
      unrealized_pnl: usd(row.unrealized),
      total_pnl: usd(row.realized + row.unrealized),
      wins: row.wins,
      losses: row.losses,
      position_count: row.positions,
      open_positions: row.open,
      total_volume: usd(row.volume),
      basis: row.partial > 0 ? "unknown" : "known",
    }))
}
