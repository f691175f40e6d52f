import type { AddressInfo } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { WebSocketServer } from "ws"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"
import { type BlockHeader, ChainNode, type PendingFill, type PendingMatch } from "#src/upstream/chain/ChainNode.ts"
import { exchanges } from "#src/upstream/chain/contracts.ts"
import { eventually } from "#test/support/eventually.ts"
import { sharedVenue, venueShared } from "#test/support/sharedVenue.ts"
import { fault, nodeAt, noFaults } from "./chain/nodes.ts"

const quick = { "upstream.rpc.poll-every": "50ms", "upstream.rpc.heads-silent-after": "1s" }
const second = 1_000

/** Runs an effect with services that stay open as long as the scope. */
const using = <A, E, R, S, E2, R2>(services: Layer.Layer<S, E2, R2>, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Layer.build(services), (built) => Effect.provide(work, built))

/** Collects new blocks while the scope is open. */
const listen = Effect.gen(function* () {
  const received: Array<BlockHeader> = []
  const { heads } = yield* ChainNode
  yield* Effect.forkScoped(Stream.runForEach(heads, (header) => Effect.sync(() => received.push(header))))
  return received
})

const isNewest = (simulation: Simulation, received: ReadonlyArray<BlockHeader>) =>
  Effect.sync(() => {
    const { number, hash } = received.at(-1) ?? {}
    return number === simulation.head && `0x${hash}` === simulation.chain.hashOf(simulation.head)
  })

/** Whether blocks arrive one by one, as only a socket sends them: polls return the newest of several. */
const arriveSingly = (simulation: Simulation, received: ReadonlyArray<BlockHeader>) =>
  Effect.gen(function* () {
    const count = received.length
    const top = simulation.head
    simulation.advance(6 * second)
    yield* Effect.timeoutOption(eventually("the newest block", isNewest(simulation, received)), "1 second")
    const news = received.slice(count).map(({ number }) => number)
    return news[0] === top + 1 && news.length === simulation.head - top
  })

/** A socket server that sends given messages to all clients. */
const talkingSocket = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0 })
    await new Promise<void>((resolve) => server.once("listening", resolve))
    const { port } = server.address() as AddressInfo
    const send = (text: string) => {
      for (const client of server.clients) client.send(text)
    }
    return { server, send, address: `ws://127.0.0.1:${port}/` }
  }),
  ({ server }) =>
    Effect.sync(() => {
      for (const client of server.clients) client.terminate()
      server.close()
    }),
)

layer(venueShared(51, { rate: 4 }), { excludeTestServices: true })("New blocks", (it) => {
  it.effect("arrive one by one over the socket, restart after a reorganisation, and are not repeated", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      simulation.freeze()
      const received = yield* using(nodeAt(url, { "upstream.rpc.heads-silent-after": "1m" }), listen)
      yield* eventually("the first block without waiting for a new one", isNewest(simulation, received))
      yield* eventually("the socket", arriveSingly(simulation, received))
      yield* fault(url, { upstream: "rpc", channel: "socket", kind: "duplicate" })
      const count = received.length
      const top = simulation.head
      simulation.reorg(4)
      simulation.advance(4 * second)
      yield* eventually("the new branch", isNewest(simulation, received))
      const numbers = Array.from({ length: simulation.head - top + 4 }, (_, i) => top - 3 + i)
      assert.deepStrictEqual(
        received.slice(count),
        numbers.map((number) => ({
          number,
          hash: simulation.chain.hashOf(number).slice(2),
          parentHash: simulation.chain.hashOf(number - 1).slice(2),
          at: simulation.model.world.clock.timestampOf(number) * 1000,
        })),
      )
    }),
  )

  it.effect("are polled without a socket", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      simulation.freeze()
      // A real node without a socket.
      const flags = { ...quick, upstream: "polymarket", "upstream.rpc-url": `${url}/rpc` }
      const received = yield* using(nodeAt(url, flags), listen)
      for (let i = 0; i < 3; i++) {
        simulation.advance(4 * second)
        yield* eventually("the newest block", isNewest(simulation, received))
      }
      simulation.reorg(1)
      yield* eventually("another block instead of the newest", isNewest(simulation, received))
    }),
  )

  it.effect("are requested at once when the socket sends malformed messages or refuses the subscription", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const refusal = { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "no such subscription" } }
      const malformed = {
        jsonrpc: "2.0",
        method: "eth_subscription",
        params: { subscription: "0x1", result: { number: 7 } },
      }
      for (const message of [malformed, refusal]) {
        const { address, send } = yield* talkingSocket
        // Too long to help.
        const flags = { "upstream.rpc.heads-silent-after": "5m", "upstream.rpc.poll-every": "1m" }
        const received = yield* using(nodeAt(url, { ...flags, "upstream.rpc-socket-url": address }), listen)
        yield* eventually("the first block", isNewest(simulation, received))
        simulation.advance(4 * second)
        yield* eventually(
          "the newest block",
          Effect.andThen(
            Effect.sync(() => send(JSON.stringify(message))),
            isNewest(simulation, received),
          ),
        )
      }
    }),
  )

  it.effect("are polled while the socket fails in any way, and arrive over it again afterwards", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      simulation.freeze()
      const received = yield* using(nodeAt(url, quick), listen)
      yield* eventually("the socket", arriveSingly(simulation, received))
      for (const kind of ["down", "refuse", "silent", "garbage", "truncated", "wrong_types"]) {
        yield* fault(url, { upstream: "rpc", channel: "socket", kind })
        for (let i = 0; i < 3; i++) {
          simulation.advance(4 * second)
          yield* eventually(`the newest block while the socket is ${kind}`, isNewest(simulation, received))
        }
        yield* noFaults(url)
        yield* eventually(`the socket after it was ${kind}`, arriveSingly(simulation, received))
      }
    }),
  )
})

