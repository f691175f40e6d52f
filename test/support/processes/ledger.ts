import { Effect } from "effect"
import { actor } from "#src/mesh/Actor.ts"
import { type Lease, LeaseLost } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type Report, report } from "./report.ts"

export const ledgerTables = [
  `create table ledger (seq bigint generated always as identity primary key, actor text not null, epoch int not null, counter int not null, pid int not null, at timestamptz not null default clock_timestamp())`,
]

/** The lock is held until COMMIT, so `seq` follows commit order: a late write of an old epoch would be out of order. */
const write = ({ name, epoch, tx }: Lease, counter: number) =>
  Effect.flatMap(Postgres, ({ sql }) =>
    tx(
      Effect.andThen(
        sql`select pg_advisory_xact_lock(hashtext(${name}))`,
        sql`insert into ledger (actor, epoch, counter, pid) values (${name}, ${Number(epoch)}, ${counter}, ${process.pid})`,
      ),
    ),
  )

/** An actor that writes fenced rows 1, 2, 3 … of its epoch until `end` stops it. */
export const writer = <E = never>(name: string, end: (counter: number) => Effect.Effect<void, E> = () => Effect.void) =>
  actor(name, (lease) => {
    const tell = (event: Report<"actor">["event"]) =>
      report("actor", { actor: name, epoch: Number(lease.epoch), event })
    return Effect.gen(function* () {
      tell("started")
      for (let counter = 1; ; counter++) {
        yield* end(counter)
        yield* write(lease, counter)
        if (counter === 1) tell("wrote")
        yield* Effect.sleep("25 millis")
      }
    }).pipe(
      Effect.tapError((error) => Effect.sync(() => tell(error instanceof LeaseLost ? "refused" : "failed"))),
      Effect.onInterrupt(() => Effect.sync(() => tell("ended"))),
    )
  })
