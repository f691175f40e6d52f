import { isCombo } from "#src/domain/comboIds.ts"
import type { Combo } from "./Combos.ts"

const unlistedLeg = "unlisted market"

/** All legs with their outcomes: `Will it rain? (Yes) + Will it snow? (No)`; null while none is known. */
export const comboTitle = ({ legs }: Pick<Combo, "legs">): string | null =>
  legs.some(({ info }) => info !== undefined)
    ? legs.map(({ info }) => (info === undefined ? unlistedLeg : `${info.title} (${info.outcome})`)).join(" + ")
    : null

/** YES wins if all legs win, NO if any leg loses. */
export const comboOutcome = (index: number | null): string | null => ["Yes", "No"][index ?? -1] ?? null

/** An outcome of a token's condition, by the listed names; a combo is not listed, but its outcomes are known. */
export const outcomeName = (
  token: string,
  outcomes: ReadonlyArray<string> | null,
  index: number | null,
): string | null => {
  if (index === null) return null
  return outcomes === null && isCombo(token) ? comboOutcome(index) : (outcomes?.[index] ?? null)
}
