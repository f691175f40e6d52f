import type { Market } from "../world/Venue.ts"

/** Addresses of the real venue on Polygon, in lower case as nodes return them. */
export const address = {
  ctf: "0x4d97dcd97ec945f40cf65f87097ace5ea0476045",
  usdce: "0x2791bca1f2de4661ed88a30c99a7a9449aa84174",
  pusd: "0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb",
  ctf1: "0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e",
  negRisk1: "0xc5d563a36ae78145c45a50134d48a1215220f80a",
  ctf2: "0xe111180000d2663c0091e4f400237545b87b996b",
  negRisk2: "0xe2222d279d744050d28e00520010520000310f59",
  /** ExchangeV3 of Protocol V2, where combos are traded. */
  exchange3: "0xe3333700ca9d93003f00f0f71f8515005f6c00aa",
  negRiskAdapter: "0xd91e80cf2e7be2e162c6513ced06f1dd0da35296",
  wrappedCollateral: "0x3a3bd7bb9528e159577f7c2e685cc81a765002e2",
  feeModule: "0xe3f18acc55091e2c48d883fc8c8413319d4ab7b0",
  negRiskFeeModule: "0xb768891e3130f6df18214ac804d4db76c2c37730",
  collateralOnramp: "0x93070a847efef7f70739046a929d47a521f5b8ee",
  collateralOfframp: "0x2957922eb93258b93368531d39facca3b4dc5854",
  collateralAdapter: "0xada100db00ca00073811820692005400218fce1f",
  negRiskCollateralAdapter: "0xada2005600dec949baf300f4c6120000bdb6eaab",
  positionManager: "0x006f54f7f9a22e0000cc2ab60031000000ae9fef",
  binaryModule: "0x1000008dd9001b968442c1000017eae6e0da00ba",
  negRiskModule: "0x200000900045e3b6259600682756002200028933",
  comboModule: "0x30000034706c7d8e12009dab006be20000c031a8",
  autoRedeemer: "0xa1200000d0002264c9a1698e001292d00e1b00af",
  negRiskOperator: "0x661992aebf6becf7ba5abb66f6b0bf62aa7a2e93",
  /** Receives the NO tokens of conversions. */
  noBurn: "0xa5ef39c3d3e10d0b270233af41cac69796b12966",
  /** Holds the USDC behind pUSD. */
  collateralVault: "0xc417fd8e9661c0d2120b64a04bb3278c17e99db1",
  /** Receives the fees of the later exchanges. */
  feeReceiver: "0x115f48dc2a731aa16251c6d6e1befc42f92accc9",
  router: "0x12121212006e4cd160d18e3f00711da5c3372600",
  umaAdapter: "0x65070be91477460d8a7aeeb94ef92fe056c2f2a7",
  proxyFactory: "0xab45c5a4b0c941a2f231c04c3f49182e1a254052",
  safeFactory: "0xaacfeea03eb1561c4e67d661e40682bd20e3541b",
  depositFactory: "0x00000000000fb5c9adea0298d729a0cb3823cc07",
  zero: "0x0000000000000000000000000000000000000000",
} as const

