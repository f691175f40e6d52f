import { firstBlock } from "../../world/blockClock.ts"
import { invalid } from "./RpcError.ts"
import type { Sight } from "./Sight.ts"

/** A milestone of the validators settles blocks about this far behind the newest. */
const settledDepth = 32

/** A block whose number or hash was given, if it exists and can be seen. */
export const shown = (sim: Sight, block: number | undefined): number | undefined =>
  block !== undefined && block >= firstBlock && block <= sim.head ? block : undefined

const described = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value))

/** Lower-case hexadecimal digits of exactly so many bytes. */
export const bytesAt = (value: unknown, bytes: number, place: number, name: string): string => {
  if (typeof value !== "string" || !/^0x[0-9a-f]*$/i.test(value) || value.length !== 2 + bytes * 2) {
    throw invalid(place, `${name} must be 0x and ${bytes * 2} hexadecimal digits, not ${described(value)}`)
  }
  return value.toLowerCase()
}

export const flagAt = (value: unknown, place: number, name: string): boolean => {
  if (typeof value !== "boolean") throw invalid(place, `${name} must be true or false, not ${described(value)}`)
  return value
}

/** The height that a number or tag means; it may not exist. */
export const heightAt = (sim: Sight, value: unknown, place: number, name = "block"): number => {
  switch (value) {
    case "latest":
    case "pending":
      return sim.head
    case "safe":
    case "finalized":
      return Math.max(firstBlock, sim.head - settledDepth)
    case "earliest":
      return firstBlock
  }
  if (typeof value === "string" && /^0x(0|[1-9a-f][0-9a-f]{0,15})$/i.test(value)) return Number(value)
  throw invalid(place, `${name} must be a tag or a hexadecimal number without leading zeros, not ${described(value)}`)
}

export const isHash = (value: unknown): value is string => typeof value === "string" && /^0x[0-9a-f]{64}$/i.test(value)
