import { Clock, Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import * as OperatorStore from "#src/webhooks/delivery/OperatorStore.ts"
import { unavailable } from "../../server/errors.ts"
import { OperatorApi } from "../Api.ts"
import { maybeIso } from "../shapes.ts"

const listed = 50

const shown = (webhook: OperatorStore.TroubledWebhook) => ({
  id: webhook.id,
  account_id: webhook.account,
  // The path may contain a secret.
  host: new URL(webhook.url).host,
  state: webhook.active
    ? ("active" as const)
    : webhook.disabledAt === null
      ? ("paused" as const)
      : ("disabled" as const),
  disabled_reason: webhook.disabledReason,
  failing_since: maybeIso(webhook.failingSince),
  pending: webhook.pending,
  failed: webhook.failed,
})

export const DeliveriesHandlers = HttpApiBuilder.group(
  OperatorApi,
  "deliveries",
  Effect.fnUntraced(function* (handlers) {
    const { reads } = yield* Postgres
    const log = yield* EventLog
    const state = Effect.gen(function* () {
      const [totals, pollers, troubled, head] = yield* Effect.all(
        [
          OperatorStore.totals(reads),
          OperatorStore.pollerPositions(reads),
          OperatorStore.troubled(reads, listed),
          log.head,
        ],
        { concurrency: "unbounded" },
      )
      const now = yield* Clock.currentTimeMillis
      const { oldestDueAt, overCap, pending, due, failed, held, webhooks, disabled } = totals
      return {
        pollers: pollers.map(({ poller, seq, block, movedAt }) => ({
          poller,
          seq: Number(seq),
          lag: Math.max(0, Number(head - seq)),
          block,
          moved_at: movedAt.toISOString(),
        })),
        pending,
        due,
        oldest_due_seconds: oldestDueAt === null ? null : Math.max(0, now - oldestDueAt.getTime()) / 1000,
        failed,
        held,
        over_cap: overCap,
        webhooks,
        disabled,
        troubled: troubled.map(shown),
      }
    })
    return handlers.handleAll({ state: () => Effect.catch(state, unavailable("ops")) })
  }),
)
