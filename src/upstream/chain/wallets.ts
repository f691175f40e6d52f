import type { Hex } from "viem"
import { concatHex, encodeAbiParameters, getCreate2Address, keccak256, pad, size, slice } from "viem/utils"

export type WalletType = "deposit_wallet" | "safe" | "proxy_wallet"

/** A wallet that the venue's factories deploy for a key. */
export interface OwnedWallet {
  readonly address: Hex
  readonly type: WalletType
}

const proxyFactory = "0xab45c5a4b0c941a2f231c04c3f49182e1a254052"
const proxyImplementation = "0x44e999d5c2f66ef0861317f9a4805ac2e90aeb4f"
const proxyInitCodeHash = "0xd21df8dc65880a8606f09fe0ce3df9b8869287ab0b058be05aa9e8af6330a00b"
const safeFactory = "0xaacfeea03eb1561c4e67d661e40682bd20e3541b"
const safeInitCodeHash = "0x2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf"
const depositFactory = "0x00000000000fb5c9adea0298d729a0cb3823cc07"
const depositImplementation = "0x58ca52ebe0dadfdf531cde7062e76746de4db1eb"
const depositBeacon = "0x7a18edfe055488a3128f01f563e5b479d92ffc3a"

/** ERC-1967 slots of the implementation and of the beacon. */
const implementationSlot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
const beaconSlot = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"

const create2 = (from: Hex, salt: Hex, bytecodeHash: Hex) =>
  getCreate2Address({ from, salt, bytecodeHash }).toLowerCase() as Hex

/** What a deposit wallet is created with: its factory and its owner. They are the end of its code. */
const depositArguments = (owner: Hex) =>
  encodeAbiParameters([{ type: "address" }, { type: "bytes32" }], [depositFactory, pad(owner)])
const argumentBytes = 64

/** Creation code of an ERC-1967 proxy: it delegates to one implementation, as the first deposit wallets do. */
const upgradeableInitCode = (args: Hex) =>
  concatHex([
    "0x61007d3d8160233d3973",
    depositImplementation,
    "0x60095155f3363d3d373d3d363d7f",
    implementationSlot,
    "0x545af43d6000803e6038573d6000fd5b3d6000f3",
    args,
  ])

/** Creation code of an ERC-1967 beacon proxy: it delegates to what the beacon names, as newer deposit wallets do. */
const beaconInitCode = (args: Hex) =>
  concatHex([
    "0x6100923d8160233d3973",
    depositBeacon,
    "0x60195155f3363d3d373d3d363d602036600436635c60da1b60e01b36527f",
    beaconSlot,
    "0x545afa5036515af43d6000803e604d573d6000fd5b3d6000f3",
    args,
  ])

const depositWallet = (owner: Hex, initCode: (args: Hex) => Hex): OwnedWallet => {
  const args = depositArguments(owner)
  return { address: create2(depositFactory, keccak256(args), keccak256(initCode(args))), type: "deposit_wallet" }
}

/** The addresses of a key's wallets, in the order in which the venue prefers those that are deployed. */
export const walletsOf = (owner: Hex): ReadonlyArray<OwnedWallet> => [
  depositWallet(owner, upgradeableInitCode),
  depositWallet(owner, beaconInitCode),
  { address: create2(safeFactory, keccak256(pad(owner)), safeInitCodeHash), type: "safe" },
  { address: create2(proxyFactory, keccak256(owner), proxyInitCodeHash), type: "proxy_wallet" },
]

/** Whether an address with this code is a key: it has no code, or delegates to a contract (EIP-7702). */
export const isKeyCode = (code: Hex): boolean => code === "0x" || /^0xef0100[0-9a-f]{40}$/.test(code)

/** An ERC-1167 clone. It does not contain its owner. */
const proxyWalletCode = concatHex(["0x363d3d373d3d3d363d73", proxyImplementation, "0x5af43d82803e903d91602b57fd5bf3"])

export const isProxyWalletCode = (code: Hex): boolean => code === proxyWalletCode

/** The owner at the end of a deposit wallet's code; undefined if it is another contract. */
export const depositOwnerIn = (code: Hex): Hex | undefined => {
  if (size(code) < argumentBytes) return undefined
  const owner = slice(code, -20)
  return slice(code, -argumentBytes) === depositArguments(owner) ? owner : undefined
}
