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
import { Follower } from "./support/follower.ts"
import { BookFollowing } from "./support/followerBooks.ts"
import { EventFollowing } from "./support/followerEvents.ts"
import { onlyPlaceTaken } from "./support/followerPlace.ts"
import { TickFollowing } from "./support/followerTicks.ts"
import {
  type AskedStream,
  busiestWallets,
  differenceOfBooks,
  differenceOfTicks,
  differenceToLog,
  ofStreams,
} from "./support/followerTruth.ts"
import { frailGateways } from "./support/frailGateways.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const plan = isSoak
  ? { kills: 20, reorgs: 20, restarts: 5, losses: 2, pauseMillis: 8_000 }
  : { kills: 2, reorgs: 2, restarts: 1, losses: 1, pauseMillis: 1_500 }
const recoveryWithin = 60_000
const agreeWithin = 30_000
/** The lease of 24 seconds, and once more where the gateway that gives the place away is killed just then. */
const leaseWithin = 60_000

type Misfortune = "kill" | "reorg" | "restart" | "loss"

/** All that is to happen, in an order that the seed decides. */
const misfortunes = (dice: Dice): ReadonlyArray<Misfortune> => {
  const many = (what: Misfortune, count: number) => Array.from({ length: count }, () => what)
  const { kills, reorgs, restarts, losses } = plan
  return [...many("kill", kills - 1), ...many("reorg", reorgs), ...many("restart", restarts), ...many("loss", losses)]
    .map((what) => ({ what, at: dice.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ what }) => what)
}

const keyOf = (of: Plan) =>
  Effect.flatMap(Keys, (keys) => Effect.map(keys.open(of, KeyName.make("test")), ({ key }) => Redacted.value(key)))

/** What is wrong with what a client has, once it has had time to come right; and what came that should not. */
const complaints = <E, R>(name: string, difference: Effect.Effect<string, E, R>, faults: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    let last = ""
    const look = Effect.map(difference, (found) => {
      last = found
      return found === "" ? true : undefined
    })
    yield* poll(look, { forMillis: agreeWithin, everyMillis: 200 })
    return [last, ...faults].filter((text) => text !== "").map((text) => `${name}: ${text}`)
  })

const source = "oracle_data_streams"
const feeds = ["BTC/USD", "ETH/USD"]
/** Filled orders a second. */
const rate = 10

describe("Clients that resume", () => {
  it.live("have in the end exactly what the log, the feeds and the venue's books say, whatever breaks meanwhile", () =>
    Effect.gen(function* () {
      figures("clients through kills", { seed })
      const dice = new Dice(Number(seed) >>> 0)
      const clock = () => Math.floor(performance.timeOrigin + performance.now())
      const { url, simulation } = yield* runningVenue(61, { genesis: undefined, clock, rate })
      const { services, processes, addressOf, kill, redis } = yield* frailGateways(url)

      yield* Effect.gen(function* () {
        const key = yield* keyOf("enterprise")
        const wallets = yield* busiestWallets(3)
        const tokens = tokensOf(simulation, busyMarkets(simulation, 4))
        const streams: Readonly<Record<string, ReadonlyArray<AskedStream>>> = {
          fills: [{ type: "fills" }],
          settlements: [{ type: "settlements" }],
          wallets: [{ type: "wallets", filters: { wallets } }],
          stacked: [{ type: "trades" }, { type: "wallets", filters: { wallets } }, { type: "redemptions" }],
        }
        const followed = Object.entries(streams).map(([name, asked]) => ({
          name,
          following: new EventFollowing(asked),
          isTold: ofStreams(asked),
        }))
        const ticks = new TickFollowing(feeds, source)
        const books = new BookFollowing(tokens)
        const followings = [...followed, { name: "ticks", following: ticks }, { name: "books", following: books }]
        const addresses = [addressOf(0, key), addressOf(1, key)]
        const followers = yield* Effect.acquireRelease(
          Effect.sync(() =>
            followings.map(({ name, following }, place) => {
              const ordered = place % 2 === 0 ? addresses : addresses.toReversed()
              const follower = new Follower(name, ordered, following)
              follower.start()
              return follower
            }),
          ),
          (all) =>
            Effect.sync(() => {
              for (const each of all) each.stop()
            }),
        )
        const allCaughtUp = Effect.sync(() => followings.every(({ following }) => following.isCaughtUp()))
        yield* eventually("everybody follows", recoveryWithin, allCaughtUp)

        const free = yield* keyOf("free")
        const { isFreeAgain } = yield* onlyPlaceTaken(addressOf(0, free), addressOf(1, free), wallets, leaseWithin)
        let kills = 0
        const happened: Array<string> = []
        const befall = (what: Misfortune) => {
          switch (what) {
            case "reorg":
              return Effect.sync(() => simulation.reorg(dice.between(1, 8)))
            case "kill":
              return kill(kills++ % 2)
            case "restart":
              return redis.restart(dice.between(0, 1_000))
            case "loss":
              // Which would free the place as well.
              return Effect.andThen(Fiber.join(placeIsFree), redis.lose)
          }
        }
        yield* befall("kill")
        const placeIsFree = yield* Effect.forkScoped(isFreeAgain)
        for (const what of misfortunes(dice)) {
          yield* pause(dice.between(0, plan.pauseMillis))
          const since = clock()
          yield* befall(what)
          happened.push(`${what} ${since} to ${clock()}`)
        }
        const freedAfter = yield* Fiber.join(placeIsFree)
        yield* pause(plan.pauseMillis)
        yield* eventually("everybody follows again", recoveryWithin, allCaughtUp)
        simulation.settle()
        yield* reachesHead(simulation, recoveryWithin)

        const wrong = [
          ...(yield* Effect.forEach(followed, ({ name, following, isTold }) =>
            complaints(name, differenceToLog(following, isTold), following.faults),
          )).flat(),
          ...(yield* complaints("ticks", differenceOfTicks(ticks.ids, source), ticks.faults)),
          ...(yield* complaints("books", differenceOfBooks(url, tokens, books.books), books.faults)),
        ]

        for (const follower of followers) {
          figures(`clients through kills, ${follower.name}`, {
            messages: follower.messages,
            connections: follower.connections,
            resumes: follower.resumes,
            refusals: follower.refusals.length,
            "longest gap": `${Math.round(follower.longestGapMillis)} ms`,
          })
        }
        const sum = (of: (following: EventFollowing) => number) =>
          followed.reduce((total, { following }) => total + of(following), 0)
        figures("clients through kills", {
          events: sum(({ events }) => events),
          "taken back": sum(({ retractions }) => retractions),
          "recovered true": sum(({ recovered }) => recovered.yes) + ticks.recovered.yes,
          "recovered false": sum(({ recovered }) => recovered.no) + ticks.recovered.no,
          processes: processes.length,
          "book updates": books.updates,
          resyncs: books.resyncs,
          "a killed gateway's place free after": `${freedAfter} ms`,
        })
        for (const { name, following } of followed) assert.isAbove(following.events, 0, name)
        assert.deepStrictEqual(wrong, [], `seed ${seed}; ${happened.join(", ")}`)
      }).pipe(Effect.provide(services))
    }),
  )
})
