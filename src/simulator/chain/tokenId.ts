import { jacobiOver } from "./jacobi.ts"
import { keccak256 } from "./keccak.ts"

/** The field of the curve alt_bn128, y² = x³ + 3. */
const prime = 21888242871839275222246405745257275088696311157297823662689037894645226208583n
const jacobi = jacobiOver(prime)
const isOnCurve = (x: bigint): boolean => jacobi((x * x * x + 3n) % prime) >= 0

const oddBit = 1n << 254n

/** What is hashed. */
const outcomeBytes = Buffer.alloc(64)
const positionBytes = Buffer.alloc(52)

/**
 * The collection of an outcome, as ConditionalTokens derives it without a parent: the first point of the curve after a
 * hash. Of the two points with that x, the contract takes the one whose y is odd if the hash has its highest bit set, and
 * keeps no more of y than that. So y itself, a modular power, need not be known.
 */
const collectionOf = (conditionId: string, outcome: 0 | 1): bigint => {
  outcomeBytes.write(conditionId.slice(2), "hex")
  outcomeBytes[63] = outcome + 1
  const hash = BigInt(`0x${keccak256(outcomeBytes)}`)
  let x = (hash + 1n) % prime
  while (!isOnCurve(x)) x = (x + 1n) % prime
  return hash >> 255n === 0n ? x : x ^ oddBit
}

/** The id of an outcome's token at ConditionalTokens: 64 hexadecimal digits. */
export const tokenHexOf = (collateral: string, conditionId: string, outcome: 0 | 1): string => {
  positionBytes.write(collateral.slice(2), "hex")
  positionBytes.write(collectionOf(conditionId, outcome).toString(16).padStart(64, "0"), 20, "hex")
  return keccak256(positionBytes)
}
