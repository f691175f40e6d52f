import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"
import { ChainNode, type PendingMatch } from "#src/upstream/chain/ChainNode.ts"
import { eventually } from "#test/support/eventually.ts"
import { sharedVenue, venueShared } from "#test/support/sharedVenue.ts"
import { runningVenue } from "#test/support/venue.ts"
import { metric } from "#test/ws/support/gateway.ts"
import { fault, nodeAt } from "./chain/nodes.ts"

const second = 1_000

const listen = Effect.gen(function* () {
  const received: Array<PendingMatch> = []
  const { pending } = yield* ChainNode
  yield* Effect.forkScoped(Stream.runForEach(pending, (match) => Effect.sync(() => received.push(match))))
  return received
})

/** Matches since a transaction that the mempool shows in full. */
const matchesSince = ({ chain, logs, model }: Simulation, first: number) => {
  const { facts } = model.world
  return Array.from({ length: facts.length - first }, (_, i) => first + i)
    .filter((tx) => facts.kind.get(tx) === TxKind.match && logs.exchangeOf(tx).generation > 1)
    .map((tx) => chain.transactionHash(tx).slice(2))
}

const source = (name: string) => metric("presage_chain_pending_source", { source: name })

/** A venue whose node has this profile, and what is heard from it. */
const heardFrom = Effect.fnUntraced(function* (profile: object, flags: Record<string, string> = {}) {
  const { url, simulation } = yield* sharedVenue
  simulation.freeze()
  yield* fault(url, { upstream: "rpc", channel: "socket", ...profile })
  return { url, simulation, received: yield* Effect.provide(listen, nodeAt(url, flags)) }
})

const advanceUntil = (what: string, simulation: Simulation, holds: Effect.Effect<boolean>) =>
  eventually(
    what,
    Effect.andThen(
      Effect.sync(() => simulation.advance(second)),
      holds,
    ),
  )

layer(venueShared(91), { excludeTestServices: true })("Pending matches of nodes that differ (A11)", (it) => {
  for (const kind of ["alchemy-free", "chainstack", "bor"]) {
    it.effect(`A11: arrive from ${kind} by its own subscription`, () =>
      Effect.gen(function* () {
        const { simulation, received } = yield* heardFrom({ kind })
        yield* advanceUntil(
          "the first match",
          simulation,
          Effect.sync(() => received.length > 0),
        )
        const before = simulation.model.world.facts.length
        simulation.advance(30 * second)
        const expected = matchesSince(simulation, before)
        assert.isAbove(expected.length, 20)
        yield* eventually(
          "all of them",
          Effect.sync(() => received.some(({ tx }) => tx === expected.at(-1))),
        )
        const heard = new Set(received.map(({ tx }) => tx))
        assert.deepStrictEqual(
          expected.filter((tx) => !heard.has(tx)),
          [],
        )
        assert.strictEqual(yield* source("bodies"), 1)
      }),
    )
  }

  it.effect("A11: are said to be missing when the node sends hashes only", () =>
    Effect.gen(function* () {
      const { simulation, received } = yield* heardFrom({ kind: "drpc-free" })
      yield* advanceUntil(
        "that hashes are noticed",
        simulation,
        Effect.map(source("hashes"), (value) => value === 1),
      )
      assert.isEmpty(received)
    }),
  )

  it.effect("A11: are said to be missing without a socket", () =>
    Effect.gen(function* () {
      const { url } = yield* sharedVenue
      const flags = { upstream: "polymarket", "upstream.rpc-url": `${url}/rpc` }
      yield* Effect.provide(listen, nodeAt(url, flags))
      yield* eventually(
        "the reason",
        Effect.map(source("no-socket"), (value) => value === 1),
      )
    }),
  )

  it.effect("go on when publicnode closes the socket without notice", () =>
    Effect.gen(function* () {
      const { url, simulation, received } = yield* heardFrom({ kind: "publicnode", messages: 20 })
      yield* advanceUntil(
        "more matches than one connection sends",
        simulation,
        Effect.sync(() => received.length > 60),
      )
      const { faults } = yield* Effect.promise(
        async () => (await (await fetch(`${url}/_sim/faults`)).json()) as { faults: ReadonlyArray<{ hits: number }> },
      )
      assert.isAbove(faults[0]?.hits ?? 0, 60)
    }),
  )

  it.effect("arrive from the next node when the first one sends hashes only", () =>
    Effect.gen(function* () {
      const whole = yield* sharedVenue
      whole.simulation.freeze()
      const hashes = yield* runningVenue(95)
      hashes.simulation.freeze()
      yield* fault(hashes.url, { upstream: "rpc", channel: "socket", kind: "drpc-free" })
      const sockets = [hashes.url, whole.url].map((url) => `${url.replace("http", "ws")}/rpc`).join(",")
      const received = yield* Effect.provide(listen, nodeAt(whole.url, { "upstream.rpc-socket-url": sockets }))
      yield* advanceUntil(
        "a match of the second node",
        whole.simulation,
        Effect.sync(() => {
          hashes.simulation.advance(second)
          return received.length > 0
        }),
      )
    }),
  )
})
