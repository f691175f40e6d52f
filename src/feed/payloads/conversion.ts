import { keccak256 } from "viem"
import { exactAmount } from "#src/crypto/exact.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import { unlisted } from "../enriched.ts"
import type { Names } from "../Names.ts"
import type { ConversionRow } from "../rows.ts"
import { placePayload } from "./place.ts"

const mostQuestions = 256
const twoOutcomes = "2".padStart(64, "0")

/** A question is its market's name with its place as the last byte; a condition is made of who decides it and the question. */
const conditionAt = (market: string, place: number): string => {
  const question = market.slice(0, 62) + place.toString(16).padStart(2, "0")
  return keccak256(`0x${address.negRiskAdapter}${question}${twoOutcomes}`)
}

/** A bit for the place of each question, where all of them are found. */
const indexSetOf = (market: string, conditions: ReadonlySet<string | null>): string | null => {
  let [set, found] = [0n, 0]
  for (let place = 0; place < mostQuestions && found < conditions.size; place++) {
    if (!conditions.has(conditionAt(market, place))) continue
    set |= 1n << BigInt(place)
    found += 1
  }
  return found === conditions.size ? `0x${set.toString(16)}` : null
}

export const conversionPayload = (row: ConversionRow, names: Names) => {
  const given = row.nos.map(names.token)
  const info = given[0]?.info
  return {
    event_type: "positions_converted",
    ...unlisted,
    event_title: info?.eventTitle ?? null,
    event_slug: info?.eventSlug ?? null,
    neg_risk: true,
    ...placePayload(row),
    stakeholder: names.wallet(row.wallet),
    market_id: `0x${row.neg_risk_market}`,
    index_set: indexSetOf(row.neg_risk_market, new Set(given.map(({ condition }) => condition))),
    amount: exactAmount(row.amount),
    converted_outcomes: given.map(({ id, condition, info: listed }) => ({
      token_id: id,
      condition_id: condition,
      title: listed?.title ?? null,
    })),
  }
}
