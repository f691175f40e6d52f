import { Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { EventLog } from "#src/mesh/EventLog.ts"
import { eventPages } from "#src/streams/eventPages.ts"
import { eventFrame } from "#src/streams/protocol/eventFrame.ts"
import { Api } from "../Api.ts"
import { Conflict, unavailable } from "../server/errors.ts"
import { defaultLimit } from "./group.ts"

const restartHint = "Start again without `after` and `epoch`."

export const EventsHandlers = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const { identity } = yield* EventLog
    const read = yield* eventPages
    return handlers.handleRaw("list", ({ query }) =>
      Effect.gen(function* () {
        const { after = 0, limit = defaultLimit, event_types, epoch = identity } = query
        if (epoch !== identity)
          return yield* new Conflict({
            error: "`after` belongs to a different event log. Answers without `epoch` show the epoch of this one.",
            hint: restartHint,
          })
        const types = event_types === undefined ? undefined : new Set(event_types)
        const page = yield* Effect.catch(read({ after, limit, types }), unavailable("events"))
        if (page.newest > 0 && after > page.newest)
          return yield* new Conflict({
            error: `\`after\` is greater than the newest event, ${page.newest}.`,
            hint: restartHint,
          })
        return HttpServerResponse.jsonUnsafe({
          epoch: identity,
          entries: page.entries,
          events: page.messages.map(eventFrame),
          next_after: page.nextAfter,
          has_more: page.hasMore,
          oldest_seq: page.oldest,
          newest_seq: page.newest,
          gap: page.gap,
        })
      }),
    )
  }),
)
