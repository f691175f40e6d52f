import { Effect } from "effect"
import type { Plan } from "#src/domain/Plan.ts"
import type { ConnectionLeases } from "#src/streams/access/ConnectionLeases.ts"
import { capOf, type LeaseKind } from "#src/streams/access/caps.ts"
import type { RecentDisconnects } from "#src/streams/access/RecentDisconnects.ts"
import type { Liveness } from "#src/streams/liveness/Liveness.ts"
import type { SourceLiveness } from "#src/streams/liveness/sourceLiveness.ts"
import type { ClientMessage, Subscribe, Unsubscribe, Update } from "#src/streams/protocol/client.ts"
import { isFirehose } from "#src/streams/protocol/firehose.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import { type StreamType, streamOf, streamOfMessage } from "#src/streams/protocol/streamTypes.ts"
import type { Channel } from "../channel/Channel.ts"
import { ignoredFields, ignoredInUpdate, misplacedField } from "../channel/warnings.ts"
import type { Connection } from "./Connection.ts"

interface Channels {
  readonly events: Channel
  readonly ticks: Channel
  readonly books: Channel
}

const channelFor = ({ events, ticks, books }: Channels, stream: StreamType): Channel =>
  stream === "orderbook" ? books : stream === "oracle" ? ticks : events

export const livenessFrame = ({ source, isStale, ageMillis, boundMillis, reason }: SourceLiveness) => ({
  type: isStale ? "stale" : "fresh",
  source,
  age_ms: ageMillis,
  ...(isStale ? { bound_ms: boundMillis, reason } : {}),
})

const maxSubscriptions = 100

interface ActiveSubscription {
  readonly stream: StreamType
  /** Name of its lease if it counts as a firehose. */
  readonly firehose: string | undefined
}

export interface ProtocolContext {
  readonly channels: Channels
  readonly leases: ConnectionLeases["Service"]
  readonly disconnects: RecentDisconnects["Service"]
  readonly liveness: Liveness["Service"]
  readonly firehoses: () => Readonly<Record<Plan, number | null>>
  readonly now: () => number
}

