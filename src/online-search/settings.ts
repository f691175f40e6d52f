import * as Setting from "#src/platform/config/Setting.ts"

const name = "[a-z0-9][a-z0-9 ._-]{0,39}"

const engines = (setting: string, byDefault: string, doc: string) =>
  Setting.text(setting, {
    default: byDefault,
    pattern: new RegExp(`^(${name}(, *${name}){0,19})?$`),
    wants: "at most 20 names of SearXNG engines in lower case, separated by commas",
    live: true,
    doc,
  })

export const defaultEngines = engines(
  "online-search.engines",
  "brave,duckduckgo",
  "SearXNG engines that a web search asks",
)
export const optInEngines = engines(
  "online-search.opt-in-engines",
  "google",
  "SearXNG engines that a web search asks only if its request names them",
)

/** The names in such a setting. */
export const namesIn = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(",")
      .map((each) => each.trim().toLowerCase())
      .filter((each) => each !== ""),
  ),
]

export const onlineSearchSettings: ReadonlyArray<Setting.AnySetting> = [defaultEngines, optInEngines]
