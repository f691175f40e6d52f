import { Effect } from "effect"
import { type Address, addressOf, mostFollowed, periodDays, periods, type ScorePeriod } from "#src/copy-pnl/model.ts"
import { type Sorting, sortings } from "#src/copy-pnl/rank.ts"
import { dayMillis } from "#src/domain/time.ts"
import { nameIn } from "../input/anyCase.ts"
import { parameter } from "../input/parameter.ts"
import { readUnixRange } from "../input/unixRange.ts"
import { shown } from "../input/wrongInput.ts"
import { BadInput } from "../server/errors.ts"

// Query and path parameters

const invalidPeriod = (param: string) =>
  new BadInput({ error: `Invalid period. Allowed: ${periods.join(", ")}`, param })

export const PeriodParameter = parameter((text) => nameIn(periods, text) ?? invalidPeriod("period"))

/** A comma-separated list, in order of length. */
export const PeriodsParameter = parameter((text): ReadonlyArray<ScorePeriod> | BadInput => {
  const named = text.split(",").map((each) => nameIn(periods, each.trim()))
  return named.includes(undefined) ? invalidPeriod("periods") : periods.filter((period) => named.includes(period))
})

const sortNames = Object.keys(sortings) as ReadonlyArray<Sorting>

export const SortingParameter = parameter(
  (text) =>
    nameIn(sortNames, text) ??
    new BadInput({ error: `Invalid sort_by. Allowed: ${sortNames.join(", ")}`, param: "sort_by" }),
)

export const OrderParameter = parameter(
  (text) =>
    nameIn(["asc", "desc"] as const, text) ??
    new BadInput({ error: "Invalid order. Allowed: asc or desc", param: "order" }),
)

export const WalletParameter = parameter(
  (text) =>
    addressOf(text) ??
    new BadInput({ error: "Invalid wallet address: expected 0x and 40 hexadecimal digits.", param: "wallet" }),
)

// Bodies, which existing clients expect to be refused with one message whatever is wrong with them

const invalidAddresses = 'Body must include "addresses" — array of valid 0x… wallet addresses.'

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The fields of the body if it is a JSON object. */
export const readBody = (text: string): Readonly<Record<string, unknown>> => {
  const body = parsed(text)
  return typeof body === "object" && body !== null ? { ...body } : {}
}

/** The distinct wallets of the body, in its order. */
export const readAddresses = (
  { addresses }: Readonly<Record<string, unknown>>,
  max = mostFollowed,
  tooMany = `At most ${mostFollowed} wallets per request (and per tenant).`,
): Effect.Effect<ReadonlyArray<Address>, BadInput> => {
  const refuse = (error: string, hint?: string) =>
    Effect.fail(new BadInput({ error, field: "addresses", ...(hint !== undefined && { hint }) }))
  if (!Array.isArray(addresses) || addresses.length === 0) return refuse(invalidAddresses)
  const wallets = new Set<Address>()
  for (const [i, given] of (addresses as ReadonlyArray<unknown>).entries()) {
    const wallet = typeof given === "string" ? addressOf(given) : undefined
    if (wallet === undefined) return refuse(invalidAddresses, `addresses[${i}] is ${shown(given)}.`)
    wallets.add(wallet)
  }
  return wallets.size > max ? refuse(tooMany) : Effect.succeed([...wallets])
}

const defaultPeriod: ScorePeriod = "30d"

interface WindowInput {
  readonly period?: ScorePeriod | undefined
  readonly from?: unknown
  readonly to?: unknown
}

/** The requested time window, up to what is in the ledger. */
export const readWindow = Effect.fnUntraced(function* (
  input: WindowInput,
  { nowMillis, newest }: { readonly nowMillis: number; readonly newest: number | undefined },
  where: "param" | "field",
) {
  const { period, from, to } = input
  if (period !== undefined && (from !== undefined || to !== undefined))
    return yield* new BadInput({ error: 'Use either "period" or "from" and "to".', param: "period" })
  const days = periodDays[period ?? defaultPeriod]
  // As in pool scores, an event exactly this long ago no longer counts.
  const begin = (end: number) => Math.max(0, end - (days * dayMillis) / 1000 + 1)
  return yield* readUnixRange(input, { where, nowMillis, newest, begin })
})
