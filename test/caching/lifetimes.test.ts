import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { nextBoundary } from "#test/support/nextBoundary.ts"
import { cacheStores, distantCache, numbered, outcome } from "./support.ts"

const lifetime = { freshFor: 10_000, staleFor: 30_000 }
const alone = { "caching.shared": "off" }

type Manner = ReturnType<typeof numbered>["manner"]

/** Plain model of the cache. */
class Model {
  kept: { readonly value: number; readonly freshUntil: number; readonly staleUntil: number } | undefined
  hits = 0
  loads = 0
  quietUntil = 0
  why: Manner = "ok"

  get(now: number, manner: Manner, until: number) {
    const older = this.kept !== undefined && now < this.kept.staleUntil ? this.kept : undefined
    if (older !== undefined && now < older.freshUntil) {
      this.hits += 1
      return ["cache", older.value]
    }
    if (now < this.quietUntil) return older === undefined ? ["failed", this.why] : ["stale", older.value]
    this.loads += 1
    if (manner === "ok") {
      const freshUntil = Math.min(now + lifetime.freshFor, until)
      this.kept = { value: this.loads, freshUntil, staleUntil: Math.min(freshUntil + lifetime.staleFor, until) }
      this.hits = 0
      return ["load", this.loads]
    }
    if (manner === "gone") {
      this.kept = undefined
      return ["failed", manner]
    }
    this.why = manner
    this.quietUntil = now + 1000
    return older === undefined ? ["failed", manner] : ["stale", older.value]
  }
}

layer(cacheStores, { excludeTestServices: true })("AnswerCache and time", (it) => {
  const isOutage = (error: string) => error === "down"

  it.effect("behaves like a plain model over random times, failures and windows", () =>
    Effect.gen(function* () {
      const steps = fc.array(
        fc.record({
          wait: fc.oneof(fc.nat(1500), fc.nat(15_000), fc.nat(60_000)),
          manner: fc.constantFrom<Manner>("ok", "ok", "down", "gone"),
        }),
        { maxLength: 25 },
      )
      const { cache, time } = yield* distantCache(alone)
      let run = 0
      const agrees = fc.asyncProperty(steps, fc.boolean(), async (trace, hasWindows) => {
        const source = numbered()
        const model = new Model()
        const key = String(++run)
        const until = hasWindows ? nextBoundary(25_000) : undefined
        for (const { wait, manner } of trace) {
          time.now += wait
          source.manner = manner
          const seen = await Effect.runPromise(
            outcome(cache, { name: "model", key, ...lifetime, until, load: source.load, isOutage }),
          )
          assert.deepStrictEqual([...seen], model.get(time.now, manner, until?.(time.now) ?? Number.MAX_SAFE_INTEGER))
          assert.strictEqual(source.loads, model.loads)
          // From here on it would be refreshed before it expires.
          fc.pre(model.hits < 7)
        }
      })
      yield* Effect.promise(() => fc.assert(agrees, { numRuns: process.env.PRESAGE_SOAK === "1" ? 5000 : 200 }))
    }),
  )
})
