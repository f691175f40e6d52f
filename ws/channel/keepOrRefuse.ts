import { Effect } from "effect"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import type { Subscriber } from "./Channel.ts"
import type { Keeper } from "./KeptBytes.ts"

const retryMillis = 10_000

const reasons: Readonly<Record<Keeper, string>> = {
  connection:
    "the filters and order books of this connection would take too much memory: use shorter lists, or several connections (setting ws.memory-connection)",
  account:
    "the filters and order books of all connections of your account would take too much memory: end some subscriptions (setting ws.memory-account)",
  process:
    "the filters and order books of all clients take too much memory at the moment: try again, or another gateway (ws.memory)",
}

/** Counts bytes under a name, in place of what is kept there now; refused if that is too much. */
export const keepOrRefuse = ({ kept }: Subscriber, name: string, bytes: number): Effect.Effect<void, Refusal> =>
  Effect.suspend(() => {
    const keeper = kept.exceeded(name, bytes)
    if (keeper === undefined) return Effect.sync(() => kept.keep(name, bytes))
    const retry = keeper === "process" ? { retryAfterMillis: retryMillis } : {}
    return Effect.fail(new Refusal({ code: "memory_limit", message: reasons[keeper], ...retry }))
  })
