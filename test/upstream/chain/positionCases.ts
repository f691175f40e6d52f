import { address, autoRedeemers } from "#src/upstream/chain/contracts.ts"
import type { Args, EventCase } from "./EventCase.ts"

const modules = [address.binaryModule, address.negRiskModule, address.comboModule]

const partition = (args: Args) => ({
  holder: args.hex("stakeholder"),
  collateral: args.hex("collateralToken"),
  parent: args.hex("parentCollectionId"),
  condition: args.hex("conditionId"),
  partition: args.numbers("partition"),
  amount: args.number("amount"),
})
const pair = (args: Args) => ({
  holder: args.hex("stakeholder"),
  condition: args.hex("conditionId"),
  amount: args.number("amount"),
})
const collected = (args: Args) => ({
  wallet: args.hex("from"),
  condition: args.hex("conditionId"),
  payout: args.number("payout"),
})
const bits = (value: bigint) => Array.from({ length: 256 }, (_, i) => i).filter((i) => (value >> BigInt(i)) & 1n)

/** What becomes of positions, from the preparation of their condition to their redemption. */
export const positionCases = {
  conditionPreparation: {
    contracts: [address.ctf],
    event:
      "event ConditionPreparation(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount)",
    expected: (args) => ({
      _tag: "ConditionPreparation",
      condition: args.hex("conditionId"),
      oracle: args.hex("oracle"),
      question: args.hex("questionId"),
      outcomes: args.number("outcomeSlotCount"),
    }),
  },
  conditionResolution: {
    contracts: [address.ctf],
    event:
      "event ConditionResolution(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount, uint256[] payoutNumerators)",
    expected: (args) => ({
      _tag: "ConditionResolution",
      condition: args.hex("conditionId"),
      oracle: args.hex("oracle"),
      question: args.hex("questionId"),
      payouts: args.numbers("payoutNumerators"),
    }),
  },
  ctfSplit: {
    contracts: [address.ctf],
    event:
      "event PositionSplit(address indexed stakeholder, address collateralToken, bytes32 indexed parentCollectionId, bytes32 indexed conditionId, uint256[] partition, uint256 amount)",
    expected: (args) => ({ _tag: "CtfSplit", ...partition(args) }),
  },
  ctfMerge: {
    contracts: [address.ctf],
    event:
      "event PositionsMerge(address indexed stakeholder, address collateralToken, bytes32 indexed parentCollectionId, bytes32 indexed conditionId, uint256[] partition, uint256 amount)",
    expected: (args) => ({ _tag: "CtfMerge", ...partition(args) }),
  },
  ctfRedemption: {
    contracts: [address.ctf],
    event:
      "event PayoutRedemption(address indexed redeemer, address indexed collateralToken, bytes32 indexed parentCollectionId, bytes32 conditionId, uint256[] indexSets, uint256 payout)",
    expected: (args) => ({
      _tag: "CtfRedemption",
      holder: args.hex("redeemer"),
      collateral: args.hex("collateralToken"),
      parent: args.hex("parentCollectionId"),
      condition: args.hex("conditionId"),
      indexSets: args.numbers("indexSets"),
      payout: args.number("payout"),
    }),
  },
  negRiskSplit: {
    contracts: [address.negRiskAdapter],
    event: "event PositionSplit(address indexed stakeholder, bytes32 indexed conditionId, uint256 amount)",
    expected: (args) => ({ _tag: "NegRiskSplit", ...pair(args) }),
  },
  negRiskMerge: {
    contracts: [address.negRiskAdapter],
    event: "event PositionsMerge(address indexed stakeholder, bytes32 indexed conditionId, uint256 amount)",
    expected: (args) => ({ _tag: "NegRiskMerge", ...pair(args) }),
  },
  negRiskRedemption: {
    contracts: [address.negRiskAdapter],
    event:
      "event PayoutRedemption(address indexed redeemer, bytes32 indexed conditionId, uint256[] amounts, uint256 payout)",
    expected: (args) => ({
      _tag: "NegRiskRedemption",
      holder: args.hex("redeemer"),
      condition: args.hex("conditionId"),
      amounts: args.numbers("amounts"),
      payout: args.number("payout"),
    }),
  },
  negRiskConversion: {
    contracts: [address.negRiskAdapter],
    event:
      "event PositionsConverted(address indexed stakeholder, bytes32 indexed marketId, uint256 indexed indexSet, uint256 amount)",
    expected: (args) => ({
      _tag: "NegRiskConversion",
      holder: args.hex("stakeholder"),
      market: args.hex("marketId"),
      questions: bits(args.big("indexSet")),
      amount: args.number("amount"),
    }),
  },
  marketPrepared: {
    contracts: [address.negRiskAdapter],
    event: "event MarketPrepared(bytes32 indexed marketId, address indexed oracle, uint256 feeBips, bytes data)",
    expected: (args) => ({
      _tag: "NegRiskMarketPrepared",
      market: args.hex("marketId"),
      oracle: args.hex("oracle"),
      feeBips: args.number("feeBips"),
      data: args.hex("data"),
    }),
  },
  questionPrepared: {
    contracts: [address.negRiskAdapter],
    event: "event QuestionPrepared(bytes32 indexed marketId, bytes32 indexed questionId, uint256 index, bytes data)",
    expected: (args) => ({
      _tag: "NegRiskQuestionPrepared",
      market: args.hex("marketId"),
      question: args.hex("questionId"),
      index: args.number("index"),
      data: args.hex("data"),
    }),
  },
  outcomeReported: {
    contracts: [address.negRiskAdapter],
    event: "event OutcomeReported(bytes32 indexed marketId, bytes32 indexed questionId, bool outcome)",
    expected: (args) => ({
      _tag: "NegRiskOutcomeReported",
      market: args.hex("marketId"),
      question: args.hex("questionId"),
      outcome: args.flag("outcome"),
    }),
  },
  questionResolved: {
    contracts: [address.umaAdapter, address.umaNegRiskAdapter, address.umaAdapterEarlier],
    event: "event QuestionResolved(bytes32 indexed questionID, int256 indexed settledPrice, uint256[] payouts)",
    expected: (args) => ({
      _tag: "QuestionResolved",
      question: args.hex("questionID"),
      settledPrice: args.big("settledPrice"),
      payouts: args.numbers("payouts"),
    }),
  },
  moduleSplit: {
    contracts: modules,
    event:
      "event PositionsSplit(address indexed initiator, bytes31 indexed conditionId, address indexed recipient0, address recipient1, uint256 amount)",
    expected: (args, module) => ({
      _tag: "ModuleSplit",
      module,
      initiator: args.hex("initiator"),
      condition: `${args.hex("conditionId")}00`,
      recipients: [args.hex("recipient0"), args.hex("recipient1")],
      amount: args.number("amount"),
    }),
  },
  moduleMerge: {
    contracts: modules,
    event:
      "event PositionsMerged(address indexed initiator, bytes31 indexed conditionId, address indexed recipient, uint256 amount)",
    expected: (args, module) => ({
      _tag: "ModuleMerge",
      module,
      initiator: args.hex("initiator"),
      condition: `${args.hex("conditionId")}00`,
      recipient: args.hex("recipient"),
      amount: args.number("amount"),
    }),
  },
  moduleRedemption: {
    contracts: modules,
    event:
      "event PositionRedeemed(address indexed initiator, uint256 indexed positionId, address indexed recipient, uint256 amount, uint256 payout)",
    expected: (args, module) => ({
      _tag: "ModuleRedemption",
      module,
      initiator: args.hex("initiator"),
      token: args.id("positionId"),
      recipient: args.hex("recipient"),
      amount: args.number("amount"),
      payout: args.number("payout"),
    }),
  },
  moduleResolution: {
    contracts: modules,
    event: "event ConditionResolved(bytes31 indexed conditionId, uint256[] result)",
    expected: (args, module) => ({
      _tag: "ModuleResolution",
      module,
      condition: `${args.hex("conditionId")}00`,
      payouts: args.numbers("result"),
    }),
  },
  migrationRegistered: {
    contracts: modules,
    event: "event MigrationConditionRegistered(bytes31 indexed conditionId, bytes32 indexed legacy)",
    expected: (args, module) => ({
      _tag: "MigrationRegistered",
      module,
      condition: `${args.hex("conditionId")}00`,
      legacy: args.hex("legacy"),
    }),
  },
  positionMigrated: {
    contracts: modules,
    event:
      "event PositionMigrated(address indexed from, bytes31 indexed conditionId, uint256 indexed positionId, uint256 outcomeIndex, uint256 amount)",
    expected: (args, module) => ({
      _tag: "PositionMigrated",
      module,
      wallet: args.hex("from"),
      token: args.id("positionId"),
      amount: args.number("amount"),
    }),
  },
  resultReported: {
    contracts: modules,
    event: "event ResultReported(address indexed reporter, bytes31 indexed conditionId, uint256[] result)",
    expected: (args, module) => ({ _tag: "ResultReported", module, condition: `${args.hex("conditionId")}00` }),
  },
  remainingConditionsNo: {
    contracts: [address.negRiskModule],
    event: "event RemainingConditionsDerivableAsNo(bytes29 indexed eventId)",
    expected: (args, module) => ({ _tag: "RemainingConditionsNo", module, event: `${args.hex("eventId")}000000` }),
  },
  syntheticConditionYes: {
    contracts: [address.negRiskModule],
    event: "event SyntheticConditionDerivableAsYes(bytes29 indexed eventId, bytes31 indexed conditionId)",
    expected: (args, module) => ({ _tag: "SyntheticConditionYes", module, condition: `${args.hex("conditionId")}00` }),
  },
  horizontalSplit: {
    contracts: [address.negRiskModule],
    event:
      "event HorizontalSplit(address indexed initiator, bytes29 indexed eventId, address indexed recipient, uint256 amount)",
    expected: (args, module) => ({
      _tag: "ModuleExchange",
      module,
      operation: "horizontal_split",
      paid: -args.number("amount"),
    }),
  },
  horizontalMerge: {
    contracts: [address.negRiskModule],
    event:
      "event HorizontalMerge(address indexed initiator, bytes29 indexed eventId, address indexed recipient, uint256 amount)",
    expected: (args, module) => ({
      _tag: "ModuleExchange",
      module,
      operation: "horizontal_merge",
      paid: args.number("amount"),
    }),
  },
  positionConverted: {
    contracts: [address.negRiskModule],
    event:
      "event PositionConverted(address indexed initiator, bytes29 indexed eventId, address indexed recipient, uint256 conditionIndex, uint256 amount)",
    expected: (_, module) => ({ _tag: "ModuleExchange", module, operation: "convert", paid: 0 }),
  },
  autoRedemption: {
    contracts: [...autoRedeemers],
    event: "event Redemption(address indexed from, uint256 indexed positionId, uint256 payout)",
    expected: (args) => ({
      _tag: "AutoRedemption",
      wallet: args.hex("from"),
      token: args.id("positionId"),
      payout: args.number("payout"),
    }),
  },
  autoBinaryRedemption: {
    contracts: [...autoRedeemers],
    event: "event BinaryRedemption(address indexed from, bytes32 indexed conditionId, uint256 payout)",
    expected: (args) => ({ _tag: "AutoBinaryRedemption", ...collected(args) }),
  },
  autoNegRiskRedemption: {
    contracts: [...autoRedeemers],
    event: "event NegRiskRedemption(address indexed from, bytes32 indexed conditionId, uint256 payout)",
    expected: (args) => ({ _tag: "AutoNegRiskRedemption", ...collected(args) }),
  },
} satisfies Readonly<Record<string, EventCase>>
