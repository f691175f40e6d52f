import type { Leg, Market } from "../world/Venue.ts"

/**
 * Names of Protocol V2, as hexadecimal digits: module 8 bits, base 128, arity 16, reserved 64, resolution chain 16,
 * condition index 16, outcome 8. A condition is the name without its outcome.
 */
const conditionHex = (module: 1 | 2 | 3, base: string, arity: number, index: number) =>
  `0${module}${base}${arity.toString(16).padStart(4, "0")}${reserved}${polygon}${index.toString(16).padStart(4, "0")}`

const reserved = "0".repeat(16)
const polygon = "0089"

export const positionHex = (condition: string, outcome: 0 | 1): string => `${condition}0${outcome}`

/** `base` has 32 digits. */
export const comboConditionHex = (legs: number, base: string): string => conditionHex(3, base, legs, 0)

export const isComboHex = (hex: string): boolean =>
  hex.startsWith("03") && hex.slice(38, 54) === reserved && hex.slice(54, 58) === polygon

/** The last digits of a combo's base. */
export const comboTail = (hex: string): string => hex.slice(26, 34)

/** The condition under which Protocol V2 knows a market of the older contracts. */
export const migratedConditionHex = ({ event, conditionId, place }: Market): string =>
  event.negRiskMarketId === undefined
    ? conditionHex(1, conditionId.slice(2, 34), 2, 0)
    : conditionHex(2, event.negRiskMarketId.slice(2, 34), event.markets.length, place)

export const legHex = ({ market, outcome }: Leg): string => positionHex(migratedConditionHex(market), outcome)
