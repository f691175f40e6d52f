import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * What is traded of markets and events. A scope is the id of a condition, or the id of an event, negated. Blocks that may
 * still be replaced are in the figures that are shown, but not in the counts.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  const windows = ["1h", "24h", "7d", "30d", "all"]
  const counts = (isNullable: boolean) =>
    [
      ...windows.map((window) => `usd_${window} bigint`),
      ...windows.map((window) => `trades_${window} integer`),
      ...windows.map((window) => `traders_${window} integer`),
    ].map((column) => (isNullable ? column : `${column} not null default 0`))

  yield* sql`
    create table market_trader (
      scope integer not null,
      wallet integer not null,
      last_block integer not null,
      primary key (scope, wallet)
    ) with (fillfactor = 80)`
  yield* sql.unsafe(`
    create table market_count (${counts(false).join(", ")}, scope integer primary key) with (fillfactor = 80)`)
  // The counted blocks, and the first block of each window that ends with the last one.
  yield* sql`
    create table market_count_progress (
      single boolean primary key default true check (single),
      from_block integer not null,
      to_block integer not null,
      starts integer[] not null,
      has_events boolean not null default false
    )`
  // Scopes to count again, because tokens joined or left them, and scopes whose figures may have changed.
  yield* sql`create table market_recount (scope integer not null)`
  yield* sql`create table market_stale (scope integer not null)`

  // Figures of an event are null until they are counted. The API copies the rows of new versions.
  yield* sql.unsafe(`
    create table market_figure (
      version bigint not null,
      ${counts(true).join(", ")},
      liquidity bigint,
      created_at integer,
      ends_at integer,
      scope integer primary key,
      event integer,
      price integer,
      price_change_24h integer,
      markets integer,
      status smallint not null,
      neg_risk boolean,
      category text,
      tags jsonb
    ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)`)
  yield* sql`create index market_figure_version on market_figure (version, scope)`
  yield* sql`
    create table market_figure_state (
      single boolean primary key default true check (single),
      version bigint not null,
      seq bigint not null,
      block integer not null,
      at timestamptz not null,
      starts integer[] not null,
      complete boolean not null,
      refreshed_at timestamptz not null,
      took_millis integer not null
    )`

  // Executed as text, because a plan that was kept from a first call with one row joins ten thousand one by one.
  const note = (table: string, scopes: string) =>
    `execute $sql$insert into ${table} select distinct scope from (${scopes}) s where scope is not null$sql$;`
  const scopesOf = (rows: string, columns: string) =>
    `select s.scope from ${rows}, lateral (values ${columns}) s(scope)`
  const changed = "was join becomes using (id)"
  const resolved = (rows: string) =>
    note("market_stale", scopesOf(`${rows} r left join token k using (condition)`, "(r.condition), (-k.event)"))
  const listed = (market: string) => `(${market}.condition), (-${market}.event)`
  const triggers = {
    condition: { insert: note("market_stale", "select id as scope from becomes") },
    resolution: { insert: resolved("becomes"), delete: resolved("was") },
    token: {
      update: note(
        "market_recount",
        `${scopesOf(changed, "(was.condition), (becomes.condition)")} where was.condition is distinct from becomes.condition
        union all
        ${scopesOf(changed, "(-was.event), (-becomes.event)")}
        where (was.condition, was.event) is distinct from (becomes.condition, becomes.event)`,
      ),
    },
    market: {
      insert: note("market_stale", scopesOf("becomes", listed("becomes"))),
      update: note("market_stale", scopesOf(changed, `${listed("was")}, ${listed("becomes")}`)),
    },
    event: {
      insert: note("market_stale", "select -id as scope from becomes"),
      update: note(
        "market_stale",
        `select -id as scope from becomes
        union all
        select m.condition from ${changed} join market m on m.event = becomes.id
        where (was.category, was.tags) is distinct from (becomes.category, becomes.tags)`,
      ),
    },
  }
  const transitions = {
    insert: "new table as becomes",
    update: "old table as was new table as becomes",
    delete: "old table as was",
  }
  for (const [table, operations] of Object.entries(triggers)) {
    for (const [operation, action] of Object.entries(operations) as Array<[keyof typeof transitions, string]>) {
      const name = `market_stats_by_${operation}`
      yield* sql.unsafe(`
        create function ${table}_${name}() returns trigger language plpgsql as $$
        begin ${action} return null; end $$`)
      yield* sql.unsafe(`
        create trigger ${name} after ${operation} on ${table}
        referencing ${transitions[operation]} for each statement execute function ${table}_${name}()`)
    }
  }
  yield* sql`insert into market_stale select id from condition union all select -id from event`
})
