import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import fc from "fast-check"
import { headersOf, type Signed } from "#src/webhooks/delivery/signature.ts"
import { WebhookId } from "#src/webhooks/model.ts"

const secret = Redacted.make("whsec_0123456789abcdef0123456789abcdef")
const previous = Redacted.make("whsec_ffffffffffffffffffffffffffffffff")

const signed = (more: Partial<Signed> = {}): Signed => ({
  webhook: WebhookId.make("wh_0123456789ab"),
  eventId: "evt_7c9e6679-7425-50de-944b-e07fc1f90ae7",
  eventType: "trade",
  attempt: 1,
  timestamp: 1_700_000_000,
  body: Buffer.from('{"a":1}'),
  secret,
  previous: undefined,
  ...more,
})

/** Both schemes in another language, as a receiver would write them. */
const verifier = `
import sys, json, hmac, hashlib, base64
def ours(secret, ts, body): return "sha256=" + hmac.new(secret.encode(), ts.encode() + b"." + body, hashlib.sha256).hexdigest()
def standard(secret, id, ts, body):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.new(key, f"{id}.{ts}.".encode() + body, hashlib.sha256).digest()).decode()
for line in sys.stdin:
    c = json.loads(line); h = c["headers"]; body = base64.b64decode(c["body"])
    ts = h["X-Webhook-Timestamp"]
    ok = hmac.compare_digest(h["X-Webhook-Signature"], ours(c["secret"], ts, body))
    wanted = [standard(c["secret"], h["webhook-id"], h["webhook-timestamp"], body)]
    if c["previous"] is None: ok = ok and "X-Webhook-Signature-Previous" not in h
    else:
        ok = ok and hmac.compare_digest(h["X-Webhook-Signature-Previous"], ours(c["previous"], ts, body))
        wanted.append(standard(c["previous"], h["webhook-id"], h["webhook-timestamp"], body))
    print("ok" if ok and h["webhook-signature"].split(" ") == wanted else "wrong " + line)
`

/** Any JSON, any text, any bytes. */
const body = fc.oneof(
  fc.json().map((text) => Buffer.from(text)),
  fc
    .string({ unit: "binary" })
    .map((text) => Buffer.from(JSON.stringify({ text, odd: "\u2028\u2029é😀", big: 2 ** 63 }))),
  fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
)
const hexSecret = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((b) => `whsec_${Buffer.from(b).toString("hex")}`)

describe("Signatures", () => {
  it("are verified by another language, both ours and those of Standard Webhooks", () => {
    const cases = fc.sample(
      fc.record({
        body,
        secret: hexSecret,
        previous: fc.option(hexSecret),
        timestamp: fc.integer({ min: 1, max: 4_000_000_000 }),
      }),
      1000,
    )
    const lines = cases.map((each) => {
      const headers = headersOf(
        signed({
          body: each.body,
          timestamp: each.timestamp,
          secret: Redacted.make(each.secret),
          previous: each.previous === null ? undefined : Redacted.make(each.previous),
        }),
      )
      return JSON.stringify({ ...each, body: each.body.toString("base64"), headers })
    })
    const answer = spawnSync("python3", ["-c", verifier], { input: lines.join("\n"), encoding: "utf8" })
    assert.strictEqual(answer.stderr, "")
    const results = answer.stdout.trim().split("\n")
    assert.strictEqual(results.length, cases.length)
    assert.deepStrictEqual(
      results.filter((result) => result !== "ok"),
      [],
    )
  })

  it("use the new secret first, and the previous one beside it while it is valid", () => {
    const alone = headersOf(signed())
    const both = headersOf(signed({ previous }))
    assert.strictEqual(both["X-Webhook-Signature"], alone["X-Webhook-Signature"])
    assert.notStrictEqual(both["X-Webhook-Signature-Previous"], both["X-Webhook-Signature"])
    assert.isUndefined(alone["X-Webhook-Signature-Previous"])
    const [first, second, ...more] = (both["webhook-signature"] ?? "").split(" ")
    assert.strictEqual(first, alone["webhook-signature"])
    assert.match(second ?? "", /^v1,/)
    assert.deepStrictEqual(more, [])
  })

  it("change with every byte and with the time, but not with the attempt", () => {
    const { "X-Webhook-Signature": base } = headersOf(signed())
    assert.match(base ?? "", /^sha256=[0-9a-f]{64}$/)
    assert.notStrictEqual(headersOf(signed({ body: Buffer.from('{"a":2}') }))["X-Webhook-Signature"], base)
    assert.notStrictEqual(headersOf(signed({ timestamp: 1_700_000_001 }))["X-Webhook-Signature"], base)
    const second = headersOf(signed({ attempt: 2 }))
    assert.strictEqual(second["X-Webhook-Signature"], base)
    assert.strictEqual(second["X-Webhook-Attempt"], "2")
  })

  it("work with a custom secret that is not base64", () => {
    const headers = headersOf(signed({ secret: Redacted.make("whsec_not base64!") }))
    assert.match(headers["webhook-signature"] ?? "", /^v1,[A-Za-z0-9+/]{43}=$/)
  })
})
