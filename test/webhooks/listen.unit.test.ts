import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import fc from "fast-check"
import { headersOf } from "#src/webhooks/delivery/signature.ts"
import { deliveryJson, formatDelivery } from "#src/webhooks/listen/format.ts"
import { envelopeOf, type ReceivedDelivery } from "#src/webhooks/listen/listen.ts"
import { verify } from "#src/webhooks/listen/verify.ts"
import { WebhookId } from "#src/webhooks/model.ts"

const secret = "whsec_0123456789abcdef0123456789abcdef"
const other = "whsec_ffffffffffffffffffffffffffffffff"
const seconds = 1_794_700_800
const now = seconds * 1000

const hmac = (key: string | Buffer, prefix: string, body: Uint8Array) =>
  createHmac("sha256", key).update(Buffer.concat([Buffer.from(prefix), body]))

const main = (body: Uint8Array, by = secret, time: number | string = seconds) => ({
  "x-webhook-timestamp": String(time),
  "x-webhook-signature": `sha256=${hmac(by, `${time}.`, body).digest("hex")}`,
})
const standard = (body: Uint8Array, by = secret, time = seconds) => ({
  "webhook-id": "evt_1",
  "webhook-timestamp": String(time),
  "webhook-signature": `v1,AAAA v1,${hmac(Buffer.from(by.slice(6), "base64"), `evt_1.${time}.`, body).digest("base64")}`,
})

/** Runs of every property. */
const numRuns = process.env.PRESAGE_SOAK === "1" ? 100 : 30

const bytes = fc.uint8Array({ maxLength: 300 })

describe("verify", () => {
  it("accepts any valid signature over the raw bytes", () => {
    fc.assert(
      fc.property(bytes, (body) => {
        assert.deepStrictEqual(verify({ headers: { ...main(body), ...standard(body) }, body }, secret, now), {
          ok: true,
          by: ["main", "standard"],
        })
        assert.deepStrictEqual(verify({ headers: standard(body), body }, secret, now), { ok: true, by: ["standard"] })
        const { "x-webhook-signature": previous } = main(body)
        const rotated = { ...main(body, other), "x-webhook-signature-previous": previous }
        assert.deepStrictEqual(verify({ headers: rotated, body }, secret, now), { ok: true, by: ["previous"] })
      }),
      { numRuns },
    )
  })

  it("accepts what the service signs, for any secret", () => {
    const secrets = fc.oneof(
      fc.uint8Array({ minLength: 16, maxLength: 16 }).map((key) => `whsec_${Buffer.from(key).toString("hex")}`),
      fc.string({ minLength: 1, unit: "grapheme" }).map((text) => `whsec_${text}`),
    )
    fc.assert(
      fc.property(bytes, fc.uniqueArray(secrets, { minLength: 2, maxLength: 2 }), (body, [fresh = "", old = ""]) => {
        const signed = headersOf({
          webhook: WebhookId.make("wh_0123456789ab"),
          eventId: "evt_7c9e6679-7425-50de-944b-e07fc1f90ae7",
          eventType: "trade",
          attempt: 1,
          timestamp: seconds,
          body,
          secret: Redacted.make(fresh),
          previous: Redacted.make(old),
        })
        const headers = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]))
        const result = (by: string) => verify({ headers, body }, by, now)
        assert.deepStrictEqual(result(fresh), { ok: true, by: ["main", "standard"] })
        assert.deepStrictEqual(result(old), { ok: true, by: ["previous", "standard"] })
        assert.isFalse(result(`${fresh}${old}`).ok)
      }),
      { numRuns },
    )
  })

  it("refuses a changed byte, time or secret", () => {
    fc.assert(
      fc.property(bytes, fc.nat(), fc.integer({ min: 1, max: 255 }), (body, place, change) => {
        const headers = { ...main(body), ...standard(body) }
        const longer = Uint8Array.of(...body, 1)
        const altered =
          body.length === 0 ? longer : body.with(place % body.length, (body[place % body.length] ?? 0) ^ change)
        for (const incoming of [
          { headers, body: altered },
          { headers: { ...headers, "x-webhook-timestamp": "1", "webhook-timestamp": "1" }, body },
          { headers: { ...main(body, other), ...standard(body, other) }, body },
        ]) {
          const result = verify(incoming, secret, now)
          assert.deepStrictEqual(result, { ok: false, reason: "not signed with this secret" })
        }
      }),
      { numRuns },
    )
  })

  it("refuses old, future, unsigned and malformed deliveries", () => {
    const body = Buffer.from("{}")
    const at = (time: number | string) => verify({ headers: main(body, secret, time), body }, secret, now)
    assert.isTrue(at(seconds - 300).ok && at(seconds + 300).ok)
    assert.deepStrictEqual(at(seconds - 301), { ok: false, reason: "signed 301 s ago, more than 300" })
    for (const time of [seconds + 302, "soon", "NaN", "-0x"]) {
      assert.deepStrictEqual(at(time), { ok: false, reason: "signed in the future: check the clocks" })
    }
    assert.deepStrictEqual(verify({ headers: {}, body }, secret, now), { ok: false, reason: "not signed" })
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...Object.keys({ ...main(body), ...standard(body) })), fc.string()),
        (headers) => {
          assert.isFalse(verify({ headers, body }, secret, now).ok)
        },
      ),
      { numRuns },
    )
  })
})

describe("formatDelivery", () => {
  const delivery = (body: Buffer): ReceivedDelivery => ({
    at: now,
    path: "/here",
    webhook: "wh_0123456789ab",
    attempt: "2",
    verification: { ok: true, by: ["main", "standard"] },
    isDuplicate: true,
    status: 200,
    envelope: envelopeOf(body),
    body,
  })

  it("prints one summary line and one line of data", () => {
    const body = Buffer.from('{"id":"evt_1","type":"trade","created_at":"x","data":{"price":0.5}}')
    assert.strictEqual(
      formatDelivery(delivery(body), false),
      '00:00:00.000  trade  attempt 2  signature ok, standard ok  duplicate  -> 200  evt_1\n  {"price":0.5}',
    )
    assert.include(formatDelivery(delivery(body), true), "\u001b[32m-> 200\u001b[0m")
    assert.deepInclude(deliveryJson(delivery(body)), {
      event_id: "evt_1",
      type: "trade",
      duplicate: true,
      answered: 200,
    })
  })

  it("never lets the sender control the terminal, whatever the input", () => {
    const oddities = "\u001b[2J\u009b31m\u202e\u0000\r\n"
    const texts = fc.oneof(fc.string({ unit: "binary" }), fc.constant(oddities), fc.constant("x".repeat(5_000)))
    fc.assert(
      fc.property(texts, texts, texts, (id, type, value) => {
        const envelope = Buffer.from(JSON.stringify({ id, type, data: { value } }))
        for (const body of [envelope, Buffer.from(value)]) {
          const text = formatDelivery(delivery(body), false)
          assert.lengthOf(text.split("\n"), 2)
          assert.notMatch(text.replace("\n", ""), /[\p{Cc}\p{Cf}\u2028\u2029]/u)
          assert.isBelow(text.length, 2_500)
        }
      }),
      { numRuns },
    )
  })
})
