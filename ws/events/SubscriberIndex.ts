import { createHash } from "node:crypto"
import type { Filter } from "#src/feed/filters/Filter.ts"
import { FilterIndex } from "#src/feed/filters/FilterIndex.ts"
import type { FeedMessage } from "#src/feed/model.ts"
import type { Publisher, Subscriber } from "../channel/Channel.ts"
import { frameOf } from "./frames.ts"

/** A filter with a key that is the same for equal filters, so that sockets can share it. */
export interface KeyedFilter {
  readonly key: string
  readonly filter: Filter
}

interface IndexedFilter extends KeyedFilter {
  readonly groups: Set<SubscriberGroup>
}

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
      if (filter.groups.size > 0) continue
      this.#filters.delete(filter.key)
      this.#filterIndex.remove(filter)
    }
  }

  publish(message: FeedMessage): void {
    const topics = new Set<string>()
    for (const { groups } of this.#filterIndex.matching(message)) for (const { topic } of groups) topics.add(topic)
    for (const topic of topics) this.#publisher.publish(topic, frameOf(message))
  }

  #openGroup(topic: string, filters: ReadonlyArray<KeyedFilter>): SubscriberGroup {
    const distinct = [...new Map(filters.map((filter) => [filter.key, filter])).values()]
    const indexed = distinct.map((filter) => this.#indexFilter(filter))
    const group: SubscriberGroup = { topic, filters: indexed, members: 0 }
    for (const filter of indexed) filter.groups.add(group)
    this.#groups.set(topic, group)
    return group
  }

  #indexFilter({ key, filter }: KeyedFilter): IndexedFilter {
    const existing = this.#filters.get(key)
    if (existing !== undefined) return existing
    const indexed: IndexedFilter = { key, filter, groups: new Set() }
    this.#filters.set(key, indexed)
    this.#filterIndex.add(indexed)
    return indexed
  }
}
