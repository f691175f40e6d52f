import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { migrations } from "#migrations/index.ts"

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(file))

/** What a file imports from this repository, as paths from its root. */
const importsOf = (file: string): ReadonlyArray<string> =>
  [...readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].flatMap(([, target = ""]) => {
    if (target.startsWith("#")) return [target.slice(1)]
    if (target.startsWith(".")) return [new URL(target, `file:///${file}`).pathname.slice(1)]
    return []
  })

const packagesOf = (file: string): ReadonlyArray<string> =>
  [...readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"([^".#][^"]*)"/g)].map(([, target = ""]) => target)

const edges = ["actors", "schedulers", "http", "ws"]
const folderOf = (path: string) => path.split("/")[0] ?? ""
const isComposition = (path: string) => /^src\/(main\.ts|roles\/|cli\/)/.test(path)
const under = (folder: string) => files.filter((file) => file.startsWith(folder))

/** Imports by `from` that `allowed` does not permit, as readable lines. */
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

  it("only ws/Server.ts knows uWebSockets", () => {
    const users = files.filter((file) => !file.startsWith("test/") && packagesOf(file).includes("uws-pack"))
    assert.deepStrictEqual(users, ["ws/Server.ts"])
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

describe("Habits", () => {
  it("migrations are numbered without a gap", () => {
    const numbers = Object.keys(migrations).map((name) => Number(/^(\d{4})_[a-z_]+$/.exec(name)?.[1]))
    assert.deepStrictEqual(
      numbers,
      numbers.map((_, i) => i + 1),
    )
  })

  it("src/main.ts stays a door, not a room", () => {
    assert.isAtMost(readFileSync("src/main.ts", "utf8").split("\n").length, 40)
  })

  it("logic asks the Clock; Date.now() is for request ids and for BullMQ's slots, which are made with it", () => {
    const users = files.filter(
      (file) => !/^(test|src\/simulator)\//.test(file) && /Date\.now\(\)/.test(readFileSync(file, "utf8")),
    )
    assert.deepStrictEqual(users, ["http/server/requestId.ts", "src/mesh/JobWorker.ts"])
  })
})
