import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Enrichment } from "#src/catalogue/Enrichment.ts"
import { isCombo } from "#src/domain/comboIds.ts"
import { conditionOfPosition } from "#src/domain/conditionOfPosition.ts"
import { bytesOfToken } from "#src/domain/TokenId.ts"
import { type Combo, comboLoader, type Leg } from "#src/feed/combos/Combos.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { ShownPosition } from "../ShownPosition.ts"
import type { ComboLeg, ListedPosition } from "./model.ts"

/** The newer contracts take over a result of the older ones only when somebody asks them to; it cannot be another. */
export const readPayouts = (sql: SqlClient, conditions: Iterable<string>) =>
  Effect.map(
    sql<{ condition: string; payouts: ReadonlyArray<bigint> }>`
      select '0x' || encode(c.hash, 'hex') as condition, r.payouts
      from condition c
      cross join lateral (
        select c.id union all select n.legacy from condition_rename n where n.condition = c.id) name(id)
      join resolution r on r.condition = name.id
      where c.hash = any(${pgArray("bytea", conditions, (condition) => Buffer.from(condition.slice(2), "hex"))})`,
    (rows) => new Map(rows.map(({ condition, payouts }) => [condition, payouts])),
  )

export const legStatus = (
  { outcomeIndex }: Pick<Leg, "outcomeIndex">,
  payouts: ReadonlyArray<bigint> | undefined,
): ComboLeg["status"] => {
  if (payouts === undefined) return "open"
  const paid = payouts[outcomeIndex] ?? 0n
  if (paid === 0n) return "lost"
  return payouts.every((part, outcome) => outcome === outcomeIndex || part === 0n) ? "won" : "split"
}

/** The condition of a combo, in 64 digits; undefined for other positions. */
const comboOf = ({ token }: ShownPosition): string | undefined => {
  const hex = bytesOfToken(token).toString("hex")
  return isCombo(hex) ? conditionOfPosition(hex) : undefined
}

/** Adds the legs of those positions that are combos. */
export const legAdder = (sql: SqlClient, enrichment: Enrichment["Service"]) => {
  const load = comboLoader(sql, enrichment)
  return Effect.fnUntraced(function* (shown: ReadonlyArray<ShownPosition>) {
    const combos: ReadonlyMap<string, Combo> = yield* load(new Set(shown.flatMap((each) => comboOf(each) ?? [])))
    const conditions = new Set([...combos.values()].flatMap(({ legs }) => legs.map(({ condition }) => condition)))
    const payouts = conditions.size === 0 ? new Map() : yield* readPayouts(sql, conditions)
    const legOf = (leg: Leg): ComboLeg => ({
      position: leg.id,
      outcome: leg.info?.outcome ?? null,
      slug: leg.info?.slug ?? null,
      eventTitle: leg.info?.eventTitle ?? null,
      status: legStatus(leg, payouts.get(leg.condition)),
    })
    return shown.map((each): ListedPosition => {
      const combo = comboOf(each)
      return { ...each, legs: combo === undefined ? undefined : (combos.get(combo)?.legs ?? []).map(legOf) }
    })
  })
}
