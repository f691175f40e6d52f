import { address } from "#src/upstream/chain/contracts.ts"
import type { Args, EventCase } from "./EventCase.ts"

const first = [address.ctfExchange1, address.negRiskExchange1]
const second = [address.ctfExchange2, address.negRiskExchange2, address.negRiskExchange2Other, address.exchange3]
const fees = [address.feeModule, address.negRiskFeeModule]
const ledgers = [address.ctf, address.positionManager]

const zero = "0".repeat(64)
const unlessZero = (word: string) => (word === zero ? undefined : word)

const trade1 = (args: Args, exchange: string) => {
  const isBuy = args.big("makerAssetId") === 0n
  const [given, got] = [args.number("makerAmountFilled"), args.number("takerAmountFilled")]
  return {
    exchange,
    generation: 1 as const,
    side: isBuy ? ("buy" as const) : ("sell" as const),
    token: isBuy ? args.id("takerAssetId") : args.id("makerAssetId"),
    shares: isBuy ? got : given,
    usd: isBuy ? given : got,
  }
}
const trade2 = (args: Args, exchange: string) => {
  const isBuy = args.big("side") === 0n
  const [given, got] = [args.number("makerAmountFilled"), args.number("takerAmountFilled")]
  return {
    exchange,
    generation: exchange === address.exchange3 ? (3 as const) : (2 as const),
    side: isBuy ? ("buy" as const) : ("sell" as const),
    token: args.id("tokenId"),
    shares: isBuy ? got : given,
    usd: isBuy ? given : got,
  }
}
const transferred = (args: Args, contract: string) => ({
  contract,
  operator: args.hex("operator"),
  from: args.hex("from"),
  to: args.hex("to"),
})
const exchanged = (args: Args) => ({
  caller: args.hex("caller"),
  asset: args.hex("asset"),
  to: args.hex("to"),
  amount: args.number("amount"),
})
/** Orders, fees, and what goes from one to another. */
export const tradingCases = {
  orderFilled1: {
    contracts: first,
    event:
      "event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint256 makerAssetId, uint256 takerAssetId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee)",
    expected: (args, contract) => ({
      _tag: "OrderFilled",
      ...trade1(args, contract),
      orderHash: args.hex("orderHash"),
      maker: args.hex("maker"),
      taker: args.hex("taker"),
      fee: args.number("fee"),
      feeIn: args.big("makerAssetId") === 0n ? "shares" : "collateral",
      builder: undefined,
    }),
  },
  ordersMatched1: {
    contracts: first,
    event:
      "event OrdersMatched(bytes32 indexed takerOrderHash, address indexed takerOrderMaker, uint256 makerAssetId, uint256 takerAssetId, uint256 makerAmountFilled, uint256 takerAmountFilled)",
    expected: (args, contract) => ({
      _tag: "OrdersMatched",
      ...trade1(args, contract),
      orderHash: args.hex("takerOrderHash"),
      maker: args.hex("takerOrderMaker"),
    }),
  },
  feeCharged1: {
    contracts: first,
    event: "event FeeCharged(address indexed receiver, uint256 tokenId, uint256 amount)",
    expected: (args, exchange) => ({
      _tag: "FeeCharged",
      exchange,
      receiver: args.hex("receiver"),
      token: unlessZero(args.id("tokenId")),
      amount: args.number("amount"),
    }),
  },
  tokenRegistered: {
    contracts: first,
    event: "event TokenRegistered(uint256 indexed token0, uint256 indexed token1, bytes32 indexed conditionId)",
    expected: (args, exchange) => ({
      _tag: "TokenRegistered",
      exchange,
      token: args.id("token0"),
      complement: args.id("token1"),
      condition: args.hex("conditionId"),
    }),
  },
  orderFilled2: {
    contracts: second,
    event:
      "event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee, bytes32 builder, bytes32 metadata)",
    expected: (args, contract) => ({
      _tag: "OrderFilled",
      ...trade2(args, contract),
      orderHash: args.hex("orderHash"),
      maker: args.hex("maker"),
      taker: args.hex("taker"),
      fee: args.number("fee"),
      feeIn: "collateral",
      builder: unlessZero(args.hex("builder")),
    }),
  },
  ordersMatched2: {
    contracts: second,
    event:
      "event OrdersMatched(bytes32 indexed takerOrderHash, address indexed takerOrderMaker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled)",
    expected: (args, contract) => ({
      _tag: "OrdersMatched",
      ...trade2(args, contract),
      orderHash: args.hex("takerOrderHash"),
      maker: args.hex("takerOrderMaker"),
    }),
  },
  feeCharged2: {
    contracts: second,
    event: "event FeeCharged(address indexed receiver, uint256 amount)",
    expected: (args, exchange) => ({
      _tag: "FeeCharged",
      exchange,
      receiver: args.hex("receiver"),
      token: undefined,
      amount: args.number("amount"),
    }),
  },
  feeRefunded: {
    contracts: fees,
    event:
      "event FeeRefunded(bytes32 indexed orderHash, address indexed to, uint256 id, uint256 refund, uint256 indexed feeCharged)",
    expected: (args, module) => ({
      _tag: "FeeRefunded",
      module,
      orderHash: args.hex("orderHash"),
      to: args.hex("to"),
      token: unlessZero(args.id("id")),
      refund: args.number("refund"),
      charged: args.number("feeCharged"),
    }),
  },
  feeWithdrawn: {
    contracts: fees,
    event: "event FeeWithdrawn(address token, address to, uint256 id, uint256 amount)",
    expected: (args, module) => ({
      _tag: "FeeWithdrawn",
      module,
      to: args.hex("to"),
      token: unlessZero(args.id("id")),
      amount: args.number("amount"),
    }),
  },
  transferSingle: {
    contracts: ledgers,
    event:
      "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
    expected: (args, contract) => ({
      _tag: "TransferSingle",
      ...transferred(args, contract),
      token: args.id("id"),
      amount: args.number("value"),
    }),
  },
  transferBatch: {
    contracts: ledgers,
    event:
      "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
    expected: (args, contract) => ({
      _tag: "TransferBatch",
      ...transferred(args, contract),
      tokens: args.ids("ids"),
      amounts: args.numbers("values"),
    }),
  },
  approvalForAll: {
    contracts: ledgers,
    event: "event ApprovalForAll(address indexed owner, address indexed operator, bool approved)",
    expected: (args, contract) => ({
      _tag: "ApprovalForAll",
      contract,
      owner: args.hex("owner"),
      operator: args.hex("operator"),
      approved: args.flag("approved"),
    }),
  },
  transfer: {
    contracts: [address.pusd, address.usdce, address.usdc],
    event: "event Transfer(address indexed from, address indexed to, uint256 amount)",
    expected: (args, asset) => ({
      _tag: "CollateralTransfer",
      asset,
      from: args.hex("from"),
      to: args.hex("to"),
      amount: args.number("amount"),
    }),
  },
  approval: {
    contracts: [address.pusd],
    event: "event Approval(address indexed owner, address indexed spender, uint256 allowance)",
    expected: (args) => ({
      _tag: "CollateralApproval",
      owner: args.hex("owner"),
      spender: args.hex("spender"),
      amount: args.big("allowance") > BigInt(Number.MAX_SAFE_INTEGER) ? "unlimited" : args.number("allowance"),
    }),
  },
  wrapped: {
    contracts: [address.pusd],
    event: "event Wrapped(address indexed caller, address indexed asset, address indexed to, uint256 amount)",
    expected: (args) => ({ _tag: "CollateralWrapped", ...exchanged(args) }),
  },
  unwrapped: {
    contracts: [address.pusd],
    event: "event Unwrapped(address indexed caller, address indexed asset, address indexed to, uint256 amount)",
    expected: (args) => ({ _tag: "CollateralUnwrapped", ...exchanged(args) }),
  },
} satisfies Readonly<Record<string, EventCase>>
