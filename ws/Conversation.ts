import { Effect } from "effect"
import type { Plan } from "#src/domain/Plan.ts"
import type { ConnectionLeases } from "#src/streams/access/ConnectionLeases.ts"
import { capOf, type LeaseKind } from "#src/streams/access/caps.ts"
import type { Farewells } from "#src/streams/access/Farewells.ts"
import type { Liveness } from "#src/streams/Liveness.ts"
import type { ClientMessage, Subscribe, Unsubscribe, Update } from "#src/streams/protocol/client.ts"
import { isFirehose } from "#src/streams/protocol/firehose.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import { type StreamType, streamOf } from "#src/streams/protocol/types.ts"
import type { Connection } from "./Connection.ts"
import type { Channel } from "./Listener.ts"
import { livenessFrame } from "./liveness.ts"

/** The kinds of streams there are. */
export interface Channels {
  readonly events: Channel
  readonly ticks: Channel
  readonly books: Channel
}

export const channelFor = ({ events, ticks, books }: Channels, stream: StreamType): Channel =>
  stream === "orderbook" ? books : stream === "oracle" ? ticks : events

interface Made {
  readonly stream: StreamType
  /** The name of its lease, where it counts as a firehose. */
  readonly firehose: string | undefined
}

export interface Circumstances {
  readonly channels: Channels
  readonly leases: ConnectionLeases["Service"]
  readonly farewells: Farewells["Service"]
  readonly liveness: Liveness["Service"]
  readonly firehoses: () => Readonly<Record<Plan, number | null>>
  readonly now: () => number
}

