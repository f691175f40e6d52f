import assert from "node:assert/strict"
import { Effect } from "effect"
import { freePort } from "#src/platform/embedded/ports.ts"
import { pause } from "#src/platform/embedded/waiting.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { patience } from "../support/patience.ts"
import type { Row, Scene } from "../support/Row.ts"

const dead = "wh_dead00000001"
const owed = 1_000_000
const lastsMillis = 15_000
/** A poll every 3 s, and a fill every moment. */
const deliveredWithinMillis = 15_000

/** A webhook to which nothing can be delivered, of the account that all others belong to. */
const makeDead = Effect.gen(function* () {
  const { exports: sql, tx } = yield* Postgres
  const port = yield* freePort
  yield* tx(
    sql`
      insert into webhook (id, account_id, url, event_types, filters, secret, since_seq, revision, created_at, updated_at)
      select ${dead}, account_id, ${`http://127.0.0.1:${port}/`}, event_types, filters, secret, since_seq,
        revision, created_at, updated_at
      from webhook limit 1`,
  )
  yield* sql`
    insert into webhook_delivery (webhook, event_id, event_type, body, status, next_at, created_at)
    select ${dead}, gen_random_uuid(), 'trade', '{}', 'pending', now() - interval '1 minute', now()
    from generate_series(1, ${owed}::int4)`
})

const deletedWithin = 120_000 * patience

/** As its owner would: a request ends after some seconds, and what it has deleted by then is gone. */
const deleteDead = ({ api, judge }: Scene) =>
  eventually(
    "the webhook and its backlog are deleted",
    deletedWithin,
    Effect.promise(async () => {
      const headers = { "x-api-key": judge.listeners.key }
      const { status } = await fetch(`${api}/v3/webhooks/${dead}`, { method: "DELETE", headers })
      assert.ok([200, 204, 404, 503].includes(status), `deleting was answered with ${status}`)
      return status !== 503
    }),
    1_000,
  )

const delivers = ({ judge, venue }: Scene) =>
  Effect.gen(function* () {
    const { head } = yield* venue.state
    yield* eventually(
      "other webhooks are delivered beside a million pending deliveries",
      deliveredWithinMillis * patience,
      Effect.sync(() => judge.listeners.newestTrade() > head),
      100,
    )
  })

/** More work than can be done. */
export const backlogs: ReadonlyArray<Row> = [
  {
    name: "a million pending deliveries to an endpoint that is gone",
    within: 30,
    fault: (scene) =>
      Effect.gen(function* () {
        yield* makeDead
        yield* delivers(scene)
        yield* pause(lastsMillis)
        yield* delivers(scene)
      }),
    afterwards: deleteDead,
  },
]
