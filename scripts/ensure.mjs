// Prepares a fresh clone: installs the dependencies and, on request, Redis, and for tests a browser and faketime.
//
//   node scripts/ensure.mjs [run] [redis] [chromium] [faketime]
//
// With `run` it installs only what the service needs to run, otherwise also what tests, lint and benches need.
//
// Plain JavaScript without dependencies, because it runs before anything is installed, on any Node.
// Prints nothing when everything is installed.
//
// Exit codes: 0 ready · 1 installing the dependencies failed · 2 this Node is too old · 3 a program that was asked for is missing

import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, "node_modules")
const stampFile = join(modules, ".presage-installed")
const lockDir = join(root, ".presage-installing")
const runtime = join(modules, ".bin", "node")

const say = (text) => process.stderr.write(`presage: ${text}\n`)
const quit = (code, text) => {
  say(text)
  process.exit(code)
}
const wait = (millis) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)
const read = (path) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
const isExecutable = (path) => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Runs a command and returns its output. */
const run = (command, args, env = {}) => {
  const result = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 28,
  })
  const output = `${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}`
  return { ok: result.status === 0, output }
}

// ── dependencies ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Without the version of Node: the first run uses the machine's Node, later runs the project's. */
const stampOf = (what) => {
  const lock = read(join(root, "package-lock.json")) ?? ""
  const machine = `${process.platform} ${process.arch}`
  return `${what} ${createHash("sha256").update(lock).update(machine).digest("hex")}`
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

/** Takes the install lock: of several processes exactly one can create the directory. */
const lock = () => {
  try {
    mkdirSync(lockDir)
    writeFileSync(join(lockDir, "pid"), String(process.pid))
    return true
  } catch (error) {
    if (error.code !== "EEXIST") quit(1, `cannot write to ${root} (${error.code}): make it writable and start again.`)
  }
  const holder = read(join(lockDir, "pid"))
  // Without a pid its creator is between the two calls above, or died there.
  const age = Date.now() - (statSync(lockDir, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  if (holder === undefined ? age > 5000 : !isAlive(Number(holder))) breakLock(holder)
  return false
}

/** Moves the lock aside before deleting it; if another process has just taken a new lock, moves it back. */
const breakLock = (deadHolder) => {
  const aside = `${lockDir}.${process.pid}`
  try {
    renameSync(lockDir, aside)
    if (read(join(aside, "pid")) === deadHolder) rmSync(aside, { recursive: true, force: true })
    else renameSync(aside, lockDir)
  } catch {}
}

/** Uses the machine's Node: `npm run` puts the project's Node first in PATH, and npm is about to replace that one. */
const npm = (what, isUpgrade) => {
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.startsWith(modules))
  const node = path.map((folder) => join(folder, "node")).find(isExecutable) ?? process.execPath
  // A service may be running on what is installed, which `npm ci` would delete first.
  const verb = isUpgrade ? ["install", "--no-save"] : ["ci"]
  const args = [...verb, "--no-audit", "--no-fund", "--loglevel=error", ...(what === "run" ? ["--omit=dev"] : [])]
  const script = process.env.npm_execpath
  const [command, ...before] = script?.endsWith(".js") ? [node, script] : ["npm"]
  return run(command, [...before, ...args], { PATH: path.join(delimiter) })
}

const runtimeWorks = () => run(runtime, ["--version"])

/** Whether a manual `npm ci`, which leaves no stamp, installed what the lock file requires. */
const alreadyInstalled = (what) => {
  try {
    const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages
    const present = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")).packages
    // Other folders are the project and its workspaces.
    const isNeeded = ([path, { dev, link }]) => path.includes("node_modules/") && !link && !(what === "run" && dev)
    const same = ([path, { version, optional }]) =>
      present[path]?.version === version || (optional && present[path] === undefined)
    return Object.entries(wanted).filter(isNeeded).every(same) && runtimeWorks().ok
  } catch {
    return false
  }
}

const install = (what) => {
  const stamp = stampOf(what)
  // Everything includes what the service needs to run.
  const isReady = () => [stamp, stampOf("all")].includes(read(stampFile))
  if (isReady()) return

  let announced = false
  while (!lock()) {
    if (isReady()) return
    if (!announced) say("waiting for another process that is installing the dependencies…")
    announced = true
    wait(200)
  }
  process.on("exit", unlock)
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1))
  if (isReady()) return
  if (!alreadyInstalled(what)) installPackages(what)
  writeFileSync(stampFile, what === "run" && alreadyInstalled("all") ? stampOf("all") : stamp)
  unlock()
}

const unlock = () => {
  if (read(join(lockDir, "pid")) === String(process.pid)) rmSync(lockDir, { recursive: true, force: true })
}

const installPackages = (what) => {
  const names = { run: "what Presage needs to run", all: "the dependencies, with those of tests and lint" }
  say(`installing ${names[what]} (about half a minute)…`)
  const started = Date.now()
  const isUpgrade = read(stampFile) === stampOf("run")
  rmSync(stampFile, { force: true })
  const { ok, output } = npm(what, isUpgrade)
  if (!ok) {
    process.stderr.write(output)
    quit(1, "npm failed to install the dependencies; its output is above.")
  }
  const check = runtimeWorks()
  if (!check.ok) {
    process.stderr.write(check.output)
    quit(1, `${runtime} does not run: is this machine supported by Node 22?`)
  }
  say(`…done in ${Math.round((Date.now() - started) / 1000)} s`)
}

