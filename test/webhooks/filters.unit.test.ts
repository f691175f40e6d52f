import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { pollers } from "#src/webhooks/contracts.ts"
import { eventTypeInfos } from "#src/webhooks/eventTypes.ts"
import { type FilterName, type WebhookEventType, webhookEventTypes } from "#src/webhooks/model.ts"
import { filterJsonSchema, filterNames, GivenFilters, ShownFilters } from "#src/webhooks/subscriptions/filterFields.ts"
import { checkFilters } from "#src/webhooks/subscriptions/filters.ts"

const decode = Schema.decodeUnknownResult(GivenFilters)
const hex = (count: number) =>
  fc
    .array(fc.constantFrom(..."0123456789abcdefABCDEF"), { minLength: count, maxLength: count })
    .map((digits) => `0x${digits.join("")}`)
const slug = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9 .é-]{0,20}$/)
const status = fc.constantFrom("none", "open", "closed", "redeemable", "redeemed")
const dollars = fc.double({ min: 0, max: 1e9, noNaN: true })
const several = <A>(item: fc.Arbitrary<A>) => fc.array(item, { maxLength: 6 })

const values: Readonly<Record<FilterName, fc.Arbitrary<string | number | ReadonlyArray<string>>>> = {
  wallet_addresses: several(hex(40)),
  token_ids: several(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((id) => id.toString().padStart(3, "0"))),
  condition_ids: several(hex(64)),
  event_slugs: several(slug),
  tags: several(slug),
  builder_codes: several(hex(64)),
  receiver_addresses: several(hex(40)),
  min_amount_usd: dollars,
  min_fee_usd: dollars,
  min_delta_pct: fc.double({ min: 0, max: 1e6, noNaN: true }),
  min_pnl_change_usd: dollars,
  min_total_usd: dollars,
  side: fc.constantFrom("buy", "Sell", "BUY"),
  status_from: status,
  status_to: status,
}

const types = fc.uniqueArray(fc.constantFrom(...webhookEventTypes), { minLength: 1, maxLength: 4 })
const given = fc.record(values, { requiredKeys: [] })

const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0)

const refusal = (eventTypes: ReadonlyArray<WebhookEventType>, filters: unknown) => {
  const result = Result.flatMap(Result.mapError(decode(filters), String), (read) => checkFilters(eventTypes, read))
  assert.isTrue(Result.isFailure(result), JSON.stringify(filters))
  return Result.isFailure(result) && typeof result.failure === "object" ? result.failure : undefined
}

