import { Effect, Option, Schema } from "effect"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { TokenId } from "#src/domain/TokenId.ts"
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

const isTokenId = Schema.is(TokenId)
const conditionIn = Schema.decodeOption(ConditionId)

type OfOneName = Exclude<BoardScope["kind"], "everything">
const scoped =
  (kind: OfOneName) =>
  (value: string): ReadScope => ({ scope: { kind, value }, name: kind, value })
const marketBy = scoped("market")
const conditionOf = scoped("condition")
export const tagOf = scoped("tag")

/** A slug has something else in it than digits, so that these must be a token's. */
const marketOf = (value: string): Effect.Effect<ReadScope, BadInput> => {
  const condition = Option.getOrUndefined(conditionIn(value))
  if (condition !== undefined) return Effect.succeed(conditionOf(condition))
  if (!/^\d+$/.test(value)) return Effect.succeed(marketBy(value))
  if (isTokenId(value)) return Effect.succeed(scoped("token")(String(BigInt(value))))
  const error = 'Parameter "market": a token id is a whole number below 2^256 in decimal digits.'
  return Effect.fail(new BadInput({ error, param: "market", hint: "`market` also takes slugs and condition ids." }))
}

const readers = {
  category: scoped("category"),
  tags: tagOf,
  tag_slug: tagOf,
  market: marketOf,
  market_slug: marketBy,
  event_slug: scoped("event"),
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
  const read = readers[first](query[first] ?? "")
  return Effect.isEffect(read) ? read : Effect.succeed(read)
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
