import type { ModuleOperation } from "#src/domain/ComboKind.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import type { EventCase } from "./EventCase.ts"

/** A change of a combo without collateral: the moves of tokens show what it is. */
const exchange = (operation: ModuleOperation, event: string): EventCase => ({
  contracts: [address.comboModule],
  event,
  expected: (_, module) => ({ _tag: "ModuleExchange", module, operation, paid: 0 }),
})

export const comboCases = {
  comboPrepared: {
    contracts: [address.comboModule],
    event: "event CombinatorialConditionPrepared(bytes31 indexed conditionId, uint256[] ids)",
    expected: (args) => ({
      _tag: "ComboPrepared",
      condition: `${args.hex("conditionId")}00`,
      legs: args.ids("ids"),
    }),
  },
  comboCompressed: {
    contracts: [address.comboModule],
    event:
      "event Compressed(address indexed initiator, uint256 indexed positionId, uint256 indexed restId, address recipient, uint256 amount, uint256 rest, uint256 payout)",
    expected: (args, module) => ({
      _tag: "ModuleExchange",
      module,
      operation: "compress",
      paid: args.number("payout"),
    }),
  },
  comboWrapped: exchange(
    "wrap",
    "event Wrapped(address indexed initiator, uint256 underlying, uint256 combo, address recipient, uint256 amount)",
  ),
  comboUnwrapped: exchange(
    "unwrap",
    "event Unwrapped(address indexed initiator, uint256 combo, uint256 underlying, address recipient, uint256 amount)",
  ),
  splitOnCondition: exchange(
    "split",
    "event SplitOnCondition(address indexed initiator, bytes31 indexed conditionId, bytes31 first, bytes31 second, address recipient0, address recipient1, uint256 amount)",
  ),
  mergedOnCondition: exchange(
    "merge",
    "event MergedOnCondition(address indexed initiator, bytes31 indexed conditionId, bytes31 first, bytes31 second, address recipient, uint256 amount)",
  ),
  comboExtracted: exchange(
    "extract",
    "event Extracted(address indexed initiator, bytes31 indexed conditionId, bytes31 first, bytes31 second, address recipient0, address recipient1, uint256 amount)",
  ),
  comboInjected: exchange(
    "inject",
    "event Injected(address indexed initiator, bytes31 indexed conditionId, bytes31 first, bytes31 second, address recipient, uint256 amount)",
  ),
  convertedToYesBasket: exchange(
    "convert_to_yes_basket",
    "event ConvertedToYesBasket(address indexed initiator, bytes31 indexed conditionId, address[] recipients, uint256 amount)",
  ),
  splitOnEvent: exchange(
    "horizontal_split",
    "event SplitOnEvent(address indexed user, bytes31 indexed parent, bytes29 indexed eventId, address[] recipients, uint256 amount)",
  ),
  mergedOnEvent: exchange(
    "horizontal_merge",
    "event MergedOnEvent(address indexed user, bytes31 indexed parent, bytes29 indexed eventId, address recipient, uint256 amount)",
  ),
  convertedOnEvent: {
    contracts: [address.comboModule],
    event:
      "event ConvertedOnEvent(address indexed user, bytes31 indexed parent, bytes29 indexed eventId, uint256 conditionIndex, address[] recipients, uint256 amount)",
    expected: (_, module) => ({ _tag: "ModuleExchange", module, operation: "convert", paid: 0, isBeforeMoves: true }),
  },
  sequenceEnded: {
    contracts: [address.router],
    event: "event CombinatorialCollateralReturned(address indexed initiator, uint256 operationCount)",
    expected: (args) => ({
      _tag: "SequenceEnded",
      wallet: args.hex("initiator"),
      operations: args.number("operationCount"),
    }),
  },
  mergedFromYesBasket: exchange(
    "merge_from_yes_basket",
    "event MergedFromYesBasket(address indexed initiator, bytes31 indexed conditionId, address recipient, uint256 amount)",
  ),
} satisfies Readonly<Record<string, EventCase>>
