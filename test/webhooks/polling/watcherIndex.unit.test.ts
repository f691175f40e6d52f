import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { AccountId } from "#src/domain/Account.ts"
import { usdc } from "#src/domain/amounts.ts"
import type { Facets } from "#src/feed/filters/Facets.ts"
import type { Filters, WebhookId } from "#src/webhooks/model.ts"
import type { Watcher } from "#src/webhooks/polling/model.ts"
import { WatcherIndex } from "#src/webhooks/polling/WatcherIndex.ts"

const few = (name: string) => fc.constantFrom(`${name}1`, `${name}2`, `${name}3`)
const list = (name: string) => fc.uniqueArray(few(name), { maxLength: 2 })
const dollars = fc.constantFrom(0, 0.000001, 0.1, 1.1, 5, 10)
const amount = fc
  .constantFrom(0, 1, 99_999, 100_000, 1_099_999, 1_100_000, 5_000_000, 20_000_000)
  .map((each) => usdc(each))
const status = fc.constantFrom("none", "open", "closed")
const side = fc.constantFrom("BUY" as const, "SELL" as const)

const everyFilter: fc.Arbitrary<Required<Omit<Filters, "min_delta_pct" | "min_pnl_change_usd">>> = fc.record({
  wallet_addresses: list("w"),
  receiver_addresses: list("r"),
  builder_codes: list("b"),
  token_ids: list("t"),
  condition_ids: list("c"),
  event_slugs: list("e"),
  tags: list("g"),
  min_amount_usd: dollars,
  min_fee_usd: dollars,
  min_total_usd: dollars,
  side,
  status_from: status,
  status_to: status,
})

/** A few filters at a time, because hardly any event matches all of them. */
const filters: fc.Arbitrary<Filters> = everyFilter.chain((all) =>
  fc.subarray(Object.entries(all), { maxLength: 3 }).map((some) => Object.fromEntries(some)),
)

const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })

const facets: fc.Arbitrary<Facets> = fc.record({
  wallets: list("w"),
  tokens: list("t"),
  conditions: list("c"),
  eventSlugs: list("e"),
  tags: list("g"),
  builder: maybe(few("b")),
  receiver: maybe(few("r")),
  side: maybe(side),
  amount: maybe(amount),
  fee: maybe(amount),
  total: maybe(amount),
  statusFrom: maybe(status),
  statusTo: maybe(status),
  onlyForWallet: fc.boolean(),
})

/** The rule once more, in its simplest form. */
const isFor = (wanted: Filters, event: Facets): boolean => {
  const one = (filter: ReadonlyArray<string> | undefined, given: ReadonlyArray<string | undefined>) =>
    filter === undefined || filter.length === 0 || filter.some((each) => given.includes(each))
  const enough = (least: number | undefined, given: number | undefined) =>
    least === undefined || (given !== undefined && BigInt(given) >= BigInt((least * 1e6).toFixed(0)))
  return (
    one(wanted.wallet_addresses, event.wallets) &&
    one(wanted.receiver_addresses, [event.receiver]) &&
    one(wanted.builder_codes, [event.builder]) &&
    one(wanted.token_ids, event.tokens) &&
    one(wanted.condition_ids, event.conditions) &&
    one(wanted.event_slugs, event.eventSlugs ?? []) &&
    one(wanted.tags, event.tags ?? []) &&
    enough(wanted.min_amount_usd, event.amount) &&
    enough(wanted.min_fee_usd, event.fee) &&
    enough(wanted.min_total_usd, event.total) &&
    (wanted.side === undefined || wanted.side === event.side) &&
    (wanted.status_from === undefined || wanted.status_from === event.statusFrom) &&
    (wanted.status_to === undefined || wanted.status_to === event.statusTo) &&
    (!event.onlyForWallet || (wanted.wallet_addresses ?? []).length > 0)
  )
}

const change = fc.record({
  id: fc.integer({ min: 0, max: 9 }).map((number) => `wh_${number}` as WebhookId),
  filters: fc.option(filters, { freq: 4 }),
})

describe("WatcherIndex", () => {
  it("finds the same webhooks as checking every one, after any additions, changes and removals", () => {
    let matches = 0
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), fc.array(facets, { maxLength: 10 }), (changes, events) => {
        const index = new WatcherIndex("trade")
        const there = new Map<WebhookId, Watcher>()
        for (const { id, filters } of changes) {
          if (filters === null) {
            index.delete(id)
            there.delete(id)
          } else {
            const watcher = { id, account: "a" as AccountId, filters, since: 0n, active: true }
            index.set(watcher)
            there.set(id, watcher)
          }
        }
        assert.strictEqual(index.size, there.size)
        const asked = [...there.values()].flatMap(({ filters }) => filters.wallet_addresses ?? [])
        assert.sameMembers([...index.wallets.keys()], [...new Set(asked)])
        for (const event of events) {
          const expected = [...there.values()].filter((watcher) => isFor(watcher.filters, event))
          matches += expected.length
          assert.sameMembers(
            Array.from(index.matching(event), ({ id }) => id),
            expected.map(({ id }) => id),
          )
        }
      }),
      { numRuns: 500 },
    )
    assert.isAbove(matches, 1_000)
  })
})
