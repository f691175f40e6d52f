import { AccountId, type Caller, KeyId } from "#src/domain/Account.ts"
import type { Plan } from "#src/domain/Plan.ts"
import type { Publisher, Subscriber } from "#ws/channel/Channel.ts"
import type { Frame } from "#ws/channel/Frame.ts"
import { KeptBytes } from "#ws/channel/KeptBytes.ts"

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`

export const callerOn = (plan: Plan, number = 1): Caller => ({
  account: AccountId.make(uuid(number)),
  key: KeyId.make(uuid(number)),
  lineage: KeyId.make(uuid(number)),
  plan,
  standardPerMinute: 1000,
  heavyPerMinute: 1000,
})

type Message = Readonly<Record<string, unknown>>

/** A subscriber that keeps received messages in order. */
export interface Recorder extends Subscriber {
  readonly received: Array<Message>
  isBehind: boolean
  isClosed: boolean
  hasRoom: boolean
}

/** Subscribers without sockets, and the publisher that delivers to them by topic. */
export const makeRecorders = () => {
  const topics = new Map<string, Set<Recorder>>()
  let made = 0
  const kept = new KeptBytes(() => ({ connection: 1_000_000, account: 1_000_000, process: 1_000_000 }))

  const recorder = (plan: Plan = "growth"): Recorder => {
    const id = `subscriber-${++made}`
    let subscriptions = 0
    const received: Array<Message> = []
    const self: Recorder = {
      id,
      caller: callerOn(plan, made),
      received,
      isBehind: false,
      isClosed: false,
      hasRoom: true,
      kept: kept.open(id),
      send: (message) => received.push(message),
      deliver: (frame: Frame) => received.push(JSON.parse(frame.text)),
      deliverAll: (frames) => {
        for (const frame of frames) self.deliver(frame)
      },
      join: (topic) => topics.set(topic, (topics.get(topic) ?? new Set()).add(self)),
      leave: (topic) => topics.get(topic)?.delete(self),
      nextSubscriptionId: () => `${id}:${++subscriptions}`,
    }
    return self
  }

  const publisher: Publisher = {
    publish: (topic, frame) => {
      for (const each of topics.get(topic) ?? []) each.deliver(frame)
    },
    hasSubscribers: (topic) => (topics.get(topic)?.size ?? 0) > 0,
  }

  return { recorder, publisher }
}
