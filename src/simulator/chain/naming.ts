import { encodePacked, getContractAddress, type Hex, keccak256 } from "viem"
import { hexOf, seedOf } from "../random.ts"
import type { WalletKind } from "../world/model.ts"
import type { Naming } from "../world/Venue.ts"
import { address } from "./contracts.ts"

const proxyInitCode = "0xd21df8dc65880a8606f09fe0ce3df9b8869287ab0b058be05aa9e8af6330a00b"
const safeInitCode = "0x2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf"

const created = (factory: string, salt: Hex, initCode: Hex) =>
  getContractAddress({ opcode: "CREATE2", from: factory as Hex, salt, bytecodeHash: initCode }).toLowerCase()

/** Where the venue's factories put the wallet of an owner. How deposit wallets are derived is not public; theirs are made up. */
export const walletAddress = (owner: string, kind: WalletKind): string => {
  const key = owner as Hex
  switch (kind) {
    case "eoa":
      return owner
    case "proxy":
      return created(address.proxyFactory, keccak256(key), proxyInitCode)
    case "safe":
      return created(address.safeFactory, keccak256(`0x${owner.slice(2).padStart(64, "0")}`), safeInitCode)
    case "deposit":
      return created(address.depositFactory, keccak256(key), keccak256(key))
  }
}

/**
 * Ids as the contracts compute them, with one shortcut: the collection id of a token is a plain hash instead of a point
 * on a curve, which would take a minute for a large world and which no reader can tell from the token id.
 */
export const naming = (seed: number): Naming => {
  const questions = seedOf(seed, "questions")
  return {
    negRiskMarketId: (event) => `0x${hexOf(32, questions, event).slice(0, 62)}00`,
    questionId: (_event, market, negRiskMarketId, place) =>
      negRiskMarketId === undefined
        ? `0x${hexOf(32, questions, market, 1)}`
        : negRiskMarketId.slice(0, 64) + place.toString(16).padStart(2, "0"),
    conditionId: (questionId, negRisk) =>
      keccak256(
        encodePacked(
          ["address", "bytes32", "uint256"],
          [(negRisk ? address.negRiskAdapter : address.umaAdapter) as Hex, questionId as Hex, 2n],
        ),
      ),
    tokenHex: (conditionId, outcome, negRisk) =>
      keccak256(
        encodePacked(
          ["address", "bytes32", "uint8"],
          [(negRisk ? address.wrappedCollateral : address.usdce) as Hex, conditionId as Hex, outcome + 1],
        ),
      ).slice(2),
  }
}
