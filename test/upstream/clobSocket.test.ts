import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { MarketFeed } from "#src/upstream/clob/MarketFeed.ts"
import type { ClobEvent } from "#src/upstream/clob/model.ts"
import { busyMarkets, tokensOf } from "#test/books/busyMarkets.ts"
import { runningVenue } from "#test/support/venue.ts"

/** Runs a feed against a venue and records its events. */
const record = (url: string, feed: MarketFeed) =>
  Effect.gen(function* () {
    const received: Array<ClobEvent> = []
    const life = { opened: 0, closed: [] as Array<string>, broken: 0 }
    const run = feed.run(`${url.replace("http", "ws")}/clob/ws/market`, {
      opened: Effect.sync(() => {
        life.opened++
      }),
      heard: Effect.void,
      received: ({ events, broken }) =>
        Effect.sync(() => {
          received.push(...events)
          life.broken += broken.length
        }),
      closed: ({ reason }) => Effect.sync(() => void life.closed.push(reason)),
    })
    yield* Effect.forkScoped(run)
    const books = () => received.flatMap((event) => (event.kind === "book" ? [event.book.token] : []))
    return { received, life, books }
  })

describe("MarketFeed", () => {
  it.live("follows and unfollows tokens live and subscribes again after a reconnect", () =>
    Effect.gen(function* () {
      const { url, simulation, until } = yield* runningVenue(61)
      const [a = "", b = "", c = "", d = ""] = tokensOf(simulation, busyMarkets(simulation, 2))
      const feed = new MarketFeed()
      feed.follow([a, b])
      const { received, life, books } = yield* record(url, feed)
      yield* until("the first books come", () => books().length === 2)
      assert.sameMembers(books(), [a, b])

      feed.follow([c, d])
      yield* until("the second books come", () => books().length === 4)
      assert.sameMembers(books(), [a, b, c, d])

      feed.unfollow([a, b])
      // The venue handles messages in order: when the other books arrive again, the first tokens are unfollowed.
      feed.unfollow([c, d])
      feed.follow([c, d])
      yield* until("the second books come again", () => books().length === 6)
      received.length = 0
      simulation.setRate(200)
      for (let i = 0; i < 20; i++) simulation.advance(1_000)
      yield* until("something changes", () => received.length > 10)
      const changed = received.flatMap((event) =>
        event.kind === "changes" ? event.changes.map(({ token }) => token) : [],
      )
      assert.sameMembers([...new Set([...changed, ...books()])], [c, d])

      received.length = 0
      feed.reconnect("a test")
      yield* until("the books arrive on the next connection", () => books().length === 2)
      assert.sameMembers(books(), [c, d])
      assert.deepStrictEqual([life.opened, life.closed], [2, ["silent"]])
    }).pipe(Effect.provide(Logger.layer([]))),
  )

  it.live("reconnects after refusals and disconnects, and reports undecodable frames", () =>
    Effect.gen(function* () {
      const { url, simulation, until } = yield* runningVenue(62)
      const fault = (kind: string, share = 1) =>
        Effect.promise(() =>
          fetch(`${url}/_sim/faults`, {
            method: "POST",
            body: JSON.stringify({ upstream: "clob", channel: "socket", kind, share }),
          }),
        )
      const clearFaults = Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "DELETE" }))
      yield* fault("refuse")
      const feed = new MarketFeed()
      feed.follow(tokensOf(simulation, busyMarkets(simulation, 2)))
      const { life, books } = yield* record(url, feed)
      yield* until("it was refused twice", () => life.closed.length >= 2)
      assert.strictEqual(life.opened, 0)
      yield* clearFaults
      yield* until("the books come", () => books().length >= 4)
      yield* fault("garbage")
      simulation.setRate(200)
      const more = setInterval(() => simulation.advance(1_000), 20)
      yield* until("garbage comes", () => life.broken > 3).pipe(Effect.ensuring(Effect.sync(() => clearInterval(more))))
      yield* clearFaults
      const before = life.opened
      yield* fault("disconnect")
      simulation.advance(5_000)
      yield* until("it breaks", () => life.closed.includes("closed"))
      yield* clearFaults
      yield* until("it is connected again", () => life.opened > before)
    }).pipe(Effect.provide(Logger.layer([]))),
  )
})
