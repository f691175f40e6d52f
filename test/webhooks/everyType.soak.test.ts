import { assert, layer } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Layer } from "effect"
import { webhooksDeliver } from "#actors/webhooksDeliver.ts"
import { webhooksPoll } from "#actors/webhooksPoll.ts"
import { webhooks as duties } from "#schedulers/webhooks.ts"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { keepDuties } from "#src/mesh/keepDuties.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pollerNames } from "#src/webhooks/contracts.ts"
import { type WebhookEventType, webhookEventTypes } from "#src/webhooks/model.ts"
import { envelopeJsonSchema } from "#src/webhooks/payloadSchemas.ts"
import { Polling } from "#src/webhooks/polling/Polling.ts"
import { becomesSame, followedVenue, loaded } from "#test/catalogue/support/follower.ts"
import { caughtUp, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { assertEqualsTruth } from "#test/ledger/support/truth.ts"
import { eventually } from "#test/support/eventually.ts"
import { figures } from "#test/support/processes/scale.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { deliveriesByStatus, hook, insecure, making, openAccount } from "./support/hooks.ts"
import { envelopeOf } from "./support/ledger.ts"
import { receiver } from "./support/receiver.ts"
import { headerOf, isSignedBy } from "./support/verifier.ts"
import { wishesFor } from "./support/world/choices.ts"
import { allFacts } from "./support/world/facts.ts"
import { marketTruths } from "./support/world/markets.ts"
import { type Data, venueNames } from "./support/world/names.ts"
import { positionTruth } from "./support/world/positions.ts"
import { statefulTruths } from "./support/world/stateful.ts"
import { type Epoch, statelessTruths, type Truth } from "./support/world/stateless.ts"

/**
 * With these seeds, every kind of event happens in four steps of so many milliseconds. No trade is in a market that is
 * listed meanwhile: the catalogue may not have read it when the trade is delivered.
 */
const { seed, rate, step } =
  process.env.PRESAGE_SOAK === "1" ? { seed: 98, rate: 2, step: 90_000 } : { seed: 373, rate: 1, step: 60_000 }
const confirmations = 3
/** A whole venue and its followers in one process. */
const patience = 600_000

const flags = {
  "event-log.retention": "3650d",
  "webhooks.confirmations": String(confirmations),
  "catalogue.news-every": "2s",
  "catalogue.sweep-every": "20s",
  "catalogue.page": "500",
  // A tick that is cut off begins again, so on a busy machine it would never end.
  "webhooks-poll.budget": "10m",
  "webhooks-poll.lock": "1m",
  // An attempt that a busy machine is too slow for is made again after minutes, and those of a slow host wait for minutes.
  "webhooks.deadline": "1m",
  "webhooks.slow": "1m",
  "webhooks.in-flight": "64",
  "webhooks-deliver.lock": "1m",
  ...insecure.flags,
  ...Object.fromEntries(duties.map(({ every }) => [every.name, "3s"])),
}

/** A condition that is too expensive to be checked all the time. */
const unhurried = Effect.delay("200 millis")

const services = Layer.merge(making, Enrichment.layer).pipe(Layer.provideMerge(testFoundation(flags)))

/** Its connections time out while a busy process builds a world, and then it never runs a job. */
const worker = Layer.mergeAll(webhooksPoll, webhooksDeliver, keepDuties(duties)).pipe(Layer.provide(Polling.layer))

/** Every poller has delivered what is confirmed. */
const drained = Effect.fnUntraced(function* (head: number) {
  const { sql } = yield* Postgres
  // Events outside blocks are delivered up to here.
  const last = yield* (yield* EventLog).head
  const arrived = sql<{ count: number }>`
    select count(*)::int as count from webhook_cursor
    where block >= ${head - confirmations}::int and (poller not like 'market%' or seq >= ${last})`
  yield* eventually(
    "everything is written and sent",
    Effect.map(
      unhurried(Effect.zip(arrived, deliveriesByStatus)),
      ([[row], { pending = 0 }]) => row?.count === pollerNames.length && pending === 0,
    ),
    "60 seconds",
  )
})

/** As one string, independent of the order of fields. */
const textOf = (data: unknown): string =>
  JSON.stringify(data, (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )

const ajv = new Ajv2020({ strict: false })
const documents = new Map(webhookEventTypes.map((type) => [type as string, ajv.compile(envelopeJsonSchema(type))]))

layer(services, { excludeTestServices: true })("Webhooks of every event type", (it) => {
  it.effect(
    "receive exactly what the venue did, once each, through reorganisations",
    () =>
      Effect.gen(function* () {
        const { url, simulation, following, catalogue } = yield* followedVenue(seed, { rate })
        simulation.settle()
        yield* Effect.gen(function* () {
          const follower = yield* startFollower
          yield* caughtUp(simulation, follower)
          yield* Layer.build(following)
          yield* loaded
          const listed = catalogue()
          yield* becomesSame(listed, "60 seconds")
          const endpoints = yield* receiver()
          yield* Layer.build(worker)
          const account = yield* openAccount()
          yield* drained(simulation.head)
          const names = venueNames(simulation)
          const wishes = wishesFor(simulation, seed, 4 * step)
          const hooks = yield* Effect.forEach(wishes, ({ types, filters }, place) =>
            Effect.map(hook(account, endpoints.url(`/ok/${place}`), types, { ...filters }), (made) => ({
              ...made,
              types,
            })),
          )
          const begin = simulation.head

          const live = Effect.fnUntraced(function* (millis: number) {
            simulation.advance(millis)
            yield* caughtUp(simulation, follower)
          })
          const epoch = Effect.fnUntraced(function* (from: number) {
            const upTo = simulation.head - confirmations
            const until = simulation.model.world.clock.timestampOf(upTo) * 1000
            return { facts: yield* allFacts(upTo), from, until } satisfies Epoch
          })
          yield* live(step)
          // No deeper than the unconfirmed blocks: nothing is delivered.
          simulation.reorg(confirmations)
          yield* live(step)
          yield* drained(simulation.head)
          const before = yield* epoch(begin)
          // Deep enough to retract delivered events, which recur.
          const fork = simulation.head - 8
          simulation.reorg(8)
          yield* live(step)
          simulation.reorg(1)
          yield* live(step)
          simulation.settle()
          yield* caughtUp(simulation, follower)
          yield* becomesSame(catalogue(), "60 seconds")
          yield* drained(simulation.head)
          const epochs = [before, yield* epoch(fork)]

          const markets = marketTruths(simulation, names, listed, catalogue())
          const { truths, tradeData } = statelessTruths(simulation, names)
          const reported: Partial<Record<WebhookEventType, Truth>> = {
            ...truths,
            ...statefulTruths(names, tradeData),
            position_status_change: positionTruth(names),
          }
          const expectedOf = (
            type: WebhookEventType,
            filters: (typeof wishes)[number]["filters"],
          ): ReadonlyArray<Data> => {
            if (type === "market_created") return markets.created(filters)
            if (type === "market_resolved") return markets.resolved(filters)
            return (reported[type]?.(epochs, filters) ?? []).map(({ data }) => data)
          }
          const came = Map.groupBy(
            endpoints.received().map((each) => ({ ...each, envelope: envelopeOf(each) })),
            (each) => headerOf(each, "x-webhook-id"),
          )
          const counts: Record<string, number> = {}
          const wrong: Array<string> = []
          for (const { id, secret, types, filters } of hooks) {
            const received = came.get(id) ?? []
            assert.strictEqual(new Set(received.map(({ envelope }) => envelope.id)).size, received.length)
            for (const each of received) {
              const { envelope } = each
              assert.isTrue(isSignedBy(each, secret))
              assert.strictEqual(headerOf(each, "x-webhook-event"), envelope.type)
              const isDocumented = documents.get(envelope.type)
              if (isDocumented?.(envelope) !== true)
                wrong.push(`${envelope.type}: ${ajv.errorsText(isDocumented?.errors)}`)
            }
            for (const type of types) {
              const ours = received.map(({ envelope }) => envelope).filter((each) => each.type === type)
              const expected = expectedOf(type, filters)
              counts[type] = (counts[type] ?? 0) + expected.length
              const left = new Set(expected.map(textOf))
              const extra = ours.filter(({ data }) => !left.delete(textOf(data)))
              if (expected.length !== ours.length || extra.length + left.size > 0)
                wrong.push(
                  `${type} ${JSON.stringify(filters).slice(0, 200)}: expected ${expected.length}, received ${ours.length}`,
                  ...extra.slice(0, 2).map(({ data }) => `  not expected: ${textOf(data)}`),
                  ...[...left].slice(0, 2).map((text) => `  not received: ${text}`),
                )
            }
          }
          figures("webhooks of every type", { seed, webhooks: hooks.length, ...counts })
          assert.deepStrictEqual(wrong, [])
          for (const type of webhookEventTypes) assert.isAbove(counts[type] ?? 0, 0, type)
          yield* assertEqualsTruth(simulation)
        }).pipe(Effect.provide(nodeAt(url)))
      }),
    patience,
  )
})
