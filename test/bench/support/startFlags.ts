import { readFileSync } from "node:fs"
import { join } from "node:path"

const packageFile = join(import.meta.dirname, "../../../package.json")

/** What `npm start` gives Node. */
export const startFlags: ReadonlyArray<string> = JSON.parse(readFileSync(packageFile, "utf8"))
  .scripts.start.split(" ")
  .filter((word: string) => word.startsWith("--"))
