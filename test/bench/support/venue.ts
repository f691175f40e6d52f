import type { ScaleName } from "#src/simulator/world/scale.ts"

/** The simulated venue in a process of its own. */
export interface VenueSubject {
  /** Builds the world and listens; the port, the newest block and the seconds it took. */
  readonly start: (scale: "tiny" | "small" | "medium" | "large") => Promise<{ port: number; head: number }>
  /** The same, but its time stands still at this moment, which is also when its history ends. */
  readonly startAt: (scale: ScaleName, genesis: number) => Promise<{ port: number; head: number }>
  /** Lets some time pass at once; the newest block. */
  readonly advance: (millis: number) => Promise<number>
  /** Serves the logs up to about so many fills from memory, on another port. */
  readonly store: (fills: number) => Promise<{ port: number; head: number }>
  /** When these blocks were due, in milliseconds. */
  readonly dueAt: (blocks: ReadonlyArray<number>) => ReadonlyArray<number>
}

/** Blocks asked for at once, and how often. */
export interface LogRange {
  readonly from: number
  readonly step: number
  readonly pages: number
}

/** Serves the logs that another server gave it. */
export interface LogServerSubject {
  readonly copy: (port: number, range: LogRange) => Promise<number>
}

export interface LogReaderSubject {
  /** Reads page after page and tells how many logs came in a second. */
  readonly read: (port: number, path: string, range: LogRange) => Promise<{ logs: number; perSecond: number }>
}

const hex = (value: number) => `0x${value.toString(16)}`

/** The bodies of the requests of a range. */
export const requestsOf = ({ from, step, pages }: LogRange): ReadonlyArray<string> =>
  Array.from({ length: pages }, (_, page) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "eth_getLogs",
      params: [{ fromBlock: hex(from + page * step), toBlock: hex(from + page * step + step - 1) }],
    }),
  )
