import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * The title of a combo is kept like that of a condition that is listed. Lists by title made thousands of them for each page,
 * from the newest markets of all legs, and each page of any list was planned with the tables that this needs.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  // Executed as text, because a plan that was kept from a first call with one row joins ten thousand one by one.
  const run = (...statements: ReadonlyArray<string>) =>
    statements.map((each) => `execute $sql$${each}$sql$;`).join("\n")

  // As src/feed/combos/comboNames.ts makes it; null while no leg is listed.
  yield* sql.unsafe(`
    create function combo_title(legs bytea) returns text language sql stable as $$
      select string_agg(coalesce(leg.title, 'unlisted market'), ' + ' order by place.n)
      from generate_series(0, length(legs) / 32 - 1) place(n)
      left join lateral (
        select l.question || ' (' || (l.outcomes ->> get_byte(legs, place.n * 32 + 31)) || ')' as title
        from condition c join condition_rename n on n.condition = c.id join market l on l.condition = n.legacy
        where c.hash = substr(legs, place.n * 32 + 1, 31) || decode('00', 'hex')
        order by l.id desc limit 1) leg on true
      having count(leg.title) > 0
    $$`)

  const titled = (conditions: string) => `
    update condition c set title = n.title
    from (
      select w.condition, (select combo_title(b.legs) from combo b where b.condition = w.condition limit 1) as title
      from (${conditions}) w) n
    where c.id = n.condition and c.title is distinct from n.title`
  /** Combos with a leg among these conditions, which are of the newer contracts. */
  const combosOf = (conditions: string) => `
    select distinct b.condition from (${conditions}) w join condition c on c.id = w.condition
    join combo b on leg_conditions(b.legs) @> array[c.hash]`
  // Those who write a market and those who write a combo of it wait for each other, so that the second sees what the first
  // one wrote.
  const lock = (conditions: string, mode: "share" | "no key update") =>
    `select from condition where id in (${conditions}) order by id for ${mode}`
  const legs = `
    select n.legacy from becomes b cross join lateral unnest(leg_conditions(b.legs)) leg(hash)
    join condition c on c.hash = leg.hash join condition_rename n on n.condition = c.id`
  const ofMarkets = (rows: string) =>
    `select n.condition from (${rows}) m join condition_rename n on n.legacy = m.condition`
  const changed = `
    select unnest(array[was.condition, becomes.condition]) as condition from was join becomes using (id)
    where (was.condition, was.question, was.outcomes) is distinct from
      (becomes.condition, becomes.question, becomes.outcomes)`

  const bodies = {
    combo: {
      insert: run(lock(legs, "share"), titled("select condition from becomes")),
      delete: run(titled("select condition from was")),
    },
    condition_rename: {
      insert: run(lock("select legacy from becomes", "share"), titled(combosOf("select condition from becomes"))),
      delete: run(titled(combosOf("select condition from was"))),
    },
    // After `condition_listed`, which locks the same conditions: triggers run in the order of their names.
    market: Object.fromEntries(
      Object.entries({
        insert: "select condition from becomes",
        update: changed,
        delete: "select condition from was",
      }).map(([operation, rows]) => [
        operation,
        run(
          lock(`select n.legacy from (${rows}) m join condition_rename n on n.legacy = m.condition`, "no key update"),
          titled(combosOf(ofMarkets(rows))),
        ),
      ]),
    ),
  }
  const transitions: Readonly<Record<string, string>> = {
    insert: "new table as becomes",
    update: "old table as was new table as becomes",
    delete: "old table as was",
  }
  for (const [table, operations] of Object.entries(bodies)) {
    for (const [operation, body] of Object.entries(operations)) {
      const name = `title_combos_on_${table}_${operation}`
      yield* sql.unsafe(`
        create function ${name}() returns trigger language plpgsql as $$
        begin
          ${body}
          return null;
        end $$`)
      yield* sql.unsafe(`
        create trigger ${name} after ${operation} on ${table}
        referencing ${transitions[operation]} for each statement execute function ${name}()`)
    }
  }
  yield* sql.unsafe(titled("select distinct condition from combo"))
})
