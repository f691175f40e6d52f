import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { chromium, type Page } from "playwright-core"

const names = ["chromium", "chromium-browser", "google-chrome"]
const folders = `${process.env["PATH"] ?? ""}${delimiter}/usr/bin${delimiter}/usr/local/bin${delimiter}/snap/bin`.split(
  delimiter,
)

const program = (): string => {
  const given = process.env["CHROMIUM"]
  const found = folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path))
  if (given === undefined && found === undefined)
    throw new Error("Chromium not found: node scripts/ensure.mjs chromium installs it")
  return given ?? found ?? ""
}

/** Headless system Chromium. Its sandbox does not work as root. */
export const launch = () =>
  chromium.launch({ executablePath: program(), args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] })

/** Waits until a page has its title and waits for no answer. The policy of the pages forbids Playwright's own way to poll. */
export const untilSettled = async (page: Page): Promise<void> => {
  const isSettled = `document.querySelector("main h1") !== null && !document.querySelector("main [aria-busy=true]")`
  const until = performance.now() + 60_000
  while (!(await page.evaluate<boolean>(isSettled).catch(() => false))) {
    if (performance.now() > until) throw new Error(`${page.url()} still waits for something`)
    await setTimeout(20)
  }
}
