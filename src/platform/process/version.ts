import { readFileSync } from "node:fs"

/** The release, as package.json says. */
export const version: string = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
).version
