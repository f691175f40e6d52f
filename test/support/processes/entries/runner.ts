// A cluster runner: steady and failing actors, and sharded entities that it calls on demand.
import { Effect, Layer, Schedule, Schema } from "effect"
import { clusterRunner } from "#src/mesh/Cluster.ts"
import { Stores } from "#src/roles/Stores.ts"
import { onWord, runEntry } from "../entry.ts"
import { Greeter, greeterHandlers } from "../greeter.ts"
import { writer } from "../ledger.ts"
import { report } from "../report.ts"

class Unlucky extends Schema.TaggedError<Unlucky>()("Unlucky", {}) {
  override get message() {
    return "an unlucky number"
  }
}

const troubled = Layer.merge(
  writer("failing", (counter) => (counter === 4 ? Effect.fail(new Unlucky()) : Effect.void)),
  writer("dying", (counter) => (counter === 4 ? Effect.die(new Error("a defect on purpose")) : Effect.void)),
)

const ids = Array.from({ length: Number(process.env.ENTITIES ?? 0) }, (_, i) => `greeter-${i}`)

/** On the line `ask`, calls every entity until it answers. */
const asking = Layer.effectDiscard(
  Effect.gen(function* () {
    const client = yield* Greeter.client
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const ask = (id: string) =>
      client(id)
        .WhoAreYou()
        .pipe(Effect.retry(Schedule.spaced("100 millis")))
    const askAll = Effect.map(Effect.forEach(ids, ask, { concurrency: "unbounded" }), (pids) =>
      report("answers", { pids }),
    )
    onWord((word) => word === "ask" && fork(askAll))
  }),
)

const entities = asking.pipe(Layer.provideMerge(greeterHandlers))
const tenants = { everything: Layer.mergeAll(writer("steady"), troubled, entities), steady: writer("steady") }
const chosen = tenants[process.env.TENANTS as keyof typeof tenants]

runEntry(Layer.provide(chosen, Layer.unwrap(Effect.map(Stores, ({ databaseUrl }) => clusterRunner(databaseUrl)))))
