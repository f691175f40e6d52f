import { Effect, Layer, ManagedRuntime } from "effect"
import { ApiServer } from "#http/Server.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { tickPartitions } from "#src/ticks/tickPartitions.ts"
import { serving } from "#test/http/support/serving.ts"
import { expose } from "../support/expose.ts"
import { monitorSelf } from "../support/monitorSelf.ts"
import { dayMillis, days, firstMoment, type TicksSubject } from "../support/ticks.ts"
import { configuration } from "./foundation.ts"
import { listenWithKey } from "./listenWithKey.ts"

/** The production server, with the full path of a request with a key. */
const runtime = ManagedRuntime.make(
  ApiServer.pipe(Layer.provideMerge(serving), Layer.provideMerge(foundation), Layer.provideMerge(configuration())),
)

const fill = Effect.gen(function* () {
  const postgres = yield* Postgres
  const { sql } = postgres
  const dayStarts = Array.from({ length: days }, (_, day) => firstMoment + day * dayMillis)
  yield* tickPartitions(postgres)(dayStarts)
  yield* sql`
    insert into tick (at, received_at, price, bid, ask, feed, source)
    select at, at, price, price - 100000000, price + 100000000, 0, 0 from (
      select ${BigInt(firstMoment)} + second * 1000 as at, 9712345000000 + second * 7919 % 100000007 as price
      from generate_series(0, ${days * 86_400 - 1}) as second
    ) as made`
  // Coverage extends one day further, so that all of these days are complete.
  const from = BigInt(firstMoment / 1000)
  yield* sql`insert into tick_coverage (feed, source, seconds)
    values (0, 0, int8multirange(int8range(${from}, ${from + BigInt((days + 1) * 86_400)})))`
  yield* sql`analyze tick`
})

expose<TicksSubject>({
  fill: () => runtime.runPromise(fill),
  listen: () => runtime.runPromise(listenWithKey),
  ...monitorSelf(),
})
