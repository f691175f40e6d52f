import { Effect } from "effect"
import type { Plan } from "#src/domain/Plan.ts"
import type { ConnectionLeases } from "#src/streams/access/ConnectionLeases.ts"
import { capOf, type LeaseKind } from "#src/streams/access/caps.ts"
import type { Farewells } from "#src/streams/access/Farewells.ts"
import type { Liveness } from "#src/streams/Liveness.ts"
import type { ClientMessage, Subscribe, Unsubscribe, Update } from "#src/streams/protocol/client.ts"
import { isFirehose } from "#src/streams/protocol/firehose.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import { type StreamType, streamAsked, streamOf } from "#src/streams/protocol/types.ts"
import type { Connection } from "./Connection.ts"
import type { Channel } from "./Listener.ts"
import { livenessFrame } from "./liveness.ts"
import { misplaced, notesOn, notesOnUpdate } from "./notes.ts"

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
  /** What was asked for of what the account has a limited number of; given back when the socket has closed. */
  readonly #claimed = new Map<string, LeaseKind>()
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
  readonly over: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forEach([...this.#claimed.keys()], (name) => this.#giveBack(name), { discard: true }),
  )

  #subscribe(message: Subscribe) {
    const stream = streamAsked(message)
    const wrong = misplaced(stream, message)
    if (wrong !== undefined) return Effect.fail(new Refusal({ code: "invalid_message", message: wrong }))
    const channel = channelFor(this.#around.channels, stream)
    return Effect.gen({ self: this }, function* () {
      yield* this.#recallFarewell(message)
      this.connection.notes = notesOn(stream, message)
      yield* this.#claimConnection(stream === "orderbook" ? "books" : "events")
      const firehose = yield* this.#claimFirehose(isFirehose(stream, message))
      const before = this.connection.subscriptionsMade
      yield* channel.subscribe(this.connection, message).pipe(Effect.onError(() => this.#giveBack(firehose)))
      this.#tellStale(channel)
      const made = this.connection.subscriptionsMade
      if (made > before) this.#made.set(`${this.connection.id}:${made}`, { stream, firehose })
      else yield* this.#booksChanged(firehose, message.markets !== undefined)
    })
  }

  /** All order books of a socket are one subscription, which a further message adds to or replaces. */
  #booksChanged(firehose: string | undefined, isInstead: boolean) {
    const known = this.#bookSubscription
    if (known === undefined) return this.#giveBack(firehose)
    const [id, made] = known
    const stays = isInstead ? firehose : (made.firehose ?? firehose)
    this.#made.set(id, { ...made, firehose: stays })
    const over = [made.firehose, firehose].filter((each) => each !== stays)
    return Effect.forEach(over, (each) => this.#giveBack(each), { discard: true })
  }

  get #bookSubscription(): readonly [string, Made] | undefined {
    for (const entry of this.#made) if (entry[1].stream === "orderbook") return entry
    return undefined
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
    return Effect.gen({ self: this }, function* () {
      const isOne = isFirehose(made.stream, { filters })
      const firehose = isOne ? (made.firehose ?? (yield* this.#claimFirehose(true))) : undefined
      const channel = channelFor(this.#around.channels, made.stream)
      this.connection.notes = notesOnUpdate(filters)
      yield* channel
        .update(this.connection, subscription_id, filters)
        .pipe(Effect.onError(() => (firehose === made.firehose ? Effect.void : this.#giveBack(firehose))))
      if (!isOne) yield* this.#giveBack(made.firehose)
      this.#made.set(subscription_id, { ...made, firehose })
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
      const books = isAboutBooks ? this.#bookSubscription : undefined
      // Some of its order books; the others go on.
      if (ended.length === 0)
        this.connection.send(books === undefined ? about : { ...about, subscription_id: books[0], partial: true })
      for (const id of ended) this.connection.send({ ...about, subscription_id: id })
      const released = ended.map((id) => this.#made.get(id)?.firehose)
      for (const id of ended) this.#made.delete(id)
      const giveBack = Effect.forEach(released, (firehose) => this.#giveBack(firehose), { discard: true })
      return message.markets?.includes("*") ? Effect.andThen(giveBack, this.#booksChanged(undefined, true)) : giveBack
    })
  }

  /** Counted from the first subscription of its kind, whatever else the socket does. */
  #claimConnection(kind: "events" | "books") {
    const what = kind === "events" ? "connection" : "order book connection"
    return this.#claim(kind, this.connection.id, "connection_limit", (plan, most) => {
      return `your plan (${plan}) has ${several(most, what)} at a time, and all are in use: close one first`
    })
  }

  #claimFirehose(isOne: boolean): Effect.Effect<string | undefined, Refusal> {
    if (!isOne) return Effect.succeed(undefined)
    const id = `${this.connection.id}:firehose-${++this.#firehoses}`
    return this.#claim("firehose", id, "firehose_limit", (plan, most) => {
      const has = most === 0 ? "no unfiltered subscriptions" : `${several(most, "unfiltered subscription")} at a time`
      return `your plan (${plan}) has ${has}: name wallets, tokens, slugs or condition_ids in filters`
    })
  }

  /** The name under which it can be given back. */
  #claim(
    kind: LeaseKind,
    id: string,
    code: "connection_limit" | "firehose_limit",
    words: (plan: Plan, most: number) => string,
  ): Effect.Effect<string, Refusal> {
    const name = `${kind} ${id}`
    if (this.#claimed.has(name)) return Effect.succeed(name)
    const { plan, account } = this.connection.caller
    const cap = capOf(plan, kind, this.#around.firehoses())
    // Before it is asked for: the socket may close meanwhile.
    this.#claimed.set(name, kind)
    const { leases } = this.#around
    return leases.claim(account, kind, id, cap).pipe(
      Effect.flatMap(({ granted }) =>
        granted && !this.connection.isGone
          ? Effect.succeed(name)
          : Effect.fail(new Refusal({ code, message: words(plan, cap ?? 0) })),
      ),
      // Also where it has been given back already, which may have come before the claim.
      Effect.onError(() => {
        this.#claimed.delete(name)
        return leases.release(account, kind, id)
      }),
    )
  }

  #giveBack(name: string | undefined): Effect.Effect<void> {
    const kind = name === undefined ? undefined : this.#claimed.get(name)
    if (name === undefined || kind === undefined) return Effect.void
    this.#claimed.delete(name)
    return this.#around.leases.release(this.connection.caller.account, kind, name.slice(kind.length + 1))
  }
}

const unknownSubscription = (id: string) =>
  new Refusal({ code: "unknown_subscription", message: `there is no subscription ${id} on this connection` })
