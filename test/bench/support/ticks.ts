import type { MonitoredSubject } from "./monitorSelf.ts"

/** Time of the first tick. The bench has two days of one source. */
export const firstMoment = 1_794_700_800_000
export const days = 2
export const dayMillis = 86_400_000

/** A random range of 24 hours. */
export const randomDay = (): { readonly from: number; readonly to: number } => {
  const from = firstMoment + Math.floor(Math.random() * (days - 1) * dayMillis)
  return { from, to: from + dayMillis }
}

export const pathOf = ({ from, to }: { readonly from: number; readonly to: number }): string =>
  `/v1/crypto/ticks?symbol=BTC&from=${from}&to=${to}&limit=100000&source=oracle_data_streams`

export interface TicksSubject extends MonitoredSubject {
  /** Inserts the ticks into the database. */
  readonly fill: () => Promise<void>
  readonly listen: () => Promise<{ readonly port: number; readonly key: string }>
}

export interface RivalTicksSubject {
  readonly listen: (databaseUrl: string) => Promise<number>
}

export interface StaticBytesSubject extends MonitoredSubject {
  readonly listen: (bytes: number) => Promise<number>
}

export interface Reading {
  /** Milliseconds until the first byte of the body, and until the last. */
  readonly first: number
  readonly whole: number
  readonly bytes: number
}
