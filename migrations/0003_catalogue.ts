import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * What the venue offers. Money, shares, chances, tick sizes, fee rates and lines are whole numbers of 10⁻⁶, oracle prices
 * (price_to_beat, final_price) of 10⁻⁸. Ids are the venue's own.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient

  yield* sql`create table tag (id integer primary key, slug text not null, label text not null)`
  yield* sql`create index tag_slug on tag (slug)`
  yield* sql`
    create table series (
      id integer primary key,
      slug text not null,
      title text not null,
      series_type text,
      recurrence text,
      image text,
      active boolean not null,
      closed boolean not null,
      starts_at timestamptz,
      volume bigint,
      volume_day bigint,
      liquidity bigint
    )`
  yield* sql`create index series_slug on series (slug)`
  yield* sql`
    create table league (
      id integer primary key,
      code text not null,
      image text,
      resolution text,
      ordering text,
      tags jsonb not null,
      series integer
    )`
  yield* sql`create table market_type (code text primary key)`
  yield* sql`
    create table team (
      id integer primary key,
      name text not null,
      league text,
      record text,
      logo text,
      abbreviation text,
      alias text,
      color text,
      provider integer
    )`
  yield* sql`create index team_league on team (league)`
  // source_at is the time the live source gave for its last word, heard_at when we heard it.
  yield* sql`
    create table game (
      id integer primary key,
      slug text not null,
      league text,
      home text,
      away text,
      home_team integer,
      away_team integer,
      starts_at timestamptz,
      status text,
      score text,
      period text,
      elapsed text,
      turn text,
      live boolean,
      ended boolean,
      finished_at timestamptz,
      source_at timestamptz,
      heard_at timestamptz
    )`
  yield* sql`create index game_slug on game (slug)`
  yield* sql`create index game_league on game (league, starts_at desc)`

  // Tags are slugs. Room in the pages, because volumes change all the time.
  yield* sql`
    create table event (
      id integer primary key,
      slug text not null,
      title text not null,
      description text,
      category text,
      image text,
      tags jsonb not null,
      series integer,
      series_slug text,
      parent integer,
      game integer,
      event_date text,
      event_week integer,
      created_at timestamptz,
      starts_at timestamptz,
      opens_at timestamptz,
      ends_at timestamptz,
      closed_at timestamptz,
      active boolean not null,
      closed boolean not null,
      archived boolean not null,
      featured boolean not null,
      neg_risk boolean not null,
      neg_risk_market bytea,
      volume bigint,
      volume_day bigint,
      liquidity bigint,
      open_interest bigint,
      spreads_main_line bigint,
      totals_main_line bigint,
      price_to_beat bigint,
      final_price bigint,
      first_seen_at timestamptz not null default now()
    ) with (fillfactor = 80)`
  yield* sql`create index event_slug on event (slug)`
  yield* sql`create index event_tags on event using gin (tags)`
  yield* sql`create index event_category on event (category)`
  yield* sql`create index event_series on event (series, ends_at desc) where series is not null`
  yield* sql`create index event_game on event (game) where game is not null`
  yield* sql`create index event_open on event (id) where not closed and not archived`

  yield* sql`
    create table market (
      id integer primary key,
      event integer,
      condition integer references condition,
      tokens jsonb not null,
      slug text not null,
      question text not null,
      group_title text,
      image text,
      resolution_source text,
      outcomes jsonb not null,
      prices jsonb not null,
      created_at timestamptz,
      starts_at timestamptz,
      ends_at timestamptz,
      opens_at timestamptz,
      closed_at timestamptz,
      active boolean not null,
      closed boolean not null,
      archived boolean not null,
      accepting_orders boolean not null,
      neg_risk boolean not null,
      neg_risk_market bytea,
      tick_size integer,
      min_size bigint,
      delay_seconds integer,
      maker_base_fee integer,
      taker_base_fee integer,
      fee_kind text,
      fee_rate integer,
      fee_exponent integer,
      fee_taker_only boolean,
      fee_rebate_rate integer,
      price_asset text,
      price_duration text,
      price_twap_seconds integer,
      sports_type text,
      line bigint,
      game integer,
      volume bigint,
      volume_day bigint,
      liquidity bigint,
      best_bid integer,
      best_ask integer,
      last_trade integer,
      day_change integer,
      payouts jsonb,
      resolved_at timestamptz,
      first_seen_at timestamptz not null default now()
    ) with (fillfactor = 80)`
  yield* sql`create index market_event on market (event)`
  yield* sql`create index market_condition on market (condition)`
  yield* sql`create index market_slug on market (slug)`
  yield* sql`create index market_unsettled on market (closed_at) where closed and resolved_at is null`

  yield* sql`
    create table market_history (
      market integer not null,
      at timestamptz not null,
      best_bid integer,
      best_ask integer,
      last_trade integer,
      prices jsonb not null,
      primary key (market, at)
    )`
  yield* sql`create index market_history_at on market_history using brin (at)`

  // Tokens that somebody mentioned and the venue does not list, so that they are not asked for again and again.
  yield* sql`
    create table token_unlisted (
      token integer primary key references token,
      tries integer not null,
      next_at timestamptz not null
    )`
  // How far the catalogue has been followed.
  yield* sql`create table catalogue_progress (name text primary key, at timestamptz not null)`
})
