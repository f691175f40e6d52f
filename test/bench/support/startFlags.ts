import { readFileSync } from "node:fs"
import { join } from "node:path"

const packageFile = join(import.meta.dirname, "../../../package.json")
const words: ReadonlyArray<string> = JSON.parse(readFileSync(packageFile, "utf8")).scripts.start.split(" ")

/** What `npm start` gives Node. */
export const startFlags = words.filter((word) => word.startsWith("--"))

/** What it puts into the environment. */
export const startEnvironment = Object.fromEntries(
  words.flatMap((word) => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(word) ?? []
    return name === undefined || value === undefined ? [] : [[name, value]]
  }),
)
