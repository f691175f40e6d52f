/** A gateway message. */
export type Frame = { readonly type: string; readonly [field: string]: unknown }

/** The part of a browser's WebSocket that is used here; tests provide their own. */
export interface Socket {
  onopen: (() => void) | null
  onmessage: ((event: { readonly data: unknown }) => void) | null
  onclose: ((event: { readonly code: number }) => void) | null
  send(text: string): void
  close(): void
}

/** Dependencies of a connection. Times are milliseconds. */
export interface Environment {
  readonly open: () => Socket
  readonly after: (millis: number, run: () => void) => () => void
  readonly now: () => number
  /** Between 0 and 1. */
  readonly random: () => number
  /** Finds out why a connection was refused, which browsers do not report. `final`: retrying is pointless. */
  readonly refusalReason: () => Promise<{ readonly text: string; readonly final: boolean }>
}

/** A stream to subscribe to. `fields` are sent always, `first` with the first subscription only. */
export interface StreamRequest {
  readonly type: string
  readonly filters?: Readonly<Record<string, unknown>>
  readonly fields?: Readonly<Record<string, unknown>>
  readonly first?: Readonly<Record<string, unknown>>
}

export type ConnectionEvent =
  | { readonly kind: "connecting"; readonly attempt: number }
  | { readonly kind: "open"; readonly again: boolean }
  | { readonly kind: "frame"; readonly frame: Frame }
  | { readonly kind: "pinged" }
  | { readonly kind: "refused"; readonly name: string; readonly code: string; readonly text: string }
  | { readonly kind: "waiting"; readonly millis: number; readonly text: string }
  | { readonly kind: "stopped"; readonly text: string }

const pingEvery = 10_000
/** Heartbeats come every 30 seconds and pongs more often, so a connection silent for this long is dead. */
const silenceLimit = 25_000

/** The daily time is used up or the key was revoked: reconnecting is pointless. */
const finalCodes: ReadonlySet<number> = new Set([4001, 4003])

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

const parsed = (text: unknown): Frame | undefined => {
  try {
    const value: unknown = JSON.parse(String(text))
    return isRecord(value) && typeof value["type"] === "string" ? (value as Frame) : undefined
  } catch {
    return undefined
  }
}

/** Delay before the next attempt: doubles up to 15 s, with jitter. */
export const retryDelay = (attempt: number, random: number, atLeast = 0): number => {
  const max = Math.min(15_000, 500 * 2 ** Math.max(0, attempt - 1))
  return Math.round(atLeast + max * (0.5 + random / 2))
}

/** A connection to the gateway that reconnects and resumes by itself. */
export class Connection {
  readonly #environment: Environment
  readonly #onEvent: (event: ConnectionEvent) => void
  readonly #requests = new Map<string, StreamRequest>()
  readonly #subscriptions = new Map<string, string>()
  /** Names of streams that were acknowledged before and can be resumed. */
  readonly #resumable = new Set<string>()
  #socket: Socket | undefined
  /** Requests without an answer yet, in order. */
  #unanswered: Array<{ readonly name: string; readonly request: StreamRequest }> = []
  #isOpen = false
  #timer: () => void = () => undefined
  #receivedAt = 0
  #attempt = 0
  #hasOpened = false
  #closing: { readonly text: string; readonly retryAfter: number; readonly final: boolean } | undefined
  #subscriber: string | undefined
  #epoch: string | undefined
  #seq: number | undefined
  /** Live events begin after this seq; undefined once they have begun. */
  #liveAfter: number | undefined
  readonly #ticks = new Map<string, string>()

  constructor(environment: Environment, onEvent: (event: ConnectionEvent) => void) {
    this.#environment = environment
    this.#onEvent = onEvent
  }

  start(): void {
    this.#connect()
  }

  stop(): void {
    this.#timer()
    const socket = this.#socket
    this.#socket = undefined
    this.#isOpen = false
    socket?.close()
  }

  /** Drops the connection as a network failure would, and reconnects. */
  drop(text: string): void {
    this.#socket?.close()
    this.#lost(text)
  }

  /**
   * Subscribes to a stream, replacing the earlier one of this name. One that was not answered yet has no id to end it by, so
   * that its answer is waited for; nobody else hears of it.
   */
  subscribe(name: string, request: StreamRequest): void {
    this.#requests.set(name, request)
    this.#resumable.delete(name)
    if (this.#isOpen && !this.#unanswered.some((asked) => asked.name === name)) this.#replace(name)
  }

  #replace(name: string): void {
    const before = this.#subscriptions.get(name)
    if (before !== undefined) this.#send({ action: "unsubscribe", subscription_id: before })
    this.#subscriptions.delete(name)
    this.#sendSubscribe(name)
  }