describe("Webhook filters", () => {
  it("are accepted exactly when every type accepts each of them and has those it requires", () => {
    fc.assert(
      fc.property(types, given, (eventTypes, filters) => {
        const names = filterNames.filter((name) => !isEmpty(filters[name]))
        const fits = eventTypes.every((type) => {
          const { filters: allowed, required } = eventTypeInfos[type]
          return names.every((name) => allowed.includes(name)) && required.every((name) => names.includes(name))
        })
        const read = decode(filters)
        assert.isTrue(Result.isSuccess(read))
        if (Result.isFailure(read)) return
        const result = checkFilters(eventTypes, read.success)
        assert.strictEqual(Result.isSuccess(result), fits)
        if (Result.isSuccess(result)) assert.deepStrictEqual(Object.keys(result.success), names)
        else assert.match(result.failure.field, /^filters\.\w+$/)
      }),
    )
  })

  it("are normalized, and normalizing again changes nothing", () => {
    fc.assert(
      fc.property(fc.constantFrom(...webhookEventTypes), given, (type, filters) => {
        const { filters: allowed, required } = eventTypeInfos[type]
        const chosen = Object.fromEntries(
          allowed.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]])),
        )
        const first = Result.flatMap(decode(chosen), (read) => checkFilters([type], read))
        fc.pre(required.every((name) => !isEmpty(chosen[name])))
        assert.isTrue(Result.isSuccess(first))
        if (Result.isFailure(first)) return
        const again = Result.flatMap(decode(first.success), (read) => checkFilters([type], read))
        assert.deepStrictEqual(again, first)
        assert.deepStrictEqual(Schema.encodeSync(ShownFilters)(first.success), first.success)
        const { wallet_addresses = [], token_ids = [], min_amount_usd = 0, side = "BUY" } = first.success
        for (const address of wallet_addresses) assert.match(address, /^0x[0-9a-f]{40}$/)
        for (const id of token_ids) assert.strictEqual(BigInt(id).toString(), id)
        assert.strictEqual(new Set(token_ids).size, token_ids.length)
        assert.approximately(min_amount_usd, Number(chosen["min_amount_usd"] ?? 0), 5.1e-7)
        assert.isTrue(Number.isSafeInteger(Math.round(min_amount_usd * 1e6)))
        assert.include(["BUY", "SELL"], side)
      }),
    )
  })

  it("that are unknown are refused by name, with the accepted ones", () => {
    const mistyped = refusal(["trade"], { wallet_adresses: [] })
    assert.strictEqual(mistyped?.field, "filters.wallet_adresses")
    assert.match(mistyped?.reason ?? "", /no filter "wallet_adresses"\. Did you mean "wallet_addresses"\?/)
    for (const name of eventTypeInfos.trade.filters) assert.include(mistyped?.hint, name)
    assert.strictEqual(refusal(["trade"], JSON.parse('{"__proto__":{"side":"BUY"}}'))?.field, "filters.__proto__")
    assert.isBelow(refusal(["trade"], { ["x".repeat(100_000)]: 1 })?.reason.length ?? 0, 200)
  })

  it("that a type does not accept, or lacks, are refused with that type", () => {
    assert.match(refusal(["trade", "split"], { side: "BUY" })?.reason ?? "", /"side" does not apply to split/)
    assert.match(refusal(["large_trade"], {})?.reason ?? "", /large_trade requires the filter "min_amount_usd"/)
    const nobody = refusal(["position_status_change"], { wallet_addresses: [] })
    assert.match(nobody?.reason ?? "", /position_status_change requires the filter "wallet_addresses"/)
    assert.isTrue(Result.isSuccess(checkFilters(["large_trade"], { min_amount_usd: 0 })))
  })

  it("refuse invalid values", () => {
    const address = `0x${"a".repeat(40)}`
    for (const wrong of [
      { wallet_addresses: address },
      { wallet_addresses: [`${address}0`] },
      { wallet_addresses: [address.slice(2)] },
      { wallet_addresses: [`${address}\n`] },
      { wallet_addresses: Array.from({ length: 501 }, () => address) },
      { token_ids: [5] },
      { token_ids: ["-1"] },
      { token_ids: ["0x5"] },
      { token_ids: [(2n ** 256n).toString()] },
      { condition_ids: ["0x12"] },
      { event_slugs: [""] },
      { event_slugs: ["  "] },
      { event_slugs: ["a\u0000b"] },
      { event_slugs: ["a\ud800"] },
      { event_slugs: ["x".repeat(256)] },
      { tags: Array.from({ length: 21 }, (_, i) => `tag-${i}`) },
      { tags: [null] },
      { min_amount_usd: -1 },
      { min_amount_usd: "5" },
      { min_amount_usd: Number.POSITIVE_INFINITY },
      { min_amount_usd: 1e9 + 1 },
      { min_amount_usd: null },
      { side: "both" },
    ]) {
      refusal(["trade"], wrong)
    }
    refusal(["position_status_change"], { wallet_addresses: [address], status_from: "gone" })
    for (const wrong of [null, [], "", 5]) refusal(["trade"], wrong)
  })
})

describe("Event types", () => {
  it("each have a poller and state its cadence", () => {
    for (const type of webhookEventTypes) assert.isTrue(Object.values(pollers).some((poller) => poller.type === type))
    const seconds = webhookEventTypes.map((type) => eventTypeInfos[type].cadenceSeconds)
    assert.deepStrictEqual(seconds, [3, 3, 3, 3, 10, 10, 30, 15, 30, 15, 15, 15, 15, 15, 15, 3])
    assert.strictEqual(eventTypeInfos.wallet_activity.cadence, "3-15 s")
  })

  it("are exclusive if no other type accepts the filters that they require", () => {
    const exclusive = webhookEventTypes.filter((type) => eventTypeInfos[type].exclusive)
    assert.deepStrictEqual(exclusive, ["builder_trade"])
    for (const type of webhookEventTypes) {
      const { filters, required } = eventTypeInfos[type]
      for (const name of required) assert.include(filters, name)
    }
  })

  it("every filter has a JSON Schema from which a form can be made", () => {
    const schemas = new Map(filterNames.map((name) => [name, filterJsonSchema(name)]))
    for (const [name, { type }] of schemas) assert.include(["array", "number", "string"], type, name)
    assert.deepInclude(schemas.get("wallet_addresses"), { type: "array", items: { type: "string" } })
    assert.deepInclude(schemas.get("status_to"), { enum: ["none", "open", "closed", "redeemable", "redeemed"] })
    assert.match(String(schemas.get("side")?.["description"]), /^BUY or SELL/)
  })
})
