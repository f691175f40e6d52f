/** A long text kept as buffers: joining it would cost about as much as producing it. */
export type Chunks = ReadonlyArray<Buffer>
export type TextOrChunks = string | Chunks

export const toChunks = (text: TextOrChunks): Chunks => (typeof text === "string" ? [Buffer.from(text)] : text)

export const toText = (text: TextOrChunks): string =>
  typeof text === "string" ? text : Buffer.concat(text).toString("utf8")

export const byteLength = (chunks: Chunks): number => chunks.reduce((sum, { length }) => sum + length, 0)

const [opening, comma, closing] = [Buffer.from("["), Buffer.from(","), Buffer.from("]")]

/** A JSON array of elements that are already JSON. */
export const jsonList = (elements: ReadonlyArray<Chunks>): Chunks => [
  opening,
  ...elements.flatMap((element, i) => (i === 0 ? element : [comma, ...element])),
  closing,
]

/** A request to a simulated service, without the service prefix in its path. */
export interface WireRequest {
  readonly method: string
  /** Starts with a slash. */
  readonly path: string
  readonly query: URLSearchParams
  /** The path with its query as sent, for signatures. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

export interface WireResponse<Body extends TextOrChunks = string> {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Body
}

/** A simulated HTTP service; `blocksBehind` makes it answer without the newest blocks. */
export type Service<Body extends TextOrChunks = string> = (
  request: WireRequest,
  blocksBehind?: number,
) => WireResponse<Body>

export interface WireSocket {
  readonly send: (text: string) => void
  /** Sends a protocol ping, which the client answers by itself. */
  readonly ping?: () => void
  readonly close: (code: number, reason: string) => void
  onMessage: (text: string) => void
  onClose: () => void
}

/** A connection without faults. */
export interface RawSocket {
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  readonly ping: () => void
  /** Drops the connection without a closing frame. */
  readonly drop: () => void
}

/** How a response is sent. */
export interface Delivery {
  readonly response: WireResponse<TextOrChunks>
  /** Real time before the first byte is sent. */
  readonly delayMillis: number
  /** Bytes of the body after which the connection breaks; undefined sends all. */
  readonly sentBytes?: number
}

export type Handshake =
  | { readonly kind: "open"; readonly wrap: (raw: RawSocket) => WireSocket }
  | { readonly kind: "refused"; readonly response: WireResponse }
  /** The connection breaks without a response. */
  | { readonly kind: "dropped" }

/** Sits between the services and the wire; `prefix` identifies the service. */
export interface WireInterceptor {
  /** Undefined breaks the connection without a response. */
  readonly respond: (
    prefix: string,
    request: WireRequest,
    serve: (blocksBehind?: number) => WireResponse<TextOrChunks>,
  ) => Delivery | undefined
  readonly connect: (prefix: string, request: WireRequest) => Handshake
}

const plainSocket = (raw: RawSocket): WireSocket => ({
  send: raw.send,
  ping: raw.ping,
  close: raw.close,
  onMessage: () => undefined,
  onClose: () => undefined,
})

export const plainHandshake: Handshake = { kind: "open", wrap: plainSocket }

export const passThrough: WireInterceptor = {
  respond: (_, __, serve) => ({ response: serve(), delayMillis: 0 }),
  connect: () => plainHandshake,
}

/** A simulated WebSocket service, called for every connection. */
export type SocketService = (socket: WireSocket, request: WireRequest) => void

export const json = (value: unknown, status = 200): WireResponse => jsonText(JSON.stringify(value), status)

export const jsonText = <Body extends TextOrChunks>(body: Body, status = 200): WireResponse<Body> => ({
  status,
  headers: { "content-type": "application/json" },
  body,
})
