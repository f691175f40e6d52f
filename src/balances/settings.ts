import * as Setting from "#src/platform/config/Setting.ts"

export const balancesEvery = Setting.duration("balances.every", {
  default: "5 minutes",
  min: "100 millis",
  max: "7 days",
  live: true,
  doc: "Time between two comparisons of balances with the node",
})

/** More would keep a node busy for long. */
export const maxWallets = 1_000

export const balancesWallets = Setting.int("balances.wallets", {
  default: 20,
  min: 0,
  max: maxWallets,
  live: true,
  doc: "Wallets whose balances are compared with the node each time; 0 turns it off",
})

export const balancesSettings: ReadonlyArray<Setting.AnySetting> = [balancesWallets]
