import { Schema } from "effect"
import { type BoardPeriod, type BoardSort, boardPeriods, boardSorts } from "#src/builders/model.ts"
import { clampedLimit, offsetOf } from "../../input/page.ts"
import { visibleText } from "../../input/visibleText.ts"
import { BadInput } from "../../server/errors.ts"

const limits = { default: 100, max: 100 }
/** Ranks that offsets lead to. */
export const maxRank = 500

export const boardParameters = {
  period: Schema.optionalKey(
    Schema.Literals(boardPeriods).annotate({ description: "1d, 7d, 30d or all; all by default" }),
  ),
  sort: Schema.optionalKey(
    Schema.Literals(boardSorts).annotate({
      description: "volume (through the builder), realized_pnl (of the period) or total_pnl; volume by default",
    }),
  ),
  limit: clampedLimit("rows", limits),
  offset: offsetOf("rows"),
  pagination: Schema.optionalKey(
    Schema.Literals(["offset", "cursor"]).annotate({
      description: `cursor: pages beyond rank ${maxRank}, for period=all with sort=realized_pnl or total_pnl; offset by default`,
    }),
  ),
  cursor: Schema.optionalKey(
    visibleText("a cursor").annotate({
      description: "the `next_cursor` of the previous page, with the same other parameters; `pagination=cursor`",
    }),
  ),
}

interface Given {
  readonly period?: BoardPeriod
  readonly sort?: BoardSort
  readonly limit?: number
  readonly offset?: number
  readonly pagination?: "offset" | "cursor"
  readonly cursor?: string
}

export interface BoardInput {
  readonly period: BoardPeriod
  readonly sort: BoardSort
  readonly limit: number
  readonly offset: number
  readonly isByCursor: boolean
  readonly cursor: string | undefined
}

const refused = (param: string, problem: string, hint: string) =>
  new BadInput({ error: `Parameter "${param}": ${problem}.`, param, hint })

/** Which parameters go together. */
export const readBoardInput = (given: Given): BoardInput | BadInput => {
  const { period = "all", sort = "volume", limit = limits.default, offset = 0, cursor } = given
  const isByCursor = given.pagination === "cursor"
  if (cursor !== undefined && !isByCursor)
    return refused("cursor", "only goes with `pagination=cursor`", "Add `pagination=cursor`, or use `offset`.")
  if (!isByCursor && offset + limit > maxRank) {
    return refused(
      "offset",
      `offset + limit is ${offset + limit}, but at most ${maxRank}`,
      "Use `pagination=cursor` with period=all and sort=realized_pnl or total_pnl to go further.",
    )
  }
  if (isByCursor && (period !== "all" || sort === "volume")) {
    return refused(
      "pagination",
      "cursors are for boards of all time by P&L",
      "Use period=all with sort=realized_pnl or sort=total_pnl, or pages by `offset`.",
    )
  }
  if (isByCursor && offset > 0) return refused("offset", "must be 0 with `pagination=cursor`", "Use `cursor`.")
  return { period, sort, limit, offset, isByCursor, cursor }
}

/** What a cursor names: the version of the results, the rank and the place of the last row. */
interface CursorPlace {
  readonly version: number
  readonly rank: number
  readonly value: bigint
  readonly wallet: number
}

export const placeIn = ([version, rank, value, wallet]: ReadonlyArray<bigint>): CursorPlace | undefined =>
  version === undefined || rank === undefined || value === undefined || wallet === undefined
    ? undefined
    : { version: Number(version), rank: Number(rank), value, wallet: Number(wallet) }