/** The hash covers all signed fields, of which the simulator's books have only some. */
const withoutHashes = (match: PendingMatch): PendingMatch => {
  const without = (fill: PendingFill) => ({ ...fill, orderHash: "" })
  return { ...match, taker: without(match.taker), makers: match.makers.map(without) }
}

/** A match according to the simulator's books. */
const matchOf = ({ chain, logs, model: { world, wallets, builders } }: Simulation, act: number): PendingMatch => {
  const { facts, venue } = world
  const { address, generation } = logs.exchangeOf(act)
  const fills = Array.from({ length: facts.fillCount.get(act) }, (_, i) => {
    const fill = facts.firstFill.get(act) + i
    const wallet = wallets[facts.maker.get(fill)]
    return {
      orderHash: "",
      maker: wallet?.address.slice(2) ?? "",
      signer: (wallet?.kind === "deposit" ? wallet.address : wallet?.owner)?.slice(2) ?? "",
      side: facts.side.get(fill) === 0 ? ("buy" as const) : ("sell" as const),
      token: venue.tokens[facts.fillToken.get(fill)]?.hex ?? "",
      shares: facts.shares.get(fill),
      usd: facts.usd.get(fill),
      fee: facts.fee.get(fill),
      builder: builders[facts.builder.get(fill) - 1]?.code.slice(2),
    }
  })
  const taker = fills.at(-1)
  if (taker === undefined) throw new Error("a match without fills")
  return {
    tx: chain.transactionHash(act).slice(2),
    exchange: address.slice(2),
    generation,
    condition: venue.markets[facts.market.get(act)]?.conditionId.slice(2) ?? "",
    taker,
    makers: fills.slice(0, -1),
  }
}

/** Matches since an act. */
const matchesSince = (simulation: Simulation, act: number): ReadonlyArray<PendingMatch> => {
  const { facts } = simulation.model.world
  return Array.from({ length: facts.length - act }, (_, i) => act + i)
    .filter((each) => facts.kind.get(each) === TxKind.match)
    .map((each) => matchOf(simulation, each))
}

const listenPending = Effect.gen(function* () {
  const received: Array<PendingMatch> = []
  const { pending } = yield* ChainNode
  yield* Effect.forkScoped(Stream.runForEach(pending, (match) => Effect.sync(() => received.push(match))))
  return received
})

layer(venueShared(54), { excludeTestServices: true })("Pending matches", (it) => {
  it.effect("arrive before their block, with the expected fill of every order", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      simulation.freeze()
      const received = yield* using(nodeAt(url), listenPending)
      const connected = Effect.sync(() => {
        simulation.advance(second)
        return received.length > 0
      })
      yield* eventually("the first match", connected)
      const before = simulation.model.world.facts.length
      simulation.advance(30 * second)
      const expected = matchesSince(simulation, before)
      const names = new Set(expected.map(({ tx }) => tx))
      assert.isAbove(expected.length, 20)
      yield* eventually(
        "all of them",
        Effect.sync(() => received.some(({ tx }) => tx === expected.at(-1)?.tx)),
      )
      assert.deepStrictEqual(received.filter(({ tx }) => names.has(tx)).map(withoutHashes), expected)
      assert.isTrue(received.every(({ exchange }) => exchanges.has(exchange)))
      assert.isTrue(received.some(({ makers }) => makers.length > 1))
    }),
  )

  it.effect("are correct or missing while the socket sends malformed messages, and complete afterwards", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      simulation.freeze()
      const received = yield* using(nodeAt(url), listenPending)
      const hear = (what: string) => {
        const count = received.length
        return eventually(
          what,
          Effect.sync(() => {
            simulation.advance(second)
            return received.length > count
          }),
        )
      }
      yield* hear("the first match")
      const before = simulation.model.world.facts.length
      for (const [kind, share] of [
        ["wrong_types", 0.5],
        ["truncated", 0.5],
        ["garbage", 0.5],
        ["disconnect", 0.05],
      ] as const) {
        yield* fault(url, { upstream: "rpc", channel: "socket", kind, share })
        for (let i = 0; i < 5; i++) yield* hear(`a match in spite of ${kind}`)
        yield* noFaults(url)
      }
      yield* hear("matches again")
      const truth = new Map(matchesSince(simulation, before).map((match) => [match.tx, match]))
      const later = received.filter(({ tx }) => truth.has(tx))
      assert.isAbove(later.length, 20)
      for (const match of later) assert.deepStrictEqual(withoutHashes(match), truth.get(match.tx))
    }),
  )
})
