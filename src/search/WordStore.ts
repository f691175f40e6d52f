import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { Alternatives, Question } from "./question.ts"
import type { SearchKind } from "./SearchStore.ts"
import { toleratedTypos, typosBetween } from "./typos.ts"

/** More would make the query long without making it better. */
const mostAlternatives = 12
/** Words compared with one that is still typed: the most frequent ones with its first two letters. */
const mostBeginnings = 200

/** So many words are in so many documents at least, which is all that has to be known. */
const mostContinuations = 2_000

/** In how many documents each word of a question is; for a word that is still typed, at most how many. */
export const documentsOf = (sql: SqlClient, kind: SearchKind, { words, isTyping }: Question) =>
  Effect.map(
    sql<{ documents: number }>`
      select coalesce(case when n.place = ${isTyping ? words.length : 0} then
          (select sum(documents) from (
            select documents from search_word where kind = ${kind} and word >= n.word and word < n.word || '\u{10ffff}'
            limit ${mostContinuations}) w)
        else (select documents from search_word where kind = ${kind} and word = n.word) end, 0)::int as documents
      from unnest(${pgArray("text", words)}) with ordinality n(word, place) order by n.place`,
    (rows) => rows.map(({ documents }) => documents),
  )

interface Candidate {
  readonly word: string
  readonly documents: number
}

const candidatesOf = (sql: SqlClient, kind: SearchKind, word: string, isTyped: boolean) => {
  const start = [...word].slice(0, 2).join("")
  const similar = sql`select word, documents from search_similar(${kind}, ${word})`
  return isTyped
    ? sql<Candidate>`
        ${similar}
        union
        (select word, documents from search_word
        where kind = ${kind} and word >= ${start} and word < ${`${start}\u{10ffff}`} and documents > 0
        order by documents desc limit ${mostBeginnings})`
    : sql<Candidate>`${similar}`
}

/** What each word of a question may mean, the fewest typos first. */
export const alternativesOf = (sql: SqlClient, kind: SearchKind, { words, isTyping }: Question) =>
  Effect.forEach(
    words,
    (word, i) =>
      Effect.gen(function* () {
        if (toleratedTypos(word) === 0) return []
        const isTyped = isTyping && i === words.length - 1
        const found = yield* candidatesOf(sql, kind, word, isTyped)
        const near = found.flatMap((candidate): Alternatives => {
          const typos = candidate.word === word ? undefined : typosBetween(word, candidate.word, isTyped)
          return typos === undefined ? [] : [{ ...candidate, typos }]
        })
        return near.sort((a, b) => a.typos - b.typos || b.documents - a.documents).slice(0, mostAlternatives)
      }),
    { concurrency: "unbounded" },
  )
