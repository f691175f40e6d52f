import type { Millis } from "../world/model.ts"

/** Ids count milliseconds from this moment, then 22 bits of their own. */
const epoch = 1_288_834_974_657
const serialBits = 22n
export const serials = 2 ** 22
const largest = 2n ** 63n - 1n

/** When something was written, down to its place within the millisecond: ids compare as these do. */
export interface Stamp {
  readonly at: Millis
  readonly serial: number
}

export const idOf = ({ at, serial }: Stamp): string => String((BigInt(at - epoch) << serialBits) + BigInt(serial))

/** Undefined for what is no id. */
export const stampOf = (id: string): Stamp | undefined => {
  if (!/^\d{1,19}$/.test(id)) return undefined
  const number = BigInt(id)
  if (number > largest) return undefined
  return { at: Number(number >> serialBits) + epoch, serial: Number(number & BigInt(serials - 1)) }
}

export const isAfter = (a: Stamp, b: Stamp): boolean => a.at > b.at || (a.at === b.at && a.serial > b.serial)
