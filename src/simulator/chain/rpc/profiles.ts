import type { Fault, NodeProfile, Parameter } from "../../faults/Fault.ts"
import { nodeProfiles, parameterOf } from "../../faults/Fault.ts"
import type { Simulation } from "../../Simulation.ts"
import { json, type WireResponse } from "../../wire.ts"
import type { NodeView } from "./params.ts"
import { type Call, isObject, RpcError } from "./protocol.ts"

/** How a node or provider differs from the plain one. */
export interface Profile {
  /** Refuses a call. */
  readonly refuse?: (node: NodeView, blocks: readonly [from: number, to: number]) => RpcError | undefined
  /** Refuses the filter of a call for logs. */
  readonly refuseFilter?: (addresses: number) => RpcError | undefined
  /** Refuses a request as a whole. */
  readonly refuseRequest?: (calls: ReadonlyArray<unknown>, head: number) => WireResponse | undefined
  readonly maxBatch?: number
  readonly maxResponseBytes?: number
  /** Blocks that the node behind a balancer lacks, now and then. */
  readonly lag?: number
  /** The subscription that sends whole pending transactions; others send hashes. */
  readonly pending: "newPendingTransactions" | "alchemy_pendingTransactions" | "newPendingTransactionsWithBody" | "none"
}

const rangeLimit = (blocks: number, limit: number, code: number, message: string) =>
  blocks > limit ? new RpcError(code, message) : undefined

/** What Alchemy charges for a call. */
const computeUnits: Readonly<Record<string, number>> = {
  eth_getLogs: 60,
  eth_getBlockByNumber: 20,
  eth_getBlockByHash: 20,
  eth_blockNumber: 10,
  eth_call: 26,
  eth_chainId: 0,
}
const otherUnits = 20

const unitsOf = (calls: ReadonlyArray<unknown>) =>
  calls.reduce<number>(
    (sum, call) => sum + (isObject(call) ? (computeUnits[String(call["method"])] ?? otherUnits) : 0),
    0,
  )

/** Compute units spent in the current second of real time, by fault. */
const spent = new WeakMap<Fault, { second: number; units: number }>()

const takeUnits = (fault: Fault, units: number): boolean => {
  const second = Math.floor(performance.now() / 1000)
  const before = spent.get(fault)
  const used = before?.second === second ? before.units : 0
  // A single request may exceed the allowance of an idle second.
  if (used > 0 && used + units > parameterOf(fault, "units_per_second")) return false
  spent.set(fault, { second, units: used + units })
  return true
}

const idOf = (call: unknown) => (isObject(call) ? (call["id"] ?? null) : null)

/** The oldest block that a call needs; undefined if it names none by its number. */
const blockOf = (call: unknown): number | undefined => {
  if (!isObject(call) || !Array.isArray(call["params"])) return undefined
  const { method, params } = call
  const [first, second] = params
  const named =
    method === "eth_getLogs" && isObject(first) ? first["fromBlock"] : method === "eth_call" ? second : first
  if (named === "earliest") return 0
  return typeof named === "string" && /^0x[0-9a-f]{1,8}$/.test(named) ? Number(named) : undefined
}

