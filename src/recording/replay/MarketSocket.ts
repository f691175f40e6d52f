import type { WebSocket } from "ws"
import type { FrameLine } from "../model.ts"
import { eventsIn, tokensOf } from "./marketFrames.ts"

interface MarketEvent {
  readonly at: number
  readonly text: string
  readonly tokens: ReadonlyArray<string>
  readonly isBook: boolean
}

/** The order books over WebSocket. A new subscriber gets the last whole book and the changes since. */
export class MarketSocket {
  readonly #events: ReadonlyArray<MarketEvent>
  /** Indexes of the events of a token. */
  readonly #byToken = new Map<string, Array<number>>()
  readonly #clients = new Map<WebSocket, Set<string>>()
  #sent = 0

  constructor(frames: ReadonlyArray<FrameLine>) {
    this.#events = frames.flatMap(({ at, text }) =>
      eventsIn(text).map((event) => ({
        at,
        text: JSON.stringify(event),
        tokens: tokensOf(event),
        isBook: Object(event)["event_type"] === "book",
      })),
    )
    this.#events.forEach(({ tokens }, index) => {
      for (const token of tokens) {
        const known = this.#byToken.get(token)
        if (known === undefined) this.#byToken.set(token, [index])
        else known.push(index)
      }
    })
  }

  add(client: WebSocket): void {
    this.#clients.set(client, new Set())
    client.on("close", () => this.#clients.delete(client))
  }

  received(client: WebSocket, message: Readonly<Record<string, unknown>>): void {
    const subscribed = this.#clients.get(client)
    const tokens = Array.isArray(message["assets_ids"]) ? message["assets_ids"].map(String) : []
    if (subscribed === undefined) return
    if (message["operation"] === "unsubscribe") {
      for (const token of tokens) subscribed.delete(token)
      return
    }
    for (const token of tokens) {
      if (subscribed.has(token)) continue
      subscribed.add(token)
      for (const index of this.#sinceBook(token)) client.send((this.#events[index] as MarketEvent).text)
    }
  }

  /** Indexes of the sent events of a token from its last whole book on. */
  #sinceBook(token: string): ReadonlyArray<number> {
    const sent = (this.#byToken.get(token) ?? []).filter((index) => index < this.#sent)
    const book = sent.findLastIndex((index) => this.#events[index]?.isBook)
    return book < 0 ? [] : sent.slice(book)
  }

  /** Sends what was received up to now. */
  pump(now: number): void {
    for (
      let event = this.#events[this.#sent];
      event !== undefined && event.at <= now;
      event = this.#events[++this.#sent]
    )
      for (const [client, subscribed] of this.#clients)
        if (event.tokens.length === 0 || event.tokens.some((token) => subscribed.has(token))) client.send(event.text)
  }
}
