import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { allowances, type Plan } from "#src/domain/Plan.ts"
import { startEnvironment } from "#test/bench/support/startFlags.ts"

/** An account and its clients. */
export interface Account {
  readonly plan: Plan
  readonly key: string
  readonly eventSockets: number
  readonly bookSockets: number
  /** Connections over which it sends as many requests as its plan allows, one at a time on each. */
  readonly requesters: number
  readonly webhooks: number
}

/** What the plan allows; of what is unlimited, as many as make 200 clients. */
const clientsOf = (plan: Plan, requesters: number, unlimited: number) => {
  const { eventConnections, bookConnections, webhooks } = allowances[plan]
  return {
    plan,
    eventSockets: eventConnections ?? unlimited,
    bookSockets: bookConnections ?? unlimited,
    requesters,
    webhooks: Math.min(webhooks, 50),
  }
}

const crowd: ReadonlyArray<Omit<Account, "key">> = [
  clientsOf("free", 1, 0),
  clientsOf("starter", 4, 0),
  clientsOf("growth", 7, 0),
  clientsOf("enterprise", 16, 25),
]

const root = join(import.meta.dirname, "../../..")

/** Opens the accounts in a running instance, as its operator does. */
export const openAccounts = (dir: string): Promise<ReadonlyArray<Account>> =>
  Promise.all(
    crowd.map(async (each) => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [join(root, "src/main.ts"), "keys", "create", "--plan", each.plan, "--json"],
        {
          cwd: dir,
          env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...startEnvironment, PRESAGE_DIR: dir },
        },
      )
      return { ...each, key: String(JSON.parse(stdout).api_key) }
    }),
  )
