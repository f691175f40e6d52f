import { Context, Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import type { Plan } from "#src/domain/Plan.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { askWith, keyOf } from "./keys.ts"
import { serving } from "./serving.ts"

export class Venue extends Context.Service<Venue, Effect.Success<ReturnType<typeof runningVenue>>>()(
  "test/http/search/Venue",
) {}

/** The present, because searches reach back a week from now. */
const genesis = Math.floor(Date.now() / 60_000) * 60_000

/** The API beside a venue whose time stands still. */
export const searchWorld = (
  settings: (url: string) => Record<string, string> = () => ({}),
  logged: Layer.Layer<never> = Layer.empty,
) => {
  const stores = Layer.unwrap(
    Effect.map(Venue, ({ url }) =>
      testFoundation({ port: "0", host: "127.0.0.1", "sim.port": new URL(url).port, ...settings(url) }),
    ),
  )
  return ApiServer.pipe(
    Layer.provideMerge(serving),
    Layer.provide(logged),
    Layer.provideMerge(stores),
    Layer.provideMerge(Layer.effect(Venue, runningVenue(71, { genesis, clock: () => genesis }))),
  )
}

/** A request with a key of its own, so that no limit of a key refuses it. */
export const askOnce = (path: string, plan: Plan = "growth") =>
  Effect.flatMap(keyOf(plan), ({ key }) => askWith(key, path))

interface Control {
  readonly id: string
  readonly faults: ReadonlyArray<{ readonly id: string; readonly hits: number }>
}

const control = (method: string, path: string, body?: object) =>
  Effect.flatMap(Venue, ({ url }) =>
    Effect.promise(async (): Promise<Control> => {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
      const answer = await fetch(`${url}/_sim${path}`, init)
      if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
      return (await answer.json()) as Control
    }),
  )

/** Runs with a fault of an upstream. */
export const during = <A, E, R>(fault: object, work: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    control("POST", "/faults", { channel: "http", ...fault }),
    () => work,
    ({ id }) => control("DELETE", `/faults/${id}`),
  )

/** The result of the work and how many requests the upstream got. */
export const counted = <A, E, R>(upstream: string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { id } = yield* control("POST", "/faults", { upstream, channel: "http", kind: "slow", delay_ms: 0 })
    const result = yield* work
    const { faults } = yield* control("GET", "/faults")
    yield* control("DELETE", `/faults/${id}`)
    return [result, faults.find((fault) => fault.id === id)?.hits] as const
  })

export const engineFails = (engine: string, complaint: string) =>
  control("POST", "/faults/engines", { engine, complaint })

/** Also at times at which the simulated engine would have an outage. */
export const engineWorks = (engine: string) => control("POST", "/faults/engines", { engine })

/** Kinds of faults of an upstream over HTTP. */
export const faultKinds: ReadonlyArray<object> = [
  { kind: "down" },
  { kind: "rate_limited", retry_after_s: 30 },
  { kind: "server_error", status: 500 },
  { kind: "server_error", status: 503 },
  { kind: "slow", delay_ms: 20_000 },
  { kind: "truncated" },
  { kind: "broken" },
  { kind: "html" },
  { kind: "html", status: 403 },
  { kind: "wrong_types" },
  { kind: "clock_skew", skew_ms: 3_600_000 },
]
