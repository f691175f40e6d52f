import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { eventually } from "#test/support/eventually.ts"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: ReadonlyArray<{ readonly html: string }>
}

/** What axe-core finds that keeps people from using a page. */
export const seriousFindings = (page: Page) =>
  Effect.promise(async (): Promise<ReadonlyArray<string>> => {
    // Not as a script element, which the policy of the pages forbids.
    if (!(await page.evaluate("'axe' in window"))) await page.evaluate(source)
    const found = await page.evaluate<ReadonlyArray<Finding>>(
      "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)",
    )
    return found
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(", ")}`)
  })

const scrollsSideways = (page: Page) =>
  Effect.promise(() =>
    page.evaluate<boolean>("document.documentElement.scrollWidth > document.documentElement.clientWidth"),
  )

/** Waits until the page fits its window: charts follow a new width a moment later. */
export const fits = (page: Page, what: string) =>
  eventually(
    `${what} fits its window`,
    Effect.map(scrollsSideways(page), (isWider) => !isWider),
  )
