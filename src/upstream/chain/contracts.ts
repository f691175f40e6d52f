/** Addresses of the venue on Polygon: 40 lower-case digits without 0x, as everywhere in the ledger. */
export const address = {
  ctf: "4d97dcd97ec945f40cf65f87097ace5ea0476045",
  usdce: "2791bca1f2de4661ed88a30c99a7a9449aa84174",
  usdc: "3c499c542cef5e3811e1192ce70d8cc03d5c3359",
  pusd: "c011a7e12a19f7b1f670d46f03b03f3342e82dfb",
  /** Holds the USDC behind the pUSD. */
  pusdVault: "c417fd8e9661c0d2120b64a04bb3278c17e99db1",
  wrappedCollateral: "3a3bd7bb9528e159577f7c2e685cc81a765002e2",
  ctfExchange1: "4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e",
  negRiskExchange1: "c5d563a36ae78145c45a50134d48a1215220f80a",
  ctfExchange2: "e111180000d2663c0091e4f400237545b87b996b",
  negRiskExchange2: "e2222d279d744050d28e00520010520000310f59",
  /** Documented by one source only. */
  negRiskExchange2Other: "e2222d002000ba0053cef3375333610f64600036",
  exchange3: "e3333700ca9d93003f00f0f71f8515005f6c00aa",
  negRiskAdapter: "d91e80cf2e7be2e162c6513ced06f1dd0da35296",
  negRiskOperator: "661992aebf6becf7ba5abb66f6b0bf62aa7a2e93",
  negRiskOperatorEarlier: "71523d0f655b41e805cec45b17163f528b59b820",
  /** Receives the fees of conversions. */
  negRiskVault: "7f67327e88c258932d7d8f72950be0d46975e11d",
  /** Receives the NO tokens of conversions; nobody has its key. */
  noBurn: "a5ef39c3d3e10d0b270233af41cac69796b12966",
  feeModule: "e3f18acc55091e2c48d883fc8c8413319d4ab7b0",
  negRiskFeeModule: "b768891e3130f6df18214ac804d4db76c2c37730",
  collateralAdapter: "ada100db00ca00073811820692005400218fce1f",
  collateralAdapterEarlier: "ada100874d00e3331d00f2007a9c336a65009718",
  negRiskCollateralAdapter: "ada2005600dec949baf300f4c6120000bdb6eaab",
  negRiskCollateralAdapterEarlier: "ada200001000ef00d07553cee7006808f895c6f1",
  collateralOnramp: "93070a847efef7f70739046a929d47a521f5b8ee",
  collateralOfframp: "2957922eb93258b93368531d39facca3b4dc5854",
  permissionedRamp: "ebc2459ec962869ca4c0bd1e06368272732bcb08",
  positionManager: "006f54f7f9a22e0000cc2ab60031000000ae9fef",
  router: "12121212006e4cd160d18e3f00711da5c3372600",
  binaryModule: "1000008dd9001b968442c1000017eae6e0da00ba",
  negRiskModule: "200000900045e3b6259600682756002200028933",
  comboModule: "30000034706c7d8e12009dab006be20000c031a8",
  autoRedeemer: "a1200000d0002264c9a1698e001292d00e1b00af",
  /**
   * Earlier deployments (CtfAutoRedeem), the first until 2026-04-28. The venue's list of contracts lacks them. Its client
   * libraries of the time and published inventories of its contracts have them.
   */
  autoRedeemerFirst: "05cd9922a5d37fae921fc5dee280a9dbc4c3b393",
  autoRedeemerSecond: "f3cfb6a6ebfeb51876289eb235719eb1c65252b0",
  umaAdapter: "65070be91477460d8a7aeeb94ef92fe056c2f2a7",
  umaNegRiskAdapter: "69c47de9d4d3dad79590d61b9e05918e03775f24",
  umaAdapterEarlier: "6a9d222616c90fca5754cd1333cfd9b7fb6a4f74",
  /** The accounts from which the simulated venue pays its makers. Those of the real one are not documented. */
  rewardPayer: "000000000000000000000000000000007e6a7e01",
  rebatePayer: "000000000000000000000000000000007e6a7e00",
  zero: "0000000000000000000000000000000000000000",
} as const

/** 1: USDC.e; 2: the same tokens for pUSD; 3: Protocol V2, with its own positions. */
export type Generation = 1 | 2 | 3

export const generations: ReadonlyMap<string, Generation> = new Map([
  [address.ctfExchange1, 1],
  [address.negRiskExchange1, 1],
  [address.ctfExchange2, 2],
  [address.negRiskExchange2, 2],
  [address.negRiskExchange2Other, 2],
  [address.exchange3, 3],
])

/** As the taker of a fill, an exchange marks the taker's own order; as the holder of a split or merge, a settlement. */
export const exchanges: ReadonlySet<string> = new Set(generations.keys())

export const feeModules: ReadonlySet<string> = new Set([address.feeModule, address.negRiskFeeModule])

/** They hold positions for a wallet for a moment; the contracts' events name them instead of the wallet. */
export const adapters: ReadonlySet<string> = new Set([
  address.negRiskAdapter,
  address.collateralAdapter,
  address.collateralAdapterEarlier,
  address.negRiskCollateralAdapter,
  address.negRiskCollateralAdapterEarlier,
])

/** Oracle adapters, which resolve the questions of the older contracts. */
export const oracleAdapters: ReadonlySet<string> = new Set([
  address.umaAdapter,
  address.umaNegRiskAdapter,
  address.umaAdapterEarlier,
])

/** Collateral of the outcome tokens that the venue trades. Anyone can mint tokens of a condition with other collateral. */
export const collaterals: ReadonlySet<string> = new Set([address.usdce, address.wrappedCollateral, address.pusd])

/** They exchange USDC and pUSD. */
export const ramps: ReadonlySet<string> = new Set([
  address.collateralOnramp,
  address.collateralOfframp,
  address.permissionedRamp,
])

/** They redeem for wallets that allow it, and pass the payout on. */
export const autoRedeemers: ReadonlySet<string> = new Set([
  address.autoRedeemer,
  address.autoRedeemerFirst,
  address.autoRedeemerSecond,
])

export const modules: ReadonlySet<string> = new Set([address.binaryModule, address.negRiskModule, address.comboModule])

/** Contracts that move positions of the second protocol and its collateral for a wallet that allows it, by their role. */
export const comboOperators: ReadonlyMap<string, string> = new Map([
  [address.exchange3, "exchange"],
  [address.router, "router"],
  [address.autoRedeemer, "auto_redeemer"],
  [address.binaryModule, "binary_module"],
  [address.negRiskModule, "neg_risk_module"],
  [address.comboModule, "combo_module"],
])

/** What the venue pays its makers for, by the account that pays. */
export const makerPayers: ReadonlyMap<string, "reward" | "rebate"> = new Map([
  [address.rewardPayer, "reward"],
  [address.rebatePayer, "rebate"],
])

/** Tokens of other issuers, and accounts without code. */
const foreign: ReadonlySet<string> = new Set([
  address.usdce,
  address.usdc,
  address.noBurn,
  address.zero,
  ...makerPayers.keys(),
])

/** The venue's own contracts. */
export const venueContracts: ReadonlySet<string> = new Set(
  Object.values(address).filter((digits) => !foreign.has(digits)),
)

/** Contracts that hold the balances of outcome tokens. */
export const ledgers: ReadonlySet<string> = new Set([address.ctf, address.positionManager])
