import { hexOf, seedOf } from "../random.ts"
import type { EventPlan, WalletKind } from "../world/model.ts"
import type { IdScheme, Leg, Market } from "../world/Venue.ts"
import { paddedAddress, prefixed, textWords, word } from "./abi.ts"
import { address } from "./contracts.ts"
import { keccakOfHex } from "./keccak.ts"
import { tokenHexOf } from "./tokenId.ts"
import { depositArguments, depositInitCode } from "./walletCode.ts"

const proxyInitCode = "d21df8dc65880a8606f09fe0ce3df9b8869287ab0b058be05aa9e8af6330a00b"
const safeInitCode = "2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf"

/** CREATE2. The salt and the hash of the code are without prefix. */
const create2Address = (factory: string, salt: string, initCode: string) =>
  `0x${keccakOfHex(`ff${factory.slice(2)}${salt}${initCode}`).slice(-40)}`

/** The address at which the venue's factories deploy an owner's wallet. */
export const walletAddress = (owner: string, kind: WalletKind): string => {
  switch (kind) {
    case "eoa":
      return owner
    case "proxy":
      return create2Address(address.proxyFactory, keccakOfHex(owner.slice(2)), proxyInitCode)
    case "safe":
      return create2Address(address.safeFactory, keccakOfHex(paddedAddress(owner)), safeInitCode)
    case "deposit": {
      const salt = keccakOfHex(depositArguments(owner))
      return create2Address(address.depositFactory, salt, keccakOfHex(depositInitCode(owner)))
    }
  }
}

const reserved = "0".repeat(16)
const polygon = "0089"

/**
 * Position ids of Protocol V2 as hexadecimal digits: module 8 bits, base 128, arity 16, reserved 64, resolution chain 16,
 * condition index 16, outcome 8. A condition id is a position id without its outcome.
 */
const conditionHex = (module: 1 | 2 | 3, base: string, arity: number, index: number) =>
  `0${module}${base}${arity.toString(16).padStart(4, "0")}${reserved}${polygon}${index.toString(16).padStart(4, "0")}`

const positionHex = (condition: string, outcome: 0 | 1): string => `${condition}0${outcome}`

/** `base` has 32 digits. */
const comboConditionHex = (legs: number, base: string): string => conditionHex(3, base, legs, 0)

/** The Protocol V2 condition of a market of the older contracts. */
export const migratedConditionHex = ({ event, conditionId, questionIndex }: Market): string =>
  event.negRiskMarketId === undefined
    ? conditionHex(1, conditionId.slice(2, 34), 2, 0)
    : conditionHex(2, event.negRiskMarketId.slice(2, 34), event.markets.length, questionIndex)

export const legHex = ({ market, outcome }: Leg): string => positionHex(migratedConditionHex(market), outcome)

/** The contract that reports a market's result to the contract holding its collateral. */
export const reporterOf = ({ event }: Market): string =>
  event.plan.negRisk ? address.negRiskAdapter : address.umaAdapter

/** As ConditionalTokens derives them, for two outcomes. */
export const conditionIdOf = (oracle: string, questionId: string): string =>
  prefixed(keccakOfHex(oracle.slice(2) + questionId.slice(2) + word(2)))

/** As the neg-risk adapter derives them; the last byte counts the questions. `data` is an ABI string. */
export const negRiskMarketIdOf = (oracle: string, feeBips: number, data: string): string =>
  `0x${keccakOfHex(paddedAddress(oracle) + word(feeBips) + word(96) + data).slice(0, 62)}00`

/** Data of a neg-risk event, as the operator sends it to the adapter. */
export const negRiskData = ({ title, slug }: EventPlan): string => textWords(`title: ${title}, slug: ${slug}`)

/** USDC.e, or what the neg-risk adapter wraps it into; the pUSD of later exchanges stands for the same tokens. */
const collateralOf = ({ event }: Market): string => (event.plan.negRisk ? address.wrappedCollateral : address.usdce)

/** Ids as the contracts derive them. Only what the oracle is asked is made up: its questions, and the bases of combos. */
export const idScheme = (seed: number): IdScheme => {
  const questions = seedOf(seed, "questions")
  const combos = seedOf(seed, "combos")
  return {
    negRiskMarketId: (plan) => negRiskMarketIdOf(address.negRiskOperator, 0, negRiskData(plan)),
    questionId: ({ index, event, questionIndex }) =>
      event.negRiskMarketId === undefined
        ? `0x${hexOf(32, questions, index, 1)}`
        : event.negRiskMarketId.slice(0, 64) + questionIndex.toString(16).padStart(2, "0"),
    conditionId: (market) => {
      const { index, legs = [], isCombo } = market
      if (isCombo) return `0x${comboConditionHex(legs.length, hexOf(16, combos, index))}00`
      const [migrated] = legs
      return migrated === undefined
        ? conditionIdOf(reporterOf(market), market.questionId)
        : `0x${migratedConditionHex(migrated.market)}00`
    },
    tokenHex: ({ market, outcome }) =>
      market.legs === undefined
        ? tokenHexOf(collateralOf(market), market.conditionId, outcome)
        : positionHex(market.conditionId.slice(2, 64), outcome),
  }
}
