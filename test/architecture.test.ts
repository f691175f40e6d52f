import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { migrations } from "#migrations/index.ts"

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(file))

const texts = new Map(files.map((file) => [file, readFileSync(file, "utf8")]))
const textOf = (file: string) => texts.get(file) ?? ""

/** Imports of a file from this repository, as paths from its root. */
const importsOf = (file: string): ReadonlyArray<string> =>
  [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].flatMap(
    ([, target = ""]) => pathOf(file, target) ?? [],
  )

/** Undefined for a package. */
const pathOf = (file: string, target: string): string | undefined => {
  if (target.startsWith("#")) return target.slice(1)
  return target.startsWith(".") ? new URL(target, `file:///${file}`).pathname.slice(1) : undefined
}

const packagesOf = (file: string): ReadonlyArray<string> =>
  [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*"([^".#][^"]*)"/g)].map(([, target = ""]) => target)

const edges = ["actors", "schedulers", "http", "ws"]
const folderOf = (path: string) => path.split("/")[0] ?? ""
const isComposition = (path: string) => /^src\/(main\.ts|roles\/|cli\/)/.test(path)
const under = (folder: string) => files.filter((file) => file.startsWith(folder))

/** Imports of `from` that `allowed` refuses, as readable lines. */
const breaches = (from: ReadonlyArray<string>, allowed: (target: string, file: string) => boolean) =>
  from.flatMap((file) =>
    importsOf(file)
      .filter((target) => !allowed(target, file))
      .map((target) => `${file} imports ${target}`),
  )

describe("Who may import whom", () => {
  it("src imports no edge, except where it composes", () => {
    const sources = under("src/").filter((file) => !isComposition(file))
    assert.deepStrictEqual(
      breaches(sources, (target) => !edges.includes(folderOf(target)) && !isComposition(target)),
      [],
    )
  })

  it("edges import src and themselves, never each other and never the composition", () => {
    for (const edge of edges) {
      assert.deepStrictEqual(
        breaches(under(`${edge}/`), (target) => [edge, "src"].includes(folderOf(target)) && !isComposition(target)),
        [],
      )
    }
  })

  it("src/domain imports only itself and effect", () => {
    const domain = under("src/domain/")
    assert.deepStrictEqual(
      breaches(domain, (target) => target.startsWith("src/domain/")),
      [],
    )
    assert.deepStrictEqual(
      domain.flatMap(packagesOf).filter((name) => !/^effect(\/|$)/.test(name)),
      [],
    )
  })

  it("the simulator and the rest of src do not know each other", () => {
    assert.deepStrictEqual(
      breaches(under("src/simulator/"), (target) => target.startsWith("src/simulator/")),
      [],
    )
    const others = under("src/").filter((file) => !file.startsWith("src/simulator/") && !isComposition(file))
    assert.deepStrictEqual(
      breaches(others, (target) => !target.startsWith("src/simulator/")),
      [],
    )
  })

  it("platform does not know the mesh, nor any capability", () => {
    assert.deepStrictEqual(
      breaches(under("src/platform/"), (target) => target.startsWith("src/platform/")),
      [],
    )
  })

  it("only ws/server/Server.ts imports uWebSockets, and its types where it is mended", () => {
    const users = files.filter((file) => !file.startsWith("test/") && packagesOf(file).includes("uws-pack"))
    assert.sameMembers(users, ["ws/server/Server.ts", "ws/server/heldResponse.ts", "ws/server/requestHead.ts"])
  })

  // Loading Effect takes a thread longer than its first ranges, and memory that a backfill is short of.
  it("threads load no Effect", () => {
    const loadsOf = (file: string, pattern: RegExp) =>
      [
        ...textOf(file)
          .replace(/^import type .*$|^import \{\n?(\s*type \w+,?\s*)+\} .*$/gm, "")
          .matchAll(pattern),
      ].map(([, target = ""]) => target)
    const reached = new Set(["src/ledger/historyThread.ts", "src/upstream/gamma/rowsThread.ts"])
    for (const file of reached) {
      for (const target of loadsOf(file, /from "([#.][^"]+)"/g)) {
        reached.add(target.startsWith("#") ? target.slice(1) : new URL(target, `file:///${file}`).pathname.slice(1))
      }
    }
    assert.isAbove(reached.size, 20)
    assert.deepStrictEqual(
      [...reached].filter((file) => loadsOf(file, /from "(effect[^"]*)"/g).length > 0),
      [],
    )
  })

  it("product code imports no test code", () => {
    assert.deepStrictEqual(
      breaches(
        files.filter((file) => !file.startsWith("test/") && file !== "vitest.config.ts"),
        (target) => !target.startsWith("test/"),
      ),
      [],
    )
  })
})

