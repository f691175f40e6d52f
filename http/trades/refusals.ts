import { Effect } from "effect"
import type { ExportFailure } from "#src/trades/Exports.ts"
import { type ExportsBusy, impossible } from "#src/trades/model.ts"
import { errorResponse, Unavailable, unavailable } from "../server/errors.ts"

const storeFailed = unavailable("trades")

const retryHeader = { "retry-after": "10" }
const tryAgain = (error: string) => errorResponse(503, { error, hint: "Try again in 10 seconds." }, retryHeader)

/** As many exports are running as the account or the server may run. */
export const tooManyExports = ({ whose, most }: ExportsBusy) => {
  if (whose === "server") return tryAgain(`This server has reached its limit of ${most} concurrent exports.`)
  if (whose === "all") return tryAgain(`Running exports hold ${most} bytes. New ones start when they hold less.`)
  return errorResponse(
    429,
    {
      error: `The account has reached its limit of ${most} concurrent exports.`,
      scope: "exports",
      limit: most,
      hint: "Wait until one of them has finished.",
    },
    retryHeader,
  )
}

/** The export failed before it started. */
export const noExport = (error: Exclude<ExportFailure, ExportsBusy> | { readonly _tag: "SqlError" }) => {
  if (error._tag === "SharedRunNotStarted") {
    const seconds = Math.ceil(error.waitedMillis / 1000)
    return Effect.fail(
      new Unavailable({
        error: `No worker started this export within ${seconds} seconds.`,
        hint: "All workers are busy, or none is running. Try again in a minute.",
      }),
    )
  }
  if (error._tag !== "SharedRunFailed") return storeFailed(error)
  const words = impossible[error.reason as keyof typeof impossible] as string | undefined
  return words === undefined
    ? storeFailed(error)
    : Effect.fail(new Unavailable({ error: words, hint: "Try again later." }))
}
