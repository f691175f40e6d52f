import { Effect } from "effect"
import { type ConcurrencyExceeded, makeConcurrencyLimit } from "#src/limits/ConcurrencyLimit.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { pnlPerAccount, pnlPerProcess } from "#src/wallets/settings.ts"
import { CurrentCaller } from "../../middleware/AccessControl.ts"
import { errorResponse } from "../../server/errors.ts"

const busy = ({ scope, limit }: ConcurrencyExceeded) => {
  const isAccount = scope === "account"
  return errorResponse(
    isAccount ? 429 : 503,
    {
      error: "wallet_pnl_busy",
      scope: isAccount ? "v3_pnl_account_concurrency" : "v3_pnl_global_concurrency",
      limit,
      hint: isAccount
        ? `The account has ${limit} answers about P&L in a window in progress. Wait until one has come.`
        : "This server has as many answers about P&L in a window in progress as it may. Try again in a second.",
    },
    { "retry-after": "1" },
  )
}

/** Refuses answers about windows, which read every gain and loss in them, beyond those that may be in progress. */
export const pnlInTurn = Effect.gen(function* () {
  const config = yield* Configuration
  const place = makeConcurrencyLimit<string>()
  return <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const { account } = yield* CurrentCaller
      yield* place(account, { account: config.get(pnlPerAccount), server: config.get(pnlPerProcess) })
      return yield* work
    }).pipe(
      Effect.scoped,
      Effect.catchIf(
        (failure): failure is Extract<typeof failure, ConcurrencyExceeded> =>
          (failure as { readonly _tag?: string })._tag === "ConcurrencyExceeded",
        (failure) => Effect.succeed(busy(failure)),
      ),
    )
})