  #connect(): void {
    this.#attempt += 1
    this.#closing = undefined
    this.#isOpen = false
    this.#unanswered = []
    this.#liveAfter = undefined
    this.#subscriptions.clear()
    let opened = false
    this.#onEvent({ kind: "connecting", attempt: this.#attempt })
    const socket = this.#environment.open()
    this.#socket = socket
    socket.onopen = () => {
      if (this.#socket !== socket) return
      opened = true
      this.#receivedAt = this.#environment.now()
      this.#onEvent({ kind: "open", again: this.#hasOpened })
      this.#hasOpened = true
      this.#isOpen = true
      for (const name of this.#requests.keys()) this.#sendSubscribe(name)
      this.#ping()
      this.#watch()
    }
    socket.onmessage = ({ data }) => {
      if (this.#socket !== socket) return
      this.#receivedAt = this.#environment.now()
      const frame = parsed(data)
      if (frame !== undefined) this.#receive(frame)
    }
    socket.onclose = ({ code }) => {
      if (this.#socket !== socket) return
      if (opened) this.#lost(`The connection ended (${code}).`)
      else void this.#refused(socket)
    }
  }

  async #refused(socket: Socket): Promise<void> {
    const { text, final } = await this.#environment.refusalReason()
    if (this.#socket !== socket) return
    if (final) this.#stopped(text)
    else this.#lost(text)
  }

  #stopped(text: string): void {
    this.stop()
    this.#onEvent({ kind: "stopped", text })
  }

  #lost(text: string): void {
    const closing = this.#closing
    if (closing?.final) {
      this.#stopped(closing.text)
      return
    }
    this.#timer()
    this.#socket = undefined
    this.#isOpen = false
    const millis = retryDelay(this.#attempt, this.#environment.random(), closing?.retryAfter ?? 0)
    this.#onEvent({ kind: "waiting", millis, text: closing?.text ?? text })
    this.#timer = this.#environment.after(millis, () => this.#connect())
  }

  #watch(): void {
    this.#timer = this.#environment.after(pingEvery, () => {
      if (this.#environment.now() - this.#receivedAt > silenceLimit) this.drop("The connection went silent.")
      else {
        this.#ping()
        this.#watch()
      }
    })
  }

  #ping(): void {
    this.#send({ action: "ping" })
    this.#onEvent({ kind: "pinged" })
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    this.#socket?.send(JSON.stringify(message))
  }

  /** Answers arrive in the order of the requests, so that errors can be attributed. */
  #sendSubscribe(name: string): void {
    const request = this.#requests.get(name)
    if (request === undefined) return
    const { type, filters, fields, first } = request
    const resume = this.#resumable.has(name) ? { resume: this.#position() } : first
    this.#unanswered.push({ name, request })
    this.#send({ action: "subscribe", type, ...(filters === undefined ? {} : { filters }), ...fields, ...resume })
  }

  #position(): Readonly<Record<string, unknown>> {
    return {
      ...(this.#epoch === undefined ? {} : { epoch: this.#epoch, seq: this.#seq ?? 0 }),
      ...(this.#ticks.size === 0 ? {} : { ticks: Object.fromEntries(this.#ticks) }),
      ...(this.#subscriber === undefined ? {} : { subscriber_id: this.#subscriber }),
    }
  }

  #receive(frame: Frame): void {
    const isAnswer = frame.type === "subscribed" || frame.type === "error"
    const asked = isAnswer ? this.#unanswered.shift() : undefined
    const name = asked?.name ?? ""
    if (asked !== undefined && this.#requests.get(name) !== asked.request) {
      if (frame.type === "subscribed") this.#subscriptions.set(name, String(frame["subscription_id"]))
      this.#replace(name)
      return
    }
    if (frame.type === "subscribed") this.#acknowledged(frame, asked?.name)
    else if (frame.type === "error") {
      this.#onEvent({ kind: "refused", name, code: String(frame["code"]), text: String(frame["message"]) })
    } else if (frame.type === "closing") {
      const retryAfter = typeof frame["retry_after_ms"] === "number" ? frame["retry_after_ms"] : 0
      this.#closing = { text: String(frame["reason"]), retryAfter, final: finalCodes.has(Number(frame["code"])) }
    } else if (frame.type === "price_feed" && frame["is_twap"] !== true) {
      this.#ticks.set(String(frame["feed"]), String(frame["id"]))
    }
    this.#trackSeq(frame)
    this.#onEvent({ kind: "frame", frame })
  }

  /** Tracks the position for resuming. During a replay, only replayed events count. */
  #trackSeq({ type, seq }: Frame): void {
    const isEnd = type === "caught_up"
    const isReplaying = this.#liveAfter !== undefined && !isEnd
    if (type === "subscribed" || type === "updated" || (isReplaying && type === "heartbeat")) return
    const reached = Math.max(this.#seq ?? 0, Number(seq ?? 0), isEnd ? (this.#liveAfter ?? 0) : 0)
    if (reached > 0) this.#seq = reached
    if (isEnd) this.#liveAfter = undefined
  }

  #acknowledged(frame: Frame, name: string | undefined): void {
    // An acknowledgement ends a series of failed attempts.
    this.#attempt = 0
    if (typeof frame["subscriber_id"] === "string") this.#subscriber = frame["subscriber_id"]
    if (name === undefined) return
    if (typeof frame["epoch"] === "string" && frame["subscription_type"] !== "oracle") this.#eventsBegin(frame)
    this.#resumable.add(name)
    this.#subscriptions.set(name, String(frame["subscription_id"]))
  }

  /** Only for events: the seq in a price feed's acknowledgement is not a position of received events. */
  #eventsBegin(frame: Frame): void {
    if (frame["epoch"] !== this.#epoch) this.#seq = undefined
    this.#epoch = String(frame["epoch"])
    if (frame["replay"] === undefined) this.#seq = Number(frame["seq"])
    else this.#liveAfter = Number(frame["seq"])
  }
}
