import type { Hex } from "viem"
import { concatHex, keccak256, toRlp } from "viem/utils"
import type { VenueLog } from "#src/upstream/chain/readLogs.ts"

/** Leaves and nodes are hashed differently, so that a node cannot pass for a log. */
const [leafPrefix, nodePrefix]: readonly [Hex, Hex] = ["0x00", "0x01"]

const emptyRoot: Hex = `0x${"0".repeat(64)}`

/** Root of a binary tree; the last node of an odd level moves up unchanged. */
export const merkleRoot = (leaves: ReadonlyArray<Hex>): Hex => {
  let level = leaves
  while (level.length > 1) {
    const below = level
    level = Array.from({ length: Math.ceil(below.length / 2) }, (_, i) => {
      const [left, right] = [below[2 * i] as Hex, below[2 * i + 1]]
      return right === undefined ? left : keccak256(concatHex([nodePrefix, left, right]))
    })
  }
  return level[0] ?? emptyRoot
}

const leafOf = ({ address, topics, data }: VenueLog): Hex =>
  keccak256(concatHex([leafPrefix, toRlp([address as Hex, topics as ReadonlyArray<Hex>, data as Hex])]))

/** Root over logs in chain order. Anybody with a node can compute the same from its logs. */
export const logRoot = (logs: ReadonlyArray<VenueLog>): Hex => merkleRoot(logs.map(leafOf))
