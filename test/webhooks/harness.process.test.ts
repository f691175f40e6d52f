import { createHmac } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "undici"
import { faultProxy } from "./support/faultProxy.ts"
import { envelopeOf, ledgerOf } from "./support/ledger.ts"
import { receiver } from "./support/receiver.ts"
import { isAlsoSignedBy, isSignedBy, isStandardSignedBy } from "./support/verifier.ts"

const secret = "whsec_0123456789abcdef0123456789abcdef"
const event = "evt_7c9e6679-7425-50de-944b-e07fc1f90ae7"
const body = JSON.stringify({ id: event, type: "trade", created_at: "2026-11-15T17:00:00.000001+00:00", data: {} })
const headers = { "x-webhook-id": "wh_0123456789ab", "webhook-id": event }

/** The status of an answer, or the name of the failure. */
const post = (url: string, more: Readonly<Record<string, string>> = {}, within = 20_000) =>
  Effect.promise(() =>
    request(url, {
      method: "POST",
      body,
      headers: { ...headers, ...more },
      signal: AbortSignal.timeout(within),
      reset: true,
    }).then(
      async (answer) => {
        await answer.body.dump()
        return answer.statusCode
      },
      (error) => (error instanceof Error ? error.name : "?"),
    ),
  )

const soon = 800

it.live("The receiver records requests and answers as its paths say, through restarts", () =>
  Effect.gen(function* () {
    const endpoints = yield* receiver(2)
    const answers = yield* Effect.forEach(
      ["/ok", "/status/503", "/fail/1", "/fail/1", "/failEach/1/x", "/failEach/1/x", "/gone", "/redirect", "/slow/30"],
      (path) => post(endpoints.url(path, 1)),
    )
    assert.deepStrictEqual(answers, [200, 503, 500, 200, 500, 200, 410, 302, 200])
    const broken = yield* Effect.forEach(["/reset", "/close", "/garbage", "/headers/2000"], (path) =>
      post(endpoints.url(path)),
    )
    assert.deepStrictEqual(broken, ["Error", "SocketError", "HTTPParserError", "HeadersOverflowError"])
    const hung = yield* Effect.forEach(
      ["/never", "/trickle/5", "/trickleHead/5", "/processing/5", "/endless"],
      (path) => post(endpoints.url(path), {}, soon),
      { concurrency: "unbounded" },
    )
    assert.deepStrictEqual(hung, ["TimeoutError", 200, "TimeoutError", "TimeoutError", 200])
    yield* endpoints.until("it sees that clients gave up", 10_000, (all) => all.every(({ closedAt }) => closedAt))
    const seen = endpoints.received("/never")[0]
    assert.deepInclude(seen, { path: "/never", inFlight: 1, answered: false })
    assert.isAbove((seen?.closedAt ?? 0) - (seen?.at ?? 0), soon / 2)

    yield* endpoints.become("/ok", "status", 500)
    assert.strictEqual(yield* post(endpoints.url("/ok")), 500)
    yield* endpoints.restart
    assert.strictEqual(yield* post(endpoints.url("/ok")), 200)
    yield* endpoints.until("all are written down", 10_000, (all) => all.length === 20)
    assert.deepStrictEqual(ledgerOf(endpoints.received()), { distinct: 1, duplicates: 19, differing: [] })
    const [first] = endpoints.received()
    assert.isDefined(first)
    if (first !== undefined) assert.deepStrictEqual(JSON.stringify(envelopeOf(first)), body)
  }),
)

it.live("The verifier identifies the signing secret", () =>
  Effect.gen(function* () {
    const endpoints = yield* receiver()
    const long = `whsec_${"ab".repeat(60)}`
    for (const by of [secret, long]) {
      const ours = (key: string) => `sha256=${createHmac("sha256", key).update(`17.${body}`).digest("hex")}`
      const key = Buffer.from(by.slice(6), "base64")
      const standard = createHmac("sha256", key).update(`${event}.17.${body}`).digest("base64")
      yield* post(endpoints.url("/ok"), {
        "x-webhook-timestamp": "17",
        "x-webhook-signature": ours(by),
        "x-webhook-signature-previous": ours("whsec_old"),
        "webhook-timestamp": "17",
        "webhook-signature": `v1,other v1,${standard}`,
      })
    }
    const [one, other] = endpoints.received()
    if (one === undefined || other === undefined) return assert.fail("nothing was received")
    assert.deepStrictEqual([isSignedBy(one, secret), isSignedBy(other, long)], [true, true])
    assert.deepStrictEqual([isSignedBy(one, long), isSignedBy(one, "whsec_old")], [false, false])
    assert.deepStrictEqual([isAlsoSignedBy(one, "whsec_old"), isAlsoSignedBy(one, secret)], [true, false])
    assert.deepStrictEqual([isStandardSignedBy(one, secret), isStandardSignedBy(one, long)], [true, false])
    assert.isFalse(isSignedBy({ ...one, body: Buffer.from("{}") }, secret))
  }),
)

it.live("The proxy simulates a bad network", () =>
  Effect.gen(function* () {
    const endpoints = yield* receiver()
    const proxy = yield* faultProxy(Number(new URL(endpoints.url("/")).port))
    const through = (within?: number) => post(`http://127.0.0.1:${proxy.port}/ok`, {}, within)
    assert.strictEqual(yield* through(), 200)
    yield* proxy.become("delay", 20)
    assert.strictEqual(yield* through(), 200)
    yield* proxy.become("cut")
    assert.strictEqual(yield* through(), "Error")
    yield* proxy.become("lose-answers")
    assert.strictEqual(yield* through(soon), "TimeoutError")
    assert.lengthOf(endpoints.received(), 3)
    yield* proxy.become("black-hole")
    assert.strictEqual(yield* through(soon), "TimeoutError")
    yield* proxy.become("trickle", 20)
    assert.strictEqual(yield* through(soon), "TimeoutError")
    assert.lengthOf(endpoints.received(), 3)
    yield* proxy.become("pass")
    assert.strictEqual(yield* through(), 200)
  }),
)
