import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** What lists need of the tokens of a wallet with many positions, in indexes: the rows lie on as many pages as there are tokens. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`create index token_kept on token (id) include (condition, outcome, event, payout, resolved_at)`
  yield* sql`drop index token_open`
  yield* sql`create index token_open on token (id) include (event) where resolved_at is null`
  // The newest market of a condition and the other outcome of a token are the first ones that these find.
  yield* sql`create index market_of_condition on market (condition, id)`
  yield* sql`drop index market_condition`
  yield* sql`alter index market_of_condition rename to market_condition`
  yield* sql`create index token_of_condition on token (condition, outcome)`
  yield* sql`drop index token_condition`
  yield* sql`alter index token_of_condition rename to token_condition`
  // Nothing closes after its token was resolved, so that a wallet's last closed positions are of the last resolved tokens.
  yield* sql`create index token_resolved on token (resolved_at) where resolved_at is not null`
  // A wallet with many positions may have one in most conditions, so that a page by title is found in the order of all titles.
  // Titles of combos may be longer than what an index holds.
  yield* sql`create index token_unlinked on token (id) where condition is null`
  yield* sql`create index condition_title on condition ((left(coalesce(title, ''), 500) collate "C"))`
})
