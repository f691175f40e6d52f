import type { Millis } from "../world/model.ts"

/** An id is the milliseconds since this epoch followed by a 22-bit serial. */
const epoch = 1_288_834_974_657
const serialBits = 22n
export const serials = 2 ** 22
const largest = 2n ** 63n - 1n

/** The decoded id. Snowflakes order like their ids. */
export interface Snowflake {
  readonly at: Millis
  readonly serial: number
}

export const snowflakeId = ({ at, serial }: Snowflake): string =>
  String((BigInt(at - epoch) << serialBits) + BigInt(serial))

/** Undefined for an invalid id. */
export const parseSnowflake = (id: string): Snowflake | undefined => {
  if (!/^\d{1,19}$/.test(id)) return undefined
  const number = BigInt(id)
  if (number > largest) return undefined
  return { at: Number(number >> serialBits) + epoch, serial: Number(number & BigInt(serials - 1)) }
}

export const isAfter = (a: Snowflake, b: Snowflake): boolean => a.at > b.at || (a.at === b.at && a.serial > b.serial)
