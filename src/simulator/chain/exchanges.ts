import type { Market } from "../world/Venue.ts"
import { address } from "./contracts.ts"

/** The contracts that settle a market. */
export interface Exchange {
  readonly address: string
  readonly generation: 1 | 2 | 3
  readonly negRisk: boolean
  readonly collateral: string
  /** The ERC-1155 contract of the outcome tokens. */
  readonly tokens: string
  /** Receives and refunds the fees of the first generation. */
  readonly feeModule: string
}

const first = { generation: 1, collateral: address.usdce, tokens: address.ctf } as const
const second = { generation: 2, collateral: address.pusd, tokens: address.ctf } as const
const plain = { negRisk: false, feeModule: address.feeModule } as const
const negRisk = { negRisk: true, feeModule: address.negRiskFeeModule } as const

const ctf1: Exchange = { ...first, ...plain, address: address.ctf1 }
const negRisk1: Exchange = { ...first, ...negRisk, address: address.negRisk1 }
const ctf2: Exchange = { ...second, ...plain, address: address.ctf2 }
const negRisk2: Exchange = { ...second, ...negRisk, address: address.negRisk2 }
const combo: Exchange = {
  ...second,
  ...plain,
  generation: 3,
  address: address.exchange3,
  tokens: address.positionManager,
}

/** The exchange of a market, before or after the cut-over to the second generation. */
export const exchangeOf = (market: Market, isSecond: boolean): Exchange => {
  if (market.legs !== undefined) return combo
  if (isSecond) return market.event.plan.negRisk ? negRisk2 : ctf2
  return market.event.plan.negRisk ? negRisk1 : ctf1
}
