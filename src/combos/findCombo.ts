import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { ConflictingFilters } from "#src/catalogue/ConflictingFilters.ts"
import { bytesOfCondition } from "#src/domain/ConditionId.ts"
import { isCombo } from "#src/domain/comboIds.ts"
import { conditionOfPosition } from "#src/domain/conditionOfPosition.ts"
import { hexOfToken } from "#src/domain/TokenId.ts"
import { type ComboFilter, UnknownCombo } from "./model.ts"

/** A combo, or one of its tokens, by ids of the ledger. */
export interface FoundCombo {
  readonly condition: number
  /** Undefined if both outcomes are wanted; 0 if the token was never moved. */
  readonly token: number | undefined
}

export type NamedCombo = Pick<ComboFilter, "condition" | "conditionParameter" | "position">

/** Finds the combo of a filter; undefined if it names none. One that does not exist fails. */
export const findCombo = Effect.fnUntraced(function* (
  sql: SqlClient,
  { condition, conditionParameter = "condition_id", position }: NamedCombo,
) {
  if (condition === undefined && position === undefined) return undefined
  const hex = position === undefined ? undefined : hexOfToken(position)
  const ofPosition = hex === undefined ? undefined : `0x${conditionOfPosition(hex)}`
  if (condition !== undefined && ofPosition !== undefined && condition !== ofPosition)
    return yield* new ConflictingFilters({ parameters: [conditionParameter, "position_id"] })
  const wanted = condition ?? ofPosition ?? ""
  const [row] = yield* sql<{ condition: number; token: number | null }>`
    select c.id as condition, (select t.id from token t where t.hash = ${Buffer.from(hex ?? "", "hex")}) as token
    from condition c where c.hash = ${bytesOfCondition(wanted)}
      and exists (select from combo_act a where a.condition = c.id)`
  if (row === undefined || !isCombo(wanted.slice(2))) {
    return yield* condition === undefined
      ? new UnknownCombo({ parameter: "position_id", value: position ?? "" })
      : new UnknownCombo({ parameter: conditionParameter, value: condition })
  }
  const found: FoundCombo = { condition: row.condition, token: position === undefined ? undefined : (row.token ?? 0) }
  return found
})