/** The groups of nodes that reach each other (Tarjan's strongly connected components), of more than one node. */
const cyclesIn = (edges: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyArray<string> => {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: Array<string> = []
  const found: Array<string> = []
  const visit = (node: string): number => {
    const number = order.size
    order.set(node, number)
    lowest.set(node, number)
    stack.push(node)
    for (const next of edges.get(node) ?? []) {
      const reached = order.has(next) ? (stack.includes(next) ? order.get(next) : undefined) : visit(next)
      lowest.set(node, Math.min(lowest.get(node) ?? number, reached ?? number))
    }
    const low = lowest.get(node) ?? number
    if (low === number) {
      const group = stack.splice(stack.indexOf(node))
      if (group.length > 1) found.push(group.sort().join(" ⇄ "))
    }
    return low
  }
  for (const node of edges.keys()) if (!order.has(node)) visit(node)
  return found
}

describe("Exports", () => {
  it("are used by another file, so that they say what a file offers", () => {
    const used = new Map<string, Set<string>>()
    const wholly = new Set<string>()
    for (const file of files) {
      for (const [, names = "", target = ""] of textOf(file).matchAll(
        /(\{[^{}]*\}|\* as \w+|\*|)\s*(?:from|import\()\s*"([^"]+)"/g,
      )) {
        const path = pathOf(file, target)
        if (path === undefined) continue
        if (!names.startsWith("{")) wholly.add(path)
        const each = names.replace(/[{}]|\btype /g, "").split(",")
        used.set(path, new Set([...(used.get(path) ?? []), ...each.map((name) => name.trim().split(" as ")[0] ?? "")]))
      }
    }
    const unused = ["src", ...edges]
      .flatMap((folder) => under(`${folder}/`))
      .flatMap((file) => {
        if (wholly.has(file)) return []
        const exported = [...textOf(file).matchAll(/^export (?:const|function\*?) (\w+)/gm)].map(
          ([, name = ""]) => name,
        )
        return exported.filter((name) => used.get(file)?.has(name) !== true).map((name) => `${file}: ${name}`)
      })
    assert.deepStrictEqual(unused, [])
  })
})

describe("Import cycles", () => {
  const product = files.filter((file) => !file.startsWith("test/"))

  it("no file imports itself through others", () => {
    const edges = new Map(product.map((file) => [file, new Set(importsOf(file))]))
    assert.deepStrictEqual(cyclesIn(edges), [])
  })

  it("no capability under src imports itself through others", () => {
    const capability = (path: string) => /^src\/([^/]+)\//.exec(path)?.[1]
    const edges = new Map<string, Set<string>>()
    for (const file of product) {
      const from = capability(file)
      if (from === undefined) continue
      const targets = edges.get(from) ?? new Set()
      edges.set(from, targets)
      for (const target of importsOf(file)) {
        const to = capability(target)
        if (to !== undefined && to !== from) targets.add(to)
      }
    }
    assert.deepStrictEqual(cyclesIn(edges), [])
  })
})

/** Words of a private language that this code once spoke; docs/glossary.md has the terms to use instead. */
const retiredWords =
  /\b(teller|doorkeeper|gatekeeper|knock|believed|takenBack|taken back|whoever|by heart|anew|verdict|untold|toldBefore)\b/i

