import { Schema } from "effect"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { TokenId } from "#src/domain/TokenId.ts"
import { granularities, type PnlWindow } from "#src/wallets/model.ts"
import { clampedLimit } from "../input/page.ts"
import { visibleText } from "../input/visibleText.ts"
import { BadInput } from "../server/errors.ts"
import { emptyRange, timeRange } from "../v3/parameters.ts"

export const flag = (description: string) =>
  Schema.optionalKey(Schema.Literals(["true", "false"]).annotate({ description: `${description}; false by default` }))

export const includeCombos = flag("true also shows how much comes from combos, which all figures contain")

const periodDays = { "1d": 1, "7d": 7, "30d": 30, "1y": 365 } as const
const periods = ["1d", "7d", "30d", "1y", "all"] as const
export type PnlPeriod = (typeof periods)[number]

export const window = {
  period: Schema.optionalKey(
    Schema.Literals(periods).annotate({
      description: "the last 1, 7, 30 or 365 days before the newest block, or all; instead of `after` and `before`",
    }),
  ),
  ...timeRange("gains and losses"),
}

export interface WindowParameters {
  readonly period?: PnlPeriod
  readonly after?: number
  readonly before?: number
}

export const windowOf = ({ period, after, before }: WindowParameters): PnlWindow | BadInput => {
  const hasRange = after !== undefined || before !== undefined
  if (period !== undefined && hasRange) {
    const hint = "Use `period`, or `after` and `before`."
    return new BadInput({ error: "`period` and a range of time exclude each other.", param: "period", hint })
  }
  const refused = emptyRange({ after, before })
  if (refused !== undefined) return refused
  if (hasRange) return { kind: "range", after, before }
  return period === undefined || period === "all" ? { kind: "all" } : { kind: "days", days: periodDays[period] }
}

const name = (what: string, description: string) =>
  Schema.optionalKey(visibleText(what).annotate({ description: `only ${description}` }))

export const scope = {
  category: name("a category", "markets of this category"),
  tags: name("a tag", "markets with this tag"),
  tag_slug: name("a tag", "as `tags`"),
  market: name("a market", "this market: a slug, condition id or token id, of all its outcomes"),
  market_slug: name("a slug", "this market"),
  event_slug: name("a slug", "markets of this event"),
  condition_id: Schema.optionalKey(ConditionId.annotate({ description: "only this condition" })),
  token_id: Schema.optionalKey(
    TokenId.annotate({ description: "only this token, alone or together with `condition_id`" }),
  ),
}

export const bucketLimit = { default: 1_000, max: 1_000 }

export const buckets = {
  group: Schema.optionalKey(
    Schema.Literals(granularities).annotate({
      description: "length of a bucket: hour, day, week (from Monday) or month, in UTC; day by default",
    }),
  ),
  limit: clampedLimit("buckets, the newest ones", bucketLimit),
}

export const lineLimit = { default: 300, max: 1_000 }

export const explained = {
  token_id: Schema.optionalKey(TokenId.annotate({ description: "the token of the position" })),
  condition_id: Schema.optionalKey(
    ConditionId.annotate({ description: "the condition of the positions: those in all its tokens" }),
  ),
  limit: clampedLimit("lines", lineLimit),
  cursor: Schema.optionalKey(
    visibleText("a cursor").annotate({
      description: "the `next_cursor` of the previous page, with the same other parameters",
    }),
  ),
}
