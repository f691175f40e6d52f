import { hexOf } from "../random.ts"
import type { RawSocket, WireSocket } from "../wire.ts"
import { withSkew, withWrongTypes } from "./bodyFaults.ts"
import { type Hit, type LiveFault, parameterOf, type SocketKind } from "./Fault.ts"

/** Kinds that hit whole connections instead of single messages. */
const connectionKinds: ReadonlySet<string> = new Set<SocketKind>(["down", "refuse", "silent"])

export const strikeOn = (live: LiveFault, connection: number): Hit | undefined =>
  connectionKinds.has(live.fault.kind) ? live.strikeConnection(connection) : live.strike()

const faultyMessages = (text: string, { fault, roll }: Hit): ReadonlyArray<string> => {
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

const later = (millis: number, run: () => void) => setTimeout(run, millis).unref()

/** A connection that loses, delays, duplicates, reorders or corrupts messages. */
export class FaultySocket implements WireSocket {
  onMessage: (text: string) => void = () => undefined
  onClose: () => void = () => undefined
  readonly #raw: RawSocket
  readonly #connection: number
  readonly #activeFaults: () => ReadonlyArray<LiveFault>
  /** Number and delay of the delayed messages: later ones must not overtake them. */
  #delayedCount = 0
  #delay = 0
  #sent = 0
  #held: ReadonlyArray<string> = []

  constructor(raw: RawSocket, connection: number, activeFaults: () => ReadonlyArray<LiveFault>) {
    this.#raw = raw
    this.#connection = connection
    this.#activeFaults = activeFaults
  }

  readonly send = (text: string): void => {
    const live = this.#activeFaults().filter(({ fault }) => fault.kind !== "refuse")
    const hits = live.flatMap((each) => strikeOn(each, this.#connection) ?? [])
    const hit = (kind: SocketKind) => hits.find(({ fault }) => fault.kind === kind)
    const limited = hit("publicnode")
    const isUsedUp = limited !== undefined && ++this.#sent > parameterOf(limited.fault, "messages")
    const isDropped = isUsedUp || (hit("down") ?? hit("disconnect")) !== undefined
    if (isDropped) this.#raw.drop()
    if (isDropped || hit("silent") !== undefined) return
    let messages: ReadonlyArray<string> = [text]
    for (const each of hits) messages = messages.flatMap((message) => faultyMessages(message, each))
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

  readonly ping = (): void => {
    const isSilent = this.#activeFaults().some(
      (live) => ["down", "silent"].includes(live.fault.kind) && strikeOn(live, this.#connection) !== undefined,
    )
    if (!isSilent) this.#raw.ping()
  }

  readonly close = (code: number, reason: string): void => this.#raw.close(code, reason)

  #release(delay: number): void {
    const held = this.#held
    this.#held = []
    this.#deliver(held, delay)
  }

  #deliver(messages: ReadonlyArray<string>, delay: number): void {
    if (messages.length === 0) return
    this.#delay = this.#delayedCount === 0 ? delay : Math.max(this.#delay, delay)
    if (this.#delay === 0) {
      for (const message of messages) this.#raw.send(message)
      return
    }
    this.#delayedCount += 1
    later(this.#delay, () => {
      this.#delayedCount -= 1
      for (const message of messages) this.#raw.send(message)
    })
  }
}
