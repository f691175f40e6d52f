import { basename } from "node:path"
import { Effect } from "effect"
import { hasOtherMounts, listProcesses, type ProcessInfo, sendSignal } from "./processes.ts"
import { poll } from "./waiting.ts"

/** Identifies the processes of one server. */
export interface ServerSignature {
  readonly program: string
  /** An exact argument of the server. */
  readonly argument: string
  /** Prefix of the process titles, for a server that renames its child processes. */
  readonly title?: string
}

/** The keeper and setpriv have the same arguments, but are other programs. */
const matchesArguments = ({ command }: ProcessInfo, { program, argument, title }: ServerSignature): boolean => {
  const [name = "", ...args] = command
  if (title !== undefined && name.startsWith(title)) return true
  return basename(name) === program && args.includes(argument)
}

/** Approximate, because `ps` joins the arguments with spaces. */
const matchesLine = ({ command: [line = ""] }: ProcessInfo, { program, argument, title }: ServerSignature): boolean => {
  if (title !== undefined && line.startsWith(title)) return true
  const isProgram = new RegExp(`(^|/)${program}(\\s|$)`).test(line) && !/keeper\.sh|setpriv/.test(line)
  return isProgram && `${line} `.includes(` ${argument} `)
}

const matches = process.platform === "linux" ? matchesArguments : matchesLine

/** All processes of the server that see the same files, whichever process started them. */
export const findServers = Effect.fnUntraced(function* (signature: ServerSignature) {
  const matching = (yield* listProcesses).filter((each) => matches(each, signature))
  return yield* Effect.filter(
    matching.map(({ pid }) => pid),
    (pid) => Effect.map(hasOtherMounts(pid), (isOther) => !isOther),
  )
})

/** Stops processes without a keeper: gracefully, then with SIGKILL. */
export const stopOrphans = Effect.fnUntraced(function* (
  find: Effect.Effect<ReadonlyArray<number>>,
  gracefulSignal: NodeJS.Signals,
) {
  const gone = (forMillis: number) =>
    poll(
      Effect.map(find, (pids) => (pids.length === 0 ? true : undefined)),
      { forMillis, everyMillis: 30 },
    )
  for (const pid of yield* find) sendSignal(pid, gracefulSignal)
  if (yield* gone(10_000)) return
  for (const pid of yield* find) sendSignal(pid, "SIGKILL")
  yield* gone(5_000)
})
