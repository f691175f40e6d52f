import { Effect } from "effect"
import type { Answer } from "./client.ts"
import { SportsVenue } from "./sportsWorld.ts"

export type Json = Readonly<Record<string, unknown>>

/** What the venue itself answers. */
export const venueSays = Effect.fnUntraced(function* (path: string, payload?: object) {
  const { url } = yield* SportsVenue
  return yield* Effect.promise(async () => {
    const options = payload === undefined ? {} : { method: "POST", body: JSON.stringify(payload) }
    const body: Answer["json"] = await (await fetch(`${url}${path}`, options)).json()
    return body
  })
})

const list = (text: unknown): ReadonlyArray<string> => JSON.parse(String(text))
export const slugs = (rows: ReadonlyArray<{ readonly slug: string }>) => rows.map(({ slug }) => slug)

export const marketOf = (market: Json) => ({
  id: market["id"],
  question: market["question"],
  sportsMarketType: market["sportsMarketType"] ?? null,
  outcomes: list(market["outcomes"]),
  outcomePrices: list(market["outcomePrices"]).map((price) => String(Number(price))),
  clobTokenIds: list(market["clobTokenIds"]),
  volume24hr: market["volume24hr"],
  closed: market["closed"],
})
export const shownMarket = (market: Json) =>
  Object.fromEntries(
    Object.keys(marketOf({ outcomes: "[]", outcomePrices: "[]", clobTokenIds: "[]" })).map((name) => [
      name,
      market[name],
    ]),
  )
export const byId = (a: { readonly id: unknown }, b: { readonly id: unknown }) => Number(a.id) - Number(b.id)
