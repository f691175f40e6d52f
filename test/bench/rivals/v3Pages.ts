import Fastify from "fastify"
import postgres from "postgres"
import { expose } from "../support/expose.ts"
import type { V3RivalSubject } from "../support/v3.ts"

interface Query {
  readonly side?: string
  readonly min_amount_usd?: string
  readonly limit?: string
  readonly offset?: string
  readonly after?: string
}
interface Route {
  readonly Params: { readonly address: string; readonly token: string; readonly slug: string }
  readonly Querystring: Query
}

const bytesOf = (address: string) => Buffer.from(address.slice(2), "hex")
const bytesOfToken = (token: string) => Buffer.from(BigInt(token).toString(16).padStart(64, "0"), "hex")

const tradeColumns = `
  f.block, f.log_index, f.at, encode(f.order_hash, 'hex') as order_hash, '0x' || encode(w.address, 'hex') as maker,
  '0x' || encode(k.address, 'hex') as taker, f.is_sale, encode(t.hash, 'hex') as token_id, f.shares, f.usd, f.fee,
  '0x' || encode(c.hash, 'hex') as condition_id, t.outcome, m.outcomes, m.question, m.slug, m.image, e.slug as event_slug`
const tradeTables = `
  from fill f join wallet w on w.id = f.maker left join wallet k on k.id = f.taker join token t on t.id = f.token
    left join condition c on c.id = t.condition left join market m on m.condition = t.condition
    left join event e on e.id = m.event`

const positionColumns = `
  '0x' || encode(w.address, 'hex') as wallet, encode(t.hash, 'hex') as token_id, '0x' || encode(c.hash, 'hex') as condition_id,
  t.outcome, p.shares, p.cost, p.realized, p.bought, p.paid, p.redeemed, p.traded_at, t.resolved_at, t.payout, m.question,
  m.slug, m.image, m.outcomes, e.slug as event_slug, e.tags`
const positionTables = `
  from position p join wallet w on w.id = p.wallet join token t on t.id = p.token
    left join condition c on c.id = t.condition left join market m on m.condition = t.condition
    left join event e on e.id = m.event`

const sums = `
  sum(e.amount)::int8 as realized_pnl, sum(e.amount) filter (where e.amount > 0) as gross_profit,
  count(*) filter (where e.amount > 0) as wins, count(*) filter (where e.amount < 0) as losses, count(*) as events`

// As in the guides of Fastify and postgres.js: plain queries on our tables and indexes, pages by offset.
expose<V3RivalSubject>({
  listen: async (databaseUrl) => {
    const sql = postgres(databaseUrl)
    const app = Fastify()
    const page = ({ limit, offset }: Query) => sql`limit ${Number(limit ?? 100)} offset ${Number(offset ?? 0)}`
    const newest = sql`order by f.at desc, f.block desc, f.log_index desc`
    const trades = (where: postgres.PendingQuery<Array<postgres.Row>>, query: Query) => sql`
      select ${sql.unsafe(tradeColumns)} ${sql.unsafe(tradeTables)} where ${where}
        ${query.side === "sell" ? sql`and f.is_sale` : sql``}
        ${query.min_amount_usd === undefined ? sql`` : sql`and f.usd >= ${Number(query.min_amount_usd) * 1e6}`}
      ${newest} ${page(query)}`
    const walletId = (address: string) => sql`(select id from wallet where address = ${bytesOf(address)})`
    const tokenId = (token: string) => sql`(select id from token where hash = ${bytesOfToken(token)})`

    app.get<Route>("/v3/wallets/:address/trades", async ({ params, query }) => ({
      trades: await trades(sql`f.maker = ${walletId(params.address)}`, query),
    }))
    app.get<Route>("/v3/markets/:token/trades", async ({ params, query }) => ({
      trades: await trades(sql`f.taker <> 0 and f.token = ${tokenId(params.token)}`, query),
    }))
    app.get<Route>("/v3/markets/slug/:slug/trades", async ({ params, query }) => ({
      trades: await trades(sql`f.taker <> 0 and m.slug = ${params.slug}`, query),
    }))
    app.get<Route>("/v3/trades", async ({ query }) => ({ trades: await trades(sql`f.taker <> 0`, query) }))
    app.get<Route>("/v3/wallets/:address/positions", async ({ params, query }) => ({
      positions: await sql`
        select ${sql.unsafe(positionColumns)} ${sql.unsafe(positionTables)} where p.wallet = ${walletId(params.address)}
        order by p.realized desc, p.token ${page(query)}`,
    }))
    app.get<Route>("/v3/markets/:token/positions", async ({ params, query }) => ({
      data: await sql`
        select ${sql.unsafe(positionColumns)} ${sql.unsafe(positionTables)} where p.token = ${tokenId(params.token)}
        order by p.realized desc, p.wallet ${page(query)}`,
    }))
    app.get<Route>("/v3/wallets/:address/redemptions", async ({ params, query }) => ({
      data: await sql`
        select r.block, r.log_index, r.at, r.payout, '0x' || encode(c.hash, 'hex') as condition_id, m.question, m.slug, m.image
        from redemption r join condition c on c.id = r.condition left join market m on m.condition = c.id
        where r.wallet = ${walletId(params.address)} order by r.at desc, r.block desc, r.log_index desc ${page(query)}`,
    }))
    app.get<Route>("/v3/wallets/:address", async ({ params }) => {
      const [all] = await sql`
        select count(*) as position_count, sum(p.realized) as realized_pnl, sum(p.profit) as gross_profit,
          sum(p.wins) as wins, sum(p.losses) as losses, sum(p.volume) as total_volume
        from position p where p.wallet = ${walletId(params.address)}`
      return all
    })
    app.get<Route>("/v3/wallets/:address/pnl", async ({ params, query }) => {
      const [all] = await sql`
        select ${sql.unsafe(sums)} from realized_event e
        where e.wallet = ${walletId(params.address)} and e.at >= to_timestamp(${Number(query.after)})`
      return all
    })
    app.get<Route>("/v3/wallets/:address/pnl/events", async ({ params, query }) => ({
      buckets: await sql`
        select date_trunc('day', e.at) as bucket, ${sql.unsafe(sums)} from realized_event e
        where e.wallet = ${walletId(params.address)} and e.at >= to_timestamp(${Number(query.after)})
        group by bucket order by bucket`,
    }))
    app.get<Route>("/v2/onchain/markets/:token/volume", async ({ params }) => {
      const [all] = await sql`
        select count(*) as total_trades, sum(f.usd) as volume, count(*) filter (where f.is_sale) as buys
        from fill f where f.taker <> 0 and f.token = ${tokenId(params.token)}`
      return all
    })
    const address = await app.listen({ host: "127.0.0.1", port: 0 })
    return Number(new URL(address).port)
  },
})
