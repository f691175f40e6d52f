import { Effect } from "effect"
import { type Address, addressOf, isPeriod, mostFollowed, type Period, periods } from "#src/copy-pnl/model.ts"
import { type Sorting, sortings } from "#src/copy-pnl/rank.ts"
import { BadInput } from "../errors.ts"
import { shown } from "../middleware/wrongInput.ts"

const wrong = (
  error: string,
  where: { readonly param?: string; readonly field?: string; readonly hint?: string } = {},
) => Effect.fail(new BadInput({ error, ...where }))

const noAddresses = 'Body must include "addresses" — array of valid 0x… wallet addresses.'

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An object's fields, if the body is one. */
export const readBody = (text: string): Readonly<Record<string, unknown>> => {
  const body = parsed(text)
  return typeof body === "object" && body !== null ? { ...body } : {}
}

/** The wallets that a body names, each once, in its order. */
export const readAddresses = (
  { addresses }: Readonly<Record<string, unknown>>,
  most = mostFollowed,
  tooMany = `At most ${mostFollowed} wallets per request (and per tenant).`,
): Effect.Effect<ReadonlyArray<Address>, BadInput> => {
  const field = "addresses"
  if (!Array.isArray(addresses) || addresses.length === 0) return wrong(noAddresses, { field })
  const wallets = new Set<Address>()
  for (const [i, given] of (addresses as ReadonlyArray<unknown>).entries()) {
    const wallet = typeof given === "string" ? addressOf(given) : undefined
    if (wallet === undefined) return wrong(noAddresses, { field, hint: `addresses[${i}] is ${shown(given)}.` })
    wallets.add(wallet)
  }
  return wallets.size > most ? wrong(tooMany, { field }) : Effect.succeed([...wallets])
}

const noPeriod = `Invalid period. Allowed: ${periods.join(", ")}`

export const readPeriod = (text: string, param = "period"): Effect.Effect<Period, BadInput> =>
  isPeriod(text) ? Effect.succeed(text) : wrong(noPeriod, { param })

/** Of a list separated by commas, in the order of their length. */
export const readPeriods = (text: string | undefined): Effect.Effect<ReadonlyArray<Period>, BadInput> => {
  if (text === undefined) return Effect.succeed(periods)
  const named = text.split(",").map((each) => each.trim())
  return named.every(isPeriod)
    ? Effect.succeed(periods.filter((period) => named.includes(period)))
    : wrong(noPeriod, { param: "periods" })
}

const isSorting = (text: string): text is Sorting => Object.hasOwn(sortings, text)
export const readSorting = (text: string): Effect.Effect<Sorting, BadInput> =>
  isSorting(text)
    ? Effect.succeed(text)
    : wrong(`Invalid sort_by. Allowed: ${Object.keys(sortings).join(", ")}`, { param: "sort_by" })

export const readOrder = (text: string): Effect.Effect<"asc" | "desc", BadInput> =>
  text === "asc" || text === "desc"
    ? Effect.succeed(text)
    : wrong("Invalid order. Allowed: asc or desc", { param: "order" })
