import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { allowances } from "#src/domain/Plan.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { makePolling } from "#src/webhooks/polling/Polling.ts"
import { tradePollers } from "#src/webhooks/polling/trade/trade.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { figures } from "#test/support/processes/scale.ts"
import { fillMaker } from "./support/fills.ts"
import { deliveriesOf, newAccount, newWebhook, stores, tick } from "./support/pending.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
/** Events of each of two types, and the deliveries left in the quota. */
const plan = isSoak ? { blocks: 100, perBlock: 100, left: 5_000 } : { blocks: 10, perBlock: 10, left: 37 }

const realClock = Effect.runSync(Clock.Clock)
const at = <A, E, R>(now: number, effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(
    effect,
    Clock.Clock,
    clockShowing(() => now, realClock),
  )

const midnight = Date.UTC(2030, 5, 1)
const dayOf = (millis: number) => new Date(millis).toISOString().slice(0, 10)
const names = ["trade", "large_trade"] as const

const useUp = Effect.fnUntraced(function* (account: AccountId, day: string, used: number) {
  const { sql } = yield* Postgres
  yield* sql`insert into webhook_quota (account_id, day, used, refused)
    values (${account}::uuid, ${day}::date, ${used}, 0)`
})

const counted = Effect.fnUntraced(function* (account: AccountId) {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ day: string; used: number; refused: number }>`
    select day::text as day, used, refused from webhook_quota where account_id = ${account}::uuid order by day`
  return rows.map(({ day, used, refused }) => [day, used, refused])
})

/** Deliveries by status, and how many record why nothing was sent. */
const written = Effect.fnUntraced(function* (account: AccountId) {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ pending: number; over: number; reported: number }>`
    select count(*) filter (where d.status = 'pending')::int as pending,
      count(*) filter (where d.status = 'over_cap')::int as over,
      count(*) filter (where exists (select 1 from webhook_attempt a where a.delivery = d.id and a.attempt = 0
        and a.error_class = 'over_cap'))::int as reported
    from webhook_delivery d join webhook w on w.id = d.webhook where w.account_id = ${account}::uuid`
  return row
})

layer(stores(), { excludeTestServices: true })("A plan's daily deliveries", (it) => {
  const cap = allowances.starter.deliveriesPerDay ?? assert.fail()

  it.effect("are used up exactly by concurrent workers", () =>
    Effect.gen(function* () {
      assert.strictEqual(cap, 50_000)
      const chain = yield* fillMaker
      yield* Effect.forEach(names, tick)
      const account = yield* newAccount("starter")
      yield* newWebhook(account, ["trade"])
      yield* newWebhook(account, ["large_trade"], { min_amount_usd: 0.01 })
      yield* useUp(account, dayOf(midnight), cap - plan.left)
      // A second process with its own pollers.
      const other = yield* makePolling
      const others = yield* Effect.forEach(
        tradePollers.filter(({ name }) => names.some((one) => one === name)),
        other,
      )
      assert.lengthOf(others, names.length)
      const both = Effect.all([...names.map(tick), ...others.map((one) => one.tick)], { concurrency: "unbounded" })
      for (let block = 0; block < plan.blocks; block++) {
        yield* chain.block(plan.perBlock)
        yield* at(midnight + block, both)
      }
      yield* chain.confirm
      yield* at(midnight, both)
      const wanted = plan.blocks * plan.perBlock * names.length
      const over = wanted - plan.left
      figures("deliveries at the end of the day's", { wanted, "to be sent": plan.left, "over the cap": over })
      assert.deepStrictEqual(yield* written(account), { pending: plan.left, over, reported: over })
      assert.deepStrictEqual(yield* counted(account), [[dayOf(midnight), cap, over]])
    }),
  )

  it.effect("are available again at midnight UTC", () =>
    Effect.gen(function* () {
      const chain = yield* fillMaker
      const account = yield* newAccount("starter")
      const webhook = yield* newWebhook(account, ["trade"])
      yield* useUp(account, dayOf(midnight - 1), cap)
      const reportAt = Effect.fnUntraced(function* (now: number) {
        yield* chain.block(2)
        yield* chain.confirm
        yield* at(now, tick("trade"))
        return (yield* deliveriesOf(webhook)).map(({ status }) => status)
      })
      const over = ["over_cap", "over_cap"]
      assert.deepStrictEqual(yield* reportAt(midnight - 1), over)
      assert.deepStrictEqual(yield* reportAt(midnight), [...over, "pending", "pending"])
      assert.deepStrictEqual(yield* counted(account), [
        [dayOf(midnight - 1), cap, 2],
        [dayOf(midnight), 2, 0],
      ])
    }),
  )
})
