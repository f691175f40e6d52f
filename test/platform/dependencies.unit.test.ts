import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
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

const folder = "node_modules/"

interface Package {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly hasInstallScript?: boolean
  readonly license?: string
  readonly dev?: boolean
}
interface Locked {
  readonly packages: Readonly<Record<string, Package>>
}
const { packages }: Locked = JSON.parse(read("package-lock.json"))
const nameOf = (path: string) => path.slice(path.lastIndexOf(folder) + folder.length)
const manifest = JSON.parse(read("package.json"))

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
      hasInstallScript === true ? [nameOf(path)] : [],
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

  it("every installed package is the one in the lock file, which has its hash and no other registry than npm's", () => {
    const fromRegistry = Object.entries(packages).filter(([path, { link }]) => path.startsWith(folder) && link !== true)
    assert.isAbove(fromRegistry.length, 200)
    for (const [path, { resolved, integrity }] of fromRegistry) {
      if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, path)
      assert.match(integrity ?? "", /^sha512-[A-Za-z0-9+/]{86}==$/, path)
    }
    const { packages: installed }: Locked = JSON.parse(read(`${folder}.package-lock.json`))
    assert.isAbove(Object.keys(installed).length, 50)
    for (const [path, { version, integrity, link }] of Object.entries(installed)) {
      assert.deepStrictEqual([version, integrity], [packages[path]?.version, packages[path]?.integrity], path)
      if (path.startsWith(folder) && link !== true)
        assert.strictEqual(JSON.parse(read(`${path}/package.json`)).version, version, path)
    }
  })

  it("no installed package has a script for the installation that the lock file does not mark", () => {
    const { packages: installed }: Locked = JSON.parse(read(`${folder}.package-lock.json`))
    for (const [path, { link }] of Object.entries(installed)) {
      if (!path.startsWith(folder) || link === true) continue
      const { scripts = {} } = JSON.parse(read(`${path}/package.json`))
      const runs = ["preinstall", "install", "postinstall"].some((name) => name in scripts)
      const builds = existsSync(`${path}/binding.gyp`)
      assert.strictEqual(runs || builds, packages[path]?.hasInstallScript === true, path)
    }
  })

  it("every package has a licence that is listed as one of the service or of development", () => {
    const users = new Map<string, string>()
    for (const [path, { license = "none", dev, link }] of Object.entries(packages)) {
      if (!path.startsWith(folder) || link === true) continue
      if (dev !== true) users.set(license, "service")
      else if (!users.has(license)) users.set(license, "development")
    }
    assert.sameDeepMembers(
      [...users],
      tableUnder("Licences of all dependencies").map((row) => [...row] as [string, string]),
    )
  })

  it("the binaries of uws-pack come with the licence that is named", () => {
    const [, licence] = /a repackaging by a third party \((.+?)\)/.exec(security.replaceAll(/\s+/g, " ")) ?? []
    assert.strictEqual(JSON.parse(read(`${folder}uws-pack/package.json`)).license, licence)
    assert.match(read(`${folder}uws-pack/LICENSE`), new RegExp(`^${licence} License`))
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
