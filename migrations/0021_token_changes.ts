import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** What is learnt of many tokens at once is noted at once, a row for each condition: history learns ten thousands of them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`drop trigger leaderboard_learnt on token`
  yield* sql`drop function leaderboard_learnt()`
  yield* sql`drop trigger leaderboard_rescoped_updated on token`
  yield* sql`
    create function leaderboard_token_changed() returns trigger language plpgsql as $$
    begin
      insert into leaderboard_rescoped (condition, learnt)
      select c.condition, bool_or(c.learnt)
      from was join becomes using (id), lateral (values
        (was.condition, false),
        (becomes.condition, was.condition is distinct from becomes.condition)) c(condition, learnt)
      where c.condition is not null
        and (was.condition is distinct from becomes.condition or was.outcome is distinct from becomes.outcome)
      group by c.condition;
      return null;
    end $$`
  yield* sql`
    create trigger leaderboard_token_changed after update on token
    referencing old table as was new table as becomes
    for each statement execute function leaderboard_token_changed()`
})
