import { Effect } from "effect"
import { EventLog } from "#src/mesh/EventLog.ts"
import { poll } from "#src/platform/embedded/waiting.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { isAtHead, judgeLedger } from "./ledger.ts"
import { type Listened, type Listeners, startListeners } from "./listeners.ts"
import { ask, observe } from "./observer.ts"
import { patience } from "./patience.ts"

/** Where everything was when a fault ended. */
interface Mark {
  readonly head: number
  readonly seq: number
}

const settledWithin = 60_000 * patience
const arrivedWithin = 60_000 * patience

/** Decides whether a service is well, and whether it has lost or invented anything. */
export const startJudge = Effect.fnUntraced(function* (service: Listened) {
  const { api, venue } = service
  const listeners: Listeners = yield* startListeners(service)
  const observer = yield* observe(api, listeners.key, venue.url)
  const log = yield* EventLog

  /** The stores may be away still. */
  const mark = poll(
    Effect.gen(function* () {
      return { head: (yield* venue.state).head, seq: Number(yield* log.head) } satisfies Mark
    }).pipe(Effect.catch(() => Effect.undefined)),
    { forMillis: settledWithin, everyMillis: 100 },
  ).pipe(Effect.map((found) => found ?? { head: Number.MAX_SAFE_INTEGER, seq: 0 }))

  const missing = (since: Mark) =>
    Effect.promise(async () => {
      const readiness = await ask<{ readonly status: string; readonly dependencies: object }>(`${api}/readyz`)
      const [status] = observer.status.slice(-1)
      const chain = status?.body?.sources?.find(({ source }) => source === "chain")
      return [
        ...(readiness.status === 200
          ? []
          : [`/readyz: ${(JSON.stringify(readiness.body) ?? "no answer").slice(0, 600)}`]),
        ...(chain?.state === "ok" && Number(chain.details["block"]) > since.head ? [] : ["blocks"]),
        ...(listeners.newestSeq() > since.seq ? [] : ["stream"]),
        ...(listeners.newestTrade() > since.head ? [] : ["webhook"]),
      ]
    })

  return {
    observer,
    listeners,
    mark,
    /** Waits until every part works again; returns what does not, if any. */
    isBack: (since: Mark, withinMillis: number) =>
      Effect.gen(function* () {
        const started = performance.now()
        let last: ReadonlyArray<string> = []
        const found = yield* poll(
          Effect.map(missing(since), (now) => {
            last = now
            return now.length === 0 ? true : undefined
          }),
          { forMillis: withinMillis, everyMillis: 100 },
        )
        return found === undefined
          ? { seconds: undefined, missing: last }
          : { seconds: (performance.now() - started) / 1000, missing: [] }
      }),
    /** Stops the world, compares everything, and lets it go on. */
    compare: Effect.gen(function* () {
      yield* venue.settle
      yield* eventually(
        "the ledger is at the newest block",
        settledWithin,
        Effect.orElseSucceed(isAtHead(venue), () => false),
        200,
      )
      const ofListeners = yield* listeners.judge(arrivedWithin)
      const ofLedger = yield* judgeLedger(venue)
      yield* venue.goOn
      return {
        lost: ofLedger.lost + ofListeners.lost,
        twice: ofLedger.twice + ofListeners.twice,
        repeated: ofListeners.repeated,
        wrong: [...ofLedger.wrong, ...ofListeners.wrong],
      }
    }),
  }
})

export type Judge = Effect.Success<ReturnType<typeof startJudge>>
