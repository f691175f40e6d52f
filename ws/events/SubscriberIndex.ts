import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { Filter } from "#src/feed/filters/Filter.ts"
import { FilterIndex } from "#src/feed/filters/FilterIndex.ts"
import type { FeedMessage } from "#src/feed/model.ts"
import type { Publisher, Subscriber } from "../channel/Channel.ts"
import { inTurns } from "../channel/turns.ts"
import { frameOf } from "./frames.ts"

/** A filter with a key that is the same for equal filters, so that sockets can share it. */
export interface KeyedFilter {
  readonly key: string
  readonly filter: Filter
}

interface IndexedFilter extends KeyedFilter {
  readonly groups: Set<SubscriberGroup>
  /** Subscriptions with this filter, live or not. */
  holders: number
  /** Pending while the filter is added to the index. */
  readonly filed: Promise<void>
}

const done = Promise.resolve()

/** Sockets with the same set of filters. They share a topic and receive each event once. */
interface SubscriberGroup {
  readonly topic: string
  readonly filters: ReadonlyArray<IndexedFilter>
  members: number
}

/** Equal sets of filters have the same topic. */
export const topicOf = (filters: ReadonlyArray<KeyedFilter>): string => {
  const keys = [...new Set(filters.map(({ key }) => key))].sort()
  return `events:${createHash("sha256").update(keys.join("\n")).digest("base64url")}`
}

/** Finds the sockets for an event. A socket belongs to one group at a time, given by all its live subscriptions. */
export class SubscriberIndex {
  readonly #publisher: Publisher
  readonly #filters = new Map<string, IndexedFilter>()
  readonly #filterIndex = new FilterIndex<IndexedFilter>()
  readonly #groups = new Map<string, SubscriberGroup>()

  constructor(publisher: Publisher) {
    this.#publisher = publisher
  }

  /**
   * Indexes a filter, in steps if it is large, then runs an effect while it stays indexed. Events that match it are sent
   * to nobody until a socket joins.
   */
  holding<A, E, R>(keyed: KeyedFilter, use: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => this.#hold(keyed, (entry) => inTurns(this.#filterIndex.adding(entry)))),
      ({ filed }) =>
        Effect.andThen(
          Effect.promise(() => filed),
          use,
        ),
      () => Effect.sync(() => this.release(keyed)),
    )
  }

  /** Keeps a filter indexed until it is released as often. */
  retain(keyed: KeyedFilter): void {
    this.#hold(keyed, (entry) => {
      this.#filterIndex.add(entry)
      return done
    })
  }

  release({ key }: KeyedFilter): void {
    const filter = this.#filters.get(key)
    if (filter === undefined) return
    filter.holders--
    this.#dropUnused(filter)
  }

  /** `topic` is the topic of these filters. */
  join(subscriber: Subscriber, topic: string, filters: ReadonlyArray<KeyedFilter>): void {
    const group = this.#groups.get(topic) ?? this.#openGroup(topic, filters)
    group.members++
    subscriber.join(topic)
  }

  leave(subscriber: Subscriber, topic: string): void {
    subscriber.leave(topic)
    const group = this.#groups.get(topic)
    if (group === undefined || --group.members > 0) return
    this.#groups.delete(topic)
    for (const filter of group.filters) {
      filter.groups.delete(group)
      this.#dropUnused(filter)
    }
  }

  publish(message: FeedMessage): void {
    const topics = new Set<string>()
    for (const { groups } of this.#filterIndex.matching(message)) for (const { topic } of groups) topics.add(topic)
    for (const topic of topics) this.#publisher.publish(topic, frameOf(message))
  }

  /** All filters are held. */
  #openGroup(topic: string, filters: ReadonlyArray<KeyedFilter>): SubscriberGroup {
    const keys = new Set(filters.map(({ key }) => key))
    const indexed = [...keys].flatMap((key) => this.#filters.get(key) ?? [])
    const group: SubscriberGroup = { topic, filters: indexed, members: 0 }
    for (const filter of indexed) filter.groups.add(group)
    this.#groups.set(topic, group)
    return group
  }

  #hold({ key, filter }: KeyedFilter, add: (entry: IndexedFilter) => Promise<void>): IndexedFilter {
    const existing = this.#filters.get(key)
    if (existing !== undefined) {
      existing.holders++
      return existing
    }
    const entry = { key, filter, groups: new Set<SubscriberGroup>(), holders: 1, filed: done }
    entry.filed = add(entry)
    this.#filters.set(key, entry)
    return entry
  }

  #dropUnused(filter: IndexedFilter): void {
    if (filter.holders > 0 || filter.groups.size > 0) return
    this.#filters.delete(filter.key)
    // A new subscriber with equal filters gets an entry of its own meanwhile.
    void filter.filed.then(() => inTurns(this.#filterIndex.removing(filter)))
  }
}
