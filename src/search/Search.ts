import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type PlacedHit, readHits, type StageGroup } from "./HitStore.ts"
import { type Alternatives, literalStages, partialStages, questionOf, similarStages } from "./question.ts"
import type { SearchKind } from "./SearchStore.ts"
import { alternativesOf, documentsOf } from "./WordStore.ts"

/** Where the page before ended, and how many documents came before it. */
export interface SearchPlace extends PlacedHit {
  readonly seen: number
}

export interface SearchQuery {
  readonly kind: SearchKind
  readonly text: string
  readonly limit: number
  readonly offset: number
  readonly behind: SearchPlace | undefined
}

export interface SearchPage {
  readonly hits: ReadonlyArray<PlacedHit>
  /** Undefined at the end. */
  readonly next: SearchPlace | undefined
}

/** With fewer documents than this that have the words as they were typed, similar words count too. */
const enough = 10
/** Documents without one of the words are only what may have been meant. */
const mostPartial = 20

/** In how many documents a word or one of its alternatives is, at most. */
const sumsOf = (counts: ReadonlyArray<number>, alternatives: ReadonlyArray<Alternatives>) =>
  counts.map((count, i) => (alternatives[i] ?? []).reduce((sum, { documents }) => sum + documents, count))

/** In how many documents all words but one are, at most. */
const withoutOne = (sums: ReadonlyArray<number>) =>
  sums.reduce((sum, _, left) => sum + Math.min(...sums.filter((_each, i) => i !== left)), 0)

/** Makes a reader of the documents that match a query. Words similar to those that were typed cost most. */
export const documentFinder = (sql: SqlClient, { withTypos }: { readonly withTypos: boolean }) =>
  Effect.fn("Search.find")(function* ({ kind, text, limit, offset, behind }: SearchQuery) {
    const question = questionOf(text)
    if (question.words.length === 0) return { hits: [], next: undefined }
    const before = behind?.seen ?? 0
    const most = offset + limit + 1
    const found: Array<PlacedHit> = []
    const read = Effect.fnUntraced(function* (group: StageGroup, mostOfGroup = most) {
      const isOver = (group.stages.at(-1)?.number ?? -1) < (behind?.stage ?? 0)
      const wanted = Math.min(most - found.length, mostOfGroup)
      if (isOver || wanted <= 0) return
      found.push(...(yield* readHits(sql, { kind, behind, most: wanted }, group)))
    })

    const counts = yield* documentsOf(sql, kind, question)
    const literal = { stages: literalStages(question), except: undefined, documents: Math.min(...counts) }
    yield* read(literal)
    const isRare = found.length < most && before + found.length < enough
    if (isRare || (behind?.stage ?? 0) > (literal.stages.at(-1)?.number ?? 0)) {
      const alternatives = withTypos ? yield* alternativesOf(sql, kind, question) : question.words.map(() => [])
      const sums = sumsOf(counts, alternatives)
      if (alternatives.some((some) => some.length > 0)) {
        const except = literal.stages.at(-1)?.query
        yield* read({ stages: similarStages(question, alternatives), except, documents: Math.min(...sums) })
      }
      const stages = partialStages(question, alternatives)
      if (before + found.length === 0 || behind?.stage === stages[0]?.number)
        yield* read({ stages, except: undefined, documents: withoutOne(sums) }, mostPartial - before)
    }
    const hits = found.slice(offset, offset + limit)
    const last = hits.at(-1)
    const hasMore = last !== undefined && found.length > offset + limit
    return { hits, next: hasMore ? { ...last, seen: before + offset + hits.length } : undefined }
  })

/**
 * Finds documents by words. Those that match better come first, and of those that match equally well, open ones and those
 * with more volume. Typos count where the words as typed are rare, and a missing word where nothing has them all.
 */
export class Search extends Context.Service<
  Search,
  { readonly find: (query: SearchQuery) => Effect.Effect<SearchPage, SqlError> }
>()("presage/search/Search") {
  static readonly layer = Layer.effect(
    Search,
    Effect.map(Postgres, ({ reads }) => Search.of({ find: documentFinder(reads, { withTypos: true }) })),
  )
}
