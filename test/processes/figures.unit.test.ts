import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { byLabel, errorsFrom, growth, totalsFrom } from "#src/processes/figures.ts"

const count = (name: string, attributes: Record<string, string>, by: number) =>
  Metric.update(Metric.counter(name, { incremental: true, attributes }), by)

describe("Figures of a process", () => {
  it.effect("add up metrics by what operators ask for", () =>
    Effect.gen(function* () {
      const before = totalsFrom(yield* Metric.snapshot)
      yield* count("presage_http_requests_total", { method: "GET", route: "/a", status: "200" }, 5)
      yield* count("presage_http_requests_total", { method: "GET", route: "/b", status: "429" }, 2)
      yield* count("presage_http_requests_total", { method: "GET", route: "/b", status: "503" }, 1)
      yield* count("presage_jobs_total", { queue: "q", outcome: "parked" }, 1)
      yield* count("presage_jobs_total", { queue: "q", outcome: "defect" }, 2)
      yield* count("presage_jobs_total", { queue: "q", outcome: "overlapped" }, 7)
      yield* count("presage_webhooks_attempts_total", { outcome: "timeout" }, 3)
      yield* count("presage_catalogue_rows_total", {}, 4)
      assert.deepStrictEqual(growth(before, totalsFrom(yield* Metric.snapshot)), {
        http: 8,
        "http.429": 2,
        "http.5xx": 1,
        "jobs.q.failed": 3,
        "webhooks.failure": 3,
        "rows.catalogue": 4,
      })
    }),
  )

  it.effect("name errors by source and kind, and leave out what works", () =>
    Effect.gen(function* () {
      yield* count("presage_upstream_requests_total", { upstream: "gamma", outcome: "ok" }, 5)
      yield* count("presage_upstream_requests_total", { upstream: "gamma", outcome: "timeout" }, 2)
      yield* count("presage_upstream_undecodable_total", { source: "clob", what: "book", reason: "schema" }, 1)
      const errors = errorsFrom(yield* Metric.snapshot)
      assert.strictEqual(errors["catalogue"]?.["request timeout"], 2)
      assert.strictEqual(errors["books"]?.["undecodable: schema"], 1)
      yield* Metric.update(Metric.gauge("presage_actor_epoch", { attributes: { actor: "figures-test" } }), 9)
      yield* Metric.update(Metric.gauge("presage_actor_epoch", { attributes: { actor: "figures-ended" } }), 0)
      const actors = byLabel(yield* Metric.snapshot, "presage_actor_epoch", "actor")
      assert.strictEqual(actors["figures-test"], 9)
      assert.notProperty(actors, "figures-ended")
    }),
  )
})