/** The simulated posts are wire output. */
const mayUseRetiredWords = (file: string) => ["test/architecture.test.ts", "src/simulator/x/phrases.ts"].includes(file)

/** Why methods of these services have no spans. A name without a method stands for the whole service. */
const untraced: Readonly<Record<string, string>> = {
  // Every request and message, which the benches access, cached and streams measure.
  Admission: "every request",
  AnswerCache: "every request",
  Authenticator: "every request",
  Limiter: "every request",
  Meter: "every request",
  ConnectionLeases: "every connection",
  Enrichment: "every event",
  Feed: "every event",
  KeyWatch: "a loop of the gateway",
  Liveness: "a loop of the gateway",
  "RecentDisconnects.record": "every connection",
  "SessionQuota.tick": "a loop of the gateway",
  "Leaderboards.board": "mostly from memory, which the bench boards measures",
  "LedgerCoverage.now": "mostly from memory",
  StreamAdmission: "every connection",
  "Tags.all": "mostly from memory",
  // Ingestion, which the benches ingestion, eventLog, live and ticks measure.
  BookCache: "every change of a book; requests read it through Books",
  "EventLog.append": "every transaction of the ledger",
  "EventLog.read": "every batch of the relay and of a poller",
  EventTail: "every batch of the relay",
  "Ledger.append": "every block",
  "Ledger.prepare": "every block",
  "Settlements.write": "every match of the mempool",
  TickFeed: "every tick",
  "TickStore.record": "every tick",
  TickTail: "every tick",
  Dictionary: "every block",
  RollbackHook: "a part of a rollback, which is logged",
  // Deliveries, which the bench webhooks measures.
  "Resolver.resolve": "a part of Deliverer.attempt, which has a span",
  "Sender.send": "a part of Deliverer.attempt, which has a span",
  DeliveryBatcher: "joins the writes of several deliveries; Deliverer.attempt has a span",
  "Deliverer.laneOf": "reads memory",
  "Listings.knownAt": "reads memory",
  AccountChangeHook: "a part of Keys.setActive, which has a span",
  // Every request to an upstream has a span, see `src/upstream/Http.ts`.
  BuilderListing: "one request",
  ClobRest: "one request each",
  CryptoPrice: "one request",
  Gamma: "one request each, or the pages of one list",
  // What is below the services. SQL statements have spans of their own.
  BulkCopy: "store access",
  Postgres: "store access",
  Redis: "store access",
  Transaction: "store access",
  Configuration: "process",
  Health: "process",
  Leases: "process",
  Progress: "waits for history",
  ReadBudget: "wraps a call of X, which has a span",
  Shutdown: "process",
}

/** Methods whose span gets its name from a template. */
const namedByTemplate: ReadonlyArray<string> = ["MarketStats.markets", "MarketStats.events"]

/** Names that a file gives to types that are or return an Effect. */
const effectTypes = (text: string) =>
  [...text.matchAll(/^(?:export )?type (\w+)[^=]*=((?:.(?!\n\n))*)/gms)].flatMap(([, name = "", type = ""]) =>
    /^\s*Effect\.Effect<|=> Effect\.Effect</.test(type) ? [name] : [],
  )

/** The methods of a file's services that are or return an Effect, as `Service.method`. */
const effectfulMethods = (text: string) => {
  const effect = new RegExp(`(?:^\\s*|=>\\s*)(?:${["Effect\\.Effect", ...effectTypes(text)].join("|")})(?![\\w.])`)
  const services = text.matchAll(
    /export class (\w+) extends Context\.Service<\s*\w+,\s*\{(.*?)(?:\n {2}| )\}\s*>\(\)/gs,
  )
  return [...services].flatMap(([, service = "", body = ""]) => {
    const methods = body.includes("\n")
      ? body.matchAll(/^ {4}readonly (\w+):(.*?)(?=^ {4}(?:readonly|\/\*\*)|\s*$(?!.))/gms)
      : body.matchAll(/^ readonly (\w+):(.*)$/g)
    return [...methods].flatMap(([, method, type = ""]) => (effect.test(type) ? [`${service}.${method}`] : []))
  })
}

