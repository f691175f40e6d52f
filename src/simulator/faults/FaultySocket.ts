import { hexOf } from "../random.ts"
import type { RawSocket, WireSocket } from "../wire.ts"
import { withSkew } from "./clockSkew.ts"
import { parameterOf, type SocketKind } from "./Fault.ts"
import type { Hit, LiveFault } from "./LiveFault.ts"
import { withWrongTypes } from "./wrongTypes.ts"

/** These hit whole connections and not single messages. */
const ofConnections: ReadonlySet<string> = new Set<SocketKind>(["down", "refuse", "silent"])

export const strikeOn = (live: LiveFault, connection: number): Hit | undefined =>
  ofConnections.has(live.fault.kind) ? live.strikeConnection(connection) : live.strike()

const texts = (text: string, { fault, roll }: Hit): ReadonlyArray<string> => {
  switch (fault.kind as SocketKind) {
    case "duplicate":
      return [text, text]
    case "truncated":
      return [text.slice(0, Math.floor((text.length * (roll % 900)) / 1000))]
    case "garbage":
      return [`\u0000<${hexOf(8, roll, 1)}\ufffd{"`]
    case "wrong_types":
      return [withWrongTypes(text, roll)]
    case "clock_skew":
      return [withSkew(text, parameterOf(fault, "skew_ms"))]
    default:
      return [text]
  }
}

const later = (millis: number, act: () => void) => setTimeout(act, millis).unref()

/** A connection on which messages get lost, late, twice, out of order or broken. */
export class FaultySocket implements WireSocket {
  onMessage: (text: string) => void = () => undefined
  onClose: () => void = () => undefined
  readonly #raw: RawSocket
  readonly #number: number
  readonly #matching: () => ReadonlyArray<LiveFault>
  /** How many are on their way late, and how late: those after them must not overtake. */
  #late = 0
  #delay = 0
  #held: ReadonlyArray<string> = []

  constructor(raw: RawSocket, number: number, matching: () => ReadonlyArray<LiveFault>) {
    this.#raw = raw
    this.#number = number
    this.#matching = matching
  }

  readonly send = (text: string): void => {
    const live = this.#matching().filter(({ fault }) => fault.kind !== "refuse")
    const hits = live.flatMap((each) => strikeOn(each, this.#number) ?? [])
    const hit = (kind: SocketKind) => hits.find(({ fault }) => fault.kind === kind)
    if (hit("down") ?? hit("disconnect")) this.#raw.drop()
    if (hit("down") ?? hit("disconnect") ?? hit("silent")) return
    let messages: ReadonlyArray<string> = [text]
    for (const each of hits) messages = messages.flatMap((message) => texts(message, each))
    const slow = hit("slow")
    const delay = slow === undefined ? 0 : parameterOf(slow.fault, "delay_ms")
    const reorder = hit("reorder")
    if (reorder !== undefined && this.#held.length === 0) {
      this.#held = messages
      later(parameterOf(reorder.fault, "delay_ms"), () => {
        if (this.#held === messages) this.#release(0)
      })
      return
    }
    this.#deliver(messages, delay)
    this.#release(delay)
  }

  readonly close = (code: number, reason: string): void => this.#raw.close(code, reason)

  #release(delay: number): void {
    const held = this.#held
    this.#held = []
    this.#deliver(held, delay)
  }

  #deliver(messages: ReadonlyArray<string>, delay: number): void {
    if (messages.length === 0) return
    this.#delay = this.#late === 0 ? delay : Math.max(this.#delay, delay)
    if (this.#delay === 0) {
      for (const message of messages) this.#raw.send(message)
      return
    }
    this.#late += 1
    later(this.#delay, () => {
      this.#late -= 1
      for (const message of messages) this.#raw.send(message)
    })
  }
}
