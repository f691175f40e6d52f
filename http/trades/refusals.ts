import { Effect } from "effect"
import type { ExportFailure } from "#src/trades/Exports.ts"
import { type ExportsBusy, impossible } from "#src/trades/model.ts"
import { errorResponse, Unavailable, unavailable } from "../errors.ts"
import { exportForms } from "./chooseForm.ts"

const away = unavailable("trades")

/** To a client that takes none of the forms. */
export const noSuchForm = errorResponse(406, {
  error: "Accept leaves nothing that can be sent.",
  hint: `Allow one of ${Object.values(exportForms).join(", ")}.`,
})

const inAWhile = { "retry-after": "10" }
const tryAgain = (error: string) => errorResponse(503, { error, hint: "Try again in 10 seconds." }, inAWhile)

/** No place for another export. */
export const tooManyExports = ({ whose, most }: ExportsBusy) => {
  if (whose === "server") return tryAgain(`${most} exports are under way, as many as this server sends at a time.`)
  if (whose === "all") return tryAgain(`Exports under way hold ${most} bytes, and none is begun until they hold less.`)
  return errorResponse(
    429,
    {
      error: `The account has ${most} exports under way, as many as it may have at a time.`,
      scope: "exports",
      limit: most,
      hint: "Wait until one of them is over.",
    },
    inAWhile,
  )
}

/** There will be none. */
export const noExport = (error: Exclude<ExportFailure, ExportsBusy> | { readonly _tag: "SqlError" }) => {
  if (error._tag === "FlightNotTaken") {
    const seconds = Math.ceil(error.waitedMillis / 1000)
    return Effect.fail(
      new Unavailable({
        error: `No worker has begun with this export within ${seconds} seconds.`,
        hint: "All are busy, or none is running: try again in a minute.",
      }),
    )
  }
  if (error._tag !== "FlightFailed") return away(error)
  const words = impossible[error.reason as keyof typeof impossible] as string | undefined
  return words === undefined ? away(error) : Effect.fail(new Unavailable({ error: words, hint: "Try again later." }))
}
