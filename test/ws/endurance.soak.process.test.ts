import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import type { Plan } from "#src/domain/Plan.ts"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName } from "#src/keys/model.ts"
import { pause, poll } from "#src/platform/embedded/waiting.ts"
import { Dice } from "#src/simulator/random.ts"
import { busyMarkets, tokensOf } from "#test/books/busyMarkets.ts"
import { reachesHead } from "#test/ledger/support/frailService.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { figures, seed } from "#test/support/processes/scale.ts"
import { runningVenue } from "#test/support/venue.ts"
import { BookCopy } from "./support/bookCopy.ts"
import {
  busiestWallets,
  differenceOfBooks,
  differenceOfTicks,
  differenceToLog,
  expectsMessage,
  type SubscribedStream,
} from "./support/copyDifferences.ts"
import { EventCopy } from "./support/eventCopy.ts"
import { killableGateways } from "./support/killableGateways.ts"
import { takeOnlyLease } from "./support/onlyLease.ts"
import { ResumingClient } from "./support/resumingClient.ts"
import { TickCopy } from "./support/tickCopy.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const plan = isSoak
  ? { kills: 20, reorgs: 20, restarts: 5, losses: 2, pauseMillis: 8_000 }
  : { kills: 1, reorgs: 2, restarts: 1, losses: 1, pauseMillis: 1_000 }
const recoveryWithin = 60_000
const agreeWithin = 30_000
/** The default in a soak. */
const lease = isSoak ? "24s" : "8s"
/** The lease, twice if the gateway that grants it next is killed just then. */
const leaseWithin = 60_000

type Fault = "kill" | "reorg" | "restart" | "loss"

/** All faults, in an order derived from the seed. */
const faultSequence = (dice: Dice): ReadonlyArray<Fault> => {
  const many = (what: Fault, count: number) => Array.from({ length: count }, () => what)
  const { kills, reorgs, restarts, losses } = plan
  return [...many("kill", kills - 1), ...many("reorg", reorgs), ...many("restart", restarts), ...many("loss", losses)]
    .map((what) => ({ what, at: dice.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ what }) => what)
}

const keyOf = (of: Plan) =>
  Effect.flatMap(Keys, (keys) => Effect.map(keys.open(of, KeyName.make("test")), ({ key }) => Redacted.value(key)))

/** Remaining differences after the client had time to converge, and its protocol violations. */
const problemsOf = <E, R>(name: string, difference: Effect.Effect<string, E, R>, faults: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    let last = ""
    const check = Effect.map(difference, (found) => {
      last = found
      return found === "" ? true : undefined
    })
    yield* poll(check, { forMillis: agreeWithin, everyMillis: 200 })
    return [last, ...faults].filter((text) => text !== "").map((text) => `${name}: ${text}`)
  })

const source = "oracle_data_streams"
const feeds = ["BTC/USD", "ETH/USD"]
/** Filled orders a second. */
const rate = isSoak ? 10 : 4

