import { comboModule, reserved, reservedFrom } from "#src/domain/comboIds.ts"
import { conditionOfPosition } from "#src/domain/conditionOfPosition.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"

/**
 * Ids of the newer contracts are composed: module 8 bits, base 128, arity 16, reserved 64, chain 16, condition index
 * 16, outcome 8. A condition id is the id with the last byte cleared, an event id is the condition id without the
 * condition index.
 */
const eventDigits = 58
const conditionDigits = 62

export const moduleNames: ReadonlyMap<number, string> = new Map([
  [1, "binary"],
  [2, "neg_risk"],
  [comboModule, "combinatorial"],
])

/** Whether a row with a `hash` is of a combo; the index `token_combo` has these tokens. */
export const isComboSql = (row: string): string =>
  `(substr(${row}.hash, 1, 1) = '\\x03'::bytea and substr(${row}.hash, 20, 8) = '\\x${reserved}'::bytea)`

/** The parts of a token id. */
export interface PositionId {
  readonly id: string
  readonly module: number
  readonly condition: string
  /** Only mutually exclusive conditions belong to an event. */
  readonly event: string | null
  readonly arity: number
  readonly conditionIndex: number
  readonly outcomeIndex: number
}

export const readPositionId = (hex: string): PositionId => {
  const number = (from: number, to: number) => Number.parseInt(hex.slice(from, to), 16)
  const module = number(0, 2)
  return {
    id: tokenOfHex(hex),
    module,
    condition: `0x${conditionOfPosition(hex)}`,
    event: module === 2 ? `0x${hex.slice(0, eventDigits)}` : null,
    arity: number(34, reservedFrom),
    conditionIndex: number(eventDigits, conditionDigits),
    outcomeIndex: number(conditionDigits, 64),
  }
}

/** A combo's tokens: YES wins if all legs win, NO if any leg loses. */
export const outcomesOf = (condition: string) => ({
  yes: tokenOfHex(`${condition.slice(0, conditionDigits)}00`),
  no: tokenOfHex(`${condition.slice(0, conditionDigits)}01`),
})