const several = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`

/** What one client asks for, message by message, within what its plan allows. */
export class Conversation {
  readonly connection: Connection
  readonly #around: Circumstances
  readonly #made = new Map<string, Made>()
  readonly #claimed = new Set<"events" | "books">()
  #firehoses = 0
  #hasRecalled = false

  constructor(connection: Connection, around: Circumstances) {
    this.connection = connection
    this.#around = around
  }

  get subscriptions(): number {
    return this.#made.size
  }

  get firehoses(): number {
    let count = 0
    for (const { firehose } of this.#made.values()) if (firehose !== undefined) count++
    return count
  }

  answer(message: ClientMessage): Effect.Effect<void, Refusal> {
    switch (message.action) {
      case "ping":
        return Effect.sync(() => this.connection.send({ type: "pong", ts: this.#around.now() }))
      case "subscribe":
        return this.#subscribe(message)
      case "update":
        return this.#update(message)
      case "unsubscribe":
        return this.#unsubscribe(message)
      case "resync":
        return this.#around.channels.books.resync?.(this.connection, message) ?? Effect.void
    }
  }

  /** Gives back everything that others of the account may have now. */
  readonly over: Effect.Effect<void> = Effect.suspend(() => {
    const { leases } = this.#around
    const { account } = this.connection.caller
    const firehoses = [...this.#made.values()].flatMap(({ firehose }) => firehose ?? [])
    return Effect.all(
      [
        ...[...this.#claimed].map((kind) => leases.release(account, kind, this.connection.id)),
        ...firehoses.map((id) => leases.release(account, "firehose", id)),
      ],
      { discard: true },
    )
  })

  #subscribe(message: Subscribe) {
    const stream = streamOf(message.type)
    const channel = channelFor(this.#around.channels, stream)
    const conversation = this
    return Effect.gen(function* () {
      yield* conversation.#recallFarewell(message)
      yield* conversation.#claimConnection(stream === "orderbook" ? "books" : "events")
      const firehose = yield* conversation.#claimFirehose(isFirehose(message))
      const before = conversation.connection.subscriptionsMade
      yield* channel
        .subscribe(conversation.connection, message)
        .pipe(Effect.onError(() => conversation.#release(firehose)))
      conversation.#tellStale(channel)
      const made = conversation.connection.subscriptionsMade
      if (made > before) conversation.#made.set(`${conversation.connection.id}:${made}`, { stream, firehose })
    })
  }

  /** Who comes while a source is silent is told at once. */
  #tellStale(channel: Channel): void {
    for (const standing of this.#around.liveness.staleOnes(channel.sourcesOf(this.connection))) {
      this.connection.send(livenessFrame(standing))
    }
  }

  /** A client that was cut off could not be told why: its first acknowledgement says it. */
  #recallFarewell({ resume }: Subscribe) {
    if (this.#hasRecalled) return Effect.void
    this.#hasRecalled = true
    const { caller, guest } = this.connection
    return Effect.map(
      this.#around.farewells.recall(caller.lineage, resume?.subscriber_id ?? guest.last),
      (farewell) => {
        this.connection.lastClose = farewell
      },
    )
  }

  #update({ subscription_id, filters }: Update) {
    const made = this.#made.get(subscription_id)
    if (made === undefined) return Effect.fail(unknownSubscription(subscription_id))
    const conversation = this
    return Effect.gen(function* () {
      const isOne = isFirehose({ type: made.stream, filters })
      const firehose = isOne ? (made.firehose ?? (yield* conversation.#claimFirehose(true))) : undefined
      const channel = channelFor(conversation.#around.channels, made.stream)
      yield* channel
        .update(conversation.connection, subscription_id, filters)
        .pipe(Effect.onError(() => (firehose === made.firehose ? Effect.void : conversation.#release(firehose))))
      if (!isOne) yield* conversation.#release(made.firehose)
      conversation.#made.set(subscription_id, { ...made, firehose })
    })
  }

  #unsubscribe(message: Unsubscribe) {
    const { subscription_id, type } = message
    if (subscription_id !== undefined && !this.#made.has(subscription_id))
      return Effect.fail(unknownSubscription(subscription_id))
    const { channels } = this.#around
    const isAboutBooks = message.token_ids !== undefined || message.markets !== undefined
    const concerned = isAboutBooks
      ? [channels.books]
      : type === undefined
        ? Object.values(channels)
        : [channelFor(channels, streamOf(type))]
    return Effect.suspend(() => {
      const ended: ReadonlyArray<string> = concerned.flatMap((channel: Channel) =>
        channel.unsubscribe(this.connection, message),
      )
      const about = { type: "unsubscribed", subscriber_id: this.connection.id }
      if (ended.length === 0) this.connection.send(about)
      for (const id of ended) this.connection.send({ ...about, subscription_id: id })
      const released = ended.map((id) => this.#made.get(id)?.firehose)
      for (const id of ended) this.#made.delete(id)
      return Effect.forEach(released, (firehose) => this.#release(firehose), { discard: true })
    })
  }

  /** Counted from the first subscription of its kind, whatever else the socket does. */
  #claimConnection(kind: "events" | "books") {
    if (this.#claimed.has(kind)) return Effect.void
    const { plan } = this.connection.caller
    const cap = capOf(plan, kind, this.#around.firehoses())
    const what = kind === "events" ? "connection" : "order book connection"
    return Effect.map(
      this.#claim(kind, this.connection.id, cap, "connection_limit", (most) => {
        return `your plan (${plan}) has ${several(most, what)} at a time, and all are in use: close one first`
      }),
      () => void this.#claimed.add(kind),
    )
  }

  #claimFirehose(isOne: boolean): Effect.Effect<string | undefined, Refusal> {
    if (!isOne) return Effect.succeed(undefined)
    const { plan } = this.connection.caller
    const id = `${this.connection.id}:firehose-${++this.#firehoses}`
    return Effect.as(
      this.#claim("firehose", id, capOf(plan, "firehose", this.#around.firehoses()), "firehose_limit", (most) => {
        const has = most === 0 ? "no unfiltered subscriptions" : `${several(most, "unfiltered subscription")} at a time`
        return `your plan (${plan}) has ${has}: name wallets, tokens, slugs or condition_ids in filters`
      }),
      id,
    )
  }

  #claim(
    kind: LeaseKind,
    id: string,
    cap: number | null,
    code: "connection_limit" | "firehose_limit",
    words: (most: number) => string,
  ) {
    return Effect.flatMap(this.#around.leases.claim(this.connection.caller.account, kind, id, cap), ({ granted }) =>
      granted ? Effect.void : Effect.fail(new Refusal({ code, message: words(cap ?? 0) })),
    )
  }

  #release(firehose: string | undefined): Effect.Effect<void> {
    if (firehose === undefined) return Effect.void
    return this.#around.leases.release(this.connection.caller.account, "firehose", firehose)
  }
}

const unknownSubscription = (id: string) =>
  new Refusal({ code: "unknown_subscription", message: `there is no subscription ${id} on this connection` })
