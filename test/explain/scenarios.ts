import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface Balance {
  /** Whole number of 10⁻⁶, signed. */
  readonly change: string
}

interface AccountChange {
  readonly address: string
  readonly name: string
  readonly kind: "wallet" | "service" | "contract"
  readonly collateral?: Readonly<Record<string, Balance>>
  readonly tokens?: Readonly<Record<string, Balance>>
}

export interface RecordedLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly logIndex: string
}

interface Transaction {
  readonly to: string
  readonly input: string
  readonly hash: string
  readonly blockNumber: string
  readonly timestamp: string
  readonly logs: ReadonlyArray<RecordedLog>
}

/** A market of the older contracts, or a condition of Protocol V2. Tokens are decimal digits. */
export interface RecordedMarket {
  readonly conditionId: string
  readonly questionId?: string
  readonly marketId?: string
  readonly tokens: readonly [string, string]
}

/** Transactions of the venue's real contracts, and what they did to every balance according to `balanceOf`. */
export interface RecordedScenario {
  readonly id: string
  readonly about: {
    readonly market?: RecordedMarket
    readonly markets?: ReadonlyArray<RecordedMarket>
    readonly questions?: ReadonlyArray<RecordedMarket>
  }
  readonly transactions: ReadonlyArray<Transaction>
  readonly changes: ReadonlyArray<AccountChange>
}

const dir = join(import.meta.dirname, "..", "fixtures", "chain-logs")

export const scenarios: ReadonlyArray<RecordedScenario> = readdirSync(dir)
  .filter((name) => name.endsWith(".json"))
  .flatMap((name) => JSON.parse(readFileSync(join(dir, name), "utf8")).scenarios)

const dollars = ["usdce", "usdc", "pusd"]

/** The expected changes, in the form of `presage explain-tx --json`. */
export const expectedChanges = ({ changes }: RecordedScenario, kinds: ReadonlyArray<AccountChange["kind"]>) =>
  Object.fromEntries(
    changes.flatMap(({ kind, address, collateral = {}, tokens = {} }) => {
      const change = {
        collateral: String(dollars.reduce((sum, asset) => sum + BigInt(collateral[asset]?.change ?? 0), 0n)),
        tokens: Object.fromEntries(Object.entries(tokens).map(([token, balance]) => [token, balance.change])),
      }
      const isUnchanged = change.collateral === "0" && Object.keys(change.tokens).length === 0
      return isUnchanged || !kinds.includes(kind) ? [] : [[address, change] as const]
    }),
  )
