import { exactAmount } from "#src/domain/amounts.ts"
import { unlisted } from "../enriched.ts"
import type { Names } from "../Names.ts"
import type { ConversionRow } from "../rows.ts"
import { placePayload } from "./place.ts"

/** A bit for the place of each question. */
const indexSetOf = (questions: ReadonlyArray<number>): string =>
  `0x${questions.reduce((set, place) => set | (1n << BigInt(place)), 0n).toString(16)}`

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
    index_set: row.questions === null ? null : indexSetOf(row.questions),
    amount: exactAmount(row.amount),
    converted_outcomes: given.map(({ id, condition, info: listed }) => ({
      token_id: id,
      condition_id: condition,
      title: listed?.title ?? null,
    })),
  }
}
