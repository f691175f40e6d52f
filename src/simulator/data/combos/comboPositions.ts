import type { EntryOf } from "../History.ts"
import { type Holding, isResolved } from "../Holdings.ts"
import type { Ledger } from "../Ledger.ts"
import type { Params } from "../Params.ts"
import { type Answer, firstLimits, secondLimits } from "../page.ts"
import { type PinnedQuery, type Place, pinnedPage, pinnedQuery } from "../pinned.ts"
import { invalid } from "../refusal.ts"
import { requiredWallet } from "../selection.ts"
import type { Sources } from "../sources.ts"
import { comboPositionRow, comboStatusOf, comboUpdatedAt, firstEntryAt, isRedeemable } from "./comboPositionRow.ts"
import { combosIn } from "./selection.ts"

/** Shares below which what is still open counts as sold. */
const dust = 1_000

const statuses = ["OPEN", "REDEEMABLE", "PARTIAL", "RESOLVED_PARTIAL", "RESOLVED_WIN", "RESOLVED_LOSS"] as const
type Status = (typeof statuses)[number]

type Test = (holding: Holding) => boolean
type Value = (holding: Holding) => number

const isHeld: Test = ({ shares }) => shares >= dust

/** Whatever is held counts as open, even if its result is there. */
const hasStatus =
  (status: Status): Test =>
  (holding) => {
    if (status === "OPEN") return isHeld(holding)
    if (status === "REDEEMABLE") return isRedeemable(holding)
    return comboStatusOf(holding) === status && (isResolved(holding) || isHeld(holding))
  }

const statusTest = (params: Params, usual: Test): Test => {
  const tests = params.choices("status", statuses).map(hasStatus)
  return tests.length === 0 ? usual : (holding) => tests.some((test) => test(holding))
}

const updatedTest = (ledger: Ledger, params: Params, entryOf: EntryOf): Test => {
  const [after, before] = [params.whole("updated_after"), params.whole("updated_before")]
  if (after === undefined && before === undefined) return () => true
  if (before !== undefined && before < (after ?? 0)) {
    throw invalid("updated_before must not be before updated_after", "updated_before")
  }
  return (holding) => {
    const at = Math.floor(comboUpdatedAt(ledger, holding, entryOf) / 1000)
    return at >= (after ?? 0) && at <= (before ?? at)
  }
}

const valuesOf = (ledger: Ledger, entryOf: EntryOf) =>
  ({
    current_value: ({ shares, price }) => shares * price,
    entry_cost: ({ cost }) => cost,
    first_entry: (holding) => firstEntryAt(ledger, holding, entryOf),
    resolved_at: ({ token }) => token.market.resolvedAt ?? 0,
    updated: (holding) => comboUpdatedAt(ledger, holding, entryOf),
  }) as const satisfies Readonly<Record<string, Value>>

interface Wanted {
  readonly wallet: number
  readonly entryOf: EntryOf
  readonly tests: ReadonlyArray<Test>
  /** Falling. */
  readonly value: Value
}

const pageOf = (sources: Sources, query: PinnedQuery, { wallet, entryOf, tests, value }: Wanted) => {
  const { holdings } = sources
  const listed: Array<{ readonly holding: Holding; readonly place: Place }> = []
  for (const position of holdings.ofWallet(wallet)) {
    if (!holdings.isCombo(position) || !holdings.isReal(position)) continue
    const holding = holdings.of(position)
    if (tests.every((test) => test(holding))) listed.push({ holding, place: { value: value(holding), id: position } })
  }
  listed.sort((a, b) => b.place.value - a.place.value || a.place.id - b.place.id)
  return pinnedPage(
    query,
    listed,
    ({ place }) => place,
    ({ holding }) => comboPositionRow(sources, holding, entryOf),
  )
}

const isNamed = (ledger: Ledger, params: Params, name: "condition" | "market_id"): Test => {
  const combos = combosIn(ledger, params, name)
  return ({ token }) => combos?.has(token.market) ?? true
}

const sorts = ["current_value_desc", "first_entry_desc", "entry_cost_desc", "resolved_at_desc", "updated_asc"] as const

/** With what has its result, held or not. */
export const comboPositions = (sources: Sources, sent: Params): object => {
  const { ledger, histories } = sources
  const query = pinnedQuery(sent, firstLimits.comboPositions)
  const { params } = query
  const wallet = requiredWallet(ledger, params)
  const { entryOf } = histories.ofWallet(wallet)
  const values = valuesOf(ledger, entryOf)
  const sort = params.choice("sort", sorts) ?? "current_value_desc"
  const named = {
    current_value_desc: values.current_value,
    first_entry_desc: values.first_entry,
    entry_cost_desc: values.entry_cost,
    resolved_at_desc: values.resolved_at,
    updated_asc: (holding: Holding) => -values.updated(holding),
  }
  const tests = [
    statusTest(params, (holding) => isHeld(holding) || isResolved(holding)),
    updatedTest(ledger, params, entryOf),
    isNamed(ledger, params, "market_id"),
  ]
  const { data, pagination } = pageOf(sources, query, { wallet, entryOf, tests, value: named[sort] })
  return { combos: data, pagination }
}

/** Only what is held, unless a status or a time of change is asked for. */
export const comboPositions2 = (sources: Sources, sent: Params): Answer => {
  const { ledger, histories } = sources
  const query = pinnedQuery(sent, secondLimits)
  const { params } = query
  const wallet = requiredWallet(ledger, params)
  const { entryOf } = histories.ofWallet(wallet)
  const values = valuesOf(ledger, entryOf)
  const named = {
    FIRST_ENTRY: values.first_entry,
    ENTRY_COST: values.entry_cost,
    CURRENT_VALUE: values.entry_cost,
    UPDATED: values.updated,
  }
  const claims = params.list("status").some((status) => status.toUpperCase() === "REDEEMABLE")
  const usual = claims ? "ENTRY_COST" : "FIRST_ENTRY"
  const sort = params.choice("sort_by", Object.keys(named) as ReadonlyArray<keyof typeof named>) ?? usual
  const sign = params.choice("sort_direction", ["ASC", "DESC"]) === "ASC" ? -1 : 1
  const isMirrored = params.text("updated_after") !== undefined || params.text("updated_before") !== undefined
  const tests = [
    statusTest(params, isMirrored ? () => true : isHeld),
    updatedTest(ledger, params, entryOf),
    isNamed(ledger, params, "condition"),
  ]
  return pageOf(sources, query, { wallet, entryOf, tests, value: (holding) => sign * named[sort](holding) })
}
