import type { FigureTable, NumberColumn } from "./FigureTable.ts"
import { type MarketStatus, statuses, windows } from "./model.ts"

/** What a list is sorted by, and the figure that it is. */
interface Sort {
  readonly column: NumberColumn
  /** -1 if the least comes first. */
  readonly sign?: 1 | -1
  /** Whether only the size of a change counts. */
  readonly isSize?: boolean
}

const byWindow = <Name extends string>(name: Name, figure: "usd" | "trades" | "traders") =>
  windows.map((window) => [`${name}_${window}` as const, { column: `${figure}_${window}` as const }] as const)

const sortsByFigure = [
  ...byWindow("volume", "usd"),
  ...byWindow("trades", "trades"),
  ...byWindow("unique_traders", "traders"),
]
type FigureSort = (typeof sortsByFigure)[number][0]

export const eventSorts = [
  ...sortsByFigure.map(([name]) => name),
  "liquidity",
  "newest",
  "ending_soonest",
] as ReadonlyArray<FigureSort | "liquidity" | "newest" | "ending_soonest">
export const marketSorts = [...eventSorts, "price_change_24h", "price_move_24h"] as const
export type FigureSortName = (typeof marketSorts)[number]

const sorts: ReadonlyMap<FigureSortName, Sort> = new Map<FigureSortName, Sort>([
  ...sortsByFigure,
  ["liquidity", { column: "liquidity" }],
  ["newest", { column: "created_at" }],
  ["ending_soonest", { column: "ends_at", sign: -1 }],
  ["price_change_24h", { column: "price_change_24h" }],
  ["price_move_24h", { column: "price_change_24h", isSize: true }],
])

export interface FigureFilter {
  readonly status?: MarketStatus | undefined
  readonly category?: string | undefined
  readonly tag?: string | undefined
  readonly negRisk?: boolean | undefined
  /** Unix seconds. */
  readonly endAfter?: number | undefined
  readonly endBefore?: number | undefined
  /** At least these figures. */
  readonly least?: Readonly<Partial<Record<NumberColumn, number>>> | undefined
  /** Ids of events, for markets. */
  readonly events?: ReadonlySet<number> | undefined
  /** Only these. */
  readonly scopes?: ReadonlyArray<number> | undefined
}

/** A place in the order: rows whose figure is not known come last, and of equal ones the newest is first. */
export interface FigurePlace {
  readonly key: number | undefined
  readonly scope: number
}

export interface FigureSelection {
  readonly filter: FigureFilter
  readonly sort: FigureSortName
  readonly order: "desc" | "asc"
  readonly behind: FigurePlace | undefined
  readonly count: number
}

/** Negative if `a` comes first. */
const compare = (a: FigurePlace, b: FigurePlace, direction: number): number => {
  if (a.key !== b.key) {
    if (a.key === undefined) return 1
    if (b.key === undefined) return -1
    return (b.key - a.key) * direction
  }
  return (Math.abs(b.scope) - Math.abs(a.scope)) * direction
}

const conditionsOf = (table: FigureTable, filter: FigureFilter): ReadonlyArray<(row: number) => boolean> => {
  const { status, category, tag, negRisk, endAfter, endBefore, least = {}, events } = filter
  const is = (column: Parameters<FigureTable["column"]>[0], wanted: number) => {
    const values = table.column(column)
    return (row: number) => values[row] === wanted
  }
  const within = (column: NumberColumn, from: number, below: number) => {
    const values = table.column(column)
    // False where the figure is not known.
    return (row: number) => (values[row] ?? Number.NaN) >= from && (values[row] ?? Number.NaN) < below
  }
  const member = (column: "event" | "tags", has: (value: number) => boolean) => {
    const values = table.column(column)
    return (row: number) => has(values[row] ?? Number.NaN)
  }
  const [first, end] = [endAfter ?? Number.NEGATIVE_INFINITY, endBefore ?? Number.POSITIVE_INFINITY]
  const lists = tag === undefined ? undefined : table.listsWith(tag)
  return [
    ...(status === undefined ? [] : [is("status", statuses.indexOf(status))]),
    ...(category === undefined ? [] : [is("category", table.categoryOf(category))]),
    ...(lists === undefined ? [] : [member("tags", (list) => lists[list] === 1)]),
    ...(negRisk === undefined ? [] : [is("neg_risk", Number(negRisk))]),
    ...(endAfter === undefined && endBefore === undefined ? [] : [within("ends_at", first, end)]),
    ...(events === undefined ? [] : [member("event", (event) => events.has(event))]),
    ...Object.entries(least).map(([name, figure]) => within(name as NumberColumn, figure, Number.POSITIVE_INFINITY)),
  ]
}

