import type { PositionHistoryOf } from "../History.ts"
import { type Holding, isResolved } from "../Holdings.ts"
import type { Ledger } from "../Ledger.ts"
import { invalid, type Params } from "../Params.ts"
import {
  type PinnedQuery,
  pinnedPage,
  pinnedQuery,
  type SortPosition,
  type V2Response,
  v1Limits,
  v2Limits,
} from "../pagination.ts"
import { combosIn, requiredWallet } from "../selection.ts"
import type { Sources } from "../sources.ts"
import { comboPositionRow, comboStatusOf, comboUpdatedAt, firstEntryAt, isRedeemable } from "./comboRows.ts"

/** Positions below this many millionths of a share count as sold. */
const dust = 1_000

const statuses = ["OPEN", "REDEEMABLE", "PARTIAL", "RESOLVED_PARTIAL", "RESOLVED_WIN", "RESOLVED_LOSS"] as const
type Status = (typeof statuses)[number]

type Test = (holding: Holding) => boolean
type Value = (holding: Holding) => number

const isHeld: Test = ({ shares }) => shares >= dust

/** A held position counts as open even after its resolution. */
const hasStatus =
  (status: Status): Test =>
  (holding) => {
    if (status === "OPEN") return isHeld(holding)
    if (status === "REDEEMABLE") return isRedeemable(holding)
    return comboStatusOf(holding) === status && (isResolved(holding) || isHeld(holding))
  }

const statusTest = (params: Params, fallback: Test): Test => {
  const tests = params.choices("status", statuses).map(hasStatus)
  return tests.length === 0 ? fallback : (holding) => tests.some((test) => test(holding))
}

const updatedTest = (ledger: Ledger, params: Params, historyOf: PositionHistoryOf): Test => {
  const [after, before] = [params.integer("updated_after"), params.integer("updated_before")]
  if (after === undefined && before === undefined) return () => true
  if (before !== undefined && before < (after ?? 0)) {
    throw invalid("updated_before must not be before updated_after", "updated_before")
  }
  return (holding) => {
    const at = Math.floor(comboUpdatedAt(ledger, holding, historyOf) / 1000)
    return at >= (after ?? 0) && at <= (before ?? at)
  }
}

const valuesOf = (ledger: Ledger, historyOf: PositionHistoryOf) =>
  ({
    current_value: ({ shares, price }) => shares * price,
    entry_cost: ({ cost }) => cost,
    first_entry: (holding) => firstEntryAt(ledger, holding, historyOf),
    resolved_at: ({ token }) => token.market.resolvedAt ?? 0,
    updated: (holding) => comboUpdatedAt(ledger, holding, historyOf),
  }) as const satisfies Readonly<Record<string, Value>>

interface ComboQuery {
  readonly wallet: number
  readonly historyOf: PositionHistoryOf
  readonly tests: ReadonlyArray<Test>
  /** Sort value, descending. */
  readonly value: Value
}

const pageOf = (sources: Sources, query: PinnedQuery, { wallet, historyOf, tests, value }: ComboQuery) => {
  const { holdings } = sources
  const listed: Array<{ readonly holding: Holding; readonly sortPosition: SortPosition }> = []
  for (const position of holdings.ofWallet(wallet)) {
    if (!holdings.isCombo(position) || !holdings.isPosition(position)) continue
    const holding = holdings.of(position)
    if (tests.every((test) => test(holding)))
      listed.push({ holding, sortPosition: { value: value(holding), id: position } })
  }
  listed.sort((a, b) => b.sortPosition.value - a.sortPosition.value || a.sortPosition.id - b.sortPosition.id)
  return pinnedPage(
    query,
    listed,
    ({ sortPosition }) => sortPosition,
    ({ holding }) => comboPositionRow(sources, holding, historyOf),
  )
}

const conditionTest = (ledger: Ledger, params: Params, name: "condition" | "market_id"): Test => {
  const combos = combosIn(ledger, params, name)
  return ({ token }) => combos?.has(token.market) ?? true
}

const sorts = ["current_value_desc", "first_entry_desc", "entry_cost_desc", "resolved_at_desc", "updated_asc"] as const

/** v1 includes resolved positions, held or not. */
export const comboPositions = (sources: Sources, request: Params): object => {
  const { ledger, histories } = sources
  const query = pinnedQuery(request, v1Limits.comboPositions)
  const { params } = query
  const wallet = requiredWallet(ledger, params)
  const { historyOf } = histories.ofWallet(wallet)
  const values = valuesOf(ledger, historyOf)
  const sort = params.choice("sort", sorts) ?? "current_value_desc"
  const sortValues = {
    current_value_desc: values.current_value,
    first_entry_desc: values.first_entry,
    entry_cost_desc: values.entry_cost,
    resolved_at_desc: values.resolved_at,
    updated_asc: (holding: Holding) => -values.updated(holding),
  }
  const tests = [
    statusTest(params, (holding) => isHeld(holding) || isResolved(holding)),
    updatedTest(ledger, params, historyOf),
    conditionTest(ledger, params, "market_id"),
  ]
  const { data, pagination } = pageOf(sources, query, { wallet, historyOf, tests, value: sortValues[sort] })
  return { combos: data, pagination }
}

/** v2 returns only held positions by default, without a status or update-time filter. */
export const comboPositionsV2 = (sources: Sources, request: Params): V2Response => {
  const { ledger, histories } = sources
  const query = pinnedQuery(request, v2Limits)
  const { params } = query
  const wallet = requiredWallet(ledger, params)
  const { historyOf } = histories.ofWallet(wallet)
  const values = valuesOf(ledger, historyOf)
  const sortValues = {
    FIRST_ENTRY: values.first_entry,
    ENTRY_COST: values.entry_cost,
    CURRENT_VALUE: values.entry_cost,
    UPDATED: values.updated,
  }
  const wantsRedeemable = params.list("status").some((status) => status.toUpperCase() === "REDEEMABLE")
  const fallback = wantsRedeemable ? "ENTRY_COST" : "FIRST_ENTRY"
  const sort = params.choice("sort_by", Object.keys(sortValues) as ReadonlyArray<keyof typeof sortValues>) ?? fallback
  const sign = params.choice("sort_direction", ["ASC", "DESC"]) === "ASC" ? -1 : 1
  const hasUpdateFilter = params.text("updated_after") !== undefined || params.text("updated_before") !== undefined
  const tests = [
    statusTest(params, hasUpdateFilter ? () => true : isHeld),
    updatedTest(ledger, params, historyOf),
    conditionTest(ledger, params, "condition"),
  ]
  return pageOf(sources, query, { wallet, historyOf, tests, value: (holding) => sign * sortValues[sort](holding) })
}
