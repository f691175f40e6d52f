import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * New tokens come by the ten thousand while the history is read, and half of their time went into what follows from them: a
 * look at the condition of each, which is never taken away, and a numbered note for the leaderboards of each, where one for
 * each condition will do.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`alter table token drop constraint token_condition_fkey`
  yield* sql`alter table leaderboard_rescoped drop column id`
  yield* sql`
    create or replace function leaderboard_rescoped_by_token() returns trigger language plpgsql as $$
    begin
      insert into leaderboard_rescoped (condition) select distinct condition from fresh where condition is not null;
      return null;
    end $$`
})
