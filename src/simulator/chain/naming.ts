import type { Hex } from "viem"
import { keccak256 } from "viem/utils"
import { hexEnding, hexOf, seedOf } from "../random.ts"
import type { WalletKind } from "../world/model.ts"
import type { Market, Naming } from "../world/Venue.ts"
import { address } from "./contracts.ts"
import { comboConditionHex, comboTail, isComboHex, positionHex } from "./positionIds.ts"
import { asTopic, padded } from "./words.ts"

const proxyInitCode = "0xd21df8dc65880a8606f09fe0ce3df9b8869287ab0b058be05aa9e8af6330a00b"
const safeInitCode = "0x2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf"

/** CREATE2; viem's own also works out the checksum, which takes as long again. */
const created = (factory: string, salt: Hex, initCode: Hex) =>
  `0x${keccak256(`0xff${factory.slice(2)}${salt.slice(2)}${initCode.slice(2)}`).slice(-40)}`

/** Where the venue's factories put the wallet of an owner. How deposit wallets are derived is not public; theirs are made up. */
export const walletAddress = (owner: string, kind: WalletKind): string => {
  const key = owner as Hex
  switch (kind) {
    case "eoa":
      return owner
    case "proxy":
      return created(address.proxyFactory, keccak256(key), proxyInitCode)
    case "safe":
      return created(address.safeFactory, keccak256(asTopic(padded(owner)) as Hex), safeInitCode)
    case "deposit":
      return created(address.depositFactory, keccak256(key), keccak256(key))
  }
}

/** Who reports the result of a market to the contract that holds its collateral. */
export const reporterOf = ({ event }: Market): string =>
  event.plan.negRisk ? address.negRiskAdapter : address.umaAdapter

/**
 * On the chain conditions and tokens are hashes of questions, and of points on a curve. Here they are made-up numbers
 * that end in their place in the world: hashes would take minutes for a large world, and could not be looked up
 * without a table of all of them.
 */
export const naming = (seed: number): Naming => {
  const questions = seedOf(seed, "questions")
  const conditions = seedOf(seed, "conditions")
  const tokens = seedOf(seed, "tokens")
  const tokenIn = (digits: string) => (Number.parseInt(digits, 16) ^ tokens) >>> 0
  return {
    negRiskMarketId: (event) => `0x${hexOf(32, questions, event).slice(0, 62)}00`,
    questionId: ({ index, event, place }) =>
      event.negRiskMarketId === undefined
        ? `0x${hexOf(32, questions, index, 1)}`
        : event.negRiskMarketId.slice(0, 64) + place.toString(16).padStart(2, "0"),
    conditionId: ({ index, tokens: [first], legs }) =>
      legs === undefined
        ? `0x${hexEnding(first ^ tokens, 28, conditions, index)}`
        : `0x${comboConditionHex(legs.length, hexEnding(first ^ tokens, 12, conditions, index))}00`,
    tokenHex: ({ index, market, outcome }) =>
      market.legs === undefined
        ? hexEnding(index ^ tokens, 28, tokens, index)
        : positionHex(market.conditionId.slice(2, 64), outcome),
    tokenIndexIn: (hex) =>
      isComboHex(hex) ? tokenIn(comboTail(hex)) + Number.parseInt(hex.slice(-2), 16) : tokenIn(hex.slice(-8)),
  }
}
