import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Api } from "#http/Api.ts"
import { loadCommands } from "#src/cli/commands.ts"
import { allowances } from "#src/domain/Plan.ts"
import { eventTypes } from "#src/feed/model.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { allSettings } from "#src/roles/settings.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { closeCodes } from "#src/streams/protocol/closeCodes.ts"
import { aliases, streamTypes } from "#src/streams/protocol/streamTypes.ts"
import { eventTypeInfos } from "#src/webhooks/eventTypes.ts"
import { codeOf, documentAt, documents, examples, root } from "./support/markdown.ts"

const commands = await loadCommands()

const manifest: { readonly version: string; readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
)

const code = documents.flatMap(codeOf)
/** The changelog names what was, too. */
const currentCode = documents.filter(({ path }) => path !== "CHANGELOG.md").flatMap(codeOf)

const matchesIn = (texts: ReadonlyArray<string>, pattern: RegExp): ReadonlyArray<string> => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([whole, group]) => group ?? whole))),
]
const except = (found: ReadonlyArray<string>, known: Iterable<string>) => {
  const all = new Set(known)
  return found.filter((name) => !all.has(name))
}
const missingIn = (text: string, names: ReadonlyArray<string>) => names.filter((name) => !text.includes(name))

const sources = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(root, folder, name), "utf8"))

describe("fenced blocks", () => {
  it("are run, compared or say why they are not", () => {
    const wrong = examples.flatMap(({ path, blocks }) =>
      blocks.flatMap(({ line, language, file, skip, fails }, index) => {
        const before = blocks[index - 1]
        const isFine =
          language === "sh"
            ? skip === undefined || (skip.length > 5 && !fails)
            : language === "ts"
              ? file !== undefined
              : language === "json"
                ? before?.language === "sh" && before.skip === undefined
                : ["text", "mermaid"].includes(language)
        return isFine ? [] : [`${path}:${line}`]
      }),
    )
    assert.deepStrictEqual(wrong, [])
  })
})

