import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"

export interface Listing {
  readonly id: number
  readonly slug: string
  readonly event: string
  /** 0x and 64 digits. */
  readonly condition: string
  readonly tokens: ReadonlyArray<string>
}

const hexOf = (token: string) => BigInt(token).toString(16).padStart(64, "0")

/** Adds markets and their events to the catalogue. */
export const list = (markets: ReadonlyArray<Listing>) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const events = [...new Set(markets.map(({ event }) => event))]
    const first = markets[0]?.id ?? 0
    const rows = markets.map(({ id, slug, event, condition, tokens }) => ({
      id,
      slug,
      event: first + events.indexOf(event),
      condition: condition.slice(2),
      tokens: tokens.map(hexOf),
    }))
    const json = JSON.stringify(rows)
    const columns = sql.literal("n(id int, slug text, event int, condition text, tokens jsonb)")
    yield* sql`
      insert into event (id, slug, title, tags, active, closed, archived, featured, neg_risk)
      select n.place - 1 + ${first}::int, n.slug, 'About ' || n.slug, '[]', true, false, false, false, false
      from unnest(${events}::text[]) with ordinality n(slug, place)`
    yield* sql`
      insert into condition (hash) select decode(n.condition, 'hex') from jsonb_to_recordset(${json}::text::jsonb) ${columns}`
    yield* sql`
      insert into token (hash, condition, outcome)
      select decode(t.hash, 'hex'), c.id, t.place::int2 - 1
      from jsonb_to_recordset(${json}::text::jsonb) ${columns}
      join condition c on c.hash = decode(n.condition, 'hex')
      cross join lateral jsonb_array_elements_text(n.tokens) with ordinality t(hash, place)`
    yield* sql`
      insert into market (id, event, condition, tokens, slug, question, outcomes, prices, active, closed, archived,
        accepting_orders, neg_risk)
      select n.id, n.event, c.id, '[]', n.slug, 'Will ' || n.slug || '?', '["Yes", "No"]', '[]', true, false, false, true, false
      from jsonb_to_recordset(${json}::text::jsonb) ${columns} join condition c on c.hash = decode(n.condition, 'hex')`
  })
