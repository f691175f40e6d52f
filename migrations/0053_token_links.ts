import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * What is kept of a token beside its condition must not depend on which of two transactions commits first: one that writes
 * the result of a condition does not see that another gives the condition to a token, nor the other way round. Both lock the
 * condition, so that the second one sees what the first one wrote.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  const payout = `
    round(1000000.0 * coalesce(r.payouts[t.outcome + 1], 0) / nullif((select sum(part) from unnest(r.payouts) part), 0))::int`
  const isNewest = "not exists (select from market n where n.condition = m.condition and n.id > m.id)"
  // Executed as text, because a plan that was kept from a first call with one row joins ten thousand one by one.
  const run = (...statements: ReadonlyArray<string>) =>
    statements.map((each) => `execute $sql$${each}$sql$;`).join("\n")
  // Those who give conditions to tokens do not wait for each other.
  const lock = (conditions: string, mode: "share" | "no key update") =>
    run(`select from condition where id in (${conditions}) order by id for ${mode}`)
  yield* sql.unsafe(`
    create or replace function token_resolved() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        ${lock("select condition from becomes", "no key update")}
        ${run(`update token t set resolved_at = r.at, payout = ${payout} from becomes r where t.condition = r.condition`)}
      else
        ${run("update token t set resolved_at = null, payout = null from was r where t.condition = r.condition")}
      end if;
      return null;
    end $$`)
  yield* sql.unsafe(`
    create or replace function token_linked() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        -- Triggers change only what is kept.
        if pg_trigger_depth() > 1 then return null; end if;
        ${lock(
          `select becomes.condition from was join becomes using (id)
          where (was.condition, was.outcome) is distinct from (becomes.condition, becomes.outcome)`,
          "share",
        )}
        ${run(`
          update token t set resolved_at = null, payout = null, event = null from was
          where t.id = was.id and (was.condition, was.outcome) is distinct from (t.condition, t.outcome)
            and (t.resolved_at is not null or t.event is not null)`)}
      else
        ${lock("select condition from becomes", "share")}
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
  yield* sql.unsafe(`
    update token t set event = m.event from market m
    where m.condition = t.condition and t.event is distinct from m.event and ${isNewest}`)
  yield* sql.unsafe(`
    update token t set resolved_at = r.at, payout = ${payout} from resolution r
    where r.condition = t.condition and t.resolved_at is null`)
})
