import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { usdc } from "#src/domain/amounts.ts"
import type { ComboFacets, Facets } from "#src/feed/filters/Facets.ts"
import { type ComboFilter, type Filter, type FilterableEvent, matches } from "#src/feed/filters/Filter.ts"
import { FilterIndex } from "#src/feed/filters/FilterIndex.ts"
import type { EventType } from "#src/feed/model.ts"

const few = (name: string) => fc.constantFrom(`${name}1`, `${name}2`, `${name}3`)
const list = (name: string) => fc.uniqueArray(few(name), { maxLength: 2 })
const setOf = (name: string) => list(name).map((items) => new Set(items))
const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })
const amount = fc.constantFrom(0, 1, 100, 1_000_000).map((each) => usdc(each))
const type = fc.constantFrom<EventType>("fill", "trade", "reorg")
const side = fc.constantFrom("BUY" as const, "SELL" as const)
const status = fc.constantFrom("pending" as const, "confirmed" as const)
const positionStatus = fc.constantFrom("open", "closed")
const modules = fc.uniqueArray(fc.constantFrom(1, 2, 3), { maxLength: 2 })

const comboFilter: fc.Arbitrary<ComboFilter> = fc.record({
  conditions: maybe(setOf("c")),
  legs: maybe(setOf("l")),
  events: maybe(setOf("e")),
  modules: maybe(modules.map((items) => new Set(items))),
  action: maybe(few("a")),
  direction: maybe(side),
})

const dimensions = fc.record({
  wallets: setOf("w"),
  receivers: setOf("r"),
  builders: setOf("b"),
  tokens: setOf("t"),
  conditions: fc.array(setOf("c"), { maxLength: 2 }),
  eventSlugs: setOf("e"),
  tags: setOf("g"),
  side,
  status,
  statusFrom: positionStatus,
  statusTo: positionStatus,
  minSize: amount,
  maxSize: amount,
  minAmount: amount,
  minFee: amount,
  minTotal: amount,
  combo: comboFilter,
})

/** A few dimensions at a time, because hardly any event matches all of them. */
const filter: fc.Arbitrary<Filter> = fc
  .tuple(
    fc.uniqueArray(type, { minLength: 1 }),
    dimensions.chain((all) => fc.subarray(Object.entries(all), { maxLength: 3 })),
  )
  .map(([types, some]) => ({ conditions: [], ...Object.fromEntries(some), types: new Set(types) }))

const comboFacets: fc.Arbitrary<ComboFacets> = fc.record({
  conditions: list("c"),
  legs: list("l"),
  events: list("e"),
  modules,
  action: maybe(few("a")),
  direction: maybe(side),
})

const facets: fc.Arbitrary<Facets> = fc.record({
  wallets: list("w"),
  tokens: list("t"),
  conditions: list("c"),
  eventSlugs: maybe(list("e")),
  tags: maybe(list("g")),
  receiver: maybe(few("r")),
  builder: maybe(few("b")),
  side: maybe(side),
  status: maybe(status),
  statusFrom: maybe(positionStatus),
  statusTo: maybe(positionStatus),
  size: maybe(amount),
  amount: maybe(amount),
  fee: maybe(amount),
  total: maybe(amount),
  onlyForWallet: fc.boolean(),
  combo: maybe(comboFacets),
})

const event: fc.Arbitrary<FilterableEvent> = fc.record({ type, facets })

