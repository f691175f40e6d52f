import Fastify from "fastify"
import postgres from "postgres"
import { resolutions } from "#src/candles/model.ts"
import { expose } from "../support/expose.ts"
import type { V3RivalSubject } from "../support/v3.ts"

interface Route {
  readonly Params: { readonly token: string }
  readonly Querystring: {
    readonly q: string
    readonly resolution: keyof typeof resolutions
    readonly anchor_ts: string
  }
}

const bytesOfToken = (token: string) => Buffer.from(BigInt(token).toString(16).padStart(64, "0"), "hex")
const bars = 500

// As in the guides of Fastify and postgres.js: plain queries on our tables and indexes, nothing counted ahead.
expose<V3RivalSubject>({
  listen: async (databaseUrl) => {
    const sql = postgres(databaseUrl)
    const app = Fastify()
    app.get("/v3/markets", async () => ({
      markets: await sql`
        select m.slug, m.question, m.outcomes, m.image, e.slug as event_slug, sum(f.usd)::int8 as volume_24h,
          count(*) as trades_24h, count(distinct f.maker) as traders_24h
        from fill f join token t on t.id = f.token join market m on m.condition = t.condition
          left join event e on e.id = m.event
        where f.taker <> 0 and f.at > (select max(at) from fill) - 86400
        group by m.id, e.id order by volume_24h desc limit 100`,
    }))
    app.get<Route>("/v3/markets/search", async ({ query }) => ({
      markets: await sql`
        select m.slug, m.question, m.image from market m
        where to_tsvector('english', m.question) @@ websearch_to_tsquery('english', ${query.q}) limit 20`,
    }))
    app.get<Route>("/v3/markets/:token/candles", async ({ params, query }) => {
      const seconds = resolutions[query.resolution]
      const from = Number(query.anchor_ts) - bars * seconds
      return {
        candles: await sql`
          select f.at / ${seconds}::int * ${seconds}::int as start, min(f.usd::float8 / f.shares) as low,
            max(f.usd::float8 / f.shares) as high,
            (array_agg(f.usd::float8 / f.shares order by f.block, f.log_index))[1] as open,
            (array_agg(f.usd::float8 / f.shares order by f.block desc, f.log_index desc))[1] as close,
            sum(f.usd)::int8 as volume, count(*) as trades
          from fill f where f.taker <> 0 and f.shares > 0 and f.at >= ${from}
            and f.token = (select id from token where hash = ${bytesOfToken(params.token)})
          group by 1 order by 1`,
      }
    })
    const address = await app.listen({ host: "127.0.0.1", port: 0 })
    return Number(new URL(address).port)
  },
})
