import { hash, seedOf } from "../random.ts"
import type { Engine } from "./engines.ts"
import type { Page } from "./pages.ts"
import type { SearchParams } from "./params.ts"

/** A page with the places at which engines found it. */
export interface Found {
  readonly page: Page
  readonly engines: ReadonlyArray<Engine>
  readonly positions: ReadonlyArray<number>
  readonly score: number
}

const perEngine = 10

/** How far an engine moves a page up or down. */
const whim = 6

/** What one engine finds on a page of its results, in its own order. */
const listOf = (engine: Engine, pages: ReadonlyArray<Page>, { pageno }: SearchParams): ReadonlyArray<Page> => {
  const seed = seedOf(0, `index of ${engine.name}`)
  const start = (pageno - 1) * perEngine
  return pages
    .map((page, place) => ({ page, place: place + (hash(seed, page.seed) % whim) }))
    .filter(({ page }) => engine.finds.includes(page.site.kind) && hash(seed, page.seed, 1) % 100 < engine.coverage)
    .sort((a, b) => a.place - b.place)
    .slice(start, start + perEngine)
    .map(({ page }) => page)
}

const scoreOf = (engines: ReadonlyArray<Engine>, positions: ReadonlyArray<number>): number => {
  const weight = engines.reduce((product, engine) => product * engine.weight, 1) * positions.length
  return positions.reduce((sum, position) => sum + weight / position, 0)
}

const mostInGroup = 8
const mostApart = 20

/** Keeps results of a category together, as long as they are not far apart; `keyOf` names the category. */
const grouped = (results: ReadonlyArray<Found>, keyOf: (found: Found) => string): ReadonlyArray<Found> => {
  const list: Array<Found> = []
  const groups = new Map<string, { end: number; room: number }>()
  for (const result of results) {
    const key = keyOf(result)
    const group = groups.get(key)
    if (group === undefined || group.room === 0 || list.length - group.end >= mostApart) {
      list.push(result)
      groups.set(key, { end: list.length, room: mostInGroup })
      continue
    }
    const { end } = group
    list.splice(end, 0, result)
    for (const each of groups.values()) if (each.end >= end) each.end += 1
    group.room -= 1
  }
  return list
}

/** An engine that cannot do what is asked is not asked. */
export const canServe = (engine: Engine, { pageno, since }: SearchParams): boolean =>
  (pageno === 1 || engine.paging) && (since === undefined || engine.timeRange)

/** Merges what the engines find, the best first. */
export const ranked = (
  engines: ReadonlyArray<Engine>,
  pages: ReadonlyArray<Page>,
  params: SearchParams,
): ReadonlyArray<Found> => {
  const merged = new Map<number, { readonly page: Page; readonly engines: Array<Engine>; positions: Array<number> }>()
  for (const engine of engines) {
    listOf(engine, pages, params).forEach((page, i) => {
      const known = merged.get(page.seed)
      if (known === undefined) merged.set(page.seed, { page, engines: [engine], positions: [i + 1] })
      else {
        known.engines.push(engine)
        known.positions.push(i + 1)
      }
    })
  }
  const results = [...merged.values()]
    .map((found) => ({ ...found, score: scoreOf(found.engines, found.positions) }))
    .sort((a, b) => b.score - a.score)
  return grouped(results, ({ engines: [first] }) => first?.category ?? "")
}
