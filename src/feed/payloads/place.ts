import { secondsOf } from "../amounts.ts"
import type { PlaceRow } from "../rows.ts"

/** Where on the chain something happened. */
export const placePayload = ({ tx, block, log_index, at }: PlaceRow) => ({
  tx_hash: `0x${tx}`,
  block_number: block,
  log_index,
  timestamp: secondsOf(at),
})
