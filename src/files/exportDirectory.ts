import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { FilesRefused, FilesUnavailable } from "./model.ts"

/** Says who writes to the directory, until the export is complete. */
const marker = "export.unfinished"
const manifestName = "manifest.json"

/** What exports write. Nothing else is ever removed. */
const written = /^(blocks-\d{10}|token\.(parquet|csv)(\.partial)?|manifest\.json(\.partial)?|export\.unfinished)$/

const outOfSpace: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT"])

const explained = (error: NodeJS.ErrnoException) =>
  outOfSpace.has(error.code)
    ? `there is no space left for them (${error.message}). What was written is removed: make room, or export fewer blocks with --from and --until`
    : error.message

export const io = <A>(work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      new FilesUnavailable({ reason: `cannot write the files: ${explained(error as NodeJS.ErrnoException)}` }),
  })

const removeAll = async (directory: string, names: ReadonlyArray<string>) => {
  // The marker last: if this is interrupted too, the next export removes the rest.
  const inOrder = [...names.filter((name) => name !== marker), ...names.filter((name) => name === marker)]
  for (const name of inOrder) await rm(join(directory, name), { recursive: true, force: true })
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Whether the export that left the marker may still be running: on another machine, nobody can tell. */
const mayBeRunning = (text: string): boolean => {
  const [pid, host] = text.trim().split(" ")
  return host !== hostname() || isAlive(Number(pid))
}

const removeLeftOver = Effect.fnUntraced(function* (directory: string, names: ReadonlyArray<string>) {
  const isUnfinished = names.includes(marker) && !names.includes(manifestName)
  if (!isUnfinished || !names.every((name) => written.test(name))) {
    return yield* new FilesRefused({ reason: `${directory} is not empty: give --to a new or an empty directory` })
  }
  const owner = yield* io(() => readFile(join(directory, marker), "utf8"))
  // A marker without text is that of an export that was killed, or found the disk full, when it began.
  if (owner !== "" && mayBeRunning(owner)) {
    return yield* new FilesRefused({
      reason: `an export is writing to ${directory} (process and machine: ${owner.trim()}). Wait for it, or, if it does not run any more, delete the directory`,
    })
  }
  yield* io(() => removeAll(directory, names))
})

/** Takes a directory that is new or empty, or that an export which was killed has left: what that one wrote is removed. */
export const takeDirectory = Effect.fnUntraced(function* (directory: string) {
  yield* io(() => mkdir(directory, { recursive: true }))
  const found = yield* io(() => readdir(directory))
  if (found.length > 0) yield* removeLeftOver(directory, found)
  // Fails if another export takes it at the same time.
  yield* io(() => writeFile(join(directory, marker), `${process.pid} ${hostname()}\n`, { flag: "wx" }))
})

/** The files are complete. */
export const completeDirectory = (directory: string) => io(() => rm(join(directory, marker), { force: true }))

/** Removes what an export that failed has written: nobody can use it. */
export const clearDirectory = (directory: string) =>
  Effect.promise(async () => {
    const found = await readdir(directory)
    await removeAll(
      directory,
      found.filter((name) => written.test(name)),
    )
  }).pipe(Effect.ignoreCause)
