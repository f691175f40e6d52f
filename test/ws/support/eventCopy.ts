import type { Received, StreamCopy } from "./resumingClient.ts"

interface ReceivedEvent {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

interface Subscription {
  readonly type: string
  readonly filters?: object
}

/** The event type; fills are sent as `event`. */
const typeOf = ({ type }: Received) => (type === "event" ? "fill" : type)

const control: ReadonlySet<string> = new Set(["snapshot", "stale", "fresh", "warning", "closing", "pong"])

/**
 * Follows events of the log on one socket and removes retracted ones. It resumes after the last seq up to which it
 * certainly has everything, so that nothing is missed if it is disconnected between several subscriptions.
 */
export class EventCopy implements StreamCopy {
  /** Valid events by seq and type. */
  readonly known = new Map<number, Map<string, ReceivedEvent>>()
  /** Violations of the protocol. */
  readonly faults: Array<string> = []
  readonly recovered = { yes: 0, no: 0 }
  events = 0
  retractions = 0
  /** All events after this seq are expected. */
  from: number | undefined
  readonly #subscriptions: ReadonlyArray<Subscription>
  #epoch: string | undefined
  /** Everything up to this seq has been received. */
  #complete = 0
  #resumedAfter = 0
  /** Number of outstanding acknowledgements and replays. */
  #awaited = 0
  #newest = 0
  #here = new Set<string>()

  constructor(subscriptions: ReadonlyArray<Subscription>) {
    this.#subscriptions = subscriptions
  }

  requests(): ReadonlyArray<object> {
    this.#here = new Set()
    this.#resumedAfter = this.#complete
    this.#newest = 0
    const isFirst = this.from === undefined
    this.#awaited = this.#subscriptions.length * (isFirst ? 1 : 2)
    const resume = isFirst ? {} : { resume: { epoch: this.#epoch, seq: this.#complete } }
    return this.#subscriptions.map((each) => ({ action: "subscribe", ...each, ...resume }))
  }

  receive(message: Received): ReadonlyArray<object> {
    if (message.type === "subscribed") this.#acknowledged(message)
    else if (message.type === "caught_up") this.#caughtUp(Number(message["seq"]))
    else if (message.type === "lagged") this.#awaited++
    else if (message.type === "heartbeat") this.#completeUpTo(Number(message["seq"]))
    else if (!control.has(message.type)) this.#addEvent(message)
    return []
  }

  isCaughtUp(): boolean {
    return this.#awaited === 0
  }

  #acknowledged({ epoch, seq, recovered, reason }: Received): void {
    this.#awaited--
    this.#epoch = String(epoch)
    if (recovered === true) this.recovered.yes++
    else if (recovered === false) {
      this.recovered.no++
      this.faults.push(`not recovered after ${this.#resumedAfter}: ${reason}`)
    } else if (this.#awaited === 0) {
      this.from = Number(seq)
      this.#complete = this.from
    }
  }

  #caughtUp(seq: number): void {
    this.#awaited--
    this.#completeUpTo(seq)
  }

  #completeUpTo(seq: number): void {
    if (this.isCaughtUp() && seq > this.#complete) this.#complete = seq
  }

  #addEvent(message: Received): void {
    const [seq, type] = [Number(message["seq"]), typeOf(message)]
    const name = `${seq} ${type}`
    if (this.#here.has(name)) this.faults.push(`${name} was received twice on one connection`)
    if (seq <= this.#resumedAfter)
      this.faults.push(`${name} was received again after resuming at ${this.#resumedAfter}`)
    this.#here.add(name)
    this.events++
    if (this.isCaughtUp()) {
      if (seq < this.#newest) this.faults.push(`${name} was received after ${this.#newest}`)
      this.#newest = seq
      // Another message with the same seq may follow.
      this.#completeUpTo(seq - 1)
    }
    const data = message["data"] as ReceivedEvent["data"]
    if (type === "reorg") this.#retract(data["retracted"] as ReadonlyArray<number>)
    const those = this.known.get(seq) ?? new Map<string, ReceivedEvent>()
    this.known.set(seq, those.set(type, { type, data }))
  }

  #retract(retracted: ReadonlyArray<number>): void {
    for (const seq of retracted) if (this.known.delete(seq)) this.retractions++
  }
}
