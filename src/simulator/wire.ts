import type { Text } from "./pieces.ts"

/** A request to one of the simulated services, its prefix taken off the path. */
export interface WireRequest {
  readonly method: string
  /** Begins with a slash. */
  readonly path: string
  readonly query: URLSearchParams
  /** The path with its query as it was sent, for signatures. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

export interface WireResponse<Body extends Text = string> {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Body
}

/** One simulated service over HTTP, which may be asked to answer as one that lacks the newest blocks. */
export type Service<Body extends Text = string> = (request: WireRequest, blocksBehind?: number) => WireResponse<Body>

export interface WireSocket {
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  onMessage: (text: string) => void
  onClose: () => void
}

/** A connection as it is, without anything wrong with it. */
export interface RawSocket {
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Breaks it off without a word. */
  readonly drop: () => void
}

/** How an answer goes out. */
export interface Delivery {
  readonly response: WireResponse<Text>
  /** Real time until anything of it is sent. */
  readonly delayMillis: number
  /** Bytes of the body after which the connection breaks; all are sent without it. */
  readonly sentBytes?: number
}

export type Handshake =
  | { readonly kind: "open"; readonly wrap: (raw: RawSocket) => WireSocket }
  | { readonly kind: "refused"; readonly response: WireResponse }
  /** The connection breaks without an answer. */
  | { readonly kind: "dropped" }

/** What comes between the services and the wire; told by the prefix whose wire it is. */
export interface Interference {
  /** Undefined breaks the connection without an answer. */
  readonly answer: (
    prefix: string,
    request: WireRequest,
    serve: (blocksBehind?: number) => WireResponse<Text>,
  ) => Delivery | undefined
  readonly connect: (prefix: string, request: WireRequest) => Handshake
}

const plainSocket = (raw: RawSocket): WireSocket => ({
  send: raw.send,
  close: raw.close,
  onMessage: () => undefined,
  onClose: () => undefined,
})

export const opened: Handshake = { kind: "open", wrap: plainSocket }

export const noInterference: Interference = {
  answer: (_, __, serve) => ({ response: serve(), delayMillis: 0 }),
  connect: () => opened,
}

/** One simulated service over a WebSocket: called for every connection. */
export type SocketService = (socket: WireSocket, request: WireRequest) => void

export const json = (value: unknown, status = 200): WireResponse => jsonText(JSON.stringify(value), status)

export const jsonText = <Body extends Text>(body: Body, status = 200): WireResponse<Body> => ({
  status,
  headers: { "content-type": "application/json" },
  body,
})
