import Fastify from "fastify"
import postgres from "postgres"
import { expose } from "../support/expose.ts"
import type { WalletPagesSubject } from "../support/wallets.ts"

interface Query {
  readonly wallet?: string
  readonly limit?: string
  readonly offset?: string
  readonly pagination_key?: string | undefined
  readonly status?: "open" | "redeemable"
  readonly tag_slug?: string
  readonly market_slug?: string
  readonly market?: string
  readonly title?: string
  readonly sortBy?: string
}

const bytesOf = (address: string) => Buffer.from(address.slice(2), "hex")

const isOpen = "(p.shares > 0 and r.condition is null)"
const price = `coalesce(
  r.payouts[t.outcome + 1] * 1000000 / (select sum(part) from unnest(r.payouts) part),
  (select f.usd * 1000000 / f.shares from fill f where f.token = t.id and f.shares > 0 order by f.at desc limit 1),
  (m.prices ->> t.outcome)::int)`

const orders: Readonly<Record<string, string>> = {
  TIMESTAMP: "least(p.changed_at, r.at) desc",
  REALIZEDPNL: "p.realized desc",
  AVGPRICE: "p.paid * 1.0 / nullif(p.bought, 0) desc",
  PRICE: `${price} desc`,
  TITLE: "m.question desc",
}

const from = `
  from position p join wallet w on w.id = p.wallet join token t on t.id = p.token
    left join condition c on c.id = t.condition left join resolution r on r.condition = t.condition
    left join market m on m.condition = t.condition left join event e on e.id = m.event`

const columns = `
  '0x' || encode(w.address, 'hex') as wallet, '0x' || encode(t.hash, 'hex') as token_id,
  '0x' || encode(c.hash, 'hex') as condition_id, t.outcome, p.shares, p.cost, p.realized, p.bought, p.paid, p.redeemed,
  p.changed_at, p.traded_at, r.at as resolved_at, r.payouts, m.question, m.slug, m.image, m.ends_at, m.closed, m.outcomes,
  e.slug as event_slug, e.tags, ${price} as price`

// As in the guides of Fastify and postgres.js: plain queries on our tables, which have an index on (wallet).
expose<WalletPagesSubject>({
  listen: async (databaseUrl) => {
    const sql = postgres(databaseUrl)
    const app = Fastify()
    const conditions = (address: string, query: Query) => {
      const { status, tag_slug, market_slug = query.market, title, pagination_key } = query
      const [after] = pagination_key === undefined ? [] : Buffer.from(pagination_key, "base64url").toString().split(".")
      return sql`w.address = ${bytesOf(address)}
        ${status === "open" ? sql`and ${sql.unsafe(isOpen)}` : sql``}
        ${status === "redeemable" ? sql`and p.shares > 0 and r.payouts[t.outcome + 1] > 0` : sql``}
        ${tag_slug === undefined ? sql`` : sql`and e.tags ? ${tag_slug}`}
        ${market_slug === undefined ? sql`` : sql`and m.slug = ${market_slug}`}
        ${title === undefined ? sql`` : sql`and m.question ilike ${`%${title}%`}`}
        ${after === undefined ? sql`` : sql`and p.token < ${Number(after)}`}`
    }
    const page = (query: Query, most: number) =>
      sql`limit ${Number(query.limit ?? most)} offset ${Number(query.offset ?? 0)}`
    const listed = (address: string, query: Query, most: number) => sql`
      select ${sql.unsafe(columns)} ${sql.unsafe(from)} where ${conditions(address, query)}
      order by p.token desc ${page(query, most)}`

    app.get<{ Params: { address: string }; Querystring: Query }>(
      "/v2/wallets/:address/positions/onchain",
      async ({ params: { address }, query }) => {
        const [totals] = await sql`
          select count(*), count(*) filter (where ${sql.unsafe(isOpen)}) as open, sum(p.realized) as realized,
            sum(case when ${sql.unsafe(isOpen)} then p.shares * ${sql.unsafe(price)} / 1000000 - p.cost end) as unrealized
          ${sql.unsafe(from)} where ${conditions(address, { ...query, pagination_key: undefined })}`
        return { ...totals, positions: await listed(address, query, 500) }
      },
    )
    app.get<{ Params: { address: string }; Querystring: Query }>(
      "/v2/wallets/:address/closed-positions",
      async ({ params: { address }, query }) => ({
        positions: await sql`
          select ${sql.unsafe(columns)} ${sql.unsafe(from)}
          where ${conditions(address, query)} and not ${sql.unsafe(isOpen)}
          order by ${sql.unsafe(orders[query.sortBy ?? "TIMESTAMP"] ?? "")}, p.token ${page(query, 10)}`,
      }),
    )
    app.get<{ Querystring: Query }>("/v2/onchain/positions", async ({ query }) => ({
      positions: await listed(query.wallet ?? "", query, 100),
    }))
    /** The raw limit: the rows of a page, by the index. */
    app.get<{ Params: { address: string; limit: string } }>("/rows/:address/:limit", async ({ params }) => ({
      positions: await sql`
        select p.* from position p where p.wallet = (select id from wallet where address = ${bytesOf(params.address)})
        order by p.token desc limit ${Number(params.limit)}`,
    }))
    const address = await app.listen({ host: "127.0.0.1", port: 0 })
    return Number(new URL(address).port)
  },
})
