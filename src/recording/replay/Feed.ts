import type { WebSocket } from "ws"
import type { FrameLine } from "../model.ts"

/** A socket that sends the same to all. Messages wait while nobody is connected, so that a new connection misses none. */
export class Feed {
  readonly #frames: ReadonlyArray<FrameLine>
  readonly #clients = new Set<WebSocket>()
  #sent = 0

  constructor(frames: ReadonlyArray<FrameLine>) {
    this.#frames = frames
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0
  }

  add(client: WebSocket): void {
    this.#clients.add(client)
    client.on("close", () => this.#clients.delete(client))
  }

  /** Sends what was received up to now. */
  pump(now: number): void {
    if (this.#clients.size === 0) return
    for (
      let frame = this.#frames[this.#sent];
      frame !== undefined && frame.at <= now;
      frame = this.#frames[++this.#sent]
    )
      for (const client of this.#clients) client.send(frame.text)
  }

  /** The first message that matches, sent or not. */
  find(pattern: RegExp): string | undefined {
    return this.#frames.find(({ text }) => pattern.test(text))?.text
  }
}
