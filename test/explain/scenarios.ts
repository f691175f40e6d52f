import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface Balance {
  /** Whole numbers of 10⁻⁶; the change is signed. */
  readonly change: string
  readonly before: string
  readonly after: string
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
  /** Missing in Protocol V2. */
  readonly negRisk?: boolean
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

interface Sums {
  collateral: bigint
  readonly tokens: Map<string, bigint>
}

/** The sum of the expected changes of accounts, in the form of `presage explain-tx --json`. */
export const expectedChanges = (recorded: ReadonlyArray<RecordedScenario>) => {
  const accounts = new Map<string, Sums>()
  for (const { kind, address, collateral = {}, tokens = {} } of recorded.flatMap(({ changes }) => changes)) {
    if (kind === "contract") continue
    const sums = accounts.get(address) ?? { collateral: 0n, tokens: new Map() }
    accounts.set(address, sums)
    for (const asset of dollars) sums.collateral += BigInt(collateral[asset]?.change ?? 0)
    for (const [token, { change }] of Object.entries(tokens))
      sums.tokens.set(token, (sums.tokens.get(token) ?? 0n) + BigInt(change))
  }
  return Object.fromEntries(
    [...accounts].flatMap(([address, { collateral, tokens }]) => {
      const changed = [...tokens].filter(([, change]) => change !== 0n)
      if (collateral === 0n && changed.length === 0) return []
      const texts = changed.map(([token, change]) => [token, String(change)] as const)
      return [[address, { collateral: String(collateral), tokens: Object.fromEntries(texts) }] as const]
    }),
  )
}
