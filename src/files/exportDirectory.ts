import { randomUUID } from "node:crypto"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { isAlive } from "#src/platform/embedded/processes.ts"
import { startOf } from "#src/platform/process/startOf.ts"
import { FilesRefused, FilesUnavailable } from "./model.ts"

/** Says who writes to the directory, until the export is complete. With an ending, it is that of an export that was killed. */
const marker = "export.unfinished"
const manifestName = "manifest.json"

/** What exports write. Nothing else is ever removed. */
const written =
  /^(blocks-\d{10}|token\.(parquet|csv)(\.partial)?|manifest\.json(\.partial)?|export\.unfinished(\.[0-9a-f-]{36})?)$/

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

/** In a container, the process of every export has the same id. */
const markerText = () => `${[process.pid, hostname(), startOf(process.pid) ?? ""].join(" ").trim()}\n`

/** Whether the export that left the marker may still be running: on another machine, nobody can tell. */
const mayBeRunning = (text: string): boolean => {
  const [id, host, start] = text.trim().split(" ")
  const pid = Number(id)
  if (host !== hostname()) return true
  return isAlive(pid) && (start === undefined ? pid !== process.pid : start === startOf(pid))
}

/** The text of a marker; undefined if another export has just taken it. */
const readMarker = (path: string) =>
  io(() =>
    readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined
      throw error
    }),
  )

/** Whether this export has got the marker, of which every other one then finds nothing. */
const hasRenamed = (from: string, to: string) =>
  io(() =>
    rename(from, to).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return false
        throw error
      },
    ),
  )

const busy = (directory: string, owner = "") =>
  new FilesRefused({
    reason: `an export is writing to ${directory}${owner === "" ? "" : ` (process and machine: ${owner.trim()})`}. Wait for it, or, if it does not run any more, delete the directory`,
  })

interface Claim {
  /** The marker of the export that was killed, by its new name. */
  readonly claimed: string
  /** What else is to be removed. */
  readonly others: ReadonlyArray<string>
}

/** Claims what an export that was killed has left, which several may find at the same time. */
const claimLeftOver = Effect.fnUntraced(function* (directory: string, names: ReadonlyArray<string>) {
  const left = names.includes(marker) ? marker : names.find((name) => name.startsWith(`${marker}.`))
  if (left === undefined || names.includes(manifestName) || !names.every((name) => written.test(name))) {
    return yield* new FilesRefused({ reason: `${directory} is not empty: give --to a new or an empty directory` })
  }
  const owner = yield* readMarker(join(directory, left))
  // A marker without text is that of an export that was killed, or found the disk full, when it began.
  if (owner === undefined || (owner !== "" && mayBeRunning(owner))) return yield* busy(directory, owner)
  const claimed = `${marker}.${randomUUID()}`
  if (!(yield* hasRenamed(join(directory, left), join(directory, claimed)))) return yield* busy(directory)
  const now = yield* readMarker(join(directory, claimed))
  if (now !== owner) {
    // Another export has claimed the directory in between, and this is its marker.
    yield* hasRenamed(join(directory, claimed), join(directory, left))
    return yield* busy(directory, now)
  }
  return { claimed, others: names.filter((name) => name !== left) } satisfies Claim
})

/** Whether the marker is new; false if another export has written one at the same time. */
const hasWritten = (path: string, text: string) =>
  io(() =>
    writeFile(path, text, { flag: "wx" }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "EEXIST") return false
        throw error
      },
    ),
  )

/** Takes a directory that is new or empty, or that an export which was killed has left: what that one wrote is removed. */
export const takeDirectory = Effect.fnUntraced(function* (directory: string) {
  yield* io(() => mkdir(directory, { recursive: true }))
  const found = yield* io(() => readdir(directory))
  const claim = found.length > 0 ? yield* claimLeftOver(directory, found) : undefined
  const [path, text] = [join(directory, marker), markerText()]
  // One that finds a marker before it has a text claims it.
  if (!(yield* hasWritten(path, text)) || (yield* readMarker(path)) !== text) {
    // The directory is another's, and so is all that is to be removed but this.
    if (claim !== undefined) yield* io(() => removeAll(directory, [claim.claimed]))
    return yield* busy(directory)
  }
  if (claim !== undefined) yield* io(() => removeAll(directory, [...claim.others, claim.claimed]))
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
