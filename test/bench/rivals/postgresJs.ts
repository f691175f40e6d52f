import Fastify from "fastify"
import postgres from "postgres"
import { expose } from "../support/expose.ts"
import type { RivalTicksSubject } from "../support/ticks.ts"

interface Row {
  readonly at: string
  readonly price: string
  readonly bid: string
  readonly ask: string
}

interface Query {
  readonly from: string
  readonly to: string
  readonly limit: string
}

const tick = {
  type: "object",
  properties: {
    id: { type: "string" },
    type: { type: "string" },
    feed: { type: "string" },
    timestamp: { type: "integer" },
    timestamp_ms: { type: "integer" },
    source: { type: "string" },
    data: {
      type: "object",
      properties: {
        feed: { type: "string" },
        price: { type: "number" },
        bid: { type: "number" },
        ask: { type: "number" },
        timestamp: { type: "integer" },
      },
    },
  },
}
const schema = {
  response: {
    200: {
      type: "object",
      properties: {
        symbol: { type: "string" },
        feed: { type: "string" },
        from: { type: "integer" },
        to: { type: "integer" },
        limit: { type: "integer" },
        count: { type: "integer" },
        truncated: { type: "boolean" },
        source: { type: "string" },
        ticks: { type: "array", items: tick },
      },
    },
  },
}

const feed = "BTC/USD"
const source = "oracle_data_streams"

const shown = ({ at, price, bid, ask }: Row) => {
  const moment = Number(at)
  const timestamp = Math.floor(moment / 1000)
  const data = { feed, price: Number(price) / 1e8, bid: Number(bid) / 1e8, ask: Number(ask) / 1e8, timestamp }
  return { id: `${at}-0`, type: "price_feed", feed, timestamp, timestamp_ms: moment, source, data }
}

// As in the guides of Fastify and postgres.js: a tagged query, an async handler and a response schema.
expose<RivalTicksSubject>({
  listen: async (databaseUrl) => {
    const sql = postgres(databaseUrl)
    const app = Fastify()
    app.get<{ Querystring: Query }>("/v1/crypto/ticks", { schema }, async ({ query }) => {
      const [from, to, limit] = [Number(query.from), Number(query.to), Number(query.limit)]
      const rows = await sql<Array<Row>>`
        select at, price, bid, ask from tick
        where feed = 0 and source = 0 and at >= ${from} and at < ${to} order by at limit ${limit}`
      const ticks = rows.map(shown)
      return {
        symbol: "BTC",
        feed,
        from,
        to,
        limit,
        count: rows.length,
        truncated: rows.length === limit,
        source,
        ticks,
      }
    })
    const address = await app.listen({ host: "127.0.0.1", port: 0 })
    return Number(new URL(address).port)
  },
})