describe("Habits", () => {
  it("migrations are numbered without a gap", () => {
    const numbers = Object.keys(migrations).map((name) => Number(/^(\d{4})_[a-z_]+$/.exec(name)?.[1]))
    assert.deepStrictEqual(
      numbers,
      numbers.map((_, i) => i + 1),
    )
  })

  it("every job that has a worker is among the contracts, whose settings are declared", () => {
    const worked = under("actors/").flatMap((file) =>
      [...textOf(file).matchAll(/jobWorker\(\s*(\w+)/g)].map(([, job = ""]) => job),
    )
    assert.include(worked, "LeaderboardsRefresh")
    const declared = textOf("src/roles/contracts.ts")
    assert.deepStrictEqual(
      worked.filter((job) => !declared.includes(`  ${job},`)),
      [],
    )
  })

  it("src/main.ts only launches the command line", () => {
    assert.isAtMost(readFileSync("src/main.ts", "utf8").split("\n").length, 40)
  })

  it("code takes the time from Clock, except request ids and times of BullMQ", () => {
    const users = files.filter((file) => !/^(test|src\/simulator)\//.test(file) && /Date\.now\(\)/.test(textOf(file)))
    assert.deepStrictEqual(users, ["http/server/receive.ts", "src/mesh/JobWorker.ts", "src/mesh/keepDuties.ts"])
  })

  it("files stay below 400 lines, and most are short", () => {
    const linesOf = (file: string) => textOf(file).split("\n").length - 1
    assert.deepStrictEqual(
      files.filter((file) => linesOf(file) > 400),
      [],
    )
    const sizes = files.map(linesOf).sort((a, b) => a - b)
    const atMost = (part: number) => sizes[Math.floor(sizes.length * part)] ?? 0
    assert.isAtMost(atMost(0.5), 90)
    assert.isAtMost(atMost(0.9), 200)
  })

  it("handlers have at most 80 lines, because they only translate", () => {
    const handlers = under("http/").filter((file) => /\/handlers?\.ts$/.test(file))
    assert.isAtLeast(handlers.length, 60)
    assert.deepStrictEqual(
      handlers.filter((file) => textOf(file).split("\n").length > 81),
      [],
    )
  })

  it("service methods have spans, so that a trace reads as the story of a request", () => {
    const services = under("src/").filter((file) => !file.startsWith("src/simulator/"))
    const methods = services.flatMap((file) => effectfulMethods(textOf(file)).map((method) => ({ file, method })))
    assert.isAtLeast(methods.length, 200)
    const hasSpan = (text: string, method: string) =>
      text.includes(`"${method}"`) ||
      (namedByTemplate.includes(method) && text.includes(`\`${method.split(".")[0]}.\${`))
    const bare = methods.filter(({ file, method }) => !hasSpan(textOf(file), method)).map(({ method }) => method)
    const isExcused = (method: string) => method in untraced || (method.split(".")[0] ?? "") in untraced
    assert.deepStrictEqual(
      bare.filter((method) => !isExcused(method)),
      [],
    )
    const excuses = Object.keys(untraced).filter((name) => !bare.some((method) => `${method}.`.startsWith(`${name}.`)))
    assert.deepStrictEqual(excuses, [])
  })

  it("files and code use no retired words", () => {
    const uses = files
      .filter((file) => !mayUseRetiredWords(file))
      .flatMap((file) => {
        const lines = textOf(file).split("\n")
        const inText = lines.flatMap((line, i) => (retiredWords.test(line) ? [`${file}:${i + 1} ${line.trim()}`] : []))
        return retiredWords.test(file.replaceAll(/[/.-]/g, " ")) ? [file, ...inText] : inText
      })
    assert.deepStrictEqual(uses, [])
  })
})
