import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** What first answers about busy wallets and about days of ticks would otherwise have to read or work out. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient

  // The number of ticks and their bytes in an answer, so that it can begin before they are read. Null where older ticks are
  // not counted, which must not be taken for none.
  yield* sql`alter table tick_revision add column rows integer, add column bytes integer`
  yield* sql`
    insert into tick_revision (feed, source, stretch)
    select distinct feed, source, (at / 600000)::int from tick
    on conflict do nothing`

  // A wallet's positions are spread over the whole table, so lists sort and add them up from the index alone. History comes
  // without the index; later changes of a position also change it.
  yield* sql`drop index if exists position_wallet`
  const definition =
    "create index position_wallet on position (wallet, token) include (shares, cost, realized, bought, paid, redeemed, partial, changed_at)"
  const deferred = yield* sql`
    update deferred_index set definition = ${definition} where name = 'position_wallet' returning name`
  if (deferred.length === 0) yield* sql.unsafe(definition)

  // What lists sort and filter by, without reading resolutions and the wide rows of markets. A condition that is listed twice
  // belongs to its newest market. Room in the pages of tokens, because each is resolved once.
  yield* sql`alter table token set (fillfactor = 80)`
  yield* sql`
    alter table token add column resolved_at timestamptz, add column payout integer, add column event integer`
  yield* sql`alter table condition add column title text`
  const payout = `
    round(1000000.0 * coalesce(r.payouts[t.outcome + 1], 0) / nullif((select sum(part) from unnest(r.payouts) part), 0))::int`
  const isNewest = "not exists (select from market n where n.condition = m.condition and n.id > m.id)"
  const newest = (column: string, condition: string) =>
    `(select n.${column} from market n where n.condition = ${condition} order by n.id desc limit 1)`
  yield* sql.unsafe(`
    update token t set resolved_at = r.at, payout = ${payout} from resolution r where r.condition = t.condition`)
  yield* sql.unsafe(`update token t set event = m.event from market m where m.condition = t.condition and ${isNewest}`)
  yield* sql.unsafe(`update condition c set title = m.question from market m where m.condition = c.id and ${isNewest}`)
  yield* sql`create index token_open on token (id) where resolved_at is null`
  yield* sql`create index token_event on token (event) where event is not null`

  // Executed as text, because a plan that was kept from a first call with one row joins ten thousand one by one.
  const run = (...statements: ReadonlyArray<string>) =>
    statements.map((each) => `execute $sql$${each}$sql$;`).join("\n")
  yield* sql.unsafe(`
    create function token_resolved() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        ${run(`update token t set resolved_at = r.at, payout = ${payout} from becomes r where t.condition = r.condition`)}
      else
        ${run("update token t set resolved_at = null, payout = null from was r where t.condition = r.condition")}
      end if;
      return null;
    end $$`)
  yield* sql.unsafe(`
    create function token_linked() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        -- Triggers change only what is kept.
        if pg_trigger_depth() > 1 then return null; end if;
        ${run(`
          update token t set resolved_at = null, payout = null, event = null from was
          where t.id = was.id and (was.condition, was.outcome) is distinct from (t.condition, t.outcome)
            and (t.resolved_at is not null or t.event is not null)`)}
      end if;
      ${run(
        `update token t set resolved_at = r.at, payout = ${payout}
        from becomes b join resolution r on r.condition = b.condition
        where t.id = b.id and t.resolved_at is null`,
        `update token t set event = m.event
        from becomes b join market m on m.condition = b.condition
        where t.id = b.id and t.event is null and m.event is not null and ${isNewest}`,
      )}
      return null;
    end $$`)
  const changed = (columns: (market: string) => string, from: "was" | "becomes") => `(
    select ${from}.* from was join becomes using (id)
    where (${columns("was")}) is distinct from (${columns("becomes")})) m`
  const names = (market: string) => `${market}.condition, ${market}.question, ${market}.event`
  const listed = (markets: string) =>
    run(
      `update token t set event = m.event from ${markets}
      where t.condition = m.condition and t.event is distinct from m.event and ${isNewest}`,
      `update condition c set title = m.question from ${markets}
      where c.id = m.condition and c.title is distinct from m.question and ${isNewest}`,
    )
  const unlisted = (markets: string) =>
    run(
      `update token t set event = ${newest("event", "t.condition")} from ${markets} where t.condition = m.condition`,
      `update condition c set title = ${newest("question", "c.id")} from ${markets} where c.id = m.condition`,
    )
  yield* sql.unsafe(`
    create function condition_listed() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        ${listed("becomes m")}
      elsif tg_op = 'DELETE' then
        ${unlisted("was m")}
      else
        ${listed(changed(names, "becomes"))}
        ${unlisted(changed((market) => `${market}.condition`, "was"))}
      end if;
      return null;
    end $$`)
  yield* sql.unsafe(`
    create or replace function leaderboard_token_changed() returns trigger language plpgsql as $$
    begin
      ${run(`
        insert into leaderboard_rescoped (condition, learnt)
        select c.condition, bool_or(c.learnt)
        from was join becomes using (id), lateral (values
          (was.condition, false),
          (becomes.condition, was.condition is distinct from becomes.condition)) c(condition, learnt)
        where c.condition is not null
          and (was.condition is distinct from becomes.condition or was.outcome is distinct from becomes.outcome)
        group by c.condition`)}
      return null;
    end $$`)
  const transitions = {
    insert: "new table as becomes",
    update: "old table as was new table as becomes",
    delete: "old table as was",
  }
  for (const [table, operations, name] of [
    ["resolution", ["insert", "delete"], "token_resolved"],
    ["token", ["insert", "update"], "token_linked"],
    ["market", ["insert", "update", "delete"], "condition_listed"],
  ] as const) {
    for (const operation of operations) {
      yield* sql.unsafe(`
        create trigger ${name}_by_${operation} after ${operation} on ${table}
        referencing ${transitions[operation]} for each statement execute function ${name}()`)
    }
  }
})
