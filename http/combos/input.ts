import { Effect } from "effect"
import type { ComboFilter } from "#src/combos/model.ts"
import { conflictingFilters } from "../input/conflictingFilters.ts"
import { BadInput } from "../server/errors.ts"
import { type EventKind, redemptionKinds } from "./parameters.ts"

interface ComboFilters {
  readonly condition_id?: string
  readonly market_id?: string
  readonly position_id?: string
}

export interface EventFilters extends ComboFilters {
  readonly event_kind?: EventKind
}

export interface RedemptionFilters extends ComboFilters {
  readonly event_kind?: (typeof redemptionKinds)[number]
  readonly redemption_scope?: "all" | "full" | "partial"
  readonly redemption_type?: "all" | "terminal" | "reduction"
  readonly tx_hash?: string
  readonly after?: number
  readonly before?: number
}

/** The combo of a query; `market_id` is another name of `condition_id`. */
export const readFilter = ({ condition_id, market_id, position_id }: ComboFilters) =>
  condition_id !== undefined && market_id !== undefined && condition_id !== market_id
    ? Effect.fail(
        conflictingFilters(["condition_id", "market_id"], "Both are the condition id of a combo: use one of them."),
      )
    : Effect.succeed({
        condition: condition_id ?? market_id,
        conditionParameter: condition_id === undefined ? "market_id" : "condition_id",
        position: position_id,
      } as const)

/** Which redemptions a query allows; none if its filters exclude each other. */
const kindsIn = ({ event_kind, redemption_scope: scope, redemption_type: type }: RedemptionFilters) =>
  redemptionKinds.filter(
    (kind) =>
      (event_kind ?? kind) === kind &&
      (scope === undefined || scope === "all" || (scope === "full") === (kind === "redeem")) &&
      (type === undefined || type === "all" || (type === "terminal") === (kind === "redeem")),
  )

export const readRedemptionFilter = Effect.fnUntraced(function* (given: RedemptionFilters, wallet: string | undefined) {
  const { tx_hash, after, before } = given
  const combo = yield* readFilter(given)
  const kinds = kindsIn(given)
  if (kinds.length === 0) {
    const { event_kind, redemption_scope, redemption_type } = given
    const parameters = Object.entries({ event_kind, redemption_scope, redemption_type })
      .filter(([, value]) => value !== undefined && value !== "all")
      .map(([name]) => name)
    return yield* conflictingFilters(
      parameters,
      "`redeem` is full and terminal, `compress` is partial and a reduction.",
    )
  }
  const isNarrow =
    wallet !== undefined ||
    combo.condition !== undefined ||
    combo.position !== undefined ||
    (after !== undefined && before !== undefined)
  if (tx_hash !== undefined && !isNarrow) {
    return yield* new BadInput({
      error: 'Parameter "tx_hash": not enough to find a redemption by itself.',
      param: "tx_hash",
      hint: "Add `wallet`, `condition_id` or `position_id`, or `after` and `before`.",
    })
  }
  const filter: ComboFilter = { ...combo, wallet, kinds, tx: tx_hash?.toLowerCase(), after, before }
  return filter
})
