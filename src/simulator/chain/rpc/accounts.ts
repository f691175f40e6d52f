import type { WorldModel } from "../../world/makeWorld.ts"
import type { Wallet } from "../../world/model.ts"
import { address } from "../contracts.ts"
import { someCode, walletCode } from "../walletCode.ts"
import type { NodeView } from "./params.ts"

const known = new WeakMap<WorldModel, ReadonlyMap<string, Wallet>>()

/** The wallet at an address. All were deployed before the history begins. */
export const walletAt = ({ model }: NodeView, account: string): Wallet | undefined => {
  const wallets = known.get(model) ?? new Map(model.wallets.map((wallet) => [wallet.address, wallet]))
  known.set(model, wallets)
  return wallets.get(account)
}

const contracts = new Set<string>(Object.values(address).filter((each) => each !== address.zero))

/** The code of a wallet or of one of the venue's contracts. */
export const codeAt = (node: NodeView, account: string): string => {
  const wallet = walletAt(node, account)
  if (wallet !== undefined) return walletCode(wallet)
  return contracts.has(account) ? someCode : "0x"
}
