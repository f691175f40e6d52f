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

export interface WireResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** One simulated service over HTTP. */
export type Service = (request: WireRequest) => WireResponse

export interface WireSocket {
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  onMessage: (text: string) => void
  onClose: () => void
}

/** One simulated service over a WebSocket: called for every connection. */
export type SocketService = (socket: WireSocket, request: WireRequest) => void

export const json = (value: unknown, status = 200): WireResponse => jsonText(JSON.stringify(value), status)

export const jsonText = (body: string, status = 200): WireResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body,
})
