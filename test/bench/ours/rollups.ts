import { Layer, ManagedRuntime } from "effect"
import { advanceBuilders } from "#src/builders/advance.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { refreshMarketStats } from "#src/market-stats/refresh.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { advanceRollups } from "#src/rollups/advance.ts"
import { expose } from "../support/expose.ts"
import type { RollupsSubject } from "../support/v3.ts"
import { configuration } from "./foundation.ts"

const runtime = ManagedRuntime.make(foundation.pipe(Layer.provideMerge(configuration())))

const secondsOf = async (work: Parameters<typeof runtime.runPromise>[0]) => {
  const since = performance.now()
  await runtime.runPromise(work)
  return (performance.now() - since) / 1000
}

expose<RollupsSubject>({
  prepare: async () => {
    await runtime.runPromise(refreshLeaderboards)
    return secondsOf(advanceRollups)
  },
  prepareLists: async () => ({
    markets: await secondsOf(refreshMarketStats),
    builders: await secondsOf(advanceBuilders),
  }),
})