// ── programs ────────────────────────────────────────────────────────────────────────────────────────────────────────

// Searched after PATH; configurable so that tests can simulate a machine without these programs.
const usualFolders =
  process.env.PRESAGE_PROGRAM_FOLDERS ??
  "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/usr/sbin:/bin:/sbin:/opt/local/bin:/snap/bin"
const folders = `${process.env.PATH ?? ""}${delimiter}${usualFolders}`.split(delimiter).filter((each) => each !== "")

const find = (name) => folders.map((folder) => join(folder, name)).find(isExecutable)

/** Package names by package manager, tried in order. */
const redis = {
  name: "Redis",
  find: () => find("redis-server") ?? find("valkey-server"),
  packages: { "apt-get": ["redis-server"], dnf: ["redis", "valkey"], apk: ["redis", "valkey"], brew: ["redis"] },
  setting: "REDIS_URL",
  advice: "install Redis 7 or newer (redis-server or valkey-server), or set REDIS_URL to one you run",
}
const chromium = {
  name: "Chromium",
  find: () => find("chromium") ?? find("chromium-browser") ?? find("google-chrome"),
  packages: { "apt-get": ["chromium"], dnf: ["chromium"], apk: ["chromium"], brew: ["chromium"] },
  setting: "CHROMIUM",
  advice: "install Chromium, or set CHROMIUM to the path of a compatible browser",
}

const faketime = {
  name: "faketime",
  find: () => find("faketime"),
  packages: { "apt-get": ["faketime"], dnf: ["libfaketime"], apk: ["libfaketime"], brew: ["libfaketime"] },
  setting: "PATH",
  advice: "install faketime (libfaketime), which shows processes another time",
}

/** The installation must not start a server on 6379: at run level 1 Debian's packages start none. */
const quietly = { DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1", NEEDRESTART_SUSPEND: "1" }

const managers = [
  {
    tool: "apt-get",
    steps: (apt, name) => {
      const options = ["-y", "-qq", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120"]
      const get = [apt, "install", ...options, name]
      return [[get], [[apt, "update", "-qq", "-o", "DPkg::Lock::Timeout=120"], get]]
    },
  },
  { tool: "dnf", steps: (dnf, name) => [[[dnf, "install", "-y", "-q", name]]] },
  { tool: "apk", steps: (apk, name) => [[[apk, "add", "--no-cache", "-q", name]]] },
  { tool: "brew", asUser: true, steps: (brew, name) => [[[brew, "install", "-q", name]]] },
]

/** Command prefix to run as root: empty for root, `sudo` if it needs no password, otherwise undefined. */
const privilege = () => {
  if (process.getuid?.() === 0) return []
  const sudo = find("sudo")
  const env = Object.entries(quietly).map(([name, value]) => `${name}=${value}`)
  return sudo !== undefined && run(sudo, ["-n", "true"]).ok ? [sudo, "-n", "env", ...env] : undefined
}

const installProgram = ({ name, find: findIt, packages, setting, advice }) => {
  const manager = managers.find(({ tool }) => find(tool) !== undefined)
  const prefix = manager === undefined ? undefined : manager.asUser ? [] : privilege()
  if (manager === undefined) quit(3, `${name} is missing and there is no package manager to install it: ${advice}.`)
  if (prefix === undefined) quit(3, `${name} is missing, and installing it needs root: ${advice}.`)

  const { tool, steps } = manager
  say(`installing ${name} with ${tool} (set ${setting} to use your own)…`)
  const started = Date.now()
  let output = ""
  for (const commands of packages[tool].flatMap((each) => steps(find(tool), each))) {
    const done = commands.every((command) => {
      const [file, ...args] = [...prefix, ...command]
      const result = run(file, args, quietly)
      output += result.output
      return result.ok
    })
    if (done && findIt() !== undefined) return say(`…done in ${Math.round((Date.now() - started) / 1000)} s`)
  }
  process.stderr.write(output)
  quit(3, `${tool} failed to install ${name}; its output is above. ${advice[0].toUpperCase()}${advice.slice(1)}.`)
}

const ensureRedis = () => {
  if (process.env.REDIS_URL) return
  if (redis.find() === undefined) installProgram(redis)
  const program = redis.find()
  const version = /v=(\d+)(\.\S+)?/.exec(run(program, ["--version"]).output)
  if (!(Number(version?.[1]) >= 7)) {
    const found = version === null ? "of an unknown version" : `version ${version[0].slice(2)}`
    quit(3, `${program} is ${found}, but Redis 7 or newer is required: upgrade it, or set REDIS_URL to one you run.`)
  }
}

const ensureChromium = () => {
  if (!process.env.CHROMIUM && chromium.find() === undefined) installProgram(chromium)
}

const major = Number(process.versions.node.split(".")[0])
if (major < 20) quit(2, `Node 20 or newer is needed, this is ${process.version}: install a newer version.`)
install(process.argv.includes("run") ? "run" : "all")
if (process.argv.includes("redis")) ensureRedis()
if (process.argv.includes("chromium")) ensureChromium()
if (process.argv.includes("faketime") && faketime.find() === undefined) installProgram(faketime)
