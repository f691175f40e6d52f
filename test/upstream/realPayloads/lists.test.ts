import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Queue, Stream } from "effect"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { Polybolt } from "#src/upstream/oracle/Polybolt.ts"
import { eventually } from "#test/support/eventually.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"

/** A venue that answers requests for lists of the catalogue. */
const serving = (respond: (url: URL) => { readonly status?: number; readonly body: unknown }) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((request, response) => {
          const { status = 200, body } = respond(new URL(request.url ?? "/", "http://venue"))
          response.writeHead(status).end(JSON.stringify(body))
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close()),
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  )

const asking = (url: string) =>
  Effect.map(
    Layer.build(Gamma.layer.pipe(Layer.provide(upstreamsAt(url)), Layer.provide(testConfiguration({})), Layer.orDie)),
    Context.get(Gamma),
  )

const tag = (id: number) => ({ id: String(id), label: `Tag ${id}`, slug: `tag-${id}` })

describe("Lists of the catalogue", () => {
  it.live("B12: what a list has beyond the venue's largest offset is reported, not dropped silently", () =>
    Effect.gen(function* () {
      const limit = 300
      const url = yield* serving(({ searchParams }) => {
        const offset = Number(searchParams.get("offset"))
        if (offset > limit) return { status: 422, body: { type: "validation error", error: "offset is too large" } }
        return { body: Array.from({ length: 100 }, (_, i) => tag(offset + i)) }
      })
      const { items, endsAtOffset } = yield* (yield* asking(url)).tags
      assert.strictEqual(items.length, limit + 100)
      assert.strictEqual(endsAtOffset, limit + 100)
    }).pipe(Effect.scoped),
  )

  it.live("B12: a list whose pages are shorter than requested is read to its end", () =>
    Effect.gen(function* () {
      const url = yield* serving(({ searchParams }) => {
        const offset = Number(searchParams.get("offset"))
        return { body: Array.from({ length: Math.max(0, Math.min(30, 70 - offset)) }, (_, i) => tag(offset + i)) }
      })
      const { items, endsAtOffset } = yield* (yield* asking(url)).tags
      assert.deepStrictEqual(
        items.map(({ id }) => id),
        Array.from({ length: 70 }, (_, id) => id),
      )
      assert.isUndefined(endsAtOffset)
    }).pipe(Effect.scoped),
  )

  it.live("C4: a page that the venue cuts to 100 rows is followed by its cursor", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(41)
      simulation.freeze()
      const gamma = yield* asking(url)
      const first = yield* gamma.events({ closed: false }, { limit: 500 })
      assert.lengthOf(first.items, 100)
      assert.isDefined(first.next)
      const second = yield* gamma.events({ closed: false }, { limit: 500, after: first.next })
      const ids = new Set([...first.items, ...second.items].map(({ id }) => id))
      assert.strictEqual(ids.size, first.items.length + second.items.length)
    }),
  )

  it.live("A6: an event that stays undecodable fails neither its page nor a request for it alone", () =>
    Effect.gen(function* () {
      let requests = 0
      const url = yield* serving(({ searchParams }) => {
        requests += 1
        const good = [1, 2, 3].map((id) => ({ id: String(id), slug: `event-${id}`, title: `Event ${id}` }))
        const bad = { id: "4", slug: "event-4", title: 4 }
        return { body: { events: searchParams.has("id") ? [bad] : [...good, bad] } }
      })
      const gamma = yield* asking(url)
      const page = yield* gamma.events({ closed: false }, { limit: 100 })
      assert.deepStrictEqual([page.items.length, page.skipped], [3, [4]])
      assert.strictEqual(requests, 2)
      yield* gamma.events({ closed: false }, { limit: 100 })
      assert.strictEqual(requests, 3, "it is not requested twice again")
      const alone = yield* gamma.events({ ids: [4] }, { limit: 50 })
      assert.deepStrictEqual([alone.items, alone.skipped], [[], [4]])
    }).pipe(Effect.scoped),
  )
})

describe("PolyBolt", () => {
  it.live("A7: authenticates, receives a snapshot of each coin, updates, and another snapshot on request", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(52)
      simulation.freeze()
      const credentials = {
        "upstream.polybolt-key": "simulated-key",
        "upstream.polybolt-secret": "simulated-secret",
        "upstream.polybolt-passphrase": "simulated",
      }
      const client = Polybolt.layer.pipe(
        Layer.provide(upstreamsAt(url)),
        Layer.provide(testConfiguration(credentials)),
        Layer.orDie,
      )
      yield* Effect.gen(function* () {
        const polybolt = yield* Polybolt
        assert.isTrue(polybolt.isAvailable)
        const again = yield* Queue.unbounded<void>()
        const counts = { snapshot: 0, update: 0, other: 0 }
        yield* Effect.forkChild(
          Stream.runForEach(polybolt.live("spot", Stream.fromQueue(again)), (messages) =>
            Effect.sync(() => {
              for (const { kind } of messages) counts[kind] += 1
            }),
          ),
        )
        const has = (kind: keyof typeof counts, number: number) =>
          eventually(
            `${number} of ${kind}`,
            Effect.sync(() => counts[kind] >= number),
          )
        yield* has("snapshot", 6)
        simulation.advance(5_000)
        yield* has("update", 20)
        yield* Queue.offer(again, undefined)
        yield* has("snapshot", 12)
      }).pipe(Effect.provide(client))
    }),
  )
})
