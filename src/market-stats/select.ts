import type { FigureTable, NumberColumn } from "./FigureTable.ts"
import { type Status, windows } from "./model.ts"

/** What a list is sorted by, and the figure that it is. */
interface Sort {
  readonly column: NumberColumn
  /** How figures compare; the figure itself by default. */
  readonly key?: (figure: number) => number
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
  ["ending_soonest", { column: "ends_at", key: (second) => -second }],
  ["price_change_24h", { column: "price_change_24h" }],
  ["price_move_24h", { column: "price_change_24h", key: Math.abs }],
])

export interface FigureFilter {
  readonly status?: Status | undefined
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
  const column = (name: NumberColumn) => table.column(name)
  const [ends, event] = [column("ends_at"), column("event")]
  return [
    ...(status === undefined ? [] : [(row: number) => table.statusOf(row) === status]),
    ...(category === undefined ? [] : [(row: number) => table.categoryOf(row) === category]),
    ...(tag === undefined ? [] : [(row: number) => table.tagsOf(row).includes(tag)]),
    ...(negRisk === undefined ? [] : [(row: number) => table.negRiskOf(row) === negRisk]),
    ...(endAfter === undefined ? [] : [(row: number) => (ends[row] ?? 0) >= endAfter]),
    ...(endBefore === undefined ? [] : [(row: number) => (ends[row] ?? 0) < endBefore]),
    ...(events === undefined ? [] : [(row: number) => events.has(event[row] ?? 0)]),
    ...Object.entries(least).map(([name, figure]) => {
      const values = column(name as NumberColumn)
      return (row: number) => (values[row] ?? 0) >= figure
    }),
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
  const { column, key = (figure: number) => figure }: Sort = sorts.get(sort) ?? { column: "usd_24h" }
  const values = table.column(column)
  const conditions = conditionsOf(table, filter)
  const direction = order === "desc" ? 1 : -1
  const first: Array<FigurePlace> = []
  const consider = (row: number) => {
    const figure = values[row] ?? Number.NaN
    const own = Number.isNaN(figure) ? undefined : key(figure)
    const last = first.length < count ? undefined : first[0]
    // Most rows come behind the page, which is decided here at little cost.
    if (last?.key !== undefined && (own === undefined || (own - last.key) * direction < 0)) return
    for (const holds of conditions) if (!holds(row)) return
    const place = { key: own, scope: table.scopeOf(row) }
    if (behind !== undefined && compare(place, behind, direction) <= 0) return
    if (last === undefined) push(first, place, direction)
    else if (compare(place, last, direction) < 0) replaceRoot(first, place, direction)
  }
  if (filter.scopes === undefined) for (let row = 0; row < table.size; row++) consider(row)
  else {
    for (const scope of new Set(filter.scopes)) {
      const row = table.rowOf(scope)
      if (row !== undefined) consider(row)
    }
  }
  return first.sort((a, b) => compare(a, b, direction))
}
