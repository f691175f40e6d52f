import { request } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runningVenue } from "#test/support/venue.ts"

interface Sent {
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends exactly these headers; fetch would not let a test forge Host. */
const send = (port: number, path: string, { method = "GET", headers, body }: Sent) =>
  Effect.callback<{ readonly status: number; readonly text: string }>((resume) => {
    const outgoing = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (incoming) => {
      let text = ""
      incoming.on("data", (chunk) => {
        text += chunk
      })
      incoming.on("end", () => resume(Effect.succeed({ status: incoming.statusCode ?? 0, text })))
    })
    outgoing.end(body)
  })

const depth = '{"depth": 300}'

/** What a browser sends for a page of another origin, without asking the venue first. */
const fromPages: ReadonlyArray<Readonly<Record<string, string>>> = [
  { host: "localhost:8090", origin: "https://evil.example", "content-type": "text/plain" },
  { host: "127.0.0.1:8090", origin: "null", "content-type": "application/x-www-form-urlencoded" },
  { host: "localhost:8090", "sec-fetch-site": "cross-site", "content-type": "text/plain" },
  { host: "localhost:8090", origin: "http://localhost:3000", "sec-fetch-site": "same-site" },
]

describe("A web page that a visitor of the simulated venue opens", () => {
  it.live("cannot replace blocks of the venue with a simple request", () =>
    Effect.gen(function* () {
      const { port, simulation } = yield* runningVenue(91)
      const before = simulation.chain.hashOf(simulation.head)
      for (const headers of fromPages) {
        const { status, text } = yield* send(port, "/_sim/reorg", { method: "POST", headers, body: depth })
        assert.strictEqual(status, 403, JSON.stringify(headers))
        assert.include(text, "another origin")
      }
      assert.strictEqual(simulation.chain.hashOf(simulation.head), before)
    }),
  )

  it.live("cannot use a name of its own that resolves to this machine", () =>
    Effect.gen(function* () {
      const { port, simulation } = yield* runningVenue(92)
      const before = simulation.chain.hashOf(simulation.head)
      const headers = { host: "evil.example:8090", origin: "http://evil.example:8090", "sec-fetch-site": "same-origin" }
      const moved = yield* send(port, "/_sim/reorg", { method: "POST", headers, body: depth })
      assert.strictEqual(moved.status, 421)
      assert.include(moved.text, "HTTP_ALLOWED_HOSTS")
      const read = yield* send(port, "/_sim/state", { headers: { host: "evil.example" } })
      assert.strictEqual(read.status, 421)
      assert.strictEqual(simulation.chain.hashOf(simulation.head), before)
    }),
  )

  it.live("does not keep programs, the venue's own page and the address bar from the controls", () =>
    Effect.gen(function* () {
      const { port } = yield* runningVenue(93)
      const curl = { host: "localhost:8090", "content-type": "application/x-www-form-urlencoded" }
      const page = { host: "localhost:8090", origin: "http://localhost:8090", "sec-fetch-site": "same-origin" }
      for (const headers of [curl, page]) {
        const { status } = yield* send(port, "/_sim/rate", { method: "POST", headers, body: '{"rate": 7}' })
        assert.strictEqual(status, 200)
      }
      const typed = yield* send(port, "/_sim/state", { headers: { host: `[::1]:${port}`, "sec-fetch-site": "none" } })
      assert.strictEqual(typed.status, 200)
      const data = yield* send(port, "/gamma/tags", { headers: { host: "venue" } })
      assert.strictEqual(data.status, 200, "the services of the venue answer under any name")
    }),
  )
})
