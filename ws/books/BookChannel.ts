import { Effect } from "effect"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import type { Channel, Publisher } from "../Listener.ts"
export const makeBookChannel = (_publisher: Publisher): Effect.Effect<Channel> =>
  Effect.succeed({
    subscribe: () => Effect.fail(new Refusal({ code: "service_warming_up", message: "no books yet" })),
    update: () => Effect.succeed(false),
    unsubscribe: () => [],
    pause: () => undefined,
    readable: () => undefined,
    left: () => undefined,
    sourcesOf: () => [],
  })
