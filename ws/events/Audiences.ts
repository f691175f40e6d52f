import { createHash } from "node:crypto"
import type { Filter } from "#src/feed/Filter.ts"
import { Interests } from "#src/feed/Interests.ts"
import type { FeedMessage } from "#src/feed/model.ts"
import type { Listener, Publisher } from "../Listener.ts"
import { frameOf } from "./frameOf.ts"

/** Somebody wants this. Equal filters are one wish, however many sockets have it. */
export interface Wish {
  /** The same for equal filters. */
  readonly key: string
  readonly filter: Filter
}

interface Filed extends Wish {
  readonly audiences: Set<Audience>
}

/** All sockets that want the same, in all their subscriptions: they hear it under one topic, and each event once. */
interface Audience {
  readonly topic: string
  readonly wishes: ReadonlyArray<Filed>
  members: number
}

/** The same for everybody who wants the same. */
export const topicOf = (wishes: ReadonlyArray<Wish>): string => {
  const keys = [...new Set(wishes.map(({ key }) => key))].sort()
  return `events:${createHash("sha256").update(keys.join("\n")).digest("base64url")}`
}

/** Who hears of what. A socket is in one audience at a time, by everything that it is subscribed to. */
export class Audiences {
  readonly #publisher: Publisher
  readonly #wishes = new Map<string, Filed>()
  readonly #interests = new Interests<Filed>()
  readonly #audiences = new Map<string, Audience>()

  constructor(publisher: Publisher) {
    this.#publisher = publisher
  }

  /** From now on the listener hears what these say, under the topic that is theirs. */
  join(listener: Listener, topic: string, wishes: ReadonlyArray<Wish>): void {
    const audience = this.#audiences.get(topic) ?? this.#open(topic, wishes)
    audience.members++
    listener.join(topic)
  }

  leave(listener: Listener, topic: string): void {
    listener.leave(topic)
    const audience = this.#audiences.get(topic)
    if (audience === undefined || --audience.members > 0) return
    this.#audiences.delete(topic)
    for (const wish of audience.wishes) {
      wish.audiences.delete(audience)
      if (wish.audiences.size > 0) continue
      this.#wishes.delete(wish.key)
      this.#interests.remove(wish)
    }
  }

  tell(message: FeedMessage): void {
    const topics = new Set<string>()
    for (const { audiences } of this.#interests.of(message)) for (const { topic } of audiences) topics.add(topic)
    for (const topic of topics) this.#publisher.publish(topic, frameOf(message))
  }

  #open(topic: string, wishes: ReadonlyArray<Wish>): Audience {
    const filed = [...new Map(wishes.map((wish) => [wish.key, wish])).values()].map((wish) => this.#file(wish))
    const audience: Audience = { topic, wishes: filed, members: 0 }
    for (const wish of filed) wish.audiences.add(audience)
    this.#audiences.set(topic, audience)
    return audience
  }

  #file({ key, filter }: Wish): Filed {
    const known = this.#wishes.get(key)
    if (known !== undefined) return known
    const filed: Filed = { key, filter, audiences: new Set() }
    this.#wishes.set(key, filed)
    this.#interests.add(filed)
    return filed
  }
}
