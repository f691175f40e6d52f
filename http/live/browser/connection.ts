/** A message of the gateway. */
export type Frame = { readonly type: string; readonly [field: string]: unknown }

/** What a browser's socket has, and the tests' as well. */
export interface Socket {
  onopen: (() => void) | null
  onmessage: ((event: { readonly data: unknown }) => void) | null
  onclose: ((event: { readonly code: number }) => void) | null
  send(text: string): void
  close(): void
}

/** What it takes from its surroundings. Times are milliseconds. */
export interface World {
  readonly open: () => Socket
  readonly after: (millis: number, run: () => void) => () => void
  readonly now: () => number
  /** Between 0 and 1. */
  readonly random: () => number
  /** Why a connection was refused: a browser does not say. `final` where trying again is of no use. */
  readonly whyRefused: () => Promise<{ readonly words: string; readonly final: boolean }>
}

/** Something to listen to, by a name of our own. `first` is sent with the first subscription only. */
export interface Wish {
  readonly type: string
  readonly filters?: Readonly<Record<string, unknown>>
  readonly first?: Readonly<Record<string, unknown>>
}

export type News =
  | { readonly kind: "connecting"; readonly attempt: number }
  | { readonly kind: "open"; readonly again: boolean }
  | { readonly kind: "frame"; readonly frame: Frame }
  | { readonly kind: "pinged" }
  | { readonly kind: "refused"; readonly wish: string; readonly code: string; readonly words: string }
  | { readonly kind: "waiting"; readonly millis: number; readonly words: string }
  | { readonly kind: "stopped"; readonly words: string }

const pingEvery = 10_000
/** Heartbeats come every 30 seconds and pongs more often: whoever says nothing for so long is gone. */
const silentFor = 25_000

/** The day's time is used up, or the key is gone: to connect again is of no use. */
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

/** How long to wait before a further attempt: twice as long each time up to 15 s, never all clients at once. */
export const pauseBefore = (attempt: number, random: number, atLeast = 0): number => {
  const most = Math.min(15_000, 500 * 2 ** Math.max(0, attempt - 1))
  return Math.round(atLeast + most * (0.5 + random / 2))
}

/** One connection to the gateway that comes back by itself and goes on where it stopped. */
export class Connection {
  readonly #world: World
  readonly #tell: (news: News) => void
  readonly #wishes = new Map<string, Wish>()
  readonly #subscriptions = new Map<string, string>()
  readonly #known = new Set<string>()
  #socket: Socket | undefined
  #asked: Array<string> = []
  #timer: () => void = () => undefined
  #heardAt = 0
  #attempt = 0
  #hasOpened = false
  #closing: { readonly words: string; readonly retryAfter: number; readonly final: boolean } | undefined
  #subscriber: string | undefined
  #epoch: string | undefined
  #seq: number | undefined
  /** What is live begins after this one; undefined when it has begun. */
  #liveAfter: number | undefined
  readonly #ticks = new Map<string, string>()

  constructor(world: World, tell: (news: News) => void) {
    this.#world = world
    this.#tell = tell
  }

  start(): void {
    this.#connect()
  }

  stop(): void {
    this.#timer()
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
  }

  /** Drops the connection as a network would, and comes back. */
  drop(words: string): void {
    this.#socket?.close()
    this.#lost(words)
  }

