import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { LRUCache } from "lru-cache"
import { Enrichment, type TokenInfo } from "#src/catalogue/Enrichment.ts"
import { isCombo } from "#src/domain/comboIds.ts"
import { conditionOfPosition } from "#src/domain/conditionOfPosition.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { growingCache } from "#src/platform/growingCache.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type Combo, comboLoader } from "./combos/Combos.ts"
import * as NameStore from "./NameStore.ts"

/** A token as clients see it. */
export interface TokenName {
  readonly id: string
  /** The same in 64 hexadecimal digits. */
  readonly hex: string
  /** `0x` and 64 digits, if known. */
  readonly condition: string | null
  readonly outcomeIndex: number | null
  /** Names of its market, if that is listed. */
  readonly info: TokenInfo | undefined
  /** Present for combos only, which are not listed. */
  readonly combo?: Combo | undefined
}

export interface ConditionName {
  readonly id: string
  /** By outcome; empty until the outcomes are known. */
  readonly tokens: ReadonlyArray<TokenName>
  /** That of its first outcome. */
  readonly info: TokenInfo | undefined
  /** Present for combos only, which are not listed. */
  readonly combo?: Combo | undefined
}

/** Collects the ids whose names are needed. */
export class Mentions {
  readonly wallets = new Set<number>()
  readonly tokens = new Set<number>()
  readonly conditions = new Set<number>()
}

/** Names by the mentioned ids. */
export interface Names {
  readonly wallet: (id: number) => string
  readonly token: (id: number) => TokenName
  readonly condition: (id: number) => ConditionName
  /** The combo of a token or condition of 64 digits; undefined for other tokens. */
  readonly combo: (hex: string) => Combo | undefined
}

/** Cached names of each kind. */
const cacheSize = 100_000

type Token = Omit<TokenName, "info" | "combo">

interface Condition {
  readonly id: string
  readonly tokens: ReadonlyArray<number>
}

/** Reads through a cache, which keeps only values that no longer change. */
const loadCached = Effect.fnUntraced(function* <Row extends { readonly id: number }, V extends string | object>(
  cache: LRUCache<number, V>,
  ids: Iterable<number>,
  read: (ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<Row>, SqlError>,
  decode: (row: Row) => V,
  isFinal: (value: V) => boolean,
) {
  const found = new Map<number, V>()
  const missing: Array<number> = []
  for (const id of ids) {
    const value = cache.get(id)
    if (value === undefined) missing.push(id)
    else found.set(id, value)
  }
  if (missing.length === 0) return found
  for (const row of yield* read(missing)) {
    const value = decode(row)
    found.set(row.id, value)
    if (isFinal(value)) cache.set(row.id, value)
  }
  return found
})

const nameOf = <V>(found: ReadonlyMap<number, V>, id: number): V => {
  const value = found.get(id)
  if (value === undefined) throw new Error(`id ${id} has no name`)
  return value
}

const makeLoader = (sql: SqlClient, enrichment: Enrichment["Service"]) => {
  const loadCombos = comboLoader(sql, enrichment)
  const wallets = growingCache<number, string>(cacheSize)
  const tokens = growingCache<number, Token>(cacheSize)
  const conditions = growingCache<number, Condition>(cacheSize)

  const loadWallets = (ids: Iterable<number>) =>
    loadCached(
      wallets,
      ids,
      (missing) => NameStore.wallets(sql, missing),
      ({ address }) => `0x${address}`,
      () => true,
    )
  const loadTokens = (ids: Iterable<number>) =>
    loadCached(
      tokens,
      ids,
      (missing) => NameStore.tokens(sql, missing),
      (row): Token => ({
        id: tokenOfHex(row.token),
        hex: row.token,
        condition: row.condition === null ? null : `0x${row.condition}`,
        outcomeIndex: row.outcome,
      }),
      ({ condition }) => condition !== null,
    )
  const loadConditions = (ids: Iterable<number>) =>
    loadCached(
      conditions,
      ids,
      (missing) => NameStore.conditions(sql, missing),
      (row): Condition => ({ id: `0x${row.condition}`, tokens: row.tokens }),
      (condition) => condition.tokens.length > 1,
    )

  return Effect.fnUntraced(function* (mentions: Mentions) {
    const [foundWallets, foundConditions] = yield* Effect.all(
      [loadWallets(mentions.wallets), loadConditions(mentions.conditions)],
      { concurrency: "unbounded" },
    )
    const tokenIds = new Set(mentions.tokens)
    for (const condition of foundConditions.values()) for (const id of condition.tokens) tokenIds.add(id)
    const [foundTokens, infos] = yield* Effect.all([loadTokens(tokenIds), enrichment.tokens(tokenIds)], {
      concurrency: "unbounded",
    })
    const comboConditions = new Set<string>()
    for (const { hex } of foundTokens.values()) if (isCombo(hex)) comboConditions.add(conditionOfPosition(hex))
    for (const { id } of foundConditions.values()) if (isCombo(id.slice(2))) comboConditions.add(id.slice(2))
    const combos = yield* loadCombos(comboConditions)
    const combo = (hex: string) => (isCombo(hex) ? combos.get(conditionOfPosition(hex)) : undefined)
    const tokenNames = new Map(
      [...foundTokens].map(([id, token]): [number, TokenName] => [
        id,
        { ...token, info: infos.get(id), combo: combo(token.hex) },
      ]),
    )
    const token = (id: number) => nameOf(tokenNames, id)
    const names: Names = {
      combo,
      wallet: (id) => nameOf(foundWallets, id),
      token,
      condition: (number) => {
        const { id, tokens: own } = nameOf(foundConditions, number)
        const info = own[0] === undefined ? undefined : infos.get(own[0])
        return { id, tokens: own.map(token), info, combo: combo(id.slice(2)) }
      },
    }
    return names
  })
}

/** A process has one: allocating these caches for every poller took a tenth of its start. */
const loaders = new WeakMap<Enrichment["Service"], ReturnType<typeof makeLoader>>()

/** Loads names through caches, with at most one query per kind. */
export const nameLoader = Effect.gen(function* () {
  const { reads } = yield* Postgres
  const enrichment = yield* Enrichment
  const loader = loaders.get(enrichment) ?? makeLoader(reads, enrichment)
  loaders.set(enrichment, loader)
  return loader
})
