import { readFile, stat } from "node:fs/promises"
import { Effect } from "effect"
import { run } from "./processes.ts"
import { StoreUnavailable } from "./StoreUnavailable.ts"

/** The user of a server: a command prefix, or the uid and gid to spawn it with. */
export interface Identity {
  readonly prefix: ReadonlyArray<string>
  readonly uid?: number
  readonly gid?: number
}

interface User {
  readonly uid: number
  readonly gid: number
}

export const currentUser: Identity = { prefix: [] }
export const isRoot = process.getuid?.() === 0

/** A minimal environment: the operator's PG… variables must not configure the servers. */
export const serverEnvironment = (): NodeJS.ProcessEnv => {
  const { PATH, LD_LIBRARY_PATH, TMPDIR } = process.env
  return {
    LC_ALL: "C",
    PATH: `${PATH ?? ""}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    ...(LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH }),
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
  }
}

const ownerOf = (path: string) =>
  Effect.promise(() =>
    stat(path).then(
      ({ uid, gid }): User | undefined => (uid === 0 ? undefined : { uid, gid }),
      () => undefined,
    ),
  )

const findUser = (name: string) =>
  Effect.promise(async (): Promise<User | undefined> => {
    const lines = (await readFile("/etc/passwd", "utf8").catch(() => "")).split("\n")
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? []
    return uid === undefined || uid === "0" ? undefined : { uid: Number(uid), gid: Number(gid) }
  })

const createUser = Effect.gen(function* () {
  const env = serverEnvironment()
  const gnu = yield* run(["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", "presage"], {
    env,
  })
  if (gnu.code !== 0) yield* run(["adduser", "-S", "-D", "-H", "presage"], { env })
  return yield* findUser("presage")
})

const chooseUser = Effect.fnUntraced(function* (dataDir: string) {
  const candidates = [ownerOf(dataDir), findUser("presage"), findUser("postgres"), createUser, findUser("nobody")]
  for (const candidate of candidates) {
    const user = yield* candidate
    if (user !== undefined) return user
  }
  return undefined
})

const runAs = ({ uid, gid }: User, capability?: string): Identity => ({
  prefix: [
    "setpriv",
    `--reuid=${uid}`,
    `--regid=${gid}`,
    "--clear-groups",
    // Without the secure bit, access(2), which Postgres uses to find its files, ignores capabilities.
    ...(capability === undefined
      ? []
      : [`--inh-caps=+${capability}`, `--ambient-caps=+${capability}`, "--securebits=+no_setuid_fixup"]),
  ],
})

/** Opens the files, which is the only way to find out whether this identity can pass every parent directory. */
const canReach = (identity: Identity, dir: string, file: string) => {
  const { prefix, ...credentials } = identity
  const attempt = [...prefix, "sh", "-c", 'cd "$1" && : <"$2"', "sh", dir, file]
  return Effect.map(run(attempt, { env: serverEnvironment(), ...credentials }), ({ code }) => code === 0)
}

export interface Runner {
  readonly identity: Identity
  /** The owner of the data; undefined for the user of this process. */
  readonly owner: User | undefined
}

/**
 * Postgres refuses to run as root, so root runs it as an unprivileged user. That user cannot enter a clone under /root
 * (0700); then it also gets a capability to bypass directory permissions (Docker's root has only the second one).
 */
export const chooseRunner = Effect.fnUntraced(function* (options: {
  readonly dir: string
  readonly dataDir: string
  readonly file: string
}): Effect.fn.Return<Runner, StoreUnavailable> {
  if (!isRoot) return { identity: currentUser, owner: undefined }
  const user = yield* chooseUser(options.dataDir)
  const identities: ReadonlyArray<Identity> =
    user === undefined
      ? []
      : [runAs(user), runAs(user, "dac_read_search"), runAs(user, "dac_override"), { prefix: [], ...user }]
  for (const identity of identities) {
    if (yield* canReach(identity, options.dir, options.file)) return { identity, owner: user }
  }
  return yield* new StoreUnavailable({
    store: "postgres",
    message:
      user === undefined
        ? "Postgres does not run as root and creating a user for it failed: run Presage as another user, or set DATABASE_URL to a Postgres you run."
        : `Postgres does not run as root, and user ${user.uid} cannot reach ${options.dir} or ${options.file}: run Presage as another user, move it to an accessible directory, or set DATABASE_URL to a Postgres you run.`,
  })
})
