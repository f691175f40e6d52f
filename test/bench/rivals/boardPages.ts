import Fastify from "fastify"
import postgres from "postgres"
import type { PagesSubject } from "../support/boards.ts"
import { expose } from "../support/expose.ts"

interface Query {
  readonly period?: string
  readonly category?: string
  readonly tags?: string
  readonly sort?: string
  readonly limit?: string
  readonly offset?: string
}

interface Row {
  readonly wallet: string
  readonly realized: string
  readonly profit: string
  readonly wins: number
  readonly losses: number
  readonly unrealized: string
  readonly positions: number
  readonly open: number
  readonly volume: string
}

const money = (value: string) => Number(value) / 1e6

const shown = (row: Row, rank: number) => ({
  rank,
  wallet: row.wallet,
  realized_pnl: money(row.realized),
  net_realized_pnl: money(row.realized),
  gross_profit: money(row.profit),
  gross_loss: money(row.profit) - money(row.realized),
  wins: row.wins,
  losses: row.losses,
  unrealized_pnl: money(row.unrealized),
  total_pnl: money(row.realized) + money(row.unrealized),
  position_count: row.positions,
  open_positions: row.open,
  total_volume: money(row.volume),
})

const orders: Readonly<Record<string, string>> = {
  realized: "b.realized desc",
  volume: "b.volume desc",
  wins: "b.wins desc",
  total: "b.realized + coalesce(v.unrealized, 0) desc",
}

// As in the guides of Fastify and postgres.js: one query per page, on our tables.
expose<PagesSubject>({
  listen: async (databaseUrl) => {
    const sql = postgres(databaseUrl)
    const app = Fastify()
    app.get<{ Querystring: Query }>("/v3/leaderboard", async ({ query }) => {
      const [limit, offset] = [Number(query.limit ?? 100), Number(query.offset ?? 0)]
      const value = query.category ?? query.tags
      const kind = query.category === undefined ? "tag" : "category"
      const [scope] =
        value === undefined
          ? [{ id: 0 }]
          : await sql<Array<{ id: number }>>`select id from leaderboard_scope where kind = ${kind} and value = ${value}`
      const days = query.period === undefined ? undefined : Number.parseInt(query.period, 10)
      const order = sql.unsafe(orders[days === undefined ? (query.sort ?? "total") : "realized"] ?? "1")
      const sums =
        days === undefined
          ? sql`(select * from leaderboard_standing where scope = ${scope?.id ?? 0}) b`
          : sql`(select r.wallet, r.realized, r.profit, r.wins, r.losses, s.positions, s.open, s.volume
              from leaderboard_rolling r join leaderboard_standing s using (scope, wallet)
              where r.scope = ${scope?.id ?? 0} and r.days = ${days}) b`
      const rows = await sql<Array<Row>>`
        select '0x' || encode(w.address, 'hex') as wallet, b.realized, b.profit, b.wins, b.losses,
          coalesce(v.unrealized, 0) as unrealized, b.positions, b.open, b.volume
        from ${sums} join wallet w on w.id = b.wallet
        left join (
          select o.wallet, sum(coalesce(round(o.shares * p.price / 1000000.0) - o.cost, 0)) as unrealized
          from leaderboard_open o join leaderboard_price p using (token)
          where ${scope?.id ?? 0} = 0 or exists (
            select from leaderboard_token l where l.token = o.token and l.scope = ${scope?.id ?? 0})
          group by o.wallet) v on v.wallet = b.wallet
        order by ${order}, w.address limit ${limit} offset ${offset}`
      return {
        results: rows.map((row, i) => shown(row, offset + i + 1)),
        limit,
        offset,
        has_more: rows.length === limit,
      }
    })
    const address = await app.listen({ host: "127.0.0.1", port: 0 })
    return Number(new URL(address).port)
  },
})
