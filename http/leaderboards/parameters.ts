import { Option, Schema } from "effect"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { TokenId } from "#src/domain/TokenId.ts"
import type { BoardPeriod, BoardScope } from "#src/leaderboards/BoardQuery.ts"
import type { RollingPeriod, ScopeKind } from "#src/leaderboards/model.ts"
import { unprintable } from "#src/platform/text/controlCharacters.ts"
import { clampedLimit, Integer } from "../input/page.ts"
import { parameter, parameterOrEmpty, refusedWith } from "../input/parameter.ts"
import { BadInput } from "../server/errors.ts"
import type { ScopeName } from "./shapes.ts"

/** Rows per page of a board. */
export const rowLimit = { default: 100, max: 100 }

export const scopeLimit = { default: 100, max: 200 }
export const maxScopeOffset = 10_000

export interface Page {
  readonly limit: number
  readonly offset: number
}

const rolling: ReadonlyMap<string, RollingPeriod> = new Map([
  ["1d", "1d"],
  ["7d", "7d"],
  ["30d", "30d"],
  ["day", "1d"],
  ["week", "7d"],
  ["month", "30d"],
])

const invalidPeriod = (hint: string) => new BadInput({ error: "invalid_period", param: "period", hint })

export const rollingPeriod = parameterOrEmpty(
  (text) => rolling.get(text.toLowerCase()) ?? invalidPeriod("Use 1d, 7d or 30d, or the aliases day, week or month."),
  "`1d`, `7d` or `30d`; also `day`, `week`, `month`. Required",
)

export const period = Schema.optionalKey(
  parameter<BoardPeriod>((text) =>
    text.toLowerCase() === "all"
      ? "all"
      : (rolling.get(text.toLowerCase()) ??
        invalidPeriod("Use 1d, 7d, 30d or all, or the aliases day, week or month.")),
  ).annotate({ description: "`1d`, `7d`, `30d` (or `day`, `week`, `month`), or `all`; `all` by default" }),
)

const kinds: ReadonlyMap<string, ScopeKind> = new Map([
  ["category", "category"],
  ["categories", "category"],
  ["tag", "tag"],
  ["tags", "tag"],
])

export const scopeKind = parameterOrEmpty(
  (text) =>
    kinds.get(text.toLowerCase()) ??
    new BadInput({ error: "invalid_scope", param: "scope", hint: "Use category or tag." }),
  "`category` or `tag`, also in the plural. Required",
)

const maxSearchLength = 80
const characters = new Intl.Segmenter("en", { granularity: "grapheme" })

const parseSearch = (given: string): string | null | BadInput => {
  const invalid = (hint: string) => new BadInput({ error: "invalid_query", param: "q", hint })
  if (unprintable.test(given)) return invalid("`q` must not contain control characters.")
  const search = given.normalize("NFC").trim()
  const { length } = [...characters.segment(search)]
  if (length > maxSearchLength)
    return invalid(`\`q\` has ${length} characters; at most ${maxSearchLength} are allowed.`)
  return search === "" ? null : search
}

/** Text to search for; null if it is empty. */
export const searchText = Schema.optionalKey(
  parameter(parseSearch).annotate({
    description: "only names that contain this text, case-insensitive; up to 80 characters, taken literally",
  }),
)

export const scopePage = {
  limit: clampedLimit("rows", scopeLimit),
  offset: Schema.optionalKey(
    Integer.check(
      Schema.makeFilter((offset: number) =>
        offset >= 0 && offset <= maxScopeOffset
          ? undefined
          : refusedWith(
              new BadInput({
                error: "scope_offset_too_deep",
                param: "offset",
                hint: `Use an offset from 0 to ${maxScopeOffset}; \`q\` narrows the list.`,
              }),
            ),
      ),
    ).annotate({ description: `rows to skip, 0 to ${maxScopeOffset}` }),
  ),
}

export const natural = Integer.check(Schema.isGreaterThanOrEqualTo(0))

/** What a board ranks, and how the answer names it. */
export interface ScopeQuery {
  readonly scope: BoardScope
  readonly name: ScopeName
  readonly value: string | null
}

export const scoped =
  (kind: Exclude<BoardScope["kind"], "everything">) =>
  (value: string): ScopeQuery => ({ scope: { kind, value }, name: kind, value })

const isTokenId = Schema.is(TokenId)
const conditionIn = Schema.decodeOption(ConditionId)

/** A condition id, a token id or a slug. A slug is never all digits, so digits must be a token id. */
export const parseMarket = (value: string): ScopeQuery | BadInput => {
  const condition = Option.getOrUndefined(conditionIn(value))
  if (condition !== undefined) return scoped("condition")(condition)
  if (!/^\d+$/.test(value)) return scoped("market")(value)
  if (isTokenId(value)) return scoped("token")(String(BigInt(value)))
  const error = 'Parameter "market": a token id is a whole number below 2^256 in decimal digits.'
  return new BadInput({ error, param: "market", hint: "`market` also accepts slugs and condition ids." })
}
