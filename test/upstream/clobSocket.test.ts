import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { MarketFeed } from "#src/upstream/clob/MarketFeed.ts"
import type { ClobEvent } from "#src/upstream/clob/model.ts"
import { busyMarkets, tokensOf } from "#test/books/busyMarkets.ts"
import { runningVenue } from "#test/support/venue.ts"

/** A feed that runs against a venue, and all it has told. */
const listening = (url: string, feed: MarketFeed) =>
  Effect.gen(function* () {
    const heard: Array<ClobEvent> = []
    const life = { opened: 0, closed: [] as Array<string>, broken: 0 }
    const run = feed.run(`${url.replace("http", "ws")}/clob/ws/market`, {
      opened: Effect.sync(() => {
        life.opened++
      }),
      heard: ({ events, broken }) =>
        Effect.sync(() => {
          heard.push(...events)
          life.broken += broken.length
        }),
      closed: ({ reason }) => Effect.sync(() => void life.closed.push(reason)),
    })
    yield* Effect.forkScoped(run)
    const books = () => heard.flatMap((event) => (event.kind === "book" ? [event.book.token] : []))
    return { heard, life, books }
  })

describe("The market socket", () => {
  it.live("is told live what to follow and what not, and told again on the next connection", () =>
    Effect.gen(function* () {
      const { url, simulation, until } = yield* runningVenue(61)
      const [a = "", b = "", c = "", d = ""] = tokensOf(simulation, busyMarkets(simulation, 2))
      const feed = new MarketFeed()
      feed.follow([a, b])
      const { heard, life, books } = yield* listening(url, feed)
      yield* until("the first books come", () => books().length === 2)
      assert.sameMembers(books(), [a, b])

      feed.follow([c, d])
      yield* until("the second books come", () => books().length === 4)
      assert.sameMembers(books(), [a, b, c, d])

      feed.leave([a, b])
      // What is said on a connection is done in order: once the other books have come again, the first have been left.
      feed.leave([c, d])
      feed.follow([c, d])
      yield* until("the second books come again", () => books().length === 6)
      heard.length = 0
      simulation.setRate(200)
      for (let i = 0; i < 20; i++) simulation.advance(1_000)
      yield* until("something changes", () => heard.length > 10)
      const told = heard.flatMap((event) => (event.kind === "changes" ? event.changes.map(({ token }) => token) : []))
      assert.sameMembers([...new Set([...told, ...books()])], [c, d])

      heard.length = 0
      feed.replace("a test")
      yield* until("the next connection brings the books", () => books().length === 2)
      assert.sameMembers(books(), [c, d])
      assert.deepStrictEqual([life.opened, life.closed], [2, ["silent"]])
    }).pipe(Effect.provide(Logger.layer([]))),
  )

  it.live("is connected again and again through refusals and breaks, and what is broken is counted", () =>
    Effect.gen(function* () {
      const { url, simulation, until } = yield* runningVenue(62)
      const fault = (kind: string, share = 1) =>
        Effect.promise(() =>
          fetch(`${url}/_sim/faults`, {
            method: "POST",
            body: JSON.stringify({ upstream: "clob", channel: "socket", kind, share }),
          }),
        )
      const heal = Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "DELETE" }))
      yield* fault("refuse")
      const feed = new MarketFeed()
      feed.follow(tokensOf(simulation, busyMarkets(simulation, 2)))
      const { life, books } = yield* listening(url, feed)
      yield* until("it was refused twice", () => life.closed.length >= 2)
      assert.strictEqual(life.opened, 0)
      yield* heal
      yield* until("the books come", () => books().length >= 4)
      yield* fault("garbage")
      simulation.setRate(200)
      const more = setInterval(() => simulation.advance(1_000), 20)
      yield* until("garbage comes", () => life.broken > 3).pipe(Effect.ensuring(Effect.sync(() => clearInterval(more))))
      yield* heal
      const before = life.opened
      yield* fault("disconnect")
      simulation.advance(5_000)
      yield* until("it breaks", () => life.closed.includes("closed"))
      yield* heal
      yield* until("it is connected again", () => life.opened > before)
    }).pipe(Effect.provide(Logger.layer([]))),
  )
})
