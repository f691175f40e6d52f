import type { Effect } from "effect"
import type { Caller } from "#src/domain/Account.ts"
import type { Filters, Resync, Subscribe, Unsubscribe } from "#src/streams/protocol/client.ts"
import type { Refusal } from "#src/streams/protocol/Refusal.ts"
import type { Frame } from "./Frame.ts"

/** Somebody at the other end of a socket, as the streams see it. */
export interface Listener {
  /** Tells it from all others, of every gateway. */
  readonly id: string
  readonly caller: Caller
  /** Has too much unread: the streams tell it nothing until it has read. */
  readonly isBehind: boolean
  /** The socket is gone; nothing reaches it any more. */
  readonly isGone: boolean
  /** Whether a replay may go on; if not, the next call of `readable` is awaited. */
  readonly hasRoom: boolean
  /** Control messages: always text. */
  readonly send: (message: Readonly<Record<string, unknown>>) => void
  /** Events: deflated for those who asked for it. */
  readonly deliver: (frame: Frame) => void
  /** Several at once, which is much cheaper than one by one. */
  readonly deliverAll: (frames: ReadonlyArray<Frame>) => void
  /** Gets everything that is published under a topic from now on; twice is the same as once. */
  readonly join: (topic: string) => void
  readonly leave: (topic: string) => void
  /** The name of its next subscription. */
  readonly nextSubscriptionId: () => string
}

/** One kind of stream that sockets listen to: events, price feeds, order books. A socket's calls come one after the other. */
export interface Channel {
  /** Acknowledges, replays and goes live, or says why not. */
  readonly subscribe: (listener: Listener, message: Subscribe) => Effect.Effect<void, Refusal>
  /** Other filters for a subscription; false where it is none of this channel. */
  readonly update: (listener: Listener, subscriptionId: string, filters: Filters) => Effect.Effect<boolean, Refusal>
  /** Ends some or all of what the socket listens to here; the names of the subscriptions that are over. */
  readonly unsubscribe: (listener: Listener, message: Unsubscribe) => ReadonlyArray<string>
  /** Order books alone: sends them anew. */
  readonly resync?: (listener: Listener, message: Resync) => Effect.Effect<void, Refusal>
  /** The socket has too much unread: when this returns it has left all topics of the channel. */
  readonly pause: (listener: Listener) => void
  /** There is room again: the socket is told what it missed and goes on, and a replay that waited does too. */
  readonly readable: (listener: Listener) => void
  readonly left: (listener: Listener) => void
  /** The sources that what it listens to here depends on, by their names in the status; empty when nothing. */
  readonly sourcesOf: (listener: Listener) => ReadonlyArray<string>
}

/** Sends to everybody who joined a topic. */
export interface Publisher {
  readonly publish: (topic: string, frame: Frame) => void
  /** So that nothing is made for nobody. */
  readonly hasListeners: (topic: string) => boolean
}
