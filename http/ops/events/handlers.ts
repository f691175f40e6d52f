import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { EventLog } from "#src/mesh/EventLog.ts"
import { EventTail } from "#src/mesh/EventTail.ts"
import { unavailable } from "../../server/errors.ts"
import { OperatorApi } from "../Api.ts"
import { iso } from "../shapes.ts"

const shown = 20

export const EventLogHandlers = HttpApiBuilder.group(
  OperatorApi,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const log = yield* EventLog
    const tail = yield* EventTail
    const recent = Effect.flatMap(log.before(shown), (after) => log.read({ after, limit: shown }))
    const state = Effect.map(
      Effect.all([log.head, log.oldest, tail.last, tail.length, recent], { concurrency: "unbounded" }),
      ([head, oldest, last, length, events]) => {
        const newest = events.at(-1)
        return {
          head: Number(head),
          oldest: Number(oldest),
          newest_at: newest === undefined ? null : iso(newest.recordedAt),
          tail_last: Number(last),
          tail_length: length,
          relay_lag: Math.max(0, Number(head - last)),
          recent: events
            .map(({ seq, kind, recordedAt }) => ({ seq: Number(seq), kind, recorded_at: iso(recordedAt) }))
            .toReversed(),
        }
      },
    )
    return handlers.handleAll({ state: () => Effect.catch(state, unavailable("ops")) })
  }),
)
