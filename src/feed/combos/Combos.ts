import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Enrichment, TokenInfo } from "#src/catalogue/Enrichment.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { Remembered } from "../Remembered.ts"
import { comboStore } from "./ComboStore.ts"
import { conditionHex, outcomesOf, type PositionId, readPositionId } from "./positionId.ts"

export interface Leg extends PositionId {
  /** What the outcome is called where it is traded by itself. */
  readonly info: TokenInfo | undefined
}

/** Several outcomes in one. */
export interface Combo {
  readonly condition: string
  readonly yes: string
  readonly no: string
  /** None where nobody has told them yet. */
  readonly legs: ReadonlyArray<Leg>
}

/** By the 64 digits of its condition. */
export type Combos = ReadonlyMap<string, Combo>

const mostKnown = 20_000
const tokenDigits = 64

interface KnownLeg extends PositionId {
  readonly number: number | undefined
}

const cut = (legs: string): ReadonlyArray<string> =>
  Array.from({ length: legs.length / tokenDigits }, (_, i) => legs.slice(i * tokenDigits, (i + 1) * tokenDigits))

/** Finds what combos are made of, and remembers it. */
export const combosOf = (postgres: Postgres["Service"], enrichment: Enrichment["Service"]) => {
  const store = comboStore(postgres)
  const known = new Remembered<string, ReadonlyArray<KnownLeg>>(mostKnown)

  const learn = Effect.fnUntraced(function* (conditions: ReadonlyArray<string>) {
    const rows = (yield* store.legs(conditions)).map(({ condition, legs }) => ({ condition, legs: cut(legs) }))
    if (rows.length === 0) return []
    const traded = new Map(
      (yield* store.traded([...new Set(rows.flatMap(({ legs }) => legs.map(conditionHex)))])).map(
        ({ condition, tokens }) => [condition, tokens],
      ),
    )
    return rows.map(({ condition, legs }) => {
      const own = legs.map((hex): KnownLeg => {
        const position = readPositionId(hex)
        return { ...position, number: traded.get(conditionHex(hex))?.[position.outcomeIndex] }
      })
      return { condition, legs: own }
    })
  })

  return (conditions: ReadonlySet<string>): Effect.Effect<Combos, SqlError> =>
    conditions.size === 0
      ? Effect.succeed(new Map())
      : Effect.gen(function* () {
          const found = new Map<string, ReadonlyArray<KnownLeg>>()
          for (const condition of conditions) found.set(condition, known.get(condition) ?? [])
          const missing = [...found].flatMap(([condition, legs]) => (legs.length === 0 ? [condition] : []))
          for (const { condition, legs } of missing.length === 0 ? [] : yield* learn(missing)) {
            found.set(condition, legs)
            if (legs.every(({ number }) => number !== undefined)) known.set(condition, legs)
          }
          const numbers = [...found.values()].flatMap((legs) => legs.flatMap(({ number }) => number ?? []))
          const infos = yield* enrichment.tokens(numbers)
          return new Map(
            [...found].map(([condition, legs]): [string, Combo] => [
              condition,
              {
                condition: `0x${condition}`,
                ...outcomesOf(condition),
                legs: legs.map(({ number, ...leg }) => ({
                  ...leg,
                  info: number === undefined ? undefined : infos.get(number),
                })),
              },
            ]),
          )
        })
}
