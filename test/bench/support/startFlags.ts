import { readFileSync } from "node:fs"
import { join } from "node:path"

const packageFile = join(import.meta.dirname, "../../../package.json")
const words: ReadonlyArray<string> = JSON.parse(readFileSync(packageFile, "utf8")).scripts.start.split(" ")

/** Node flags of `npm start`. */
export const startFlags = words.filter((word) => word.startsWith("--"))

/** Environment variables of `npm start`. */
export const startEnvironment = Object.fromEntries(
  words.flatMap((word) => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(word) ?? []
    return name === undefined || value === undefined ? [] : [[name, value]]
  }),
)
