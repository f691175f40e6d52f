import { Schema, Struct } from "effect"
import { positionStatuses } from "#src/ledger/positions/model.ts"
import { unprintable } from "#src/platform/text/unprintable.ts"
import type { FilterName } from "../model.ts"

const mostDollars = 1_000_000_000
const mostPercent = 1_000_000
const longestSlug = 255
const tokenEnd = 2n ** 256n

const shaped = (fits: (text: string) => boolean, wants: string) =>
  Schema.String.check(Schema.makeFilter(fits, { message: wants, description: wants }))

const Address = shaped((text) => /^0x[0-9a-f]{40}$/i.test(text), "an address is 0x and 40 hexadecimal digits")
const Token = shaped(
  (text) => /^\d{1,78}$/.test(text) && BigInt(text) < tokenEnd,
  "a token id is a whole number below 2^256, in decimal digits and in quotes",
)
// Those of combos have a byte less.
const Condition = shaped(
  (text) => /^0x([0-9a-f]{62}|[0-9a-f]{64})$/i.test(text),
  "a condition id is 0x and 64 hexadecimal digits",
)
const Builder = shaped((text) => /^0x[0-9a-f]{64}$/i.test(text), "a builder code is 0x and 64 hexadecimal digits")
const Slug = shaped(
  (text) => /\S/.test(text) && text.length <= longestSlug && !unprintable.test(text),
  `a slug has 1 to ${longestSlug} characters that can be seen`,
)

const listOf = (item: Schema.Codec<string>, most: number, what: string) =>
  Schema.Array(item)
    .check(Schema.isMaxLength(most, { message: `expected at most ${most} ${what}` }))
    .annotate({ description: `up to ${most} ${what}, one of which is enough; an empty list is the same as none` })

const threshold = (most: number, what: string) =>
  Schema.Finite.check(
    Schema.isBetween({ minimum: 0, maximum: most }, { message: `expected a number from 0 to ${most}` }),
  ).annotate({ description: `${what} or more; counted in millionths` })

const Status = Schema.Literals(positionStatuses)

/** What each filter may be. */
const fields = {
  wallet_addresses: listOf(Address, 500, "addresses of wallets"),
  token_ids: listOf(Token, 100, "token ids"),
  condition_ids: listOf(Condition, 100, "condition ids"),
  event_slugs: listOf(Slug, 50, "slugs of events"),
  tags: listOf(Slug, 20, "slugs of tags"),
  builder_codes: listOf(Builder, 100, "codes of builders"),
  receiver_addresses: listOf(Address, 500, "addresses of receivers of fees"),
  min_amount_usd: threshold(mostDollars, "dollars of the trade"),
  min_fee_usd: threshold(mostDollars, "dollars of the fee"),
  min_delta_pct: threshold(mostPercent, "percent of the price that was told last"),
  min_pnl_change_usd: threshold(mostDollars, "dollars, up or down"),
  min_total_usd: threshold(mostDollars, "dollars of the whole order"),
  side: shaped((text) => /^(buy|sell)$/i.test(text), "expected BUY or SELL").annotate({
    description: "BUY or SELL, as the maker's",
  }),
  status_from: Status,
  status_to: Status,
} satisfies Readonly<Record<FilterName, Schema.Top>>

export const filterNames = Object.keys(fields) as ReadonlyArray<FilterName>

const Known = Schema.Struct(fields).mapFields(Struct.map(Schema.optionalKey))

/** Filters as they are given. Names that are not known are let through, for they are refused in words of their own. */
export const GivenFilters = Schema.StructWithRest(Known, [Schema.Record(Schema.String, Schema.Unknown)])
export type GivenFilters = typeof GivenFilters.Type

/** Filters as they are kept and shown. */
export const ShownFilters = Known
