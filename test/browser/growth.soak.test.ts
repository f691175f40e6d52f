import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { rowsIn } from "../../scripts/examples/world.ts"
import { press, seen, wait } from "./support/acts.ts"
import { api } from "./support/api.ts"
import { EveryPage, namesOfPages } from "./support/everyPage.ts"
import { growthOfPolling, growthOfStream, hasten, type Kept } from "./support/growth.ts"
import { consoleTab, everyKey, tab } from "./support/Stage.ts"

/** How long the clock of a page runs. What a page keeps for good grows with the time, so that a part of the hour is enough. */
const openMillis = 900_000
/** Those of an hour. */
const frames = 60_000
/** The part of 20 MB an hour; less is noise. */
const mostBytes = Math.max(2_000_000, (20_000_000 * openMillis) / 3_600_000)
/** A list that is full only then has more rows than before. */
const mostNodes = 10_000

const expectLittle = (kept: Kept, name: string) => {
  assert.isBelow(kept.bytes, mostBytes, `bytes that ${name} keeps`)
  assert.isBelow(kept.nodes, mostNodes, `nodes that ${name} keeps`)
}

/** Pages that show what is so until somebody acts, beside the documentation. */
const still = new Set(["explore-wallets", "explore-explain", "dashboard-webhook-new", "dashboard-webhook-edit"])
/** Pages that show a stream, and how often each of its frames has to come: one market has few. The market polls as well. */
const streams = new Map([
  ["explore-live", 100],
  ["dashboard-streams", 100],
  ["explore-market", 20_000],
])

/** The market with the most of the newest trades: one that was busy at the start may be over. */
const busyMarket = Effect.gen(function* () {
  const { key } = yield* EveryPage
  const trades = rowsIn(yield* api(key, "/v3/trades?limit=100"))
  const bySlug = Map.groupBy(
    trades.filter((trade) => typeof trade["slug"] === "string"),
    (trade) => trade["slug"],
  )
  const [slug] = [...bySlug].sort(([, a], [, b]) => b.length - a.length)[0] ?? assert.fail("nobody trades")
  return `/explore/markets/${slug}`
})

const opened = (name: string, at?: string) =>
  Effect.gen(function* () {
    const { key, pages } = yield* EveryPage
    const path = at ?? pages.find((page) => page.name === name)?.path ?? assert.fail(name)
    return yield* tab(path, undefined, everyKey(key))
  })

const isPolling = (name: string) => (name === "explore-market" || !streams.has(name)) && !name.startsWith("docs-")

layer(EveryPage.layer, { excludeTestServices: true, timeout: "4 minutes" })("A page left open for an hour", (it) => {
  for (const name of namesOfPages.filter(isPolling))
    it.effect(`grows by less than 20 MB: ${name}`, () =>
      Effect.gen(function* () {
        const { page, errors } = yield* opened(name)
        const kept = yield* growthOfPolling(page, openMillis)
        assert.strictEqual(kept === undefined, still.has(name), `${name} asks for nothing`)
        if (kept !== undefined) expectLittle(kept, name)
        assert.deepStrictEqual(errors, [])
      }).pipe(Effect.scoped),
    )

  for (const [name, times] of streams)
    it.effect(`grows by less than 20 MB with its stream: ${name}`, () =>
      Effect.gen(function* () {
        const { page, errors } = yield* opened(name, name === "explore-market" ? yield* busyMarket : undefined)
        yield* wait(() => page.addInitScript(hasten(times)))
        yield* wait(() => page.reload())
        if (name === "dashboard-streams") yield* press(page, "Subscribe")
        expectLittle(yield* growthOfStream(page, frames), name)
        if (name === "dashboard-streams") yield* seen(page, "newest 200 shown")
        assert.deepStrictEqual(errors, [])
      }).pipe(Effect.scoped),
    )

  it.effect("is noticed when it keeps what it receives", () =>
    Effect.gen(function* () {
      const { page } = yield* consoleTab("/processes")
      const keep = `(() => {
        const native = fetch
        window.kept = []
        window.fetch = async (...given) => {
          window.kept.push(Array.from({ length: 50_000 }, Math.random))
          return native(...given)
        }
      })()`
      yield* wait(() => page.addInitScript(keep))
      const kept = yield* growthOfPolling(page, 60_000)
      assert.isAbove(kept?.bytes ?? 0, 2_000_000)
    }).pipe(Effect.scoped),
  )
})
