import type { WalletKind } from "../world/model.ts"
import { paddedAddress } from "./abi.ts"
import { address } from "./contracts.ts"

const proxyImplementation = "44e999d5c2f66ef0861317f9a4805ac2e90aeb4f"
const depositImplementation = "58ca52ebe0dadfdf531cde7062e76746de4db1eb"
const depositBeacon = "7a18edfe055488a3128f01f563e5b479d92ffc3a"

/** Where ERC-1967 proxies keep their implementation, and beacon proxies their beacon. */
const implementationSlot = "360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
const beaconSlot = "a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"

/** The first deposit wallets delegate to one implementation, later ones to that of a beacon. About a quarter is old. */
const isFirstForm = (owner: string) => /[0-3]$/.test(owner)

/** The factory and the owner, which follow the code of a deposit wallet. */
export const depositArguments = (owner: string): string => paddedAddress(address.depositFactory) + paddedAddress(owner)

const firstForm = `363d3d373d3d363d7f${implementationSlot}545af43d6000803e6038573d6000fd5b3d6000f3`
const beaconForm = `363d3d373d3d363d602036600436635c60da1b60e01b36527f${beaconSlot}545afa5036515af43d6000803e604d573d6000fd5b3d6000f3`

const depositCode = (owner: string) => (isFirstForm(owner) ? firstForm : beaconForm) + depositArguments(owner)

/** What the factory runs to create a deposit wallet: it fills the slot and returns the code. */
export const depositInitCode = (owner: string): string => {
  const code = depositCode(owner)
  const length = (code.length / 2).toString(16).padStart(4, "0")
  const [target, from] = isFirstForm(owner) ? [depositImplementation, "09"] : [depositBeacon, "19"]
  return `61${length}3d8160233d3973${target}60${from}5155f3${code}`
}

/** Code of contracts that nobody looks into. */
export const someCode = "0x6080604052600080fd"

/** The code at the address of a wallet. That of Safes is not the real one. */
export const walletCode = ({ kind, owner }: { readonly kind: WalletKind; readonly owner: string }): string => {
  switch (kind) {
    case "eoa":
      return "0x"
    case "proxy":
      return `0x363d3d373d3d3d363d73${proxyImplementation}5af43d82803e903d91602b57fd5bf3`
    case "safe":
      return someCode
    case "deposit":
      return `0x${depositCode(owner)}`
  }
}
