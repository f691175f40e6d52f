import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "./support/following.ts"
import { assertEqualsTruth } from "./support/truth.ts"

const stores = ledger.pipe(
  Layer.provideMerge(
    testFoundation({
      "event-log.retention": "3650d",
      "ledger.reorg-depth": "20",
      "postgres.statement-timeout": "1s",
    }),
  ),
)

layer(stores, { excludeTestServices: true })("A backfill into a slow Postgres", (it) => {
  it.effect("finishes, although a batch takes longer than a request may", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(47)
      simulation.settle()
      const { sql } = yield* Postgres
      yield* sql`create sequence slow_inserts`
      yield* sql`
        create function insert_slowly() returns trigger language plpgsql as $$
        begin
          if (select count(*) from added) > 50 then
            perform nextval('slow_inserts'), pg_sleep(1.5);
          end if;
          return null;
        end $$`
      yield* sql`
        create trigger slow after insert on block referencing new table as added
        for each statement execute function insert_slowly()`
      yield* Effect.gen(function* () {
        yield* caughtUp(simulation, yield* startFollower)
      }).pipe(Effect.provide(nodeAt(url)))
      const [slow] = yield* sql<{ called: boolean }>`select is_called as called from slow_inserts`
      assert.isTrue(slow?.called)
      yield* assertEqualsTruth(simulation)
    }),
  )
})
