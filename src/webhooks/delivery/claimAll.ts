import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { Asked, Claiming, Parcel } from "./model.ts"
import { whyUnsent } from "./whyUnsent.ts"

interface Row extends Parcel {
  readonly place: number
  /** Due, and nobody else's. */
  readonly fits: boolean
  readonly active: boolean
  readonly firstAttempt: number
  /** Where it does not fit: when to look again, or null if it is over. */
  readonly waitsUntil: Date | null
}

/** Claims what fits, holds what belongs to webhooks or accounts that are not active, and leaves the rest. */
export const claimAll = Effect.fnUntraced(function* (sql: SqlClient, asked: ReadonlyArray<Asked>) {
  // Two workers may have been asked for the same: the second one of them looks again when the first is done.
  const firsts = new Map(asked.map((one, i) => [`${one.delivery}-${one.attempt}`, i] as const).reverse())
  const mine = [...firsts.values()]
  const of = <A>(get: (one: Asked) => A) => mine.map((i) => get(asked[i] as Asked))
  const rows = yield* sql<Row>`
    with asked as (
      select * from unnest(
        ${pgArray("int4", mine)},
        ${pgArray(
          "int8",
          of((one) => BigInt(one.delivery)),
        )},
        ${pgArray(
          "int4",
          of((one) => one.attempt),
        )},
        ${pgArray(
          "timestamptz",
          of((one) => one.now),
        )},
        ${pgArray(
          "timestamptz",
          of((one) => one.until),
        )}
      ) u(place, id, attempt, now, until)
    ), found as (
      select a.place, a.id, a.attempt, a.now, a.until, d.webhook, d.event_id, d.event_type, d.body, d.first_attempt,
        d.status = 'pending' and d.next_at <= a.now and (
          d.attempt = a.attempt - 1 and d.claimed_until is null
          or d.attempt = a.attempt and d.claimed_until <= a.now) as fits,
        case when d.status <> 'pending' then null
          when d.attempt = a.attempt - 1 and d.claimed_until is null then d.next_at
          when d.attempt = a.attempt then d.claimed_until end as waits_until,
        w.account_id, w.url, w.active and o.active as active, w.secret, w.previous_secret, w.previous_until
      from asked a join webhook_delivery d on d.id = a.id join webhook w on w.id = d.webhook
        join account o on o.id = w.account_id
      order by d.id for update of d
    ), taken as (
      update webhook_delivery d set attempt = f.attempt, claimed_until = f.until
      from found f where d.id = f.id and f.fits and f.active
    ), held as (
      update webhook_delivery d set status = 'held', claimed_until = null
      from found f where d.id = f.id and f.fits and not f.active
    ), told as (
      insert into webhook_attempt (webhook, delivery, event_id, event_type, attempt, success, latency_ms, error_class,
        error, at)
      select webhook, id, 'evt_' || event_id, event_type, 0, false, 0, 'held', ${whyUnsent.held}, now
      from found where fits and not active
    )
    select place, fits, active, first_attempt as "firstAttempt", waits_until as "waitsUntil", webhook,
      account_id as account, url, 'evt_' || event_id as "eventId", event_type as "eventType", body, secret,
      previous_secret as "previousSecret", previous_until as "previousUntil"
    from found`
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  return asked.map((one, i): Claiming => {
    if (firsts.get(`${one.delivery}-${one.attempt}`) !== i) return { _tag: "Waits", until: one.until }
    const row = byPlace.get(i)
    if (row === undefined || (row.fits && !row.active)) return { _tag: "Over" }
    if (!row.fits) return row.waitsUntil === null ? { _tag: "Over" } : { _tag: "Waits", until: row.waitsUntil }
    const { delivery, attempt, until } = one
    return { _tag: "Claimed", delivery, attempt, until, firstAttempt: row.firstAttempt, parcel: row }
  })
})
