import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"

const built = mkdtempSync(join(tmpdir(), "presage-web-"))

const filesIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]),
  )

describe("The built web app", () => {
  afterAll(() => rmSync(built, { recursive: true }))

  it("is what `npm run build:web` makes of the sources", () => {
    // In a process of its own: Vite builds for development where Vitest runs.
    const env = { ...process.env, NODE_ENV: "production" }
    execFileSync("node_modules/.bin/vite", ["build", "-c", "web/vite.config.ts", "--outDir", built], { env })
    assert.deepStrictEqual(filesIn("web/dist"), filesIn(built))
  })
})
