import { Effect, Fiber, Layer, ManagedRuntime, Option, Schedule } from "effect"
import { Dictionary } from "#src/ledger/Dictionary.ts"
import { followChain } from "#src/ledger/follow.ts"
import { LedgerStore } from "#src/ledger/LedgerStore.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { answerAs } from "../support/answerAs.ts"
import type { IngestSubject } from "../support/ingest.ts"
import { configuration } from "./foundation.ts"

answerAs<IngestSubject>({
  backfill: async (url, head) => {
    const ledger = Layer.mergeAll(LedgerStore.layer, ChainNode.layer).pipe(
      Layer.provideMerge(Dictionary.layer),
      Layer.provideMerge(Layer.merge(Endpoints.at(url), UpstreamHttp.layer)),
      Layer.provideMerge(foundation),
      Layer.provideMerge(configuration([])),
    )
    const runtime = ManagedRuntime.make(ledger)
    const work = Effect.gen(function* () {
      const store = yield* LedgerStore
      const leases = yield* Leases
      const before = process.memoryUsage().rss
      const since = performance.now()
      const following = yield* Effect.forkChild(followChain(yield* leases.seize("chain-follower")))
      const isThere = Effect.map(store.cursor, (cursor) => Option.isSome(cursor) && cursor.value.block >= head)
      let most = before
      const look = Effect.tap(isThere, () =>
        Effect.sync(() => {
          most = Math.max(most, process.memoryUsage().rss)
        }),
      )
      yield* Effect.raceFirst(
        Effect.repeat(look, { until: (yes) => yes, schedule: Schedule.spaced("100 millis") }),
        Fiber.join(following),
      )
      const seconds = (performance.now() - since) / 1000
      const { sql } = yield* Postgres
      const [row] = yield* sql<{ n: number }>`select count(*)::int as n from fill`
      yield* Fiber.interrupt(following)
      return { fills: row?.n ?? 0, seconds, grownMegabytes: (most - before) / 1024 / 1024 }
    })
    const result = await runtime.runPromise(work)
    await runtime.dispose()
    return result
  },
})
