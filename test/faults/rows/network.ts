import { Effect } from "effect"
import { pause } from "#src/platform/embedded/waiting.ts"
import type { Manner } from "#test/webhooks/support/faultProxy.ts"
import { ofAllWorkers } from "../support/inFlight.ts"
import type { Row } from "../support/Row.ts"

const lastsMillis = 10_000
const stores = ["postgres", "redis"] as const
type Store = (typeof stores)[number]
const names: Readonly<Record<Store, string>> = { postgres: "Postgres", redis: "Redis" }

const broken = (store: Store, how: string, manner: Manner, argument: number, more: Partial<Row>): Row => ({
  name: `the network to ${names[store]} ${how} for 10 s`,
  within: 30,
  mayRepeat: ofAllWorkers,
  fault: ({ network }) =>
    Effect.gen(function* () {
      yield* network[store].become(manner, argument)
      yield* pause(lastsMillis)
      yield* network[store].become("pass")
    }),
  ...more,
})

const rowsOf = (store: Store): ReadonlyArray<Row> => {
  const tells = { guilty: store, innocent: store === "postgres" ? "redis" : "postgres" }
  return [
    broken(store, "resets every connection", "cut", 0, { tells }),
    broken(store, "swallows everything", "black-hole", 0, { tells }),
    broken(store, "loses every answer", "lose-answers", 0, { tells }),
    broken(store, "delays every packet by 50 ms", "delay", 50, {}),
  ]
}

/** The network between the service and its stores fails. */
export const networkFaults: ReadonlyArray<Row> = stores.flatMap(rowsOf)