/** First topics of the events that the simulated contracts emit. */
export const topic = {
  orderFilled1: "0xd0a08e8c493f9c94f29311604c9de1b4e8c8d4c06bd0c789af57f2d65bfec0f6",
  ordersMatched1: "0x63bf4d16b7fa898ef4c4b2b6d90fd201e9c56313b65638af6088d149d2ce956c",
  feeCharged1: "0xacffcc86834d0f1a64b0d5a675798deed6ff0bcfc2231edd3480e7288dba7ff4",
  orderFilled2: "0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee",
  ordersMatched2: "0x174b3811690657c217184f89418266767c87e4805d09680c39fc9c031c0cab7c",
  feeCharged2: "0x55bb3cade9d43b798a4fe5ffdd05024b2d7870df53920673bfc7e68047cd0ab1",
  conditionPreparation: "0xab3760c3bd2bb38b5bcf54dc79802ed67338b4cf29f3054ded67ed24661e4177",
  conditionResolution: "0xb44d84d3289691f71497564b85d4233648d9dbae8cbdbb4329f301c3a0185894",
  positionSplit: "0x2e6bb91f8cbcda0c93623c54d0403a43514fabc40084ec96b6d5379a74786298",
  positionsMerge: "0x6f13ca62553fcc2bcd2372180a43949c1e4cebba603901ede2f4e14f36b282ca",
  payoutRedemption: "0x2682012a4a4f1973119f1c9b90745d1bd91fa2bab387344f044cb3586864d18d",
  transferSingle: "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  transferBatch: "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  negRiskSplit: "0xbbed930dbfb7907ae2d60ddf78345610214f26419a0128df39b6cc3d9e5df9b0",
  negRiskMerge: "0xba33ac50d8894676597e6e35dc09cff59854708b642cd069d21eb9c7ca072a04",
  positionsConverted: "0xb03d19dddbc72a87e735ff0ea3b57bef133ebe44e1894284916a84044deb367e",
  negRiskRedemption: "0x9140a6a270ef945260c03894b3c6b3b2695e9d5101feef0ff24fec960cfd3224",
  marketPrepared: "0xf059ab16d1ca60e123eab60e3c02b68faf060347c701a5d14885a8e1def7b3a8",
  questionPrepared: "0xaac410f87d423a922a7b226ac68f0c2eaf5bf6d15e644ac0758c7f96e2c253f7",
  outcomeReported: "0x9e9fa7fd355160bd4cd3f22d4333519354beff1f5689bde87f2c5e63d8d484b2",
  feeRefunded: "0xb608d2bf25d8b4b744ba23ce2ea9802ea955e216c064a62f42152fbf98958d24",
  tokenRegistered: "0xbc9a2432e8aeb48327246cddd6e872ef452812b4243c04e6bfb786a2cd8faf0d",
  questionInitialized: "0xeee0897acd6893adcaf2ba5158191b3601098ab6bece35c5d57874340b64c5b7",
  questionResolved: "0x566c3fbdd12dd86bb341787f6d531f79fd7ad4ce7e3ae2d15ac0ca1b601af9df",
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  wrapped: "0xc00a5c84859ae82a7f5e6a2773283fb525335d5b3195f61174aa1ecc7e15dd84",
  unwrapped: "0x18b42b684d0b621cc609f4d888916e5ed9e934a476259ec1c11ec116f2b9aa7f",
  approval: "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925",
  approvalForAll: "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31",
  positionsSplit: "0xb6a6b8b17a43b07b9359dd12d304e42077eede9e672f8646144842c8604582a4",
  positionsMerged: "0xf233f7be4ce81130a78e8eb2fa626497586c56094d27bfec2e196471e9c60301",
  positionRedeemed: "0x4fd474b703f46b453536518b4cbc159dfbea6fd663233763d321a9bc8ccdf97f",
  routerSplit: "0x04373eecd7397b9318ae470769098aaab46f432620d95b0d84fc2297a415704c",
  routerMerge: "0x8eb905ea8eb4589289705df45fe31e6d4a35385a223b60c259691cc86dbfb982",
  routerRedemption: "0x81b466b1b365aea7f5664f9a2d8b3a8591d3244acffb5134355ad4da7fe2366a",
  comboPrepared: "0x51c89d7ee51515f7235e928930da7f81be08212bc14870a6a37c64744492db96",
  comboCompressed: "0x43f975db4a407bc85816b44922ab015dc6b990ead8d39099398c03a258e70bce",
  comboWrapped: "0xee943741871b99130d74367c491afe27aa9324108e10ae51d0a8f9e8cd9f9eff",
  comboUnwrapped: "0x49c5e71a70e54b164c70c3345b2f3ca11fbad1c05a76146be4c4e849f992658b",
  comboExtracted: "0x6c14fdbd417e901138c803349c26df1115726b468ebc6142d39f7b9aef7f17fe",
  comboInjected: "0xbb32ee0762f37f8b1ace698804f2f31be362ada55b233e359de04fefd164819f",
  sequenceEnded: "0xf96012c33cad3242c6e56a0c9a4d003fdf70ca495dff976cff4295e03ffe3b86",
  splitOnCondition: "0x1a07698f7dd85df4924787e65bad71fa08c54c04700b09c8c648c6e797540202",
  mergedOnCondition: "0x532e91b101b4cdffc29d79b6ca1f3ae8690d4846c75145039161f4a22c55019a",
  convertedToYesBasket: "0x348359e703372b7a9511e430c7e4db280578fb31a773e6c075ef7328cec34da6",
  mergedFromYesBasket: "0x09e4439e8186f011e12eb04a93f9d5477f79e7479375c8108d5e38e234a84ff6",
  conditionResolved: "0xe560c1a2847d4cf2e66de11fe592605556989449f38cc3ab96e2e287daa68caa",
  resultReported: "0x669c053fe14f2493990c0c90d8d2870cd45e2630b34b8a2b4f02869301987713",
  migrationResolved: "0xf87100968b0fe70751acf87590ffac515231c5b999cba36e6820c7d312dcc8af",
  migrationRegistered: "0x0da49435dfd3b856758ee0b1a2500f1e8062fed24dd654594af9fa163cc5bcb4",
  autoRedemption: "0xeebddeddf4ae1ee54a48517af27958e7666d69c7ba2e3e7c2b0ff87ef5f4491e",
  autoBinaryRedemption: "0xb434294b5904213c83a167af0068ab82637c6fd4fac945e2abc74ed8d3f4d52a",
  autoNegRiskRedemption: "0x74a51ebefec30281ec6849b727ec7916f9b1a3e5e148d6771d98315215b38b96",
} as const

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

const generation1 = { generation: 1, collateral: address.usdce, tokens: address.ctf } as const
const generation2 = { generation: 2, collateral: address.pusd, tokens: address.ctf } as const
const plain = { negRisk: false, feeModule: address.feeModule } as const
const negRisk = { negRisk: true, feeModule: address.negRiskFeeModule } as const

const ctf1: Exchange = { ...generation1, ...plain, address: address.ctf1 }
const negRisk1: Exchange = { ...generation1, ...negRisk, address: address.negRisk1 }
const ctf2: Exchange = { ...generation2, ...plain, address: address.ctf2 }
const negRisk2: Exchange = { ...generation2, ...negRisk, address: address.negRisk2 }
const combo: Exchange = {
  ...generation2,
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

/** The contract of Protocol V2 that mints and redeems the positions of a market. */
export const moduleOf = ({ isCombo, legs }: Market): string => {
  if (isCombo) return address.comboModule
  return legs?.[0]?.market.event.plan.negRisk === true ? address.negRiskModule : address.binaryModule
}