/** As GitHub makes anchors of headings. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-")

describe("links", () => {
  it("lead to files and headings that exist", () => {
    const broken = documents.flatMap(({ path, prose }) =>
      [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
        if (/^https?:/.test(target)) return []
        const [file = "", anchor] = target.split("#")
        const found = file === "" ? path : normalize(join(dirname(path), file))
        if (!existsSync(join(root, found))) return [`${path}: ${target}`]
        if (anchor === undefined) return []
        const headings = [...documentAt(found).prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
          anchorOf(heading),
        )
        return headings.includes(anchor) ? [] : [`${path}: ${target}`]
      }),
    )
    assert.deepStrictEqual(broken, [])
  })

  it("reach every document from the README", () => {
    const { prose } = documentAt("README.md")
    assert.deepStrictEqual(
      missingIn(
        prose,
        documents.map(({ path }) => path).filter((path) => path !== "README.md"),
      ),
      [],
    )
  })
})

describe("commands", () => {
  it("of npm are scripts of package.json", () => {
    const named = matchesIn(code, /\bnpm (?:run (?:-s )?)?([a-z][\w:]*)/g)
    assert.deepStrictEqual(except(named, Object.keys(manifest.scripts)), [])
  })

  const subcommandsOf = (command: (typeof commands)[number]) =>
    command.subcommands.flatMap((group) => group.commands.map(({ name }) => name))

  it("of presage exist", () => {
    const named = matchesIn(code, /(?:^|\s)presage (?:-- )?([a-z][a-z-]*(?: [a-z][a-z-]*)?)/g)
    const wrong = named.filter((words) => {
      const [first = "", second] = words.split(" ")
      const command = commands.find(({ name }) => name === first)
      if (command === undefined) return first !== "ready"
      const subcommands = subcommandsOf(command)
      return second !== undefined && subcommands.length > 0 && !subcommands.includes(second)
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("of presage that read blocks have examples with blocks of the simulated venue", () => {
    const texts = [...code, ...commands.flatMap(({ examples: given }) => given.map(({ command }) => command))]
    const blocks = matchesIn(texts, /backfill --from (\d+)/g).map(Number)
    assert.isAtLeast(blocks.length, 1)
    for (const block of blocks) assert.isAtLeast(block, firstBlock)
  })

  it("of presage are all in the table for operators", () => {
    const { prose } = documentAt("docs/operations.md")
    const all = commands.flatMap((command) => [`\`${command.name}`, ...subcommandsOf(command)])
    assert.deepStrictEqual(missingIn(prose, all), [])
  })

  it("of presage take the flags that are named", () => {
    const declared = sources("src/cli").join("\n")
    const named = matchesIn(
      currentCode.filter((text) => /presage --|^presage|^npm start|^(--|backfill|webhooks|keys|tune) ?/.test(text)),
      /(?<=\s|^)--([a-z][a-z-]*)(?![\w-])/g,
    )
    // Of every command, and of Node.
    const known = ["help", "max-old-space-size"]
    const unknown = except(named, known).filter((name) => !declared.includes(`"${name}"`))
    assert.deepStrictEqual(unknown, [])
  })

  it("end with the exit codes that are listed", () => {
    const [, section = ""] = documentAt("docs/operations.md").prose.split("## Exit codes")
    const listed = [...(section.split("\n## ", 1)[0] ?? "").matchAll(/^\| (\d+) \|/gm)].map(([, number]) =>
      Number(number),
    )
    assert.deepStrictEqual(
      listed.toSorted((a, b) => a - b),
      Object.values(exitCodes).toSorted((a, b) => a - b),
    )
  })
})

describe("settings", () => {
  const names = allSettings.map(({ name }) => name)

  it("that are named exist", () => {
    const beginnings = new Set(names.filter((name) => name.includes(".")).map((name) => name.split(".")[0]))
    const named = matchesIn(currentCode, /^(?:--set )?([a-z][a-z-]*(?:\.[a-z][a-z-]*)+)(?:=\S+)?$/g)
    const files = /\.(ts|md|json|jsonl|txt|csv|dump|gz)$/
    const wrong = except(named, names).filter((name) => !files.test(name) && beginnings.has(name.split(".")[0]))
    assert.deepStrictEqual(wrong, [])
  })

  it("that are named as variables exist", () => {
    const named = matchesIn(currentCode, /\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b(?!_)/g)
    const others = [
      "BENCH_LEDGERS",
      "BENCH_SCALE",
      "ENDURANCE_MINUTES",
      "ENDURANCE_SCALE",
      "FAULTS_PATIENCE",
      "FAULTS_SEEDS",
    ]
    assert.deepStrictEqual(except(named, [...allSettings.map(({ env }) => env), ...others]), [])
  })
})

describe("metrics", () => {
  it("that are named exist", () => {
    const all = ["src", "http", "ws", "actors"].flatMap(sources).join("\n")
    const named = matchesIn(currentCode, /\bpresage_[a-z_]+/g)
    // Those of sources are put together from a prefix.
    const isKnown = (name: string) =>
      all.includes(`"${name}"`) ||
      (name.startsWith("presage_source_") && all.includes(`"${name.slice("presage_source_".length)}"`))
    assert.deepStrictEqual(
      named.filter((name) => !isKnown(name)),
      [],
    )
  })
})

describe("endpoints", () => {
  const paths = Object.entries(OpenApi.fromApi(Api).paths)
  const described = ["docs/api.md", "docs/webhooks.md"].map((path) => documentAt(path).text).join("\n")

  it("are all described, with their methods", () => {
    const operations = paths.flatMap(([path, item]) =>
      ["get", "post", "put", "delete"]
        .filter((method) => method in item)
        .map((method) => `\`${method.toUpperCase()} ${path}\``),
    )
    assert.deepStrictEqual(missingIn(described, operations), [])
  })

  it("that are named exist", () => {
    const patterns = paths.map(([path]) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`))
    const named = matchesIn(currentCode, /(?<![\w/])\/v[123]\/[\w\-/{}$]*/g).map((path) => path.replace(/\/$/, ""))
    const isKnown = (path: string) =>
      patterns.some((pattern) => pattern.test(path)) || paths.some(([known]) => known.startsWith(`${path}/`))
    assert.deepStrictEqual(
      named.filter((path) => !isKnown(path)),
      [],
    )
  })

  it("grant each plan what its rows say", () => {
    const number = (count: number | null) =>
      count === null ? "unlimited" : count === 0 ? "none" : count.toLocaleString("en")
    for (const [plan, granted] of Object.entries(allowances)) {
      const [rest = [], streams = []] = ["docs/api.md", "docs/streams.md"].map(
        (path) => new RegExp(`^\\| ${plan} \\|(.*)\\|$`, "m").exec(documentAt(path).prose)?.[1]?.split("|") ?? [],
      )
      const { standardPerMinute, heavyPerMinute, keys, webhooks, deliveriesPerDay } = granted
      const wanted = [standardPerMinute, heavyPerMinute, keys, webhooks, deliveriesPerDay].map(number)
      assert.deepStrictEqual(
        rest.map((cell) => cell.trim().split(/ or|;/)[0]),
        wanted,
        plan,
      )
      assert.include(streams[0] ?? "", number(granted.eventConnections), plan)
      assert.strictEqual(streams[2]?.trim(), String(granted.snapshotCount), plan)
    }
  })
})

describe("streams and webhooks", () => {
  const streams = documentAt("docs/streams.md").prose
  const webhooks = documentAt("docs/webhooks.md").prose

  it("describe every stream, event type and close code", () => {
    const names = [...streamTypes, ...Object.keys(aliases), ...eventTypes].map((name) => `\`${name}\``)
    const codes = Object.values(closeCodes).map(({ code: number }) => `| ${number} |`)
    assert.deepStrictEqual(missingIn(streams, [...names, ...codes]), [])
  })

  it("describe every type of webhook event with its filters", () => {
    const rows = [...webhooks.matchAll(/^\|(.*)\|.*\|(.*)\|$/gm)]
    for (const { name, filters, required } of Object.values(eventTypeInfos)) {
      const row = rows.find(([, types = ""]) => types.includes(`\`${name}\``))?.[2] ?? ""
      const named = matchesIn([row], /`([a-z_]+)`/g).filter((filter) => filter !== "webhooks.quiet")
      assert.sameMembers([...named], [...filters], name)
      assert.sameMembers([...matchesIn([row], /\*\*`([a-z_]+)`\*\*/g)], [...required], name)
    }
  })
})

describe("the README", () => {
  it("is short enough to be read", () => {
    assert.isAtMost(documentAt("README.md").text.split("\n").length, 181)
  })
})

describe("the changelog", () => {
  it("has dated versions, the current one among them", () => {
    const versions = [...documentAt("CHANGELOG.md").prose.matchAll(/^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/gm)]
    assert.include(
      versions.map(([, version]) => version),
      manifest.version,
    )
  })
})
