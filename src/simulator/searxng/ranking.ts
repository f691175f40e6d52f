import { hash, seedOf } from "../random.ts"
import type { Engine } from "./engines.ts"
import type { WebPage } from "./pages.ts"
import type { SearchParams } from "./params.ts"

/** A page with its positions in the engines' results. */
export interface RankedPage {
  readonly page: WebPage
  readonly engines: ReadonlyArray<Engine>
  readonly positions: ReadonlyArray<number>
  readonly score: number
}

const perEngine = 10

/** How far an engine shifts a page from the common order. */
const maxShift = 6

/** One result page of an engine, in its own order. */
const engineResults = (
  engine: Engine,
  pages: ReadonlyArray<WebPage>,
  { pageno }: SearchParams,
): ReadonlyArray<WebPage> => {
  const seed = seedOf(0, `index of ${engine.name}`)
  const start = (pageno - 1) * perEngine
  return pages
    .map((page, index) => ({ page, order: index + (hash(seed, page.seed) % maxShift) }))
    .filter(({ page }) => engine.siteKinds.includes(page.site.kind) && hash(seed, page.seed, 1) % 100 < engine.coverage)
    .sort((a, b) => a.order - b.order)
    .slice(start, start + perEngine)
    .map(({ page }) => page)
}

const scoreOf = (engines: ReadonlyArray<Engine>, positions: ReadonlyArray<number>): number => {
  const weight = engines.reduce((product, engine) => product * engine.weight, 1) * positions.length
  return positions.reduce((sum, position) => sum + weight / position, 0)
}

const maxGroupSize = 8
const maxGroupDistance = 20

/** Groups nearby results of the same category. */
const grouped = (
  results: ReadonlyArray<RankedPage>,
  keyOf: (found: RankedPage) => string,
): ReadonlyArray<RankedPage> => {
  const list: Array<RankedPage> = []
  const groups = new Map<string, { end: number; capacity: number }>()
  for (const result of results) {
    const key = keyOf(result)
    const group = groups.get(key)
    if (group === undefined || group.capacity === 0 || list.length - group.end >= maxGroupDistance) {
      list.push(result)
      groups.set(key, { end: list.length, capacity: maxGroupSize })
      continue
    }
    const { end } = group
    list.splice(end, 0, result)
    for (const each of groups.values()) if (each.end >= end) each.end += 1
    group.capacity -= 1
  }
  return list
}

/** Whether an engine supports the parameters. */
export const canServe = (engine: Engine, { pageno, since }: SearchParams): boolean =>
  (pageno === 1 || engine.paging) && (since === undefined || engine.timeRange)

/** Merges the engines' results, best first. */
export const ranked = (
  engines: ReadonlyArray<Engine>,
  pages: ReadonlyArray<WebPage>,
  params: SearchParams,
): ReadonlyArray<RankedPage> => {
  const merged = new Map<
    number,
    { readonly page: WebPage; readonly engines: Array<Engine>; positions: Array<number> }
  >()
  for (const engine of engines) {
    engineResults(engine, pages, params).forEach((page, i) => {
      const existing = merged.get(page.seed)
      if (existing === undefined) merged.set(page.seed, { page, engines: [engine], positions: [i + 1] })
      else {
        existing.engines.push(engine)
        existing.positions.push(i + 1)
      }
    })
  }
  const results = [...merged.values()]
    .map((found) => ({ ...found, score: scoreOf(found.engines, found.positions) }))
    .sort((a, b) => b.score - a.score)
  return grouped(results, ({ engines: [first] }) => first?.category ?? "")
}
