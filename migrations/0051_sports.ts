import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Games by league, the summaries of leagues, and the names by which events, teams and leagues are found. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`alter table league add column name text`
  yield* sql`alter table event add column context text`
  yield* sql`alter table market add column clear_book_on_start boolean`
  yield* sql`alter table game add column phase text not null default 'scheduled'`
  // The same rules as phaseOf in src/domain; later writes of a game set it again.
  yield* sql`
    update game set phase = case
      when status in ('cancelled', 'canceled', 'abandoned') or upper(period) in ('CAN', 'AB') then 'cancelled'
      when status = 'postponed' or upper(period) = 'POST' then 'postponed'
      when ended or status in ('finished', 'final', 'ended') or upper(period) in ('FT', 'VFT', 'FT OT', 'FINAL') then 'ended'
      when live or status in ('inprogress', 'in_progress', 'running', 'break') then 'live'
      else 'scheduled' end
    where status is not null or period is not null or live is not null or ended is not null`
  yield* sql`
    create index event_of_league on event (series, closed, opens_at desc) where series is not null and parent is null`
  yield* sql`create index league_code on league (code)`
  yield* sql`create index league_series on league (series)`

  yield* sql`
    create table league_summary (
      league text primary key,
      series integer not null,
      games integer not null,
      live integer not null,
      upcoming integer not null,
      markets integer not null,
      volume_day bigint not null,
      next_start timestamptz,
      latest_date text,
      counted_at timestamptz not null
    )`

  // Apart from the tables that the names come from: those are written with every change of a price.
  yield* sql`
    create table sports_name (
      kind text not null,
      id integer not null,
      names text not null,
      vector tsvector not null,
      primary key (kind, id)
    )`
  yield* sql`create index sports_name_vector on sports_name using gin (vector) with (fastupdate = off)`
  yield* sql`create index sports_name_similar on sports_name using gin (names gin_trgm_ops) with (fastupdate = off)`
  // Two exchanged letters leave a short word few trigrams in common.
  yield* sql`
    create function sports_similar(wanted text) returns table (kind text, id integer, likeness numeric)
    language sql stable set pg_trgm.word_similarity_threshold = '0.3'
    as 'select n.kind, n.id, round(word_similarity(wanted, n.names)::numeric, 1) from sports_name n
      where wanted <% n.names order by word_similarity(wanted, n.names) desc, n.id desc limit 50'`
})
