import { execFileSync, spawn } from "node:child_process"
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import { freePort } from "#src/platform/embedded/ports.ts"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"

/** An engine of the instance that reads JSON from an address. */
export interface JsonEngine {
  readonly name: string
  readonly url: string
}

/** Debian's packages of searx, unpacked into a directory: nothing is installed on the machine. */
const unpack = (directory: string): string => {
  const packages = join(directory, "packages")
  const root = join(directory, "root")
  mkdirSync(packages)
  const run = (command: string, args: ReadonlyArray<string>) =>
    execFileSync(command, args, { cwd: packages, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
  const planned = run("apt-get", ["install", "-s", "--no-install-recommends", "searx"])
  const names = [...planned.matchAll(/^Inst (\S+)/gm)].map(([, name = ""]) => name)
  run("apt-get", ["download", ...names])
  for (const file of readdirSync(packages)) run("dpkg", ["-x", file, root])
  return root
}

const settingsOf = (root: string, port: number, engines: ReadonlyArray<JsonEngine>) => ({
  use_default_settings: { engines: { keep_only: ["brave", "duckduckgo"] } },
  search: { formats: ["html", "json"] },
  ui: {
    static_path: join(root, "usr/share/python3-searx/static"),
    templates_path: join(root, "usr/share/python3-searx/templates"),
  },
  server: { port, bind_address: "127.0.0.1", secret_key: "only for this test" },
  outgoing: { request_timeout: 5 },
  engines: engines.map(({ name, url }, i) => ({
    name,
    engine: "json_engine",
    shortcut: `te${i}`,
    search_url: url,
    results_query: "results",
    url_query: "link",
    title_query: "name",
    content_query: "text",
    categories: "general",
    disabled: false,
    enable_http: true,
  })),
})

/** A real searx with these engines, and with Brave and DuckDuckGo, which are out of reach. */
export const runningSearx = (engines: ReadonlyArray<JsonEngine>) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDir
    const root = yield* Effect.sync(() => unpack(directory))
    const modules = join(root, "usr/lib/python3/dist-packages")
    const port = yield* freePort
    const settings = join(directory, "settings.yml")
    copyFileSync(join(root, "usr/share/doc/searx/examples/settings.yml"), join(modules, "searx/settings.yml"))
    // JSON is YAML.
    writeFileSync(settings, JSON.stringify(settingsOf(root, port, engines)))
    const log: Array<string> = []
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const started = spawn("/usr/bin/python3", ["-m", "searx.webapp"], {
          env: { PATH: process.env.PATH ?? "", SEARX_SETTINGS_PATH: settings, PYTHONPATH: modules },
          stdio: ["ignore", "pipe", "pipe"],
        })
        started.stdout.on("data", (text) => log.push(String(text)))
        started.stderr.on("data", (text) => log.push(String(text)))
        return started
      }),
      (running) => Effect.sync(() => running.kill("SIGKILL")),
    )
    const url = `http://127.0.0.1:${port}`
    yield* Effect.tryPromise(() => fetch(`${url}/config`)).pipe(
      Effect.retry({ schedule: Schedule.spaced("200 millis"), while: () => child.exitCode === null }),
      Effect.timeout("2 minutes"),
      Effect.mapError(() => new Error(`searx did not start:\n${log.join("")}`)),
      Effect.orDie,
    )
    return { url }
  })
