import { Effect, Layer, ManagedRuntime } from "effect"
import { indexMissing } from "#src/catalogue/searchDocuments.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { foundation } from "#src/roles/Foundation.ts"
import type { MarketsSubject } from "../support/catalogue.ts"
import { expose } from "../support/expose.ts"
import { configuration } from "./foundation.ts"

const runtime = ManagedRuntime.make(foundation.pipe(Layer.provideMerge(configuration())))

/** Listed like the market or event that it is a copy of, but with a condition, tokens and names of its own. */
const copy = (round: number, most: number) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const [{ step = 0 } = {}] = yield* sql<{ step: number }>`
      select 1 + greatest((select max(id) from market), (select max(id) from event)) as step`
    const hashOf = (column: string) => sql.literal(`sha256(${column} || '\\x${round.toString(16).padStart(2, "0")}')`)
    yield* sql`
      create temporary table copied on commit drop as
      select m as market, m.id, m.event, c.id as condition, ${hashOf("c.hash")} as hash
      from market m join condition c on c.id = m.condition where m.id < ${step} order by md5(m.event::text), m.id limit ${most}`
    yield* sql`
      insert into event
      select (jsonb_populate_record(e, jsonb_build_object('id', e.id + ${step}::int, 'slug', e.slug || '-' || ${String(round)},
        'title', e.title || ' ' || ${String(round)}))).*
      from event e where e.id in (select event from copied)`
    yield* sql`insert into condition (hash) select hash from copied`
    yield* sql`
      insert into token (hash, condition, outcome)
      select ${hashOf("t.hash")}, n.id, t.outcome
      from copied k join condition n on n.hash = k.hash join token t on t.condition = k.condition`
    yield* sql`
      insert into market
      select (jsonb_populate_record(k.market, jsonb_build_object('id', k.id + ${step}::int, 'event', k.event + ${step}::int,
        'condition', n.id, 'slug', (k.market).slug || '-' || ${String(round)},
        'question', (k.market).question || ' ' || ${String(round)},
        'tokens', (select jsonb_agg(t.id order by t.outcome) from token t where t.condition = n.id)))).*
      from copied k join condition n on n.hash = k.hash`
  })

const count = Effect.flatMap(Postgres, ({ sql }) =>
  Effect.map(sql<{ n: number }>`select count(*)::int as n from market`, ([row]) => row?.n ?? 0),
)

const fillUp = (wanted: number) =>
  Effect.gen(function* () {
    const { sql, tx, exports } = yield* Postgres
    const before = yield* count
    if (before === 0) return
    for (let round = 2, now = before; now < wanted; round++) {
      yield* tx(copy(round, Math.min(before, wanted - now)), "10 minutes")
      now = yield* count
    }
    if (before < wanted) {
      yield* indexMissing(sql, tx)
      yield* exports`vacuum (analyze)`
    }
  })

expose<MarketsSubject>({ fillUp: (wanted) => runtime.runPromise(fillUp(wanted)) })
