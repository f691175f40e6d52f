import type { Following, Said } from "./follower.ts"

interface Heard {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

interface Subscription {
  readonly type: string
  readonly filters?: object
}

/** What an event is called in its subscription: fills come under a name of their own. */
const typeOf = ({ type }: Said) => (type === "event" ? "fill" : type)

const control: ReadonlySet<string> = new Set(["snapshot", "stale", "fresh", "warning", "closing", "pong"])

/**
 * Follows events of the log on one socket and takes back what is retracted. It resumes after the last seq up to which it
 * surely has everything, so that nothing is missed when it is cut off in the middle of several subscriptions.
 */
export class EventFollowing implements Following {
  /** What holds, by seq and type. */
  readonly known = new Map<number, Map<string, Heard>>()
  /** What should never happen. */
  readonly faults: Array<string> = []
  readonly recovered = { yes: 0, no: 0 }
  events = 0
  retractions = 0
  /** The seq after which everything was to come. */
  from: number | undefined
  readonly #subscriptions: ReadonlyArray<Subscription>
  #epoch: string | undefined
  /** Everything up to here has come. */
  #complete = 0
  #resumedAfter = 0
  /** Acknowledgements and replays that are still to come. */
  #awaited = 0
  #newest = 0
  #here = new Set<string>()

  constructor(subscriptions: ReadonlyArray<Subscription>) {
    this.#subscriptions = subscriptions
  }

  asks(): ReadonlyArray<object> {
    this.#here = new Set()
    this.#resumedAfter = this.#complete
    this.#newest = 0
    const isFirst = this.from === undefined
    this.#awaited = this.#subscriptions.length * (isFirst ? 1 : 2)
    const resume = isFirst ? {} : { resume: { epoch: this.#epoch, seq: this.#complete } }
    return this.#subscriptions.map((each) => ({ action: "subscribe", ...each, ...resume }))
  }

  hear(said: Said): ReadonlyArray<object> {
    if (said.type === "subscribed") this.#acknowledged(said)
    else if (said.type === "caught_up") this.#caughtUp(Number(said["seq"]))
    else if (said.type === "lagged") this.#awaited++
    else if (said.type === "heartbeat") this.#completeUpTo(Number(said["seq"]))
    else if (!control.has(said.type)) this.#happened(said)
    return []
  }

  isCaughtUp(): boolean {
    return this.#awaited === 0
  }

  #acknowledged({ epoch, seq, recovered, reason }: Said): void {
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

  #happened(said: Said): void {
    const [seq, type] = [Number(said["seq"]), typeOf(said)]
    const name = `${seq} ${type}`
    if (this.#here.has(name)) this.faults.push(`${name} came twice on one connection`)
    if (seq <= this.#resumedAfter) this.faults.push(`${name} came again after ${this.#resumedAfter} was resumed`)
    this.#here.add(name)
    this.events++
    if (this.isCaughtUp()) {
      if (seq < this.#newest) this.faults.push(`${name} came after ${this.#newest}`)
      this.#newest = seq
      // Another one of the same seq may follow.
      this.#completeUpTo(seq - 1)
    }
    const data = said["data"] as Heard["data"]
    if (type === "reorg") this.#takeBack(data["retracted"] as ReadonlyArray<number>)
    const those = this.known.get(seq) ?? new Map<string, Heard>()
    this.known.set(seq, those.set(type, { type, data }))
  }

  #takeBack(retracted: ReadonlyArray<number>): void {
    for (const seq of retracted) if (this.known.delete(seq)) this.retractions++
  }
}
