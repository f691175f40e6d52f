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
  const describeTokens = (tokens: string) => `
    update token t set resolved_at = n.at, payout = n.payout, event = n.event
    from (
      select k.id, r.at, m.event,
        round(1000000.0 * case when r.condition is not null then coalesce(r.payouts[k.outcome + 1], 0) end
          / nullif((select sum(part) from unnest(r.payouts) part), 0))::int as payout
      from token k left join resolution r on r.condition = k.condition
        left join lateral (
          select event from market where condition = k.condition order by id desc limit 1) m on true
      where ${tokens}) n
    where t.id = n.id and (t.resolved_at, t.payout, t.event) is distinct from (n.at, n.payout, n.event)`
  const nameConditions = (conditions: string) => `
    update condition c set title = n.question
    from (
      select k.id, m.question from condition k left join lateral (
        select question from market where condition = k.id order by id desc limit 1) m on true
      where ${conditions}) n
    where c.id = n.id and c.title is distinct from n.question`
  yield* sql.unsafe(describeTokens("k.condition is not null"))
  yield* sql.unsafe(nameConditions("true"))
  yield* sql`create index token_open on token (id) where resolved_at is null`
  yield* sql`create index token_event on token (event) where event is not null`

  yield* sql.unsafe(`
    create function token_described() returns trigger language plpgsql as $$
    declare
      changed integer[];
    begin
      if tg_op = 'INSERT' then
        select array_agg(condition) into changed from becomes where condition is not null;
      elsif tg_op = 'DELETE' then
        select array_agg(condition) into changed from was where condition is not null;
      elsif tg_table_name = 'token' then
        select array_agg(becomes.condition) into changed from was join becomes using (id)
        where becomes.condition is not null
          and (was.condition, was.outcome) is distinct from (becomes.condition, becomes.outcome);
      else
        select array_agg(c.id) into changed
        from was join becomes using (id), lateral (values (was.condition), (becomes.condition)) c(id)
        where (was.condition, was.question, was.event) is distinct from (becomes.condition, becomes.question, becomes.event);
      end if;
      if changed is null then return null; end if;
      ${describeTokens("k.condition = any (changed)")};
      if tg_table_name = 'market' then ${nameConditions("k.id = any (changed)")}; end if;
      return null;
    end $$`)
  const transitions = {
    insert: "new table as becomes",
    update: "old table as was new table as becomes",
    delete: "old table as was",
  }
  for (const [table, operations] of [
    ["resolution", ["insert", "delete"]],
    ["token", ["insert", "update"]],
    ["market", ["insert", "update", "delete"]],
  ] as const) {
    for (const operation of operations) {
      yield* sql.unsafe(`
        create trigger token_described_by_${operation} after ${operation} on ${table}
        referencing ${transitions[operation]} for each statement execute function token_described()`)
    }
  }
})
