import type { ScaleName } from "#src/simulator/world/scale.ts"

/** The simulated venue in its own process. */
export interface VenueSubject {
  /** Builds the world and listens; returns the port and the newest block. */
  readonly start: (scale: "tiny" | "small" | "medium" | "large") => Promise<{ port: number; head: number }>
  /** The same with a clock fixed at `genesis`, where the history ends. */
  readonly startAt: (scale: ScaleName, genesis: number) => Promise<{ port: number; head: number }>
  /** Advances the clock; returns the newest block. */
  readonly advance: (millis: number) => Promise<number>
  /** Serves the logs of about the first `fills` fills from memory, on another port. */
  readonly store: (fills: number) => Promise<{ port: number; head: number }>
  /** Scheduled times of these blocks, in milliseconds. */
  readonly dueAt: (blocks: ReadonlyArray<number>) => ReadonlyArray<number>
}

/** First block, blocks per request and number of requests. */
export interface LogRange {
  readonly from: number
  readonly step: number
  readonly pages: number
}

/** Serves logs copied from another server. */
export interface LogServerSubject {
  readonly copy: (port: number, range: LogRange) => Promise<number>
}

export interface LogReaderSubject {
  /** Reads all pages; returns the logs per second. */
  readonly read: (port: number, path: string, range: LogRange) => Promise<{ logs: number; perSecond: number }>
}

const hex = (value: number) => `0x${value.toString(16)}`

/** Request bodies of a range. */
export const requestsOf = ({ from, step, pages }: LogRange): ReadonlyArray<string> =>
  Array.from({ length: pages }, (_, page) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "eth_getLogs",
      params: [{ fromBlock: hex(from + page * step), toBlock: hex(from + page * step + step - 1) }],
    }),
  )
