import * as Context from "effect/Context"
import * as Option from "effect/Option"
import { defaultFormatter } from "effect/unstable/cli/CliOutput"
import type { FlagDoc, SubcommandDoc } from "effect/unstable/cli/HelpDoc"
import { version } from "#src/platform/process/version.ts"
import { about, descriptions } from "./descriptions.ts"

const flag = (name: string, aliases: ReadonlyArray<string>, type: string, description: string): FlagDoc => ({
  name,
  aliases,
  type,
  description: Option.some(description),
  required: false,
})

/** As the command line library describes its own flags; reading them from it loads all of it. */
const globalFlags = [
  flag("help", ["-h"], "boolean", "Show help information"),
  flag("version", ["-v"], "boolean", "Show version information"),
  flag("completions", [], "<bash|zsh|fish|sh>", "Print shell completion script (choices: bash, zsh, fish, sh)"),
]

/** The answer to `presage --help` and `presage --version`, which most modules are not needed for. */
export const frontPage = (args: ReadonlyArray<string>): string | undefined => {
  const [first, ...others] = args
  if (others.length > 0) return undefined
  const format = defaultFormatter()
  if (first === "--version" || first === "-v") return format.formatVersion("presage", version)
  if (first !== "--help" && first !== "-h") return undefined
  const commands = Object.entries(descriptions).map(
    ([name, description]): SubcommandDoc => ({ name, description, alias: undefined, shortDescription: undefined }),
  )
  return format.formatHelpDoc({
    description: about,
    usage: "presage <subcommand> [flags]",
    flags: [],
    globalFlags,
    annotations: Context.empty(),
    subcommands: [{ group: undefined, commands: commands as [SubcommandDoc, ...Array<SubcommandDoc>] }],
  })
}
