import { basename } from "node:path"
import { Effect } from "effect"
import { hasOtherMounts, type ProcessInfo, listProcesses, sendSignal } from "./processes.ts"
import { poll } from "./waiting.ts"

/** How the processes of one server are told from those of every other, whatever the paths have in common. */
export interface ServerSignature {
  readonly program: string
  /** Among the arguments of the server, exactly so. */
  readonly argument: string
  /** How the names of the processes it forks begin, for a server that renames them. */
  readonly title?: string
}

/** The keeper that starts a server, and what it starts it with, have the same arguments but other programs. */
const matchesArguments = ({ command }: ProcessInfo, { program, argument, title }: ServerSignature): boolean => {
  const [name = "", ...args] = command
  if (title !== undefined && name.startsWith(title)) return true
  return basename(name) === program && args.includes(argument)
}

/** `ps` joins the arguments with spaces, so this is as near as one gets. */
const matchesLine = ({ command: [line = ""] }: ProcessInfo, { program, argument, title }: ServerSignature): boolean => {
  if (title !== undefined && line.startsWith(title)) return true
  const isProgram = new RegExp(`(^|/)${program}(\\s|$)`).test(line) && !/keeper\.sh|setpriv/.test(line)
  return isProgram && `${line} `.includes(` ${argument} `)
}

const matches = process.platform === "linux" ? matchesArguments : matchesLine

/** Every process of the server that shares our files, whoever started it. */
export const findServers = Effect.fnUntraced(function* (mark: ServerSignature) {
  const marked = (yield* listProcesses).filter((each) => matches(each, mark))
  return yield* Effect.filter(
    marked.map(({ pid }) => pid),
    (pid) => Effect.map(hasOtherMounts(pid), (elsewhere) => !elsewhere),
  )
})

/** Stops processes nobody keeps any more: politely, then for good. */
export const stopOrphans = Effect.fnUntraced(function* (
  find: Effect.Effect<ReadonlyArray<number>>,
  politely: NodeJS.Signals,
) {
  const gone = (forMillis: number) =>
    poll(
      Effect.map(find, (pids) => (pids.length === 0 ? true : undefined)),
      { forMillis, everyMillis: 30 },
    )
  for (const pid of yield* find) sendSignal(pid, politely)
  if (yield* gone(10_000)) return
  for (const pid of yield* find) sendSignal(pid, "SIGKILL")
  yield* gone(5_000)
})
