import type { WireSocket } from "../../wire.ts"
import type { Market, Token } from "../../world/Venue.ts"

/** One connection and its subscriptions. */
export class Subscriber {
  readonly socket: WireSocket
  readonly tokens = new Set<Token>()
  /** Whether it also receives the optional event types. */
  custom = false

  constructor(socket: WireSocket) {
    this.socket = socket
  }
}

const none: ReadonlySet<Subscriber> = new Set()

/** Subscribers by token. */
export class Subscribers {
  readonly all = new Set<Subscriber>()
  readonly #byToken = new Map<number, Set<Subscriber>>()

  add(subscriber: Subscriber, token: Token): void {
    subscriber.tokens.add(token)
    const subscribers = this.#byToken.get(token.index)
    if (subscribers === undefined) this.#byToken.set(token.index, new Set([subscriber]))
    else subscribers.add(subscriber)
  }

  remove(subscriber: Subscriber, token: Token): void {
    subscriber.tokens.delete(token)
    const subscribers = this.#byToken.get(token.index)
    subscribers?.delete(subscriber)
    if (subscribers?.size === 0) this.#byToken.delete(token.index)
  }

  hasSubscribers({ tokens }: Market): boolean {
    return tokens.some((token) => this.#byToken.has(token))
  }

  ofToken({ index }: Token): ReadonlySet<Subscriber> {
    return this.#byToken.get(index) ?? none
  }

  /** Subscribers of either outcome, each once. */
  ofMarket({ tokens: [first, second] }: Market): ReadonlySet<Subscriber> {
    const [a, b] = [this.#byToken.get(first), this.#byToken.get(second)]
    if (a === undefined || b === undefined) return a ?? b ?? none
    return new Set([...a, ...b])
  }
}

/** Serializes the message once, and only if there is a subscriber. */
export const broadcast = (subscribers: Iterable<Subscriber>, write: () => string): void => {
  let text: string | undefined
  for (const { socket } of subscribers) {
    text ??= write()
    socket.send(text)
  }
}

export const broadcastCustom = (subscribers: Iterable<Subscriber>, write: () => string): void =>
  broadcast(
    [...subscribers].filter(({ custom }) => custom),
    write,
  )
