import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Tokens whose condition somebody learns when it is resolved already were counted as open until then. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`alter table leaderboard_rescoped add column learnt boolean not null default false`
  yield* sql`
    create function leaderboard_learnt() returns trigger language plpgsql as $$
    begin
      insert into leaderboard_rescoped (condition, learnt) values (new.condition, true);
      return null;
    end $$`
  yield* sql`
    create trigger leaderboard_learnt after update of condition on token
    for each row when (new.condition is not null and old.condition is distinct from new.condition)
    execute function leaderboard_learnt()`
})
