import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { unnest } from "#src/platform/sql/pgArray.ts"
import { documentOf, documentVersion, type Searchable, type SearchDocument } from "./document.ts"
import type { SearchKind } from "./SearchStore.ts"

/**
 * Ids from after one up to the last of the things, whose document is missing, differs or belongs to nothing. Without
 * things, all documents after that id belong to nothing.
 */
export const wrongDocuments = (sql: SqlClient, kind: SearchKind, things: ReadonlyArray<Searchable>, after: number) => {
  const documents: ReadonlyArray<SearchDocument> = things.map(documentOf)
  const last = things.at(-1)?.id ?? null
  const given = unnest(sql, "n", documents, {
    id: ["int4", ({ id }) => id],
    fingerprint: ["int8", ({ fingerprint }) => fingerprint],
    rank: ["int2", ({ rank }) => rank],
    vector: ["text", ({ vector }) => vector],
  })
  return Effect.map(
    sql<{ id: number }>`
      select id from (
        select id, (n.fingerprint, n.rank, ${documentVersion}::int2, n.vector::tsvector)
          is distinct from (d.fingerprint, d.rank, d.version, d.vector) as is_wrong
        from (select n.id, n.fingerprint, n.rank, n.vector from ${given}) n
        full join (
          select * from search_document
          where kind = ${kind} and id > ${after} and (${last}::int4 is null or id <= ${last}::int4)) d using (id)) compared
      where is_wrong order by id`,
    (rows) => rows.map(({ id }) => id),
  )
}

/** Words whose number of documents differs from what is counted of them. */
export const wrongWords = (sql: SqlClient, kind: SearchKind) =>
  Effect.map(
    sql<{ word: string }>`
      with counted as (
        select word, count(*)::int as documents from search_document d
        cross join lateral unnest(tsvector_to_array(d.vector)) w(word)
        where d.kind = ${kind} and word not like '=%' group by word)
      select word from counted c full join (select word, documents from search_word where kind = ${kind}) s using (word)
      where coalesce(c.documents, 0) <> coalesce(s.documents, 0) order by word`,
    (rows) => rows.map(({ word }) => word),
  )
