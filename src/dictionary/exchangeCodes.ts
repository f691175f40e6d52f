import { address } from "#src/upstream/chain/contracts.ts"

/** Indexes are stored in the database: append only. */
const codes: ReadonlyArray<string> = [
  address.ctfExchange1,
  address.negRiskExchange1,
  address.ctfExchange2,
  address.negRiskExchange2,
  address.exchange3,
  address.negRiskExchange2Other,
]

export const exchangeCode = (exchange: string): number => codes.indexOf(exchange)
export const exchangeOf = (code: number): string | undefined => codes[code]
export const exchangeAddress = (code: number): string => `0x${exchangeOf(code) ?? ""}`
