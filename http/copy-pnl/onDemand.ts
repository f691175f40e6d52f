import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import type { Address, ScorePeriod } from "#src/copy-pnl/model.ts"
import type { ReportRequest } from "#src/copy-pnl/reports/model.ts"
import type { ReportFailure, Reports } from "#src/copy-pnl/reports/Reports.ts"
import type { CoverageField } from "#src/ledger/coverage/shape.ts"
import { HistoryIncomplete } from "#src/ledger/historyIsComplete.ts"
import type { ConcurrencyExceeded } from "#src/limits/ConcurrencyLimit.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { CurrentCaller } from "../middleware/AccessControl.ts"
import { allowTime } from "../server/deadline.ts"
import { BadInput, errorResponse, Unavailable, unavailable } from "../server/errors.ts"
import { readAddresses, readWindow } from "./input.ts"
import { questionOf, shownReport } from "./report.ts"
import { maxInBatch, maxTrades, maxTradesEach } from "./shapes.ts"

const retryHint = "Try again in a few seconds."
const historyHint = "Scores are available when the history is complete: /v1/status shows the progress."

const scoreFailed = (error: ReportFailure) =>
  Effect.andThen(
    Effect.logWarning(`copy-pnl on demand failed: ${describe(error)}`),
    new Unavailable({
      error: `The score could not be computed: ${reasonOf(error)}.`,
      hint: isHistoryMissing(error) ? historyHint : retryHint,
    }),
  )

/** The account is waiting for as many scores as it may. */
export const tooManyAtATime = ({ limit }: ConcurrencyExceeded) =>
  errorResponse(
    429,
    {
      error: `The account has reached its limit of ${limit} concurrent score requests.`,
      scope: "copy-pnl-on-demand",
      limit,
      hint: "Wait until one of them is answered.",
    },
    { "retry-after": "5" },
  )

const isHistoryMissing = (error: ReportFailure) =>
  error._tag === "SharedRunFailed" && error.reason === new HistoryIncomplete().message

/** Details of store failures are only logged. */
const reasonOf = (error: ReportFailure) => {
  if (isHistoryMissing(error)) return "the history is still being read"
  return error._tag === "SharedRunNotStarted" || error._tag === "ReportLate" || error._tag === "SharedRunLost"
    ? error.message
    : "the workers failed"
}

interface ScoreRequest {
  readonly wallet: Address
  readonly period?: ScorePeriod | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly withTrades: boolean
  readonly withDepth: boolean
}

const resultsOf = (reports: Reports["Service"], question: ReportRequest) =>
  Effect.gen(function* () {
    const { account } = yield* CurrentCaller
    allowTime(yield* HttpServerRequest, reports.longest())
    return yield* reports.ask(account, question)
  }).pipe(
    Effect.catch(
      (error): Effect.Effect<never, ConcurrencyExceeded | Unavailable> =>
        error._tag === "ConcurrencyExceeded" ? Effect.fail(error) : scoreFailed(error),
    ),
  )

/** What scores are computed from. It is read before them, so that they cover at least that. */
export interface ScoreSource {
  readonly reports: Reports["Service"]
  readonly coverage: Effect.Effect<typeof CoverageField.Type, Unavailable>
}

/** Now, and the time of the newest data. */
const times = (reports: Reports["Service"]) =>
  Effect.all({
    nowMillis: Clock.currentTimeMillis,
    newest: Effect.catch(reports.newestSecond, unavailable("copy-pnl")),
  })

export const scoreOne = Effect.fnUntraced(function* ({ reports, ...source }: ScoreSource, request: ScoreRequest) {
  const window = yield* readWindow(request, yield* times(reports), "param")
  const question = questionOf([request.wallet], window, request.withTrades ? maxTrades : 0, request.withDepth)
  const coverage = yield* source.coverage
  const [result] = yield* resultsOf(reports, question)
  if (result?._tag === "Report") return shownReport(result, window, coverage, request)
  return yield* new Unavailable({ error: result?.reason ?? "no_score", hint: "Request a shorter window." })
})

export const scoreBatch = Effect.fnUntraced(function* (
  { reports, ...source }: ScoreSource,
  body: Readonly<Record<string, unknown>>,
) {
  const wallets = yield* readAddresses(body, maxInBatch, `At most ${maxInBatch} wallets per request.`)
  const { include_trades = false } = body
  if (typeof include_trades !== "boolean")
    return yield* new BadInput({ error: 'Field "include_trades": expected true or false.', field: "include_trades" })
  const window = yield* readWindow({ from: body["from"], to: body["to"] }, yield* times(reports), "field")
  const question = questionOf(wallets, window, include_trades ? maxTradesEach : 0)
  const coverage = yield* source.coverage
  const results = yield* resultsOf(reports, question)
  return {
    count: wallets.length,
    scored: results.filter(({ _tag }) => _tag === "Report").length,
    wallets: results.map((result) =>
      result._tag === "Report"
        ? shownReport(result, window, coverage, { withTrades: include_trades })
        : { wallet: result.wallet, error: result.reason },
    ),
  }
})