/** Moves the last place of a heap up; the root is the place that comes last in the order. */
const push = (heap: Array<FigurePlace>, place: FigurePlace, direction: number) => {
  let at = heap.push(place) - 1
  while (at > 0) {
    const above = (at - 1) >> 1
    const parent = heap[above] as FigurePlace
    if (compare(place, parent, direction) <= 0) break
    heap[at] = parent
    at = above
  }
  heap[at] = place
}

/** Replaces the root of a heap. */
const replaceRoot = (heap: Array<FigurePlace>, place: FigurePlace, direction: number) => {
  let at = 0
  for (;;) {
    let below = 2 * at + 1
    if (below >= heap.length) break
    const right = heap[below + 1]
    if (right !== undefined && compare(right, heap[below] as FigurePlace, direction) > 0) below += 1
    const child = heap[below] as FigurePlace
    if (compare(place, child, direction) >= 0) break
    heap[at] = child
    at = below
  }
  heap[at] = place
}

/** The first places of a list, behind a place. One pass over all rows, whatever the filter. */
export const select = (
  table: FigureTable,
  { filter, sort, order, behind, count }: FigureSelection,
): ReadonlyArray<FigurePlace> => {
  const { column, sign = 1, isSize = false }: Sort = sorts.get(sort) ?? { column: "usd_24h" }
  const [values, scopes] = [table.column(column), table.column("scope")]
  const conditions = conditionsOf(table, filter)
  const direction = order === "desc" ? 1 : -1
  const first: Array<FigurePlace> = []
  // A row with a lower figure is behind the page: this alone rules out most rows.
  let lowest = Number.NEGATIVE_INFINITY
  const consider = (row: number) => {
    const figure = values[row] ?? Number.NaN
    const key = (isSize ? Math.abs(figure) : figure) * sign
    const rank = key * direction
    if (rank < lowest) return
    const scope = scopes[row] ?? 0
    const isFull = first.length >= count
    const last = first[0]
    if (isFull && last !== undefined && rank === lowest && (Math.abs(last.scope) - Math.abs(scope)) * direction > 0)
      return
    for (const holds of conditions) if (!holds(row)) return
    const place = { key: Number.isNaN(key) ? undefined : key, scope }
    if (behind !== undefined && compare(place, behind, direction) <= 0) return
    if (!isFull) push(first, place, direction)
    else if (last !== undefined && compare(place, last, direction) < 0) replaceRoot(first, place, direction)
    const end = first.length < count ? undefined : first[0]?.key
    if (end !== undefined) lowest = end * direction
  }
  if (filter.scopes !== undefined) {
    for (const scope of new Set(filter.scopes)) {
      const row = table.rowOf(scope)
      if (row !== undefined) consider(row)
    }
  } else if ((Math.abs(scopes[table.size - 1] ?? 0) - Math.abs(scopes[0] ?? 0)) * direction > 0) {
    // Rows with equal figures come in the order of the list, so that a full page rules the later ones out at once.
    for (let row = table.size - 1; row >= 0; row--) consider(row)
  } else for (let row = 0; row < table.size; row++) consider(row)
  return first.sort((a, b) => compare(a, b, direction))
}
