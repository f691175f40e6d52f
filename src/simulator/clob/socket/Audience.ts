import type { WireSocket } from "../../wire.ts"
import type { Market, Token } from "../../world/Venue.ts"

/** One connection, with what it follows. */
export class Listener {
  readonly socket: WireSocket
  readonly tokens = new Set<Token>()
  /** Whether it also wants the events that not all clients understand. */
  custom = false

  constructor(socket: WireSocket) {
    this.socket = socket
  }
}

const nobody: ReadonlySet<Listener> = new Set()

/** Who follows what. A message is written once, however many want it. */
export class Audience {
  readonly everyone = new Set<Listener>()
  readonly #byToken = new Map<number, Set<Listener>>()

  add(listener: Listener, token: Token): void {
    listener.tokens.add(token)
    const listeners = this.#byToken.get(token.index)
    if (listeners === undefined) this.#byToken.set(token.index, new Set([listener]))
    else listeners.add(listener)
  }

  remove(listener: Listener, token: Token): void {
    listener.tokens.delete(token)
    const listeners = this.#byToken.get(token.index)
    listeners?.delete(listener)
    if (listeners?.size === 0) this.#byToken.delete(token.index)
  }

  follows({ tokens }: Market): boolean {
    return tokens.some((token) => this.#byToken.has(token))
  }

  ofToken({ index }: Token): ReadonlySet<Listener> {
    return this.#byToken.get(index) ?? nobody
  }

  /** Those who follow one of the outcomes, or both. */
  ofMarket({ tokens: [first, second] }: Market): ReadonlySet<Listener> {
    const [a, b] = [this.#byToken.get(first), this.#byToken.get(second)]
    if (a === undefined || b === undefined) return a ?? b ?? nobody
    return new Set([...a, ...b])
  }
}

export const tell = (listeners: Iterable<Listener>, write: () => string): void => {
  let text: string | undefined
  for (const { socket } of listeners) {
    text ??= write()
    socket.send(text)
  }
}

export const tellCustom = (listeners: Iterable<Listener>, write: () => string): void =>
  tell(
    [...listeners].filter(({ custom }) => custom),
    write,
  )
