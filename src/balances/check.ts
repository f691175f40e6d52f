import { Effect } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import * as BalancesStore from "./BalancesStore.ts"
import { compareBalances } from "./compare.ts"
import { describeDifference, describeFigures } from "./describe.ts"
import type { CheckResult } from "./model.ts"
import { balancesWallets } from "./settings.ts"

const maxSamples = 10

const notCompared = (problem: string): CheckResult => ({
  block: null,
  wallets: 0,
  compared: 0,
  differences: 0,
  samples: [],
  problem,
})

/** The messages of upstreams may contain addresses, which callers of the API must not see. */
const nodeFailed = (failure: { readonly message: string }) =>
  Effect.as(
    Effect.logWarning(`balances were not compared: ${failure.message}`),
    notCompared("the node did not answer; see the log"),
  )

/** Compares balances with the node and stores the result. */
export const checkBalances = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const wallets = (yield* Configuration).get(balancesWallets)
  if (wallets === 0) return
  const result = yield* compareBalances(wallets).pipe(
    Effect.map(
      ({ differences, ...compared }): CheckResult => ({
        ...compared,
        differences: differences.length,
        samples: differences.slice(0, maxSamples),
        problem: null,
      }),
    ),
    Effect.catchTags({
      NotComparable: ({ message }) => Effect.succeed(notCompared(message)),
      StateUnavailable: ({ message }) => Effect.succeed(notCompared(message)),
      UpstreamFailure: nodeFailed,
      RpcRefusal: nodeFailed,
    }),
  )
  yield* BalancesStore.saveResult(sql, result)
  if (result.differences === 0) return
  yield* Effect.logError([describeFigures(result), ...result.samples.map(describeDifference)].join("; "))
})
