import { Effect } from "effect"
import type { BoardScope, Period, Sort } from "#src/leaderboards/asked.ts"
import { type RollingPeriod, rollingDepth, standingDepth } from "#src/leaderboards/model.ts"
import { BadInput } from "../errors.ts"
import { mostRows, type Sorts } from "./limits.ts"
import type { ScopeName } from "./shapes.ts"

const rolling: ReadonlyMap<string, RollingPeriod> = new Map([
  ["1d", "1d"],
  ["7d", "7d"],
  ["30d", "30d"],
  ["day", "1d"],
  ["week", "7d"],
  ["month", "30d"],
])

const wrongPeriod = (hint: string) => Effect.fail(new BadInput({ error: "invalid_period", param: "period", hint }))

export const readRollingPeriod = (given: string | undefined): Effect.Effect<RollingPeriod, BadInput> => {
  const period = rolling.get(given ?? "")
  if (period !== undefined) return Effect.succeed(period)
  return wrongPeriod("Give `period` as 1d, 7d or 30d; day, week and month are the same.")
}

export const readPeriod = (given = "all"): Effect.Effect<Period, BadInput> => {
  const period = given === "all" ? "all" : rolling.get(given)
  if (period !== undefined) return Effect.succeed(period)
  return wrongPeriod("Give `period` as 1d, 7d, 30d or all; day, week and month are the same as the first three.")
}

export interface ReadSort {
  readonly sort: Sort
  /** As the client calls it. */
  readonly name: string
}

export const readSort = (period: Period, given: string | undefined, ofAll: Sorts, ofRolling: Sorts) => {
  const sorts = period === "all" ? ofAll : ofRolling
  const names = Object.keys(sorts)
  const name = given ?? names[0] ?? ""
  const sort = Object.hasOwn(sorts, name) ? sorts[name] : undefined
  if (sort !== undefined) return Effect.succeed<ReadSort>({ sort, name })
  const error = `Invalid sort. Allowed: ${names.join(", ")}`
  const isOfAll = Object.hasOwn(ofAll, name)
  return Effect.fail(
    new BadInput({
      error,
      param: "sort",
      ...(isOfAll && { hint: "Boards of 1d, 7d and 30d rank by what was realized; period=all knows the others." }),
    }),
  )
}

export interface ReadScope {
  readonly scope: BoardScope
  readonly name: ScopeName
  readonly value: string | null
}

const conditionId = /^0x[0-9a-f]{64}$/i
const tokenId = /^\d{1,78}$/

const conditionOf = (id: string): ReadScope => {
  const value = id.toLowerCase()
  return { scope: { kind: "condition", value: value.slice(2) }, name: "condition", value }
}

const marketOf = (value: string): ReadScope => {
  if (conditionId.test(value)) return conditionOf(value)
  if (!tokenId.test(value)) return { scope: { kind: "market", value }, name: "market", value }
  const token = BigInt(value)
  return { scope: { kind: "token", value: token.toString(16).padStart(64, "0") }, name: "token", value: String(token) }
}

export const tagOf = (value: string): ReadScope => ({ scope: { kind: "tag", value }, name: "tag", value })

const readers = {
  category: (value: string): ReadScope => ({ scope: { kind: "category", value }, name: "category", value }),
  tags: tagOf,
  tag_slug: tagOf,
  market: marketOf,
  market_slug: (value: string): ReadScope => ({ scope: { kind: "market", value }, name: "market", value }),
  event_slug: (value: string): ReadScope => ({ scope: { kind: "event", value }, name: "event", value }),
  condition_id: conditionOf,
} as const
type ScopeParam = keyof typeof readers
const scopeParams = Object.keys(readers) as ReadonlyArray<ScopeParam>

/** At most one thing can be asked for at a time. */
export const readScope = (query: { readonly [name in ScopeParam]?: string }): Effect.Effect<ReadScope, BadInput> => {
  const [first, second] = scopeParams.filter((name) => query[name] !== undefined)
  if (first === undefined) return Effect.succeed({ scope: { kind: "everything" }, name: "all", value: null })
  if (second !== undefined) {
    const hint = `Give at most one of ${scopeParams.join(", ")}; ${first} and ${second} are two.`
    return Effect.fail(new BadInput({ error: "invalid_scope", param: second, hint }))
  }
  const value = query[first] ?? ""
  if (first === "condition_id" && !conditionId.test(value)) {
    const error = 'Parameter "condition_id": expected 0x and 64 hexadecimal digits.'
    return Effect.fail(new BadInput({ error, param: first, hint: "`market` also takes slugs and token ids." }))
  }
  return Effect.succeed(readers[first](value))
}

export interface Page {
  readonly limit: number
  readonly offset: number
}

/** A page that reaches beyond the last rank is cut there; one that begins beyond it is refused. */
export const readPage = (period: Period, query: Partial<Page>): Effect.Effect<Page, BadInput> => {
  const { limit = mostRows, offset = 0 } = query
  const depth = period === "all" ? standingDepth : rollingDepth
  if (offset < depth) return Effect.succeed({ limit: Math.min(limit, mostRows), offset })
  return Effect.fail(
    new BadInput({
      error: "leaderboard_offset_too_deep",
      param: "offset",
      hint: `This board ends at rank ${depth}: give an offset below ${depth}.`,
    }),
  )
}
