import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Effect } from "effect"
import type { Page } from "playwright-core"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Finding {
  readonly id: string
  readonly impact: string
  readonly help: string
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary: string }>
}

/** Serious and critical findings of axe on the page, as readable lines. */
export const seriousFindings = (page: Page) =>
  Effect.promise(async () => {
    await page.evaluate(source)
    const findings = (await page.evaluate("axe.run().then(({ violations }) => violations)")) as ReadonlyArray<Finding>
    return findings
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`))
  })

/** Whether the page itself scrolls sideways. */
export const scrollsSideways = (page: Page) =>
  Effect.promise(() => page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
