import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { pgArray, unnest } from "#src/platform/sql/pgArray.ts"
import { documentVersion, fingerprintOf, rankOf, type Searchable, type SearchDocument, vectorOf } from "./document.ts"

/** Each has its own partition: a new one needs a migration. */
export type SearchKind = "market"

interface StoredDocument {
  readonly id: number
  readonly fingerprint: bigint
  readonly rank: number
}

const storedDocuments = (sql: SqlClient, kind: SearchKind, ids: ReadonlyArray<number>) =>
  sql<StoredDocument>`
    select id, fingerprint, rank from search_document
    where kind = ${kind} and version = ${documentVersion} and id = any(${pgArray("int4", ids)})`

/** In the order of words, so that concurrent writers do not deadlock. */
const writeDocuments = (sql: SqlClient, kind: SearchKind, documents: ReadonlyArray<SearchDocument>) => {
  const given = unnest(sql, "n", documents, {
    id: ["int4", ({ id }) => id],
    fingerprint: ["int8", ({ fingerprint }) => fingerprint],
    rank: ["int2", ({ rank }) => rank],
    vector: ["text", ({ vector }) => vector],
  })
  return sql`
    with given as materialized (select n.id, n.fingerprint, n.rank, n.vector::tsvector as vector from ${given}),
    counted as (
      select word, sum(change)::int as change from (
        select unnest(tsvector_to_array(vector)) as word, 1 as change from given
        union all
        select unnest(tsvector_to_array(d.vector)), -1
        from search_document d where d.kind = ${kind} and d.id = any(${pgArray("int4", documents, ({ id }) => id)})) c
      where word not like '=%' group by word having sum(change) <> 0),
    words as (
      insert into search_word (kind, word, documents) select ${kind}, word, change from counted order by word
      on conflict (kind, word) do update set documents = search_word.documents + excluded.documents)
    insert into search_document (kind, id, fingerprint, rank, version, vector)
    select ${kind}, id, fingerprint, rank, ${documentVersion}::int2, vector from given order by id
    on conflict (kind, id) do update set fingerprint = excluded.fingerprint, rank = excluded.rank,
      version = excluded.version, vector = excluded.vector`
}

const writeRanks = (sql: SqlClient, kind: SearchKind, ranks: ReadonlyArray<Pick<SearchDocument, "id" | "rank">>) =>
  sql`
    update search_document d set rank = n.rank
    from ${unnest(sql, "n", ranks, { id: ["int4", ({ id }) => id], rank: ["int2", ({ rank }) => rank] })}
    where d.kind = ${kind} and d.id = n.id`

/** Makes these things found as they are now. Most calls find nothing changed and only read. Call it inside a transaction. */
export const writeSearchables = (sql: SqlClient, kind: SearchKind, things: Iterable<Searchable>) =>
  Effect.gen(function* () {
    const byId = new Map(Array.from(things, (thing) => [thing.id, thing]))
    if (byId.size === 0) return
    const stored = new Map(
      (yield* storedDocuments(sql, kind, [...byId.keys()])).map((document) => [document.id, document]),
    )
    const documents: Array<SearchDocument> = []
    const ranks: Array<Pick<SearchDocument, "id" | "rank">> = []
    for (const { id, texts, ...ranked } of byId.values()) {
      const known = stored.get(id)
      const [fingerprint, rank] = [fingerprintOf(texts), rankOf(ranked)]
      if (known?.fingerprint !== fingerprint) documents.push({ id, fingerprint, rank, vector: vectorOf(texts) })
      else if (known.rank !== rank) ranks.push({ id, rank })
    }
    if (documents.length > 0) yield* writeDocuments(sql, kind, documents)
    if (ranks.length > 0) yield* writeRanks(sql, kind, ranks)
  })
