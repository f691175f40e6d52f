import { AccountId, type Caller, KeyId } from "#src/domain/Account.ts"
import type { Plan } from "#src/domain/Plan.ts"
import type { Frame } from "#ws/Frame.ts"
import type { Listener, Publisher } from "#ws/Listener.ts"

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

/** A listener that keeps what it is told, in order. */
export interface Recorder extends Listener {
  readonly heard: Array<Message>
  isBehind: boolean
  isGone: boolean
  hasRoom: boolean
}

/** The far ends of sockets without the sockets: who joined what hears what is published. */
export const makeRoom = () => {
  const topics = new Map<string, Set<Recorder>>()
  let made = 0

  const recorder = (plan: Plan = "growth"): Recorder => {
    const id = `listener-${++made}`
    let subscriptions = 0
    const heard: Array<Message> = []
    const self: Recorder = {
      id,
      caller: callerOn(plan, made),
      heard,
      isBehind: false,
      isGone: false,
      hasRoom: true,
      send: (message) => heard.push(message),
      deliver: (frame: Frame) => heard.push(JSON.parse(frame.text)),
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
    hasListeners: (topic) => (topics.get(topic)?.size ?? 0) > 0,
  }

  return { recorder, publisher }
}
