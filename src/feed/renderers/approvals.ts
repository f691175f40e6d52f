import type { LoggedApproval } from "#src/ledger/events.ts"
import { comboOperators } from "#src/upstream/chain/contracts.ts"
import { confirmedFacets, type EventRenderer } from "../EventRenderer.ts"

/** Null for permissions that no amount limits. */
const amountOf = ({ allowance }: LoggedApproval) => (typeof allowance === "number" ? allowance : null)

const approvalPayload = (block: number, approval: LoggedApproval) => ({
  event_type: "combo_approval",
  tx_hash: `0x${approval.tx}`,
  status: "confirmed",
  detected_at: approval.at,
  block_number: block,
  approval_type: approval.allowance === undefined ? "position_manager_approval_for_all" : "collateral_allowance",
  owner: `0x${approval.owner}`,
  operator: `0x${approval.operator}`,
  approved: approval.approved ?? approval.allowance !== 0,
  amount_e6: amountOf(approval),
  target_role: comboOperators.get(approval.operator) ?? null,
})

export const renderApproval: EventRenderer = {
  block: ({ ref }) => ref,
  find: ({ ref, data }) => {
    const approval = data as LoggedApproval
    const facets = { ...confirmedFacets, wallets: [`0x${approval.owner}`] }
    return { render: () => [{ type: "combo_approval", facets, data: approvalPayload(Number(ref), approval) }] }
  },
}