  /** Listens to something, instead of what was wished under this name before. */
  wish(name: string, wish: Wish): void {
    this.#wishes.set(name, wish)
    this.#known.delete(name)
    const before = this.#subscriptions.get(name)
    if (before !== undefined) this.#say({ action: "unsubscribe", subscription_id: before })
    this.#subscriptions.delete(name)
    if (this.#socket !== undefined && this.#hasOpened) this.#ask(name)
  }

  #connect(): void {
    this.#attempt += 1
    this.#closing = undefined
    this.#asked = []
    this.#liveAfter = undefined
    this.#subscriptions.clear()
    let opened = false
    this.#tell({ kind: "connecting", attempt: this.#attempt })
    const socket = this.#world.open()
    this.#socket = socket
    socket.onopen = () => {
      if (this.#socket !== socket) return
      opened = true
      this.#heardAt = this.#world.now()
      this.#tell({ kind: "open", again: this.#hasOpened })
      this.#hasOpened = true
      for (const name of this.#wishes.keys()) this.#ask(name)
      this.#ping()
      this.#watch()
    }
    socket.onmessage = ({ data }) => {
      if (this.#socket !== socket) return
      this.#heardAt = this.#world.now()
      const frame = parsed(data)
      if (frame !== undefined) this.#hear(frame)
    }
    socket.onclose = ({ code }) => {
      if (this.#socket !== socket) return
      if (opened) this.#lost(`The connection ended (${code}).`)
      else void this.#refused(socket)
    }
  }

  async #refused(socket: Socket): Promise<void> {
    const { words, final } = await this.#world.whyRefused()
    if (this.#socket !== socket) return
    if (final) this.#stopped(words)
    else this.#lost(words)
  }

  #stopped(words: string): void {
    this.stop()
    this.#tell({ kind: "stopped", words })
  }

  #lost(words: string): void {
    const closing = this.#closing
    if (closing?.final) {
      this.#stopped(closing.words)
      return
    }
    this.#timer()
    this.#socket = undefined
    const millis = pauseBefore(this.#attempt, this.#world.random(), closing?.retryAfter ?? 0)
    this.#tell({ kind: "waiting", millis, words: closing?.words ?? words })
    this.#timer = this.#world.after(millis, () => this.#connect())
  }

  #watch(): void {
    this.#timer = this.#world.after(pingEvery, () => {
      if (this.#world.now() - this.#heardAt > silentFor) this.drop("The connection went silent.")
      else {
        this.#ping()
        this.#watch()
      }
    })
  }

  #ping(): void {
    this.#say({ action: "ping" })
    this.#tell({ kind: "pinged" })
  }

  #say(message: Readonly<Record<string, unknown>>): void {
    this.#socket?.send(JSON.stringify(message))
  }

  /** Answers come in the order of the questions, so that an error can be told to be about this one. */
  #ask(name: string): void {
    const wish = this.#wishes.get(name)
    if (wish === undefined) return
    const { type, filters, first } = wish
    const resume = this.#known.has(name) ? { resume: this.#memory() } : first
    this.#asked.push(name)
    this.#say({ action: "subscribe", type, ...(filters === undefined ? {} : { filters }), ...resume })
  }

  #memory(): Readonly<Record<string, unknown>> {
    return {
      ...(this.#epoch === undefined ? {} : { epoch: this.#epoch, seq: this.#seq ?? 0 }),
      ...(this.#ticks.size === 0 ? {} : { ticks: Object.fromEntries(this.#ticks) }),
      ...(this.#subscriber === undefined ? {} : { subscriber_id: this.#subscriber }),
    }
  }

  #hear(frame: Frame): void {
    if (frame.type === "subscribed") this.#acknowledged(frame)
    else if (frame.type === "error") {
      const wish = this.#asked.shift() ?? ""
      this.#tell({ kind: "refused", wish, code: String(frame["code"]), words: String(frame["message"]) })
    } else if (frame.type === "closing") {
      const retryAfter = typeof frame["retry_after_ms"] === "number" ? frame["retry_after_ms"] : 0
      this.#closing = { words: String(frame["reason"]), retryAfter, final: finalCodes.has(Number(frame["code"])) }
    } else if (frame.type === "price_feed" && frame["is_twap"] !== true) {
      this.#ticks.set(String(frame["feed"]), String(frame["id"]))
    }
    this.#remember(frame)
    this.#tell({ kind: "frame", frame })
  }

  /** How far everything has come. While older events are still on their way, only they count. */
  #remember({ type, seq }: Frame): void {
    const isEnd = type === "caught_up"
    const isReplaying = this.#liveAfter !== undefined && !isEnd
    if (type === "subscribed" || type === "updated" || (isReplaying && type === "heartbeat")) return
    const reached = Math.max(this.#seq ?? 0, Number(seq ?? 0), isEnd ? (this.#liveAfter ?? 0) : 0)
    if (reached > 0) this.#seq = reached
    if (isEnd) this.#liveAfter = undefined
  }

  #acknowledged(frame: Frame): void {
    // Whoever gets here was let in, and the next failure is a new one.
    this.#attempt = 0
    const name = this.#asked.shift()
    if (typeof frame["subscriber_id"] === "string") this.#subscriber = frame["subscriber_id"]
    if (name === undefined) return
    if (frame["subscription_type"] !== "oracle") this.#begins(frame)
    this.#known.add(name)
    this.#subscriptions.set(name, String(frame["subscription_id"]))
  }

  /** Of events. A price feed's acknowledgement has a seq too, which says nothing about what was heard. */
  #begins(frame: Frame): void {
    if (frame["epoch"] !== this.#epoch) this.#seq = undefined
    this.#epoch = String(frame["epoch"])
    if (frame["replay"] === undefined) this.#seq = Number(frame["seq"])
    else this.#liveAfter = Number(frame["seq"])
  }
}
