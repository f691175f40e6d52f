import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { document } from "./support/document.ts"

const inGenerator = createRequire(new URL("./generator/package.json", import.meta.url))
const compiler = createRequire(import.meta.url)
  .resolve("typescript/package.json")
  .replace("package.json", "bin/tsc")

/** What a user would write with the generated types. */
const client = `import type { components, operations, paths } from "./contract.ts"

type Query<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Q } } } ? Q : never
type Answer<Id extends keyof operations> = operations[Id]["responses"] extends {
  200: { content: { "application/json": infer A } }
}
  ? A
  : never

export const trades: Query<"/v3/trades"> = { limit: 3, after: 1_700_000_000, min_amount_usd: 12.5, side: "buy" }
export const markets: Query<"/v3/markets"> = { limit: 3, neg_risk: true }
export const pnl: Query<"/v3/wallets/{address}/pnl"> = { include_unrealized: false, period: "7d" }
export const depth: Query<"/v3/markets/{token_id}/depth"> = { size_usd: 100, levels: 5 }

// @ts-expect-error A limit is a number.
export const wrong: Query<"/v3/trades"> = { limit: "3" }
// @ts-expect-error A flag is a boolean.
export const alsoWrong: Query<"/v3/markets"> = { neg_risk: "true" }

export const largest = ({ trades }: Answer<"tradeLists.all">): number =>
  Math.max(...trades.map(({ amount_usd }) => amount_usd))
export const hook: components["schemas"]["NewWebhook"] = { url: "https://example.com", event_types: ["large_trade"] }
export const refusal: components["schemas"]["BadInput"] = { error: "no", param: "limit" }
`

const compile = (dir: string): string => {
  const flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"]
  const modules = ["--module", "nodenext", "--allowImportingTsExtensions", "--types", ""]
  try {
    return execFileSync(process.execPath, [compiler, ...flags, ...modules, "client.ts"], { cwd: dir, encoding: "utf8" })
  } catch (error) {
    return String((error as { readonly stdout: unknown }).stdout)
  }
}

describe("a client generated from the contract", () => {
  it("compiles under strict with numbers and booleans as parameters", async () => {
    const { default: generate, astToString } = await import(
      pathToFileURL(inGenerator.resolve("openapi-typescript")).href
    )
    const dir = mkdtempSync(join(tmpdir(), "presage-client-"))
    try {
      writeFileSync(join(dir, "package.json"), '{"type":"module"}')
      writeFileSync(join(dir, "contract.ts"), astToString(await generate(structuredClone(document))))
      writeFileSync(join(dir, "client.ts"), client)
      assert.strictEqual(compile(dir), "")
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
})
