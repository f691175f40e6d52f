import { Context } from "effect"
import type { UpstreamName } from "./settings.ts"

/** An answer over HTTP, whatever its status. */
export interface TappedAnswer {
  readonly upstream: UpstreamName
  readonly url: string
  /** Of a POST. */
  readonly body: unknown
  readonly status: number
  /** Valid during the call only: its buffer may be moved to another thread. */
  readonly bytes: Buffer
}

/** A message of a socket. */
export interface TappedFrame {
  readonly upstream: string
  readonly text: string
}

/** Sees what upstreams send, before it is decoded. It never sees headers and messages to them, which contain credentials. */
export interface WireTap {
  readonly answer: (answer: TappedAnswer) => void
  readonly frame: (frame: TappedFrame) => void
}

export const WireTap = Context.Reference<WireTap | undefined>("presage/upstream/WireTap", {
  defaultValue: () => undefined,
})