const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`

/** Handles the messages of one client within the limits of its plan. */
export class SessionProtocol {
  readonly connection: Connection
  readonly #context: ProtocolContext
  readonly #active = new Map<string, ActiveSubscription>()
  /** Leases that were requested; released when the socket closes. */
  readonly #leases = new Map<string, LeaseKind>()
  #firehoses = 0
  #hasTakenDisconnect = false

  constructor(connection: Connection, context: ProtocolContext) {
    this.connection = connection
    this.#context = context
  }

  get subscriptions(): number {
    return this.#active.size
  }

  get firehoses(): number {
    let count = 0
    for (const { firehose } of this.#active.values()) if (firehose !== undefined) count++
    return count
  }

  handle(message: ClientMessage): Effect.Effect<void, Refusal> {
    switch (message.action) {
      case "ping":
        return Effect.sync(() => this.connection.send({ type: "pong", ts: this.#context.now() }))
      case "subscribe":
        return this.#subscribe(message)
      case "update":
        return this.#update(message)
      case "unsubscribe":
        return this.#unsubscribe(message)
      case "resync":
        return this.#context.channels.books.resync?.(this.connection, message) ?? Effect.void
    }
  }

  /** Releases all leases for other connections of the account. */
  readonly releaseAll: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forEach([...this.#leases.keys()], (name) => this.#release(name), { discard: true }),
  )

  #subscribe(message: Subscribe) {
    const stream = streamOfMessage(message)
    const misplaced = misplacedField(stream, message)
    if (misplaced !== undefined) return Effect.fail(new Refusal({ code: "invalid_message", message: misplaced }))
    const isAnother = stream !== "orderbook" || this.#bookSubscription === undefined
    if (isAnother && this.#active.size >= maxSubscriptions) return Effect.fail(tooManySubscriptions)
    const channel = channelFor(this.#context.channels, stream)
    return Effect.gen({ self: this }, function* () {
      yield* this.#takeLastDisconnect(message)
      this.connection.warnings = ignoredFields(stream, message)
      yield* this.#claimConnection(stream === "orderbook" ? "books" : "events")
      const firehose = yield* this.#claimFirehose(isFirehose(stream, message))
      const countBefore = this.connection.subscriptionsMade
      yield* channel.subscribe(this.connection, message).pipe(Effect.onError(() => this.#release(firehose)))
      this.#sendStale(channel)
      const count = this.connection.subscriptionsMade
      if (count > countBefore) this.#active.set(`${this.connection.id}:${count}`, { stream, firehose })
      else yield* this.#booksChanged(firehose, message.markets !== undefined)
    })
  }

  /** All order books of a socket are one subscription. A further message adds to it or replaces its books. */
  #booksChanged(firehose: string | undefined, replaces: boolean) {
    const entry = this.#bookSubscription
    if (entry === undefined) return this.#release(firehose)
    const [id, subscription] = entry
    const kept = replaces ? firehose : (subscription.firehose ?? firehose)
    this.#active.set(id, { ...subscription, firehose: kept })
    const unused = [subscription.firehose, firehose].filter((each) => each !== kept)
    return Effect.forEach(unused, (each) => this.#release(each), { discard: true })
  }

  get #bookSubscription(): readonly [string, ActiveSubscription] | undefined {
    for (const entry of this.#active) if (entry[1].stream === "orderbook") return entry
    return undefined
  }

  /** A client that subscribes while a source is stale is notified at once. */
  #sendStale(channel: Channel): void {
    for (const source of this.#context.liveness.staleSources(channel.sourcesOf(this.connection))) {
      this.connection.send(livenessFrame(source))
    }
  }

  /** The first acknowledgement reports why the client's previous connection was cut. */
  #takeLastDisconnect({ resume }: Subscribe) {
    if (this.#hasTakenDisconnect) return Effect.void
    this.#hasTakenDisconnect = true
    const { caller, client } = this.connection
    return Effect.map(
      this.#context.disconnects.take(caller.lineage, resume?.subscriber_id ?? client.last),
      (disconnect) => {
        this.connection.lastClose = disconnect
      },
    )
  }

  #update({ subscription_id, filters }: Update) {
    const subscription = this.#active.get(subscription_id)
    if (subscription === undefined) return Effect.fail(unknownSubscription(subscription_id))
    return Effect.gen({ self: this }, function* () {
      const isNowFirehose = isFirehose(subscription.stream, { filters })
      const firehose = isNowFirehose ? (subscription.firehose ?? (yield* this.#claimFirehose(true))) : undefined
      const channel = channelFor(this.#context.channels, subscription.stream)
      this.connection.warnings = ignoredInUpdate(filters)
      yield* channel
        .update(this.connection, subscription_id, filters)
        .pipe(Effect.onError(() => (firehose === subscription.firehose ? Effect.void : this.#release(firehose))))
      if (!isNowFirehose) yield* this.#release(subscription.firehose)
      this.#active.set(subscription_id, { ...subscription, firehose })
    })
  }

  #unsubscribe(message: Unsubscribe) {
    const { subscription_id, type } = message
    if (subscription_id !== undefined && !this.#active.has(subscription_id))
      return Effect.fail(unknownSubscription(subscription_id))
    const { channels } = this.#context
    const namesBooks = message.token_ids !== undefined || message.markets !== undefined
    const affected = namesBooks
      ? [channels.books]
      : type === undefined
        ? Object.values(channels)
        : [channelFor(channels, streamOf(type))]
    return Effect.suspend(() => {
      const ended: ReadonlyArray<string> = affected.flatMap((channel: Channel) =>
        channel.unsubscribe(this.connection, message),
      )
      const base = { type: "unsubscribed", subscriber_id: this.connection.id }
      const books = namesBooks ? this.#bookSubscription : undefined
      // Only some order books ended; the others continue.
      if (ended.length === 0)
        this.connection.send(books === undefined ? base : { ...base, subscription_id: books[0], partial: true })
      for (const id of ended) this.connection.send({ ...base, subscription_id: id })
      const firehoses = ended.map((id) => this.#active.get(id)?.firehose)
      for (const id of ended) this.#active.delete(id)
      const release = Effect.forEach(firehoses, (firehose) => this.#release(firehose), { discard: true })
      return message.markets?.includes("*") ? Effect.andThen(release, this.#booksChanged(undefined, true)) : release
    })
  }

  /** A connection counts from its first subscription of the kind until it closes. */
  #claimConnection(kind: "events" | "books") {
    const what = kind === "events" ? "connection" : "order book connection"
    return this.#claim(kind, this.connection.id, "connection_limit", (plan, max) => {
      return `your plan (${plan}) allows ${plural(max, what)} at a time and all are in use: close one first`
    })
  }

  #claimFirehose(isNeeded: boolean): Effect.Effect<string | undefined, Refusal> {
    if (!isNeeded) return Effect.succeed(undefined)
    const id = `${this.connection.id}:firehose-${++this.#firehoses}`
    return this.#claim("firehose", id, "firehose_limit", (plan, max) => {
      const allowed = max === 0 ? "no unfiltered subscriptions" : `${plural(max, "unfiltered subscription")} at a time`
      return `your plan (${plan}) allows ${allowed}: add wallets, tokens, slugs or condition_ids to filters`
    })
  }

  /** Returns the name under which the lease can be released. */
  #claim(
    kind: LeaseKind,
    id: string,
    code: "connection_limit" | "firehose_limit",
    describe: (plan: Plan, max: number) => string,
  ): Effect.Effect<string, Refusal> {
    const name = `${kind} ${id}`
    if (this.#leases.has(name)) return Effect.succeed(name)
    const { plan, account } = this.connection.caller
    const cap = capOf(plan, kind, this.#context.firehoses())
    // Recorded before the claim, because the socket may close in the meantime.
    this.#leases.set(name, kind)
    const { leases } = this.#context
    return leases.claim(account, kind, id, cap).pipe(
      Effect.flatMap(({ granted }) =>
        granted && !this.connection.isClosed
          ? Effect.succeed(name)
          : Effect.fail(new Refusal({ code, message: describe(plan, cap ?? 0) })),
      ),
      // Also if it was released already: that release may have preceded the claim.
      Effect.onError(() => {
        this.#leases.delete(name)
        return leases.release(account, kind, id)
      }),
    )
  }

  #release(name: string | undefined): Effect.Effect<void> {
    const kind = name === undefined ? undefined : this.#leases.get(name)
    if (name === undefined || kind === undefined) return Effect.void
    this.#leases.delete(name)
    return this.#context.leases.release(this.connection.caller.account, kind, name.slice(kind.length + 1))
  }
}

const tooManySubscriptions = new Refusal({
  code: "too_many_subscriptions",
  message: `a connection has at most ${maxSubscriptions} subscriptions: update one, or extend its filters`,
})

const unknownSubscription = (id: string) =>
  new Refusal({ code: "unknown_subscription", message: `there is no subscription ${id} on this connection` })
