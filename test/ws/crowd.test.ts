import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Feed } from "#src/feed/Feed.ts"
import type { FeedMessage } from "#src/feed/model.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Dice } from "#src/simulator/random.ts"
import { eventFrame } from "#src/streams/protocol/eventFrame.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import { keyOf } from "#test/http/support/keys.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { eventually } from "#test/support/eventually.ts"
import { figures, seed } from "#test/support/processes/scale.ts"
import { runningVenue } from "#test/support/venue.ts"
import { type Client, connect } from "./support/client.ts"
import { expected, randomSubscription, type World } from "./support/expectedEvents.ts"
import { append, testGateway } from "./support/gateway.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const [crowd, rounds] = isSoak ? [2_000, 8] : [40, 3]

const exchanges = [
  ...(["ctfExchange1", "ctfExchange2", "exchange3"] as const),
  ...(["negRiskExchange1", "negRiskExchange2", "negRiskExchange2Other"] as const),
]

/** Wallets so far, and conditions with both tokens known. */
const worldSoFar = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const wallets = yield* sql<{
    id: string
  }>`select '0x' || encode(address, 'hex') as id from wallet order by id limit 150`
  const tokens = yield* sql<{ token: string; condition: string }>`
    select encode(t.hash, 'hex') as token, '0x' || encode(c.hash, 'hex') as condition
    from token t join condition c on c.id = t.condition
    where t.outcome is not null and 2 = (select count(*) from token o where o.condition = c.id)
    order by c.id, t.outcome`
  const pairs = new Map<string, Array<string>>()
  for (const { token, condition } of tokens) {
    pairs.set(condition, [...(pairs.get(condition) ?? []), BigInt(`0x${token}`).toString()])
  }
  const world: World = {
    pairs,
    wallets: wallets.map(({ id }) => id),
    tokens: new Map(tokens.map(({ token, condition }) => [BigInt(`0x${token}`).toString(), condition])),
    exchanges: new Set(exchanges.map((name) => `0x${address[name]}`)),
  }
  return world
})

const messagesAfter = Effect.fnUntraced(function* (start: number) {
  const feed = yield* Feed
  const messages: Array<FeedMessage> = []
  for (let after = start; ; ) {
    const page = yield* feed.read({ after, limit: 1_000 })
    const last = page.at(-1)
    if (last === undefined) return messages
    for (const entry of page) messages.push(...entry.messages)
    after = last.seq
  }
})

const events = ({ received }: Client) => received.filter(({ data }) => data !== undefined)

const gateway = testGateway(
  { "event-log.retention": "3650d", "ws.message-burst": "1000", "ledger.reorg-depth": "20" },
  undefined,
  followedHistory(71),
)

layer(ledger.pipe(Layer.provideMerge(gateway)), { excludeTestServices: true })("Many clients", (it) => {
  it.effect(
    `each of ${crowd} clients receives exactly its subscribed events, in order and without duplicates`,
    () =>
      Effect.gen(function* () {
        const dice = new Dice(Number(seed) >>> 0)
        const { url, simulation } = yield* runningVenue(71, { rate: isSoak ? 20 : 8 })
        simulation.settle()
        const { key } = yield* keyOf("enterprise")
        yield* Effect.gen(function* () {
          const following = yield* startFollower
          yield* caughtUp(simulation, following)
          const world = yield* worldSoFar
          const start = Number(yield* (yield* EventLog).head)
          const scout = yield* connect(key)
          yield* eventually(
            "the gateway has read the history",
            Effect.map(scout.request({ action: "subscribe", type: "blocks" }, "subscribed"), ({ seq }) => {
              scout.send({ action: "unsubscribe" })
              return seq >= start
            }),
          )
          const clients = yield* Effect.forEach(
            Array.from({ length: crowd }, () =>
              Array.from({ length: dice.pick([1, 1, 2, 3]) }, () => randomSubscription(dice, world)),
            ),
            (subscriptions, index) =>
              Effect.gen(function* () {
                const client = yield* connect(key, index % 5 === 0 ? { compress: "zlib" } : {})
                for (const each of subscriptions) yield* client.request({ action: "subscribe", ...each }, "subscribed")
                return { client, subscriptions }
              }),
            { concurrency: 50 },
          )
          for (let round = 0; round < rounds; round++) {
            simulation.advance(dice.between(3_000, 8_000))
            simulation.settle()
            yield* caughtUp(simulation, following)
          }
          // Sent to every client; retracts nothing.
          const end = yield* append([
            { kind: "reorg", ref: 2_000_000_000n, data: { fork_block: 2_000_000_000, fork_hash: "0x", retracted: [] } },
          ])
          yield* Effect.forEach(clients, ({ client }) =>
            client.until("the end", () => client.received.at(-1)?.["seq"] === end || undefined),
          )
          const messages = yield* messagesAfter(start)
          let deliveries = 0
          for (const { client, subscriptions } of clients) {
            const due = expected(subscriptions, messages, world)
            assert.strictEqual(
              events(client)
                .map(({ seq, type }) => `${seq} ${type}`)
                .join("\n"),
              due.map(({ seq, type }) => `${seq} ${type === "fill" ? "event" : type}`).join("\n"),
              JSON.stringify(subscriptions).slice(0, 2_000),
            )
            assert.deepStrictEqual(events(client).at(0), JSON.parse(JSON.stringify(due.slice(0, 1).map(eventFrame)))[0])
            deliveries += due.length
          }
          const receivedSome = clients.filter(({ client }) => events(client).length > 1).length
          assert.isAbove(receivedSome, crowd / 4)
          figures("crowd", {
            clients: crowd,
            messages: messages.length,
            deliveries,
            "clients with events": receivedSome,
            seed,
          })
        }).pipe(Effect.provide(nodeAt(url)))
      }),
    600_000,
  )
})
