import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Measurements of each process by source, readable from other processes; and the most traded markets. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    create table source_status (
      source text not null,
      process text not null,
      at timestamptz not null default now(),
      since timestamptz not null,
      figures jsonb not null,
      primary key (source, process)
    ) with (fillfactor = 50)`
  yield* sql`
    create index market_top on market (volume_day desc nulls last)
    where not closed and not archived and accepting_orders`
})
