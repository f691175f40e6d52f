import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Effect } from "effect"
import type { Page } from "playwright-core"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: ReadonlyArray<{ readonly target: ReadonlyArray<string> }>
}

/**
 * What axe-core finds, of any impact. The context needs `bypassCSP`, because the pages allow no foreign script. `rules` limits
 * the search, which takes seconds.
 */
export const axeFindings = (page: Page, rules?: ReadonlyArray<string>) =>
  Effect.promise(async (): Promise<ReadonlyArray<string>> => {
    const options = JSON.stringify(rules === undefined ? {} : { runOnly: rules })
    await page.addScriptTag({ content: source })
    const found = await page.evaluate<ReadonlyArray<Finding>>(
      `axe.run(${options}).then(({ violations }) => violations)`,
    )
    return found.map(
      ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
    )
  })
