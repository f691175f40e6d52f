import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"

const read = (path: string) => readFileSync(path, "utf8")
const security = read("docs/security.md")

/** The rows of the table under a heading of docs/security.md, without backticks. */
const tableUnder = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, section = ""] = security.split(`### ${heading}\n`)
  return (section.split("\n### ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim().replaceAll("`", "")))
}

interface Locked {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean; readonly license?: string }>>
}
const { packages }: Locked = JSON.parse(read("package-lock.json"))
const manifest = JSON.parse(read("package.json"))
const folder = "node_modules/"

describe("Dependencies", () => {
  it("the binaries of uws-pack are those whose hashes are recorded", () => {
    const root = `${folder}uws-pack`
    const installed = readdirSync(`${root}/dist`, { recursive: true, encoding: "utf8" })
      .map((name) => `dist/${name}`)
      .filter((name) => /\.(node|mjs|cjs|js)$/.test(name))
    const hashes = installed.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(`${root}/${name}`))
        .digest("hex"),
    ])
    assert.isAbove(hashes.length, 20)
    assert.deepStrictEqual(Object.fromEntries(hashes), Object.fromEntries(tableUnder("Prebuilt binaries of uws-pack")))
  })

  it("no package runs a script at installation that is not listed", () => {
    const withScripts = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript === true ? [path.slice(path.lastIndexOf(folder) + folder.length)] : [],
    )
    const listed = tableUnder("Install scripts")
    assert.sameMembers(
      withScripts,
      listed.map(([name]) => name),
    )
    const allowed = Object.entries(manifest.allowScripts).flatMap(([name, isAllowed]) => (isAllowed ? [name] : []))
    assert.sameMembers(
      allowed,
      listed.flatMap(([name = "", why = ""]) => (why.includes("not allowed") ? [] : [name])),
    )
  })

  it("the licences of direct dependencies are listed", () => {
    const direct = { ...manifest.dependencies, ...manifest.devDependencies }
    const expected = Object.entries(direct).map(([name, version]) => [
      name,
      version,
      packages[`${folder}${name}`]?.license,
    ])
    assert.sameDeepMembers(
      expected,
      tableUnder("Licences of direct dependencies").map((row) => [...row]),
    )
  })
})