describe("Clients that resume", () => {
  it.live("end up with exactly the log, the feeds and the venue's books, whatever fails in between", () =>
    Effect.gen(function* () {
      figures("clients through kills", { seed })
      const dice = new Dice(Number(seed) >>> 0)
      const clock = () => Math.floor(performance.timeOrigin + performance.now())
      const { url, simulation } = yield* runningVenue(61, { genesis: undefined, clock, rate })
      const { services, processes, addressOf, kill, redis } = yield* killableGateways(url, { WS_LEASE: lease })

      yield* Effect.gen(function* () {
        const key = yield* keyOf("enterprise")
        const wallets = yield* busiestWallets(3)
        const tokens = tokensOf(simulation, busyMarkets(simulation, 4))
        const streams: Readonly<Record<string, ReadonlyArray<SubscribedStream>>> = {
          fills: [{ type: "fills" }],
          settlements: [{ type: "settlements" }],
          wallets: [{ type: "wallets", filters: { wallets } }],
          stacked: [{ type: "trades" }, { type: "wallets", filters: { wallets } }, { type: "redemptions" }],
        }
        const eventCopies = Object.entries(streams).map(([name, subscriptions]) => ({
          name,
          copy: new EventCopy(subscriptions),
          isExpected: expectsMessage(subscriptions),
        }))
        const ticks = new TickCopy(feeds, source)
        const books = new BookCopy(tokens)
        const copies = [...eventCopies, { name: "ticks", copy: ticks }, { name: "books", copy: books }]
        const addresses = [addressOf(0, key), addressOf(1, key)]
        const clients = yield* Effect.acquireRelease(
          Effect.sync(() =>
            copies.map(({ name, copy }, index) => {
              // A single kill is that of the first gateway, and every client must resume.
              const ordered = plan.kills === 1 || index % 2 === 0 ? addresses : addresses.toReversed()
              const client = new ResumingClient(name, ordered, copy)
              client.start()
              return client
            }),
          ),
          (all) =>
            Effect.sync(() => {
              for (const each of all) each.stop()
            }),
        )
        const allCaughtUp = Effect.sync(() => copies.every(({ copy }) => copy.isCaughtUp()))
        yield* eventually("all clients have caught up", recoveryWithin, allCaughtUp)

        const free = yield* keyOf("free")
        const { isFreeAgain } = yield* takeOnlyLease(addressOf(0, free), addressOf(1, free), wallets, leaseWithin)
        let kills = 0
        const happened: Array<string> = []
        const inject = (what: Fault) => {
          switch (what) {
            case "reorg":
              return Effect.sync(() => simulation.reorg(dice.between(1, 8)))
            case "kill":
              return kill(kills++ % 2)
            case "restart":
              return redis.restart(dice.between(0, 1_000))
            case "loss":
              // A loss would free the lease as well.
              return Effect.andThen(Fiber.join(leaseIsFree), redis.lose)
          }
        }
        yield* inject("kill")
        const leaseIsFree = yield* Effect.forkScoped(isFreeAgain)
        for (const what of faultSequence(dice)) {
          yield* pause(dice.between(0, plan.pauseMillis))
          const since = clock()
          yield* inject(what)
          happened.push(`${what} ${since} to ${clock()}`)
        }
        const freedAfter = yield* Fiber.join(leaseIsFree)
        yield* pause(plan.pauseMillis)
        yield* eventually("all clients have caught up again", recoveryWithin, allCaughtUp)
        simulation.settle()
        yield* reachesHead(simulation, recoveryWithin)

        const wrong = [
          ...(yield* Effect.forEach(eventCopies, ({ name, copy, isExpected }) =>
            problemsOf(name, differenceToLog(copy, isExpected), copy.faults),
          )).flat(),
          ...(yield* problemsOf("ticks", differenceOfTicks(ticks.ids, source), ticks.faults)),
          ...(yield* problemsOf("books", differenceOfBooks(url, tokens, books.books), books.faults)),
        ]

        for (const client of clients) {
          figures(`clients through kills, ${client.name}`, {
            messages: client.messages,
            connections: client.connections,
            resumes: client.resumes,
            refusals: client.refusals.length,
            "longest gap": `${Math.round(client.longestGapMillis)} ms`,
          })
        }
        const sum = (of: (copy: EventCopy) => number) => eventCopies.reduce((total, { copy }) => total + of(copy), 0)
        figures("clients through kills", {
          events: sum(({ events }) => events),
          retracted: sum(({ retractions }) => retractions),
          "recovered true": sum(({ recovered }) => recovered.yes) + ticks.recovered.yes,
          "recovered false": sum(({ recovered }) => recovered.no) + ticks.recovered.no,
          processes: processes.length,
          "book updates": books.updates,
          resyncs: books.resyncs,
          "lease of a killed gateway free after": `${freedAfter} ms`,
        })
        for (const { name, copy } of eventCopies) assert.isAbove(copy.events, 0, name)
        assert.deepStrictEqual(wrong, [], `seed ${seed}; ${happened.join(", ")}`)
      }).pipe(Effect.provide(services))
    }),
  )
})
