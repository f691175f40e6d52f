import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { transactionSql } from "#src/dictionary/factSql.ts"
import { shares as toShares } from "#src/domain/amounts.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { readBeginnings, readFactsOf, readPositions } from "./FactsOfPositions.ts"
import { Explainer, nothing, stateOf } from "./lines.ts"
import {
  ChainChanged,
  type Continuation,
  type ExplainedToken,
  type Explanation,
  type Line,
  type Pair,
  type Place,
  type Target,
} from "./model.ts"
import { readSources, sourcesOf } from "./sources.ts"

const start: Place = { block: 0, logIndex: 0, at: 0 }

/** The first log that positions count, or that is left of those. */
const firstLog = Effect.fnUntraced(function* (sql: SqlClient) {
  const coverage = yield* CoverageStore.read(sql)
  const block = Math.max(coverage?.positions.block ?? 0, coverage?.droppedBefore ?? 0)
  return { place: { ...start, block } satisfies Place, at: coverage?.facts.at ?? 0 }
})

/** The positions before the first fact, and lines that say so. */
const begin = Effect.fnUntraced(function* (sql: SqlClient, wallet: number, tokens: ReadonlyArray<number>, at: number) {
  const { base, openings } = yield* readBeginnings(
    sql,
    tokens.map((token) => ({ wallet, token })),
  )
  const since = { ...start, at }
  const lines: Array<Line> = []
  const targets = tokens.map((token): Target => {
    const carried = base.find((position) => position.token === token)
    if (carried !== undefined) {
      const state = stateOf(carried)
      lines.push({ ...since, fact: { kind: "carried_forward" }, token, before: nothing, after: state })
      return { kind: "held", state }
    }
    const opening = openings.find((each) => each.token === token)
    if (opening === undefined) return { kind: "none" }
    const shares = opening.shares ?? toShares(0)
    const after = { ...nothing, shares, partial: true }
    lines.push({ ...since, fact: { kind: "opening_balance" }, token, before: nothing, after })
    return { kind: "opening", shares }
  })
  return { lines, targets }
})

const hashBytes = 6

const hashOf = (sql: SqlClient, block: number) =>
  Effect.map(sql<{ hash: Uint8Array }>`select hash from block where number = ${block}`, ([row]) =>
    row === undefined ? 0 : Buffer.from(row.hash).readUIntBE(0, hashBytes),
  )

const isSameLog = (one: Place, other: Place) => one.block === other.block && one.logIndex === other.logIndex

const transactionsOf = (sql: SqlClient, lines: ReadonlyArray<Line>) =>
  Effect.map(
    sql<{ block: number; log_index: number; tx: string | null }>`
      select distinct f.block, f.log_index, encode(${sql.literal(transactionSql("f"))}, 'hex') as tx
      from unnest(${pgArray("int4", lines, ({ block }) => block)}, ${pgArray("int4", lines, ({ logIndex }) => logIndex)})
        f(block, log_index)`,
    (rows) =>
      new Map(
        rows.flatMap(({ block, log_index, tx }) =>
          tx === null ? [] : [[`${block}:${log_index}`, `0x${tx}`] as const],
        ),
      ),
  )

const addressesIn = (sql: SqlClient, lines: ReadonlyArray<Line>) => {
  const ids = new Set(lines.flatMap(({ fact }) => (fact.kind === "transfer" ? [fact.sender, fact.receiver] : [])))
  return Effect.map(
    sql<{ id: number; address: string }>`
      select id, '0x' || encode(address, 'hex') as address from wallet where id = any(${pgArray("int4", ids)})`,
    (rows) => new Map(rows.map(({ id, address }) => [id, address])),
  )
}

const namesOf = (sql: SqlClient, tokens: ReadonlyArray<number>) =>
  Effect.map(
    sql<{ id: number; hash: string; outcome: number | null }>`
      select id, encode(hash, 'hex') as hash, outcome from token where id = any(${pgArray("int4", tokens)}) order by outcome, id`,
    (rows) => rows.map(({ id, hash, outcome }): ExplainedToken => ({ id, tokenId: tokenOfHex(hash), outcome })),
  )

/**
 * A page of the facts that made a wallet's positions in some tokens. It goes on from the positions at the end of the page before,
 * so that every page costs the same. Call it in one snapshot.
 */
export const explain = Effect.fnUntraced(function* (
  sql: SqlClient,
  wallet: number | undefined,
  tokenIds: ReadonlyArray<number>,
  limit: number,
  behind: Continuation | undefined,
) {
  const [head] = yield* sql<AsOfRow>`${sql.literal(asOfSql)}`
  const tokens = yield* namesOf(sql, tokenIds)
  const ids = tokens.map(({ id }) => id)
  const nobody: Explanation = {
    lines: [],
    tokens,
    transactions: new Map(),
    addresses: new Map(),
    stored: [],
    next: undefined,
    asOf: asOfIn(head),
  }
  if (wallet === undefined) return nobody

  const oldest = yield* firstLog(sql)
  const goesOn = behind !== undefined && behind.block > start.block ? behind : undefined
  if (goesOn !== undefined && (yield* hashOf(sql, goesOn.block)) !== goesOn.hash) return yield* new ChainChanged()
  const first =
    goesOn === undefined ? yield* begin(sql, wallet, ids, oldest.at) : { lines: [], targets: goesOn.targets }
  const shown = behind?.shown ?? 0
  const pairs = ids.map((token): Pair => ({ wallet, token }))
  const isOwn = (pair: Pair) => pair.wallet === wallet && ids.includes(pair.token)
  // A resolution may change nothing, so that it has no line; a condition has one.
  const wanted = shown + limit + 1 + ids.length
  const read = yield* readFactsOf(sql, pairs, { from: goesOn ?? oldest.place, limit: wanted })
  const facts = read.facts.slice(0, wanted)
  const sources = yield* readSources(
    sql,
    facts.filter((fact) => sourcesOf(fact, isOwn).length > 0),
    oldest.place,
    isOwn,
  )

  const explainer = new Explainer(wallet, ids, first.targets)
  const lines = [...first.lines]
  /** The positions before each log. */
  const before: Array<Place & { readonly targets: ReadonlyArray<Target> }> = [
    { ...(goesOn ?? start), targets: first.targets },
  ]
  for (const fact of facts) {
    const { block, logIndex, at } = fact
    const last = before.at(-1)
    if (last === undefined || !isSameLog(last, fact)) before.push({ block, logIndex, at, targets: explainer.targets })
    lines.push(...explainer.apply(fact, sources.get(fact) ?? [], read.tokensOf))
  }
  const page = lines.slice(shown, shown + limit)
  const last = page.at(-1)
  const end = last && before.findLast((each) => isSameLog(each, last))
  const hasMore = end !== undefined && last !== undefined && lines.length > shown + limit
  const stored = yield* readPositions(sql, wallet, ids)
  const explanation: Explanation = {
    ...nobody,
    lines: page,
    transactions: yield* transactionsOf(sql, page),
    addresses: yield* addressesIn(sql, page),
    stored: ids.map((token) => {
      const position = stored.find((each) => each.token === token)
      return position && stateOf(position)
    }),
    next: hasMore
      ? {
          block: end.block,
          logIndex: end.logIndex,
          at: end.at,
          targets: end.targets,
          hash: yield* hashOf(sql, end.block),
          shown: lines.slice(0, shown + limit).filter((line) => isSameLog(line, last)).length,
        }
      : undefined,
  }
  return explanation
})
