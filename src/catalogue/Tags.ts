import { Cache, Context, Duration, Effect, Exit, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { makeSharedWork } from "#src/platform/process/sharedWork.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"

export interface Tag {
  readonly slug: string
  readonly markets: number
  readonly events: number
  /** Creation times of its first and last market, in Unix seconds. */
  readonly firstSeenAt: number
  readonly lastSeenAt: number
}

interface Row {
  readonly slug: string
  readonly markets: number
  readonly events: number
  readonly first: number
  readonly last: number
}

interface TagList {
  readonly tags: ReadonlyArray<Tag>
  /** Whether the first load of the catalogue is complete. */
  readonly isLoaded: boolean
}

const ttl = Duration.minutes(30)
const ttlWhileLoading = Duration.minutes(1)

/** The tags of markets, by number of markets. Cached for half an hour, or a minute during the first load. */
export class Tags extends Context.Service<Tags, { readonly all: Effect.Effect<ReadonlyArray<Tag>, SqlError> }>()(
  "presage/catalogue/Tags",
) {
  static readonly layer = Layer.effect(
    Tags,
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const loaded = sql<{ loaded: boolean }>`
        select exists (select from catalogue_progress where name = 'first-load') as loaded`
      const load = Effect.map(
        sql<Row>`
          select t.slug, sum(m.markets)::int as markets, count(*)::int as events,
            floor(extract(epoch from min(m.first)))::float8 as first, floor(extract(epoch from max(m.last)))::float8 as last
          from (
            select event, count(*) as markets, min(coalesce(created_at, first_seen_at)) as first,
              max(coalesce(created_at, first_seen_at)) as last
            from market where event is not null group by event) m
          join event e on e.id = m.event
          cross join lateral (select distinct jsonb_array_elements_text(e.tags) as slug) t
          group by t.slug order by markets desc, t.slug collate "C"`,
        (rows) =>
          rows.map(({ slug, markets, events, first, last }) => ({
            slug,
            markets,
            events,
            firstSeenAt: first,
            lastSeenAt: last,
          })),
      )
      // In this order: a load that completes in between is cached only briefly.
      const list = Effect.flatMap(loaded, ([found]) =>
        Effect.map(load, (tags): TagList => ({ tags, isLoaded: found?.loaded === true })),
      )
      const cache = yield* Cache.makeWith<"all", TagList, SqlError>(() => list, {
        capacity: 1,
        timeToLive: (exit) => {
          if (!Exit.isSuccess(exit)) return 0
          return exit.value.isLoaded && exit.value.tags.length > 0 ? ttl : ttlWhileLoading
        },
      })
      const shared = yield* makeSharedWork
      return Tags.of({ all: Effect.map(shared(Cache.get(cache, "all")), ({ tags }) => tags) })
    }),
  )
}
