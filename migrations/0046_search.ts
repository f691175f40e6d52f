import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"
import { createExtension } from "#src/platform/sql/extension.ts"

/**
 * What can be searched, apart from the tables that it comes from: they are written with every change of a price, and an
 * index on their texts would be written with them. The words of all documents are kept beside, to find what a misspelt
 * one means.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* createExtension("pg_trgm")
  // The rank orders documents whose words match equally well. The fingerprint is of the texts.
  yield* sql`
    create table search_document (
      fingerprint bigint not null,
      id integer not null,
      rank smallint not null,
      version smallint not null,
      kind text not null,
      vector tsvector not null,
      primary key (kind, id)
    ) partition by list (kind)`
  yield* sql`
    create table search_word (
      documents integer not null,
      kind text not null,
      word text collate "C" not null,
      primary key (kind, word)
    ) partition by list (kind)`
  yield* sql`create table search_document_market partition of search_document for values in ('market') with (fillfactor = 80)`
  // A common word is counted again with every new market.
  yield* sql`create table search_word_market partition of search_word for values in ('market') with (fillfactor = 60)`
  // New documents are few; a list of pending ones would be read by every search.
  yield* sql`create index search_document_vector on search_document using gin (vector) with (fastupdate = off)`
  yield* sql`create index search_document_rank on search_document (rank desc, id desc)`
  yield* sql`
    create index search_word_similar on search_word using gin (word gin_trgm_ops) with (fastupdate = off)
    where word !~ '[0-9]'`
  // Two exchanged letters leave a short word few trigrams in common.
  yield* sql`
    create function search_similar(wanted_kind text, wanted text) returns table (word text, documents integer)
    language sql stable set pg_trgm.similarity_threshold = '0.2'
    as 'select w.word, w.documents from search_word w where w.kind = wanted_kind and w.word % wanted and w.word !~ ''[0-9]'' and w.documents > 0'`
})
