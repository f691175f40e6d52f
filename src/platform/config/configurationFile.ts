import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { BadSettings } from "./Configuration.ts"

const configurationPath = "presage.config.json"

/** Sections may be nested: `{"webhooks": {"concurrency": 8}}` sets `webhooks.concurrency`. */
const flatten = (value: object, prefix = ""): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.entries(flatten(inner, `${prefix}${key}.`))
        : [[`${prefix}${key}`, inner]],
    ),
  )

/** Reads the optional configuration file in the working directory. */
export const readConfigurationFile = (path: string = configurationPath) =>
  Effect.suspend(() => {
    const bad = (problem: string) => Effect.fail(new BadSettings({ problems: [`${path}: ${problem}`] }))
    let text: string
    try {
      // Some editors write a byte-order mark, which JSON does not allow.
      text = readFileSync(path, "utf8").replace(/^\uFEFF/, "")
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === "ENOENT"
      return missing ? Effect.succeed({ path, values: {} }) : bad(`cannot be read: ${(error as Error).message}`)
    }
    try {
      const parsed: unknown = JSON.parse(text)
      if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
        return bad("must contain a JSON object")
      return Effect.succeed({ path, values: flatten(parsed) })
    } catch (error) {
      return bad(`is not valid JSON: ${(error as Error).message}`)
    }
  })
