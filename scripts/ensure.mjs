// Makes a fresh clone ready to run: installs the dependencies and, when asked, a Redis and a browser for tests.
//
//   node scripts/ensure.mjs [redis] [chromium]
//
// Plain JavaScript without dependencies, because it runs before anything is installed, on whatever Node starts it.
// Says nothing when all is in place.
//
// Exit codes: 0 ready · 1 installing the dependencies failed · 2 this Node is too old · 3 no usable Redis or browser

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

/** Runs a command silently; its output is shown by those who care when it failed. */
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

/** Not the version of Node: a fresh clone starts with the machine's, the second run already with the project's. */
const wantedStamp = () => {
  const lock = read(join(root, "package-lock.json")) ?? ""
  const machine = `${process.platform} ${process.arch}`
  return createHash("sha256").update(lock).update(machine).digest("hex")
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

/** One installer at a time: a directory is made by exactly one of those who try. True when we are that one. */
const lock = () => {
  try {
    mkdirSync(lockDir)
    writeFileSync(join(lockDir, "pid"), String(process.pid))
    return true
  } catch (error) {
    if (error.code !== "EEXIST") quit(1, `cannot write to ${root} (${error.code}): make it writable and start again.`)
  }
  const holder = read(join(lockDir, "pid"))
  // Without a pid its maker is between two lines, or died there.
  const age = Date.now() - (statSync(lockDir, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  if (holder === undefined ? age > 5000 : !isAlive(Number(holder))) breakLock(holder)
  return false
}

/** Moved aside before it goes, so that the lock of one who broke the old one before us is noticed and put back. */
const breakLock = (deadHolder) => {
  const aside = `${lockDir}.${process.pid}`
  try {
    renameSync(lockDir, aside)
    if (read(join(aside, "pid")) === deadHolder) rmSync(aside, { recursive: true, force: true })
    else renameSync(aside, lockDir)
  } catch {}
}

/** With the machine's own Node: `npm run` puts ours first in PATH, and npm is about to delete and replace that one. */
const npm = () => {
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.startsWith(modules))
  const node = path.map((folder) => join(folder, "node")).find(isExecutable) ?? process.execPath
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"]
  const script = process.env.npm_execpath
  const [command, ...before] = script?.endsWith(".js") ? [node, script] : ["npm"]
  return run(command, [...before, ...args], { PATH: path.join(delimiter) })
}

const runtimeWorks = () => run(runtime, ["--version"])

/** Whether npm itself installed what the lock file asks for, run by hand and so without our stamp. */
const alreadyInstalled = () => {
  try {
    const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages
    const present = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")).packages
    const same = ([path, { version, optional }]) =>
      path === "" || present[path]?.version === version || (optional && present[path] === undefined)
    return Object.entries(wanted).every(same) && runtimeWorks().ok
  } catch {
    return false
  }
}

const install = () => {
  const stamp = wantedStamp()
  const isReady = () => read(stampFile) === stamp
  if (isReady()) return

  let announced = false
  while (!lock()) {
    if (isReady()) return
    if (!announced) say("waiting for another process that installs the dependencies…")
    announced = true
    wait(200)
  }
  process.on("exit", unlock)
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1))
  if (isReady()) return
  if (!alreadyInstalled()) installAll()
  writeFileSync(stampFile, stamp)
  unlock()
}

const unlock = () => {
  if (read(join(lockDir, "pid")) === String(process.pid)) rmSync(lockDir, { recursive: true, force: true })
}

const installAll = () => {
  say("installing dependencies (about half a minute)…")
  const started = Date.now()
  rmSync(stampFile, { force: true })
  const { ok, output } = npm()
  if (!ok) {
    process.stderr.write(output)
    quit(1, "npm could not install the dependencies; its output is above.")
  }
  const check = runtimeWorks()
  if (!check.ok) {
    process.stderr.write(check.output)
    quit(1, `${runtime} does not run: is this machine supported by Node 22?`)
  }
  say(`…done in ${Math.round((Date.now() - started) / 1000)} s`)
}

// ── programs ────────────────────────────────────────────────────────────────────────────────────────────────────────

// Where else than in PATH programs are; a setting so that the tests can play a machine that has none.
const usualFolders =
  process.env.PRESAGE_PROGRAM_FOLDERS ??
  "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/usr/sbin:/bin:/sbin:/opt/local/bin:/snap/bin"
const folders = `${process.env.PATH ?? ""}${delimiter}${usualFolders}`.split(delimiter).filter((each) => each !== "")

const find = (name) => folders.map((folder) => join(folder, name)).find(isExecutable)

/** The packages that each manager has it in, tried in turn. */
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
  advice: "install Chromium, or set CHROMIUM to the path of a browser like it",
}

/** The install must not leave a server behind on 6379: at run level 1 Debian's packages start none. */
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

/** How to become root: nothing when we are, `sudo` when it asks no password, undefined when we cannot. */
const privilege = () => {
  if (process.getuid?.() === 0) return []
  const sudo = find("sudo")
  const env = Object.entries(quietly).map(([name, value]) => `${name}=${value}`)
  return sudo !== undefined && run(sudo, ["-n", "true"]).ok ? [sudo, "-n", "env", ...env] : undefined
}

const installProgram = ({ name, find: findIt, packages, setting, advice }) => {
  const manager = managers.find(({ tool }) => find(tool) !== undefined)
  const prefix = manager === undefined ? undefined : manager.asUser ? [] : privilege()
  if (manager === undefined) quit(3, `there is no ${name} and no package manager to get it from: ${advice}.`)
  if (prefix === undefined) quit(3, `there is no ${name}, and installing it needs root: ${advice}.`)

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
  quit(3, `${tool} could not install ${name}; its output is above. ${advice[0].toUpperCase()}${advice.slice(1)}.`)
}

const ensureRedis = () => {
  if (process.env.REDIS_URL) return
  if (redis.find() === undefined) installProgram(redis)
  const program = redis.find()
  const version = /v=(\d+)(\.\S+)?/.exec(run(program, ["--version"]).output)
  if (!(Number(version?.[1]) >= 7)) {
    const found = version === null ? "of an unknown version" : `version ${version[0].slice(2)}`
    quit(3, `${program} is ${found}, but Redis 7 or newer is needed: upgrade it, or set REDIS_URL to one you run.`)
  }
}

const ensureChromium = () => {
  if (!process.env.CHROMIUM && chromium.find() === undefined) installProgram(chromium)
}

const major = Number(process.versions.node.split(".")[0])
if (major < 20) quit(2, `Node 20 or newer is needed to start, this is ${process.version}: install a newer one.`)
install()
if (process.argv.includes("redis")) ensureRedis()
if (process.argv.includes("chromium")) ensureChromium()
