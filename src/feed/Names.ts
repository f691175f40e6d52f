import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Enrichment, type TokenInfo } from "#src/catalogue/Enrichment.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type Combo, combosOf } from "./combos/Combos.ts"
import { conditionHex, isCombo } from "./combos/positionId.ts"
import { nameStore, unlessEmpty } from "./NameStore.ts"
import { Remembered } from "./Remembered.ts"

/** A token as it is written at the edge. */
export interface TokenName {
  readonly id: string
  /** The same in 64 digits. */
  readonly hex: string
  /** `0x` and 64 digits, where it is known. */
  readonly condition: string | null
  readonly outcomeIndex: number | null
  /** What its market is called, where that is listed. */
  readonly info: TokenInfo | undefined
}

export interface ConditionName {
  readonly id: string
  /** By outcome; none until somebody has told them apart. */
  readonly tokens: ReadonlyArray<TokenName>
  /** That of its first outcome. */
  readonly info: TokenInfo | undefined
}

/** The numbers of which names are wanted. */
export class Mentions {
  readonly wallets = new Set<number>()
  readonly tokens = new Set<number>()
  readonly conditions = new Set<number>()
}

/** The names behind the numbers that were mentioned. */
export interface Names {
  readonly wallet: (number: number) => string
  readonly token: (number: number) => TokenName
  readonly condition: (number: number) => ConditionName
  /** The combo that this token or condition of 64 digits belongs to, if that is one. */
  readonly combo: (hex: string) => Combo | undefined
}

/** Of each kind. */
const mostKnown = 100_000

type Token = Omit<TokenName, "info">

interface Condition {
  readonly id: string
  readonly tokens: ReadonlyArray<number>
}

/** Finds those it knows, asks for the others, and learns what will not change any more. */
const recalled = Effect.fnUntraced(function* <Row extends { readonly id: number }, V>(
  known: Remembered<number, V>,
  ids: Iterable<number>,
  ask: (ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<Row>, SqlError>,
  make: (row: Row) => V,
  isSettled: (value: V) => boolean,
) {
  const found = new Map<number, V>()
  const missing: Array<number> = []
  for (const id of ids) {
    const value = known.get(id)
    if (value === undefined) missing.push(id)
    else found.set(id, value)
  }
  for (const row of yield* unlessEmpty(missing, ask)) {
    const value = make(row)
    found.set(row.id, value)
    if (isSettled(value)) known.set(row.id, value)
  }
  return found
})

const named = <V>(found: ReadonlyMap<number, V>, number: number): V => {
  const value = found.get(number)
  if (value === undefined) throw new Error(`number ${number} has no name`)
  return value
}

const makeNames = (postgres: Postgres["Service"], enrichment: Enrichment["Service"]) => {
  const store = nameStore(postgres)
  const comboNames = combosOf(postgres, enrichment)
  const wallets = new Remembered<number, string>(mostKnown)
  const tokens = new Remembered<number, Token>(mostKnown)
  const conditions = new Remembered<number, Condition>(mostKnown)

  const walletsOf = (ids: Iterable<number>) =>
    recalled(
      wallets,
      ids,
      store.wallets,
      ({ address }) => `0x${address}`,
      () => true,
    )
  const tokensOf = (ids: Iterable<number>) =>
    recalled(
      tokens,
      ids,
      store.tokens,
      (row): Token => ({
        id: tokenOfHex(row.token),
        hex: row.token,
        condition: row.condition === null ? null : `0x${row.condition}`,
        outcomeIndex: row.outcome,
      }),
      ({ condition }) => condition !== null,
    )
  const conditionsOf = (ids: Iterable<number>) =>
    recalled(
      conditions,
      ids,
      store.conditions,
      (row): Condition => ({ id: `0x${row.condition}`, tokens: row.tokens }),
      ({ tokens }) => tokens.length > 1,
    )

  return Effect.fnUntraced(function* (mentions: Mentions) {
    const [foundWallets, foundConditions] = yield* Effect.all(
      [walletsOf(mentions.wallets), conditionsOf(mentions.conditions)],
      { concurrency: "unbounded" },
    )
    const numbers = new Set(mentions.tokens)
    for (const condition of foundConditions.values()) for (const number of condition.tokens) numbers.add(number)
    const [foundTokens, infos] = yield* Effect.all([tokensOf(numbers), enrichment.tokens(numbers)], {
      concurrency: "unbounded",
    })
    const comboConditions = new Set<string>()
    for (const { hex } of foundTokens.values()) if (isCombo(hex)) comboConditions.add(conditionHex(hex))
    for (const { id } of foundConditions.values()) if (isCombo(id.slice(2))) comboConditions.add(id.slice(2))
    const combos = yield* comboNames(comboConditions)
    const tokenNames = new Map(
      [...foundTokens].map(([number, token]): [number, TokenName] => [number, { ...token, info: infos.get(number) }]),
    )
    const token = (number: number) => named(tokenNames, number)
    const names: Names = {
      combo: (hex) => (isCombo(hex) ? combos.get(conditionHex(hex)) : undefined),
      wallet: (number) => named(foundWallets, number),
      token,
      condition: (number) => {
        const { id, tokens: own } = named(foundConditions, number)
        return { id, tokens: own.map(token), info: own[0] === undefined ? undefined : infos.get(own[0]) }
      },
    }
    return names
  })
}

/** Finds names, each kind with at most one query, and remembers them. */
export const namesOf = Effect.gen(function* () {
  return makeNames(yield* Postgres, yield* Enrichment)
})
