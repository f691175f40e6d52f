import { exactAmount } from "#src/domain/amounts.ts"
import type { Combo } from "../combos/Combos.ts"
import type { PlaceRow } from "../rows.ts"
import { comboPayload, outcomeSide } from "./combo.ts"

export type LifecycleAction = "Prepare" | "Split" | "Merge" | "Redeem" | "Transfer"

/** What somebody does with a combo other than trading it. */
export interface Lifecycle {
  readonly action: LifecycleAction
  readonly user: string | null
  /** Tokens that are given up, and that are got. */
  readonly from: ReadonlyArray<string>
  readonly to: ReadonlyArray<string>
  readonly amount: bigint | null
  readonly payout: bigint | null
}

const usdc = (amount: bigint | null) => (amount === null ? null : exactAmount(amount))
const e6 = (amount: bigint | null) => (amount === null ? null : Number(amount))

export const lifecyclePayload = (
  { tx, block, log_index, at }: PlaceRow,
  combo: Combo,
  { action, user, from, to, amount, payout }: Lifecycle,
) => {
  const tokens = [...new Set([...from, ...to])]
  const [only] = tokens
  return {
    event_type: "combo_lifecycle",
    tx_hash: `0x${tx}`,
    log_index,
    status: "confirmed",
    detected_at: at.getTime(),
    block_number: block,
    action,
    user,
    ...comboPayload(combo),
    condition_ids: combo.legs.map(({ condition }) => condition),
    event_ids: [...new Set(combo.legs.flatMap(({ event }) => event ?? []))],
    module_id: 3,
    module_name: "combinatorial",
    position_ids: tokens,
    source_position_ids: from,
    destination_position_ids: to,
    side: tokens.length === 1 && only !== undefined ? outcomeSide(combo, only) : null,
    amount_e6: e6(amount),
    amount_usdc: usdc(amount),
    payout_e6: e6(payout),
    payout_usdc: usdc(payout),
    confirmed_transfers: null,
  }
}
