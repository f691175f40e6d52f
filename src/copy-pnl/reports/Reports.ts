import { createHash } from "node:crypto"
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { makePlaces, type NoPlace } from "#src/limits/Places.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Flights } from "#src/mesh/SharedRuns.ts"
import type { JoinFailure } from "#src/mesh/shared-runs/wait.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { CopyPnlReport } from "../contracts.ts"
import { copyPnlOnDemandTime, copyPnlPerAccount } from "../settings.ts"
import { type Outcome, OutcomeText, type Question } from "./model.ts"

/** How long it may take until a worker begins. */
const boarding = Duration.seconds(10)
/** Beyond the time of the work itself. */
const transport = Duration.seconds(5)

/** It took longer than it may, wherever the time went. */
export class ReportLate extends Schema.TaggedError<ReportLate>()("ReportLate", {}) {
  override get message() {
    return "the workers did not answer in time"
  }
}

export type ReportFailure = JoinFailure | ReportLate

const fromText = Schema.decodeEffect(OutcomeText)
const nameOf = (question: Question) =>
  `copy-pnl:${createHash("sha256").update(JSON.stringify(question)).digest("base64url")}`

/** Scores that somebody waits for. Workers make them; equal questions at the same time are one. */
export class Reports extends Context.Service<
  Reports,
  {
    /** What it may not have at a time is refused. */
    readonly ask: (
      account: AccountId,
      question: Question,
    ) => Effect.Effect<ReadonlyArray<Outcome>, ReportFailure | NoPlace>
  }
>()("presage/copy-pnl/Reports") {
  static readonly layer = Layer.effect(
    Reports,
    Effect.gen(function* () {
      const flights = yield* Flights
      const jobs = yield* Jobs
      const config = yield* Configuration

      const takePlace = makePlaces<AccountId>()

      const ask = Effect.fn("CopyPnl.ask")(function* (account: AccountId, question: Question) {
        yield* takePlace(account, { account: config.get(copyPnlPerAccount) })
        const { next } = yield* flights.join(nameOf(question), {
          start: (flight) => jobs.enqueue(CopyPnlReport, { flight, question }),
          boarding,
        })
        const outcomes: Array<Outcome> = []
        for (let chunk = yield* next; Option.isSome(chunk); chunk = yield* next)
          outcomes.push(yield* Effect.orDie(fromText(chunk.value.toString())))
        return outcomes
      }, Effect.scoped)

      return Reports.of({
        ask: (account, question) => {
          const limit = Duration.sum(Duration.sum(config.get(copyPnlOnDemandTime), boarding), transport)
          return Effect.timeoutOrElse(ask(account, question), {
            duration: limit,
            orElse: () => Effect.fail(new ReportLate()),
          })
        },
      })
    }),
  )
}
