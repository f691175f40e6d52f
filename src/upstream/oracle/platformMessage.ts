import { Effect, Result } from "effect"
import type { Coin, Tick } from "#src/domain/Tick.ts"
import { skip, type UndecodableItem } from "#src/upstream/undecodable.ts"

/** Prices of the moment, or the averages over 60 seconds that markets settle on. */
export type PlatformSeries = "spot" | "twap60"

/** A message of one of the platform's price sockets. */
export type PlatformMessage =
  | { readonly kind: "update"; readonly tick: Tick }
  /** The last two minutes of one coin, sent after a subscription. */
  | {
      readonly kind: "snapshot"
      readonly coin: Coin
      readonly ticks: ReadonlyArray<Tick>
      readonly unread: ReadonlyArray<unknown>
    }
  /** Not subscribed to. */
  | { readonly kind: "other" }

/** Decodes frames; undecodable ones and rows of snapshots are counted and logged. */
export const readMessages =
  (upstream: string, read: (text: string) => Result.Result<PlatformMessage, string>) =>
  (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<PlatformMessage>> => {
    const messages: Array<PlatformMessage> = []
    const failures: Array<UndecodableItem> = []
    for (const text of texts) {
      const result = read(text)
      if (Result.isFailure(result)) {
        failures.push({ reason: result.failure, item: text })
        continue
      }
      const message = result.success
      messages.push(message)
      if (message.kind !== "snapshot") continue
      for (const item of message.unread) failures.push({ reason: "row of a snapshot", item })
    }
    return Effect.as(skip(upstream, "tick", failures), messages)
  }