/** The rule once more, written differently: the names of the dimensions that reject the event. */
const rejections = (wanted: Filter, { type: of, facets: given }: FilterableEvent): ReadonlyArray<string> => {
  if (!wanted.types.has(of)) return ["types"]
  if (of === "reorg") return []
  const one = <A>(set: ReadonlySet<A> | undefined, values: ReadonlyArray<A | undefined> = []) =>
    set === undefined || [...set].some((item) => values.includes(item))
  const same = (a: string | undefined, b: string | undefined) => a === undefined || a === b
  const { combo } = wanted
  const checks: Readonly<Record<string, boolean>> = {
    onlyForWallet: !(given.onlyForWallet && wanted.wallets === undefined),
    wallets: one(wanted.wallets, given.wallets),
    receivers: one(wanted.receivers, [given.receiver]),
    builders: one(wanted.builders, [given.builder]),
    tokens: one(wanted.tokens, given.tokens),
    conditions: !wanted.conditions.some((set) => !one(set, given.conditions)),
    eventSlugs: one(wanted.eventSlugs, given.eventSlugs),
    tags: one(wanted.tags, given.tags),
    side: same(wanted.side, given.side),
    status: given.status === undefined || same(wanted.status, given.status),
    statusFrom: same(wanted.statusFrom, given.statusFrom),
    statusTo: same(wanted.statusTo, given.statusTo),
    minSize: wanted.minSize === undefined || (given.size ?? -1) >= wanted.minSize,
    maxSize: wanted.maxSize === undefined || (given.size ?? Number.POSITIVE_INFINITY) <= wanted.maxSize,
    minAmount: wanted.minAmount === undefined || (given.amount ?? -1) >= wanted.minAmount,
    minFee: wanted.minFee === undefined || (given.fee ?? -1) >= wanted.minFee,
    minTotal: wanted.minTotal === undefined || (given.total ?? -1) >= wanted.minTotal,
    combo:
      combo === undefined ||
      (given.combo !== undefined &&
        one(combo.conditions, given.combo.conditions) &&
        one(combo.legs, given.combo.legs) &&
        one(combo.events, given.combo.events) &&
        one(combo.modules, given.combo.modules) &&
        same(combo.action, given.combo.action) &&
        same(combo.direction, given.combo.direction)),
  }
  return Object.keys(checks).filter((name) => !checks[name])
}

describe("Filter", () => {
  it("matches exactly the events that no dimension rejects", () => {
    let found = 0
    fc.assert(
      fc.property(filter, event, (wanted, one) => {
        const expected = rejections(wanted, one)
        if (expected.length === 0) found++
        assert.strictEqual(matches(wanted, one), expected.length === 0, expected.join())
      }),
      { numRuns: 1_000 },
    )
    assert.isAbove(found, 100)
  })
})

describe("FilterIndex", () => {
  it("finds the same entries as matching every filter, after any additions and removals", () => {
    let found = 0
    const change = fc.record({ filter, isRemoved: fc.boolean() })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), fc.array(event, { maxLength: 10 }), (changes, events) => {
        const index = new FilterIndex<{ readonly filter: Filter }>()
        for (const entry of changes) index.add(entry)
        for (const entry of changes) if (entry.isRemoved) index.remove(entry)
        const entries = changes.filter(({ isRemoved }) => !isRemoved)
        const wallets = entries.flatMap((entry) => [...(entry.filter.wallets ?? [])])
        assert.sameMembers([...index.wallets.keys()], [...new Set(wallets)])
        for (const one of events) {
          const expected = entries.filter((entry) => matches(entry.filter, one))
          found += expected.length
          const result = index.matching(one)
          assert.strictEqual(result.size, expected.length)
          for (const entry of expected) assert.isTrue(result.has(entry))
        }
      }),
      { numRuns: 300 },
    )
    assert.isAbove(found, 500)
  })

  it("is empty after every entry is removed", () => {
    fc.assert(
      fc.property(fc.array(filter, { maxLength: 20 }), event, (filters, one) => {
        const index = new FilterIndex<{ readonly filter: Filter }>()
        const entries = filters.map((each) => ({ filter: each }))
        for (const entry of entries) index.add(entry)
        for (const entry of entries) index.remove(entry)
        assert.strictEqual(index.matching(one).size, 0)
        assert.strictEqual(index.wallets.size, 0)
      }),
    )
  })
})
