import type { Effect } from "effect"
import type { Caller } from "#src/domain/Account.ts"
import type { Filters, Resync, Subscribe, Unsubscribe } from "#src/streams/protocol/client.ts"
import type { Refusal } from "#src/streams/protocol/Refusal.ts"
import type { Frame } from "./Frame.ts"
import type { KeptForConnection } from "./KeptBytes.ts"

/** One connected socket, as the channels see it. */
export interface Subscriber {
  /** Unique across all gateways. */
  readonly id: string
  readonly caller: Caller
  /** Too much is unread: channels send nothing until `Channel.readable`. */
  readonly isBehind: boolean
  /** The socket is closed; nothing reaches it any more. */
  readonly isClosed: boolean
  /** Whether a replay may continue; otherwise it waits for `Channel.readable`. */
  readonly hasRoom: boolean
  /** What the gateway keeps for it. */
  readonly kept: KeptForConnection
  /** Sends a control message, always as text. */
  readonly send: (message: Readonly<Record<string, unknown>>) => void
  /** Sends an event, deflated if the client requested it. */
  readonly deliver: (frame: Frame) => void
  /** Sends several events at once, which is much cheaper than one by one. */
  readonly deliverAll: (frames: ReadonlyArray<Frame>) => void
  /** Receives everything published to a topic from now on; idempotent. */
  readonly join: (topic: string) => void
  readonly leave: (topic: string) => void
  readonly nextSubscriptionId: () => string
}

/** A kind of stream: events, price feeds or order books. The calls of one socket arrive one after the other. */
export interface Channel {
  /** Acknowledges, replays and goes live, or refuses. */
  readonly subscribe: (subscriber: Subscriber, message: Subscribe) => Effect.Effect<void, Refusal>
  /** Replaces the filters of a subscription; false if it does not belong to this channel. */
  readonly update: (subscriber: Subscriber, subscriptionId: string, filters: Filters) => Effect.Effect<boolean, Refusal>
  /** Ends some or all subscriptions of the socket in this channel; returns the ids of those that ended. */
  readonly unsubscribe: (subscriber: Subscriber, message: Unsubscribe) => ReadonlyArray<string>
  /** Sends new snapshots; only for order books. */
  readonly resync?: (subscriber: Subscriber, message: Resync) => Effect.Effect<void, Refusal>
  /** The socket has too much unread: it has left all topics of the channel when this returns. */
  readonly pause: (subscriber: Subscriber) => void
  /** The socket has room again: it gets what it missed and goes on; a waiting replay continues. */
  readonly readable: (subscriber: Subscriber) => void
  readonly left: (subscriber: Subscriber) => void
  /** Names of the sources behind the socket's subscriptions in this channel, as in the status. */
  readonly sourcesOf: (subscriber: Subscriber) => ReadonlyArray<string>
}

/** Sends to every socket that joined a topic. */
export interface Publisher {
  readonly publish: (topic: string, frame: Frame) => void
  /** Lets callers skip encoding frames without receivers. */
  readonly hasSubscribers: (topic: string) => boolean
}
