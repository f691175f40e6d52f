import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { chromium } from "playwright-core"

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
