import { Effect } from "effect"
import { dayMillis } from "#src/domain/time.ts"
import { venueBegan } from "#src/ledger/firstBlock.ts"
import { type HistoryGoal, parseGoal } from "#src/ledger/historyGoal.ts"
import { historyGoal, startBlock } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { historySetting } from "#src/roles/historyDisk.ts"
import { balanceCalls } from "#src/upstream/chain/balances.ts"
import { type Finding, ok, warn } from "../Finding.ts"
import { type CallFailure, call, isMissing, logsOf, quantity } from "./rpcCall.ts"

const millisPerBlock = 1_500
const blocksPerDay = dayMillis / millisPerBlock

export interface WantedHistory {
  /** The setting with its value. */
  readonly setting: string
  /** About where it begins; undefined if no history is wanted. */
  readonly from: number | undefined
}

const firstOf = (goal: HistoryGoal, head: number, now: number): number | undefined => {
  switch (goal._tag) {
    case "None":
      return undefined
    case "All":
      return venueBegan
    case "Block":
      return goal.block
    case "Days":
      return head - goal.days * blocksPerDay
    case "Time":
      return head - Math.floor((now - goal.at) / millisPerBlock)
  }
}

/** The history that is set, in blocks of the usual time. */
export const wantedHistory = (head: number, now: number, isSimulated: boolean, autoDays: number) =>
  Effect.map(Configuration, (config): WantedHistory => {
    const [text, start] = [config.get(historyGoal), config.get(startBlock)]
    const setting = historySetting(text, isSimulated, autoDays)
    const first = isSimulated ? undefined : firstOf(parseGoal(text, isSimulated, autoDays), head, now)
    if (first === undefined) return { setting, from: undefined }
    const from = Math.max(venueBegan, first)
    return start > from ? { setting: `${startBlock.env}=${start}`, from: start } : { setting, from }
  })

/** Whether a node has a block with its logs; some answer with nothing instead of refusing. */
const hasLogs = Effect.fnUntraced(
  function* (url: string, block: number): Effect.fn.Return<boolean, CallFailure> {
    if ((yield* call(url, "eth_getBlockByNumber", [quantity(block), false])) === null) return false
    yield* logsOf(url, block, block)
    return true
  },
  Effect.catchIf(isMissing, () => Effect.succeed(false)),
)

/** About as exact as a thousandth of the range. */
const steps = 10

/** The oldest block with logs, above one that has none. */
const oldestWithLogs = Effect.fnUntraced(function* (url: string, without: number, head: number) {
  let [low, high] = [without, head]
  for (let step = 0; step < steps && high - low > 1; step++) {
    const middle = Math.floor((low + high) / 2)
    if (yield* hasLogs(url, middle)) high = middle
    else low = middle
  }
  return high
})

/** Whether the node has the logs of the history that is set; fails if it does not say. */
const measuredDepth = Effect.fnUntraced(function* (
  check: string,
  url: string,
  head: number,
  { setting, from }: WantedHistory,
): Effect.fn.Return<Finding, CallFailure> {
  if (from === undefined || from >= head) return ok(check, `none is read (${setting})`)
  if (yield* hasLogs(url, from)) return ok(check, `has the logs of block ${from}, where ${setting} begins`)
  const oldest = yield* oldestWithLogs(url, from, head)
  const days = (head - oldest) / blocksPerDay
  return warn(
    check,
    `has the logs of about ${days.toFixed(1)} days (from block ${oldest}), and ${setting} begins at block ${from}`,
    `history ends there; set ${historyGoal.env}=${days < 1 ? "none" : `${Math.floor(days)}d`}, or use a node with older logs`,
  )
})

export const depthFinding = (check: string, url: string, head: number, wanted: WantedHistory) =>
  Effect.catch(measuredDepth(check, url, head, wanted), ({ reason }) =>
    Effect.succeed(
      warn(check, `could not be measured: ${reason}`, "ask again; history is read as far as the node has logs"),
    ),
  )

/** As far behind the head as a new ledger begins. */
const blocksBehind = 64
const anyone = { wallet: `${"0".repeat(39)}1`, token: "f".repeat(64) }

/** Whether the node tells balances at recent blocks, which show what wallets held before the ledger began. */
export const balancesFinding = (check: string, url: string, head: number) => {
  const [asked] = balanceCalls(head - blocksBehind, [anyone])
  return Effect.match(call(url, "eth_call", asked?.params ?? []), {
    onSuccess: () => ok(check, `tells balances ${blocksBehind} blocks before the newest one`),
    onFailure: ({ reason }): Finding =>
      warn(
        check,
        `does not tell balances ${blocksBehind} blocks before the newest one: ${reason}`,
        "sizes of positions from before the ledger stay unknown",
      ),
  })
}
