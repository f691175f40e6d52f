import { Effect } from "effect"
import type { BoardPeriod, Sort } from "#src/leaderboards/BoardQuery.ts"
import { allTimeDepth, rollingDepth } from "#src/leaderboards/model.ts"
import { nameIn } from "../input/anyCase.ts"
import { BadInput } from "../server/errors.ts"
import { type Page, parseMarket, rowLimit, type ScopeQuery, scoped } from "./parameters.ts"

/** By the names that clients use; the first is the default. */
type Sorts = Readonly<Record<string, Sort>>

interface PeriodSorts {
  readonly allTime: Sorts
  readonly rolling: Sorts
}

export const boardSorts: PeriodSorts = {
  allTime: {
    realized: "realized",
    realized_pnl: "realized",
    total: "total",
    total_pnl: "total",
    profit: "profit",
    loss: "loss",
    volume: "volume",
    wins: "wins",
    positions: "positions",
    unrealized: "unrealized",
  },
  rolling: { realized: "realized", realized_pnl: "realized" },
}

export const tagBoardSorts: PeriodSorts = {
  allTime: {
    net_pnl: "realized",
    realized_pnl: "realized",
    gross_profit: "profit",
    gross_loss: "loss",
    total_volume: "volume",
    position_count: "positions",
  },
  rolling: { net_pnl: "realized", realized_pnl: "realized" },
}

export interface SortQuery {
  readonly sort: Sort
  /** The client's name for it. */
  readonly name: string
}

/** Which sorts exist depends on the period. */
export const readSort = (period: BoardPeriod, given: string | undefined, { allTime, rolling }: PeriodSorts) => {
  const sorts = period === "all" ? allTime : rolling
  const names = Object.keys(sorts)
  const name = given === undefined ? names[0] : nameIn(names, given)
  const sort = name === undefined ? undefined : sorts[name]
  if (name !== undefined && sort !== undefined) return Effect.succeed<SortQuery>({ sort, name })
  return Effect.fail(
    new BadInput({
      error: `Invalid sort. Allowed: ${names.join(", ")}`,
      param: "sort",
      ...(nameIn(Object.keys(allTime), given ?? "") !== undefined && {
        hint: "Boards of 1d, 7d and 30d rank by realized gains only; use period=all for other sorts.",
      }),
    }),
  )
}

const readers = {
  category: scoped("category"),
  tags: scoped("tag"),
  tag_slug: scoped("tag"),
  market: parseMarket,
  market_slug: scoped("market"),
  event_slug: scoped("event"),
  condition_id: scoped("condition"),
} as const
type ScopeParam = keyof typeof readers
const scopeParams = Object.keys(readers) as ReadonlyArray<ScopeParam>

interface GivenScope extends ScopeQuery {
  /** Undefined if none was given. */
  readonly parameter?: ScopeParam
}

/** At most one scope parameter is allowed. */
export const readScope = (query: { readonly [name in ScopeParam]?: string }): Effect.Effect<GivenScope, BadInput> => {
  const [first, second] = scopeParams.filter((name) => query[name] !== undefined)
  if (first === undefined) return Effect.succeed({ scope: { kind: "everything" }, name: "all", value: null })
  if (second !== undefined) {
    const hint = `Use at most one of ${scopeParams.join(", ")}; the request has ${first} and ${second}.`
    return Effect.fail(new BadInput({ error: "invalid_scope", param: second, hint }))
  }
  const scope = readers[first](query[first] ?? "")
  return scope instanceof BadInput ? Effect.fail(scope) : Effect.succeed({ ...scope, parameter: first })
}

/** A page beyond the last rank is cut there; one that starts beyond it is refused. The depth depends on the period. */
export const readPage = (period: BoardPeriod, query: Partial<Page>): Effect.Effect<Page, BadInput> => {
  const { limit = rowLimit.default, offset = 0 } = query
  const depth = period === "all" ? allTimeDepth : rollingDepth
  if (offset < depth) return Effect.succeed({ limit, offset })
  return Effect.fail(
    new BadInput({
      error: "leaderboard_offset_too_deep",
      param: "offset",
      hint: `This board ends at rank ${depth}. Use an offset below ${depth}.`,
    }),
  )
}
