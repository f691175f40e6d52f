import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { eventually } from "#test/support/eventually.ts"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: ReadonlyArray<{ readonly target: ReadonlyArray<string> }>
}

/** What axe-core finds, of any impact. `rules` limits the search, which takes seconds. */
export const axeFindings = (page: Page, rules?: ReadonlyArray<string>) =>
  Effect.promise(async (): Promise<ReadonlyArray<string>> => {
    const options = JSON.stringify(rules === undefined ? {} : { runOnly: rules })
    // Not as a script element, which the policy of the pages forbids.
    await page.evaluate(source)
    const found = await page.evaluate<ReadonlyArray<Finding>>(
      `axe.run(${options}).then(({ violations }) => violations)`,
    )
    return found.map(
      ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
    )
  })

/** The findings that keep people from using a page. */
export const seriousFindings = (page: Page) =>
  Effect.map(axeFindings(page), (lines) => lines.filter((line) => /^(serious|critical) /.test(line)))

/** Whether the page itself scrolls sideways. */
export const scrollsSideways = (page: Page) =>
  Effect.promise(() => page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))

/** Waits until the page fits its window: charts follow a new width a moment later. */
export const fits = (page: Page, what: string) =>
  eventually(
    `${what} fits its window`,
    Effect.map(scrollsSideways(page), (isWider) => isWider === false),
  )
