import { Clock, Effect } from "effect"
import { type Address, addressOf } from "#src/copy-pnl/model.ts"
import type { Question } from "#src/copy-pnl/reports/model.ts"
import type { ReportFailure, Reports } from "#src/copy-pnl/reports/Reports.ts"
import { HistoryMissing } from "#src/ledger/historyIsIn.ts"
import type { NoPlace } from "#src/limits/Places.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { BadInput, errorResponse, Unavailable } from "../errors.ts"
import { CurrentCaller } from "../middleware/Gate.ts"
import { readAddresses } from "./input.ts"
import { questionOf, shownReport } from "./report.ts"
import { mostInBatch, mostTrades, mostTradesEach } from "./shapes.ts"
import { readWindow } from "./window.ts"

const again = "Try again in a few seconds."
const later = "Scores are possible when all of it is there: /v1/status says how far it is."

const notWorkedOut = (error: ReportFailure) =>
  Effect.andThen(
    Effect.logWarning(`copy-pnl on demand: ${describe(error)}`),
    new Unavailable({
      error: `The score could not be worked out: ${reasonOf(error)}.`,
      hint: isHistoryMissing(error) ? later : again,
    }),
  )

/** To an account that waits for as many as it may. */
export const tooManyAtATime = ({ most }: NoPlace) =>
  errorResponse(
    429,
    {
      error: `The account has ${most} requests for scores under way, as many as it may have at a time.`,
      scope: "copy-pnl-on-demand",
      limit: most,
      hint: "Wait until one of them is answered.",
    },
    { "retry-after": "5" },
  )

const isHistoryMissing = (error: ReportFailure) =>
  error._tag === "FlightFailed" && error.reason === new HistoryMissing().message

/** What the store itself says is for the operator. */
const reasonOf = (error: ReportFailure) => {
  if (isHistoryMissing(error)) return "the history is still being read"
  return error._tag === "FlightNotTaken" || error._tag === "ReportLate" || error._tag === "FlightLost"
    ? error.message
    : "the workers could not do it"
}

const readWallet = (text: string): Effect.Effect<Address, BadInput> => {
  const wallet = addressOf(text)
  return wallet === undefined
    ? Effect.fail(
        new BadInput({ error: "Invalid wallet address: expected 0x and 40 hexadecimal digits.", param: "wallet" }),
      )
    : Effect.succeed(wallet)
}

interface AskedOne {
  readonly wallet: string
  readonly period?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly withTrades: boolean
}

const outcomesOf = (reports: Reports["Service"], question: Question) =>
  Effect.flatMap(CurrentCaller, ({ account }) => reports.ask(account, question)).pipe(
    Effect.catch(
      (error): Effect.Effect<never, NoPlace | Unavailable> =>
        error._tag === "NoPlace" ? Effect.fail(error) : notWorkedOut(error),
    ),
  )

export const scoreOne = Effect.fnUntraced(function* (reports: Reports["Service"], asked: AskedOne) {
  const wallet = yield* readWallet(asked.wallet)
  const window = yield* readWindow(asked, yield* Clock.currentTimeMillis, "param")
  const question = questionOf([wallet], window, asked.withTrades ? mostTrades : 0)
  const [outcome] = yield* outcomesOf(reports, question)
  if (outcome?._tag === "Report") return shownReport(outcome, window, asked.withTrades)
  return yield* new Unavailable({ error: outcome?.reason ?? "no_score", hint: "Ask for a shorter window." })
})

export const scoreBatch = Effect.fnUntraced(function* (
  reports: Reports["Service"],
  body: Readonly<Record<string, unknown>>,
) {
  const wallets = yield* readAddresses(body, mostInBatch, `At most ${mostInBatch} wallets per request.`)
  const { include_trades = false } = body
  if (typeof include_trades !== "boolean")
    return yield* new BadInput({ error: 'Field "include_trades": expected true or false.', field: "include_trades" })
  const window = yield* readWindow({ from: body["from"], to: body["to"] }, yield* Clock.currentTimeMillis, "field")
  const question = questionOf(wallets, window, include_trades ? mostTradesEach : 0)
  const outcomes = yield* outcomesOf(reports, question)
  return {
    count: wallets.length,
    scored: outcomes.filter(({ _tag }) => _tag === "Report").length,
    wallets: outcomes.map((outcome) =>
      outcome._tag === "Report"
        ? shownReport(outcome, window, include_trades)
        : { wallet: outcome.wallet, error: outcome.reason },
    ),
  }
})
