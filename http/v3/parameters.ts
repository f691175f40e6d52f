import { Schema } from "effect"
import { Wallet } from "#src/domain/Wallet.ts"
import { clampedLimit, type LimitBounds } from "../input/page.ts"
import { parameter } from "../input/parameter.ts"
import { visibleText } from "../input/visibleText.ts"
import { BadInput } from "../server/errors.ts"

export const listLimit: LimitBounds = { default: 100, max: 300 }
/** Every skipped row is read, so that further back only a cursor or a time leads. */
export const maxOffset = 10_000

export const listOrders = ["desc", "asc"] as const
export type ListOrder = (typeof listOrders)[number]

/** Milliseconds from 1973 on; as seconds they would be thousands of years from now. */
const looksLikeMillis = 1e11

const second = (name: string) =>
  parameter((text): number | BadInput => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value < looksLikeMillis) return Math.min(value, 2_147_483_647)
    const isMillis = value >= looksLikeMillis
    return new BadInput({
      error: `Parameter "${name}": expected Unix seconds, got ${JSON.stringify(text.slice(0, 100))}${isMillis ? ", which looks like milliseconds" : ""}.`,
      param: name,
      ...(isMillis && { hint: `Divide by 1000: ${Math.floor(value / 1000)}.` }),
    })
  })

export const secondParameter = (name: string, meaning: string) =>
  Schema.optionalKey(
    second(name).annotate({ description: `Unix seconds; ${meaning}`, documentedAs: { type: "integer", minimum: 0 } }),
  )

export const timeRange = (what: string) => ({
  after: secondParameter("after", `${what} from this second on`),
  before: secondParameter("before", `${what} before this second`),
})

export const offsetUpTo = (what: string, further = "use `cursor` to go further") =>
  Schema.Int.check(
    Schema.isBetween({ minimum: 0, maximum: maxOffset }, { message: `expected 0 to ${maxOffset}; ${further}` }),
  ).annotate({ description: `${what} to skip, at most ${maxOffset}; 0 by default. New ${what} shift the pages` })

interface TimeRange {
  readonly after?: number | undefined
  readonly before?: number | undefined
}

/** The error for a range that no second lies in. */
export const emptyRange = (
  { after, before }: TimeRange,
  [first, last]: readonly [string, string] = ["after", "before"],
): BadInput | undefined =>
  after === undefined || before === undefined || after < before
    ? undefined
    : new BadInput({
        error: `\`${first}\` must be less than \`${last}\`.`,
        param: first,
        hint: "Exchange the two, or omit one.",
      })

/** Parameters of a page of a list by time. */
export const pageOf = (what: string, limits = listLimit) => ({
  order: Schema.optionalKey(
    Schema.Literals(listOrders).annotate({ description: "desc (newest first) or asc; desc by default" }),
  ),
  limit: clampedLimit(what, limits),
  offset: Schema.optionalKey(offsetUpTo(what)),
  cursor: Schema.optionalKey(
    visibleText("a cursor").annotate({
      description: `the \`next_cursor\` of the previous page, with the same other parameters. New ${what} do not shift the pages, and every page costs the same`,
    }),
  ),
})

export const walletInPath = {
  address: Wallet.annotate({ description: "wallet address: 0x and 40 hexadecimal digits, case-insensitive" }),
}
