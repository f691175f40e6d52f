import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { sharedVenue, venueShared } from "#test/support/sharedVenue.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { threads } from "#test/support/threads.ts"
import { upstreamsAt } from "#test/support/venue.ts"

const at = (url: string, flags: Record<string, string> = {}) =>
  Gamma.layer.pipe(Layer.provide(upstreamsAt(url)), Layer.provide(testConfiguration(flags)), Layer.orDie)

const asking = (url: string, flags: Record<string, string> = {}) =>
  Effect.map(Layer.build(at(url, flags)), Context.get(Gamma))

const fault = (url: string, body: object) =>
  Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "POST", body: JSON.stringify(body) }))

layer(venueShared(41), { excludeTestServices: true })("Gamma", (it) => {
  it.effect("finds events by page, slug, series and id, and markets by condition, token and id", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      simulation.freeze()
      const gamma = yield* asking(url)

      const first = yield* gamma.events({ closed: false }, { limit: 5 })
      const second = yield* gamma.events({ closed: false }, { limit: 5, after: first.next })
      const ids = [...first.items, ...second.items].map(({ id }) => id)
      assert.deepStrictEqual(
        ids,
        [...new Set(ids)].sort((a, b) => a - b),
      )
      assert.lengthOf(ids, 10)

      const wanted = first.items.map(({ slug }) => slug)
      const bySlug = yield* gamma.events({ slugs: wanted }, { limit: 50 })
      assert.deepStrictEqual(bySlug.items, first.items)
      assert.isUndefined(bySlug.next)
      assert.deepStrictEqual((yield* gamma.events({ ids: ids.slice(0, 5) }, { limit: 50 })).items, first.items)

      const allSeries = yield* gamma.series
      const hourly = allSeries.items.find(({ slug }) => slug === "btc-up-or-down-5m")
      const ofSeries = yield* gamma.events({ series: hourly?.id ?? 0, closed: true }, { limit: 3 })
      assert.deepStrictEqual(
        ofSeries.items.map(({ series, closed }) => [series?.slug, closed]),
        Array(3).fill(["btc-up-or-down-5m", true]),
      )

      const open = first.items.flatMap(({ markets }) => markets)
      const closed = ofSeries.items.flatMap(({ markets }) => markets)
      const both = [...open, ...closed].sort((a, b) => a.id - b.id)
      const found = (by: "id" | "token" | "condition", keys: ReadonlyArray<string | number>) =>
        Effect.map(gamma.markets(by, keys), ({ items }) => [...items].sort((a, b) => a.id - b.id))
      assert.deepStrictEqual(
        yield* found(
          "condition",
          both.map(({ condition }) => condition ?? ""),
        ),
        both,
      )
      assert.deepStrictEqual(
        yield* found(
          "token",
          both.map(({ tokens }) => tokens[1] ?? ""),
        ),
        both,
      )
      assert.deepStrictEqual(
        yield* found(
          "id",
          both.map(({ id }) => id),
        ),
        both,
      )
    }),
  )

  it.effect("reads all tags, teams, leagues and market types, and profiles", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const gamma = yield* asking(url)
      const { tags, teams, leagues, series, marketTypes } = simulation.model.catalogue
      const names = (list: ReadonlyArray<{ readonly id: unknown }>) =>
        list.map(({ id }) => Number(id)).sort((a, b) => a - b)
      assert.deepStrictEqual(names((yield* gamma.tags).items), names(tags))
      assert.deepStrictEqual(names((yield* gamma.teams).items), names(teams))
      assert.deepStrictEqual(names((yield* gamma.series).items), names(series))
      assert.deepStrictEqual(
        (yield* gamma.leagues).items.map(({ code }) => code),
        leagues.map(({ code }) => code),
      )
      assert.deepStrictEqual(yield* gamma.marketTypes, marketTypes)
      const wallet = simulation.model.wallets[3]?.address.slice(2) ?? ""
      assert.strictEqual((yield* gamma.profile(wallet)).wallet, wallet)
      assert.strictEqual((yield* Effect.flip(gamma.profile("0".repeat(40)))).status, 404)
      const named = simulation.model.wallets.filter(({ name }) => name?.includes("otter"))
      const first = yield* gamma.findProfiles("Otter", 1, 3)
      const second = yield* gamma.findProfiles("Otter", 2, 3)
      assert.isAbove(second.length, 0)
      const found = [...first, ...second].filter(({ name }) => name !== null)
      assert.isTrue(
        found.every(({ wallet: at, name }) => named.some((w) => w.address === `0x${at}` && w.name === name)),
      )
      assert.deepStrictEqual(yield* gamma.findProfiles("nobody-has-this-name", 1, 3), [])
    }),
  )

  it.effect("returns the newest closings first", () =>
    Effect.gen(function* () {
      const { url } = yield* sharedVenue
      const gamma = yield* asking(url)
      const { items } = yield* gamma.closings(0, { limit: 100 })
      assert.lengthOf(items, 100)
      assert.isTrue(items.every(({ closedAt }, place) => closedAt <= (items[place - 1]?.closedAt ?? closedAt)))
      assert.isTrue(items.every(({ event }) => event !== null))
    }),
  )

  it.effect("reads a page again whose thread has died", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      simulation.freeze()
      const gamma = yield* asking(url)
      const page = { limit: 500, known: { withText: () => undefined } }
      const right = yield* gamma.events({ closed: false }, page)
      const { started, onStart } = yield* threads
      onStart((worker) => {
        if (started.length === 1) worker.terminate()
      })
      const other = yield* asking(url)
      assert.deepStrictEqual(yield* other.events({ closed: false }, page), right)
      assert.strictEqual(started.length, 2)
    }),
  )

  it.effect("rejects a mostly undecodable response and recovers after it", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      simulation.freeze()
      const gamma = yield* asking(url, { "upstream.gamma.attempts": "2" })
      const right = yield* gamma.events({ closed: false }, { limit: 20 })
      yield* fault(url, { upstream: "gamma", channel: "http", kind: "wrong_types", share: 0.4 })
      for (let turn = 0; turn < 10; turn++) {
        const answer = yield* Effect.result(gamma.events({ closed: false }, { limit: 20 }))
        if (answer._tag === "Success") assert.deepStrictEqual(answer.success, right)
        else assert.strictEqual(answer.failure.reason, "malformed")
      }
      yield* fault(url, { upstream: "gamma", channel: "http", kind: "wrong_types" })
      const failure = yield* Effect.flip(gamma.events({ closed: false }, { limit: 20 }))
      assert.strictEqual(failure.reason, "malformed")
    }),
  )
})