const profiles: Readonly<Record<NodeProfile, (fault: Fault, of: (name: Parameter) => number) => Profile>> = {
  "alchemy-free": (fault, of) => ({
    refuse: (_, [from, to]) =>
      rangeLimit(
        to - from + 1,
        of("range"),
        -32600,
        `Under the Free tier plan, you can make eth_getLogs requests with up to a ${of("range")} block range. Based on your parameters, this block range should work: [0x${from.toString(16)}, 0x${(from + of("range") - 1).toString(16)}]. Upgrade to PAYG for expanded block range.`,
      ),
    refuseRequest: (calls) => {
      if (takeUnits(fault, unitsOf(calls))) return undefined
      const message = "Your app has exceeded its compute units per second capacity."
      return json({ jsonrpc: "2.0", id: idOf(calls[0]), error: { code: 429, message } }, 429)
    },
    pending: "alchemy_pendingTransactions",
  }),
  "drpc-free": (_, of) => ({
    refuse: (__, [from, to]) =>
      rangeLimit(to - from + 1, of("range"), 35, `ranges over ${of("range")} blocks are not supported on freetier`),
    refuseRequest: (calls) => {
      if (calls.length <= of("batch")) return undefined
      const message = `Batch of more than ${of("batch")} requests are not allowed on free plan`
      return json(
        calls.map((call) => ({ id: idOf(call), jsonrpc: "2.0", error: { code: 31, message } })),
        500,
      )
    },
    pending: "none",
  }),
  publicnode: (_, of) => ({
    refuse: ({ head }, [from, to]) => {
      if (from < head - of("kept_blocks")) return new RpcError(-32000, "History has been pruned for this block")
      const tooWide = rangeLimit(to - from + 1, of("range"), -32701, `exceed maximum block range: ${of("range")}`)
      return tooWide ?? rangeLimit(to - from + 1, of("heavy_blocks"), -32002, "request timed out")
    },
    refuseFilter: (addresses) => {
      if (addresses === 0) return new RpcError(-32701, "Please, specify an address in your request")
      return addresses > of("addresses") ? new RpcError(-32701, "Please, specify less number of addresses") : undefined
    },
    pending: "newPendingTransactions",
  }),
  bor: (_, of) => ({
    refuse: ({ head }, [, to]) => (to > head ? new RpcError(-32000, "invalid block range params") : undefined),
    maxBatch: of("batch"),
    maxResponseBytes: of("response_kb") * 1024,
    lag: of("lag_blocks"),
    pending: "newPendingTransactions",
  }),
  chainstack: (_, of) => ({
    refuse: (__, [from, to]) =>
      rangeLimit(
        to - from + 1,
        of("range"),
        -32000,
        "Block range limit exceeded. See more details in the documentation.",
      ),
    refuseRequest: (calls, head) => {
      const oldest = head - of("kept_blocks")
      if (!calls.some((call) => (blockOf(call) ?? oldest) < oldest)) return undefined
      const message = "Archive, Debug and Trace requests are not available on your current plan."
      return json({ jsonrpc: "2.0", id: idOf(calls[0]), error: { code: -32002, message } }, 403)
    },
    pending: "newPendingTransactionsWithBody",
  }),
}

const plain: Profile = { pending: "newPendingTransactions" }

const isProfile = (kind: string): kind is NodeProfile => nodeProfiles.some((name) => name === kind)

/** The profile that is switched on for a channel. */
export const profileOf = ({ faults }: Simulation, channel: "http" | "socket"): Profile => {
  for (const { fault } of faults.matching(channel, "rpc", "/")) {
    if (isProfile(fault.kind)) return profiles[fault.kind](fault, (name) => parameterOf(fault, name))
  }
  return plain
}

const numberIn = (value: unknown, head: number) =>
  typeof value === "string" && value.startsWith("0x") ? Number(value) : head

/** The blocks of a filter; undefined if it names a block by its hash. */
const blocksIn = ({ head }: NodeView, filter: unknown): readonly [number, number] | undefined => {
  if (!isObject(filter) || typeof filter["blockHash"] === "string") return undefined
  return [numberIn(filter["fromBlock"], head), numberIn(filter["toBlock"], head)]
}

/** Calls the methods of a node as a provider allows it. */
export const withProfile =
  ({ refuse, refuseFilter }: Profile, node: NodeView, call: Call): Call =>
  (method, params) => {
    if (method !== "eth_getLogs") return call(method, params)
    const [filter] = params
    const blocks = blocksIn(node, filter)
    const refusal =
      refuseFilter?.(isObject(filter) ? [filter["address"] ?? []].flat().length : 0) ??
      (blocks === undefined ? undefined : refuse?.(node, blocks))
    if (refusal !== undefined) throw refusal
    return call(method, params)
  }
