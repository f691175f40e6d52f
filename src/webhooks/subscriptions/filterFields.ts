import { Schema, Struct } from "effect"
import { ConditionText } from "#src/domain/ConditionId.ts"
import { TokenId } from "#src/domain/TokenId.ts"
import { WalletText } from "#src/domain/Wallet.ts"
import { positionStatuses } from "#src/ledger/positions/model.ts"
import { unprintable } from "#src/platform/text/controlCharacters.ts"
import type { FilterName } from "../model.ts"

const maxDollars = 1_000_000_000
const maxPercent = 1_000_000
const maxSlugLength = 255

const shaped = (isValid: (text: string) => boolean, expected: string) =>
  Schema.String.check(Schema.makeFilter(isValid, { message: expected, description: expected }))

const Builder = shaped((text) => /^0x[0-9a-f]{64}$/i.test(text), "a builder code is 0x and 64 hexadecimal digits")
const Slug = shaped(
  (text) => /\S/.test(text) && text.length <= maxSlugLength && !unprintable.test(text),
  `a slug has 1 to ${maxSlugLength} printable characters`,
)

const listOf = (item: Schema.Codec<string>, max: number, what: string) =>
  Schema.Array(item)
    .check(Schema.isMaxLength(max, { message: `expected at most ${max} ${what}` }))
    .annotate({ description: `up to ${max} ${what}, one of which must match; an empty list filters nothing` })

const threshold = (max: number, what: string) =>
  Schema.Finite.check(
    Schema.isBetween({ minimum: 0, maximum: max }, { message: `expected a number from 0 to ${max}` }),
  ).annotate({ description: `${what}, at least; precise to millionths` })

const Status = Schema.Literals(positionStatuses)

/** The schema of each filter. */
const fields = {
  wallet_addresses: listOf(WalletText, 500, "wallet addresses"),
  token_ids: listOf(TokenId, 100, "token ids"),
  condition_ids: listOf(ConditionText, 100, "condition ids"),
  event_slugs: listOf(Slug, 50, "event slugs"),
  tags: listOf(Slug, 20, "tag slugs"),
  builder_codes: listOf(Builder, 100, "builder codes"),
  receiver_addresses: listOf(WalletText, 500, "addresses of fee receivers"),
  min_amount_usd: threshold(maxDollars, "USD of the trade"),
  min_fee_usd: threshold(maxDollars, "USD of the fee"),
  min_delta_pct: threshold(maxPercent, "percent of the last delivered price"),
  min_pnl_change_usd: threshold(maxDollars, "USD of the change, up or down"),
  min_total_usd: threshold(maxDollars, "USD of the whole order"),
  // Annotated before the check, because a check without a JSON Schema would take the description with it.
  side: Schema.String.annotate({ description: "BUY or SELL, the maker's side" }).check(
    Schema.makeFilter((text) => /^(buy|sell)$/i.test(text), { message: "expected BUY or SELL" }),
  ),
  status_from: Status,
  status_to: Status,
} satisfies Readonly<Record<FilterName, Schema.Top>>

export const filterNames = Object.keys(fields) as ReadonlyArray<FilterName>

/** JSON Schema (2020-12) of a filter; none of these schemas refers to another. */
export const filterJsonSchema = (name: FilterName): Readonly<Record<string, unknown>> =>
  Schema.toJsonSchemaDocument(fields[name]).schema

const Known = Schema.Struct(fields).mapFields(Struct.map(Schema.optionalKey))

/** Filters as clients send them. Unknown names pass, because checkFilters refuses them with a better message. */
export const GivenFilters = Schema.StructWithRest(Known, [Schema.Record(Schema.String, Schema.Unknown)])
export type GivenFilters = typeof GivenFilters.Type

/** Filters as stored and returned. */
export const ShownFilters = Known
