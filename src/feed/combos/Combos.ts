import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { LRUCache } from "lru-cache"
import type { Enrichment, TokenInfo } from "#src/catalogue/Enrichment.ts"
import { conditionOfPosition } from "#src/domain/conditionOfPosition.ts"
import * as NameStore from "../NameStore.ts"
import { outcomesOf, type PositionId, readPositionId } from "./positionId.ts"

export interface Leg extends PositionId {
  /** Names of the outcome's own market. */
  readonly info: TokenInfo | undefined
  /** Id of the outcome's own token in the dictionary; undefined while it is not known. */
  readonly token: number | undefined
}

/** Several outcomes in one token. */
export interface Combo {
  readonly condition: string
  readonly yes: string
  readonly no: string
  /** Empty while unknown. */
  readonly legs: ReadonlyArray<Leg>
}

/** By the 64 digits of the condition. */
type Combos = ReadonlyMap<string, Combo>

const cacheSize = 20_000
const tokenDigits = 64

interface CachedLeg extends PositionId {
  /** Id of the outcome's own token in the dictionary. */
  readonly token: number | undefined
}

const splitLegs = (legs: string): ReadonlyArray<string> =>
  Array.from({ length: legs.length / tokenDigits }, (_, i) => legs.slice(i * tokenDigits, (i + 1) * tokenDigits))

/** Loads the legs of combos through a cache. */
export const comboLoader = (sql: SqlClient, enrichment: Enrichment["Service"]) => {
  const cache = new LRUCache<string, ReadonlyArray<CachedLeg>>({ max: cacheSize })

  const readLegs = Effect.fnUntraced(function* (conditions: ReadonlyArray<string>) {
    const rows = (yield* NameStore.comboLegs(sql, conditions)).map(({ condition, legs }) => ({
      condition,
      legs: splitLegs(legs),
    }))
    if (rows.length === 0) return []
    const legConditions = [...new Set(rows.flatMap(({ legs }) => legs.map(conditionOfPosition)))]
    const traded = new Map(
      (yield* NameStore.tradedTokens(sql, legConditions)).map(({ condition, tokens }) => [condition, tokens]),
    )
    return rows.map(({ condition, legs }) => {
      const own = legs.map((hex): CachedLeg => {
        const position = readPositionId(hex)
        return { ...position, token: traded.get(conditionOfPosition(hex))?.[position.outcomeIndex] }
      })
      return { condition, legs: own }
    })
  })

  return (conditions: ReadonlySet<string>): Effect.Effect<Combos, SqlError> =>
    conditions.size === 0
      ? Effect.succeed(new Map())
      : Effect.gen(function* () {
          const found = new Map<string, ReadonlyArray<CachedLeg>>()
          for (const condition of conditions) found.set(condition, cache.get(condition) ?? [])
          const missing = [...found].flatMap(([condition, legs]) => (legs.length === 0 ? [condition] : []))
          for (const { condition, legs } of missing.length === 0 ? [] : yield* readLegs(missing)) {
            found.set(condition, legs)
            if (legs.every(({ token }) => token !== undefined)) cache.set(condition, legs)
          }
          const tokens = [...found.values()].flatMap((legs) => legs.flatMap(({ token }) => token ?? []))
          const infos = yield* enrichment.tokens(tokens)
          return new Map(
            [...found].map(([condition, legs]): [string, Combo] => [
              condition,
              {
                condition: `0x${condition}`,
                ...outcomesOf(condition),
                legs: legs.map((leg) => ({
                  ...leg,
                  info: leg.token === undefined ? undefined : infos.get(leg.token),
                })),
              },
            ]),
          )
        })
}
