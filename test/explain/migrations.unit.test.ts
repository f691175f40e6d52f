import { assert, describe, it } from "@effect/vitest"
import { encodeAbiParameters, encodeEventTopics, type Hex, parseAbi } from "viem"
import { explain } from "#src/explain/explain.ts"
import { explanationJson } from "#src/explain/rendering.ts"
import { address } from "#src/upstream/chain/contracts.ts"

/** As the published source of the modules declares and orders them; nobody has recorded a migration yet. */
const abi = parseAbi([
  "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] amounts)",
  "event PositionMigrated(address indexed from, bytes31 indexed conditionId, uint256 indexed positionId, uint256 outcomeIndex, uint256 amount)",
  "event PositionsMerge(address indexed stakeholder, address collateralToken, bytes32 indexed parent, bytes32 indexed conditionId, uint256[] partition, uint256 amount)",
  "event PayoutRedemption(address indexed redeemer, address indexed collateralToken, bytes32 indexed parent, bytes32 conditionId, uint256[] indexSets, uint256 payout)",
  "event Transfer(address indexed from, address indexed to, uint256 amount)",
  "event LegacyCollateralSettled(address indexed legacyToken, address indexed vault, uint256 amount)",
  "event MigrationResolved(bytes31 indexed conditionId, bytes32 indexed legacyConditionId, uint256 legacyPayout0, uint256 legacyPayout1, uint256 result0, uint256 result1)",
  "event ResultReported(address indexed resolver, bytes31 indexed conditionId, uint256[] result)",
  "event ConditionResolved(bytes31 indexed conditionId, uint256[] result)",
])

const at = (digits: string): Hex => `0x${digits}`
const module = at(address.binaryModule)
const [alice, zero, none] = [at("a1".repeat(20)), at(address.zero), at("0".repeat(64))] as const
const legacyCondition = at("c0".repeat(32))
const condition = at(`01${"c0".repeat(16)}`.padEnd(62, "0"))
const [oldYes, oldNo] = [11n, 22n]
const [yes, no] = [BigInt(`${condition}00`), BigInt(`${condition}01`)]

type Name = (typeof abi)[number]["name"]

const log = (contract: string, name: Name, args: Readonly<Record<string, unknown>>) => {
  const item = abi.find((each) => each.name === name)
  if (item === undefined) throw new Error(name)
  const inData = item.inputs.filter((input) => !("indexed" in input))
  return {
    address: contract,
    topics: encodeEventTopics({ abi: [item], eventName: name, args } as never) as ReadonlyArray<string>,
    data: encodeAbiParameters(
      inData,
      inData.map((input) => args[input.name]),
    ),
  }
}

const moved = (contract: string, from: Hex, to: Hex, ids: ReadonlyArray<bigint>, amounts: ReadonlyArray<bigint>) =>
  log(at(contract), "TransferBatch", { operator: module, from, to, ids, amounts })
const migrated = (positionId: bigint, outcomeIndex: bigint, amount: bigint) =>
  log(module, "PositionMigrated", { from: alice, conditionId: condition, positionId, outcomeIndex, amount })
const collateral = (from: Hex, to: Hex, amount: bigint) => log(at(address.usdce), "Transfer", { from, to, amount })
const settled = (amount: bigint) => [
  collateral(module, at(address.pusdVault), amount),
  log(module, "LegacyCollateralSettled", {
    legacyToken: at(address.usdce),
    vault: at(address.pusdVault),
    amount,
  }),
]

const read = (...logs: ReadonlyArray<ReturnType<typeof log>>) => {
  const numbered = logs.map((each, i) => ({ ...each, logIndex: `0x${i.toString(16)}` }))
  const transaction = { hash: at("77".repeat(32)), blockNumber: "0x1", logs: numbered }
  return explanationJson(explain({ transactions: [transaction] }))
}

describe("A migration to Protocol V2", () => {
  it("exchanges tokens of a wallet one to one, and what the module merges is nobody's merge", () => {
    const { facts, changes, unexplained } = read(
      moved(address.ctf, alice, module, [oldYes, oldNo], [200n, 100n]),
      moved(address.positionManager, zero, alice, [yes, no], [200n, 100n]),
      moved(address.ctf, module, zero, [oldYes, oldNo], [100n, 100n]),
      collateral(at(address.ctf), module, 100n),
      log(at(address.ctf), "PositionsMerge", {
        stakeholder: module,
        collateralToken: at(address.usdce),
        parent: none,
        conditionId: legacyCondition,
        partition: [1n, 2n],
        amount: 100n,
      }),
      migrated(yes, 0n, 200n),
      migrated(no, 1n, 100n),
      ...settled(100n),
    )
    assert.deepStrictEqual(
      facts.map(({ kind }) => kind),
      ["conversion", "conversion"],
    )
    assert.deepStrictEqual(changes, {
      [alice]: {
        collateral: "0",
        tokens: { [String(oldYes)]: "-200", [String(yes)]: "200", [String(oldNo)]: "-100", [String(no)]: "100" },
      },
    })
    assert.isEmpty(unexplained)
  })

  it("resolves by the older condition, and what the module redeems is nobody's redemption", () => {
    const { facts, changes, unexplained } = read(
      log(module, "ConditionResolved", { conditionId: condition, result: [1_000_000n, 0n] }),
      log(module, "ResultReported", { resolver: module, conditionId: condition, result: [1_000_000n, 0n] }),
      log(module, "MigrationResolved", {
        conditionId: condition,
        legacyConditionId: legacyCondition,
        legacyPayout0: 1n,
        legacyPayout1: 0n,
        result0: 1_000_000n,
        result1: 0n,
      }),
      moved(address.ctf, module, zero, [oldYes], [100n]),
      collateral(at(address.ctf), module, 100n),
      log(at(address.ctf), "PayoutRedemption", {
        redeemer: module,
        collateralToken: at(address.usdce),
        parent: none,
        conditionId: legacyCondition,
        indexSets: [1n, 2n],
        payout: 100n,
      }),
      ...settled(100n),
    )
    assert.deepStrictEqual(
      facts.map(({ kind }) => kind),
      ["resolution"],
    )
    assert.deepStrictEqual(changes, {})
    assert.isEmpty(unexplained)
  })
})
