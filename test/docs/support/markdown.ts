import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export const root = join(import.meta.dirname, "..", "..", "..")

/** A fenced block of a document. Its info string is a language, then `fails`, `file=name` or `skip="reason"`. */
export interface Block {
  readonly line: number
  readonly language: string
  readonly text: string
  readonly fails: boolean
  readonly file: string | undefined
  readonly skip: string | undefined
}

export interface Document {
  /** Path from the root of the repository. */
  readonly path: string
  readonly text: string
  /** Everything outside fenced blocks. */
  readonly prose: string
  readonly blocks: ReadonlyArray<Block>
}

const blockOf = (info: string, line: number, text: string): Block => {
  const [language = ""] = info.split(" ", 1)
  return {
    line,
    language,
    text,
    fails: / fails( |$)/.test(info),
    file: / file=(\S+)/.exec(info)?.[1],
    skip: / skip="([^"]*)"/.exec(info)?.[1],
  }
}

export const parseDocument = (path: string, text: string): Document => {
  const blocks: Array<Block> = []
  const prose: Array<string> = []
  let open: { readonly info: string; readonly line: number; readonly lines: Array<string> } | undefined
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^```(.*)$/.exec(line)
    if (open === undefined && fence !== null) open = { info: fence[1] ?? "", line: index + 1, lines: [] }
    else if (open !== undefined && fence !== null) {
      blocks.push(blockOf(open.info, open.line, open.lines.join("\n")))
      open = undefined
    } else if (open !== undefined) open.lines.push(line)
    else prose.push(line)
  }
  if (open !== undefined) throw new Error(`${path}:${open.line}: the block is not closed`)
  return { path, text, prose: prose.join("\n"), blocks }
}

const read = (path: string) => parseDocument(path, readFileSync(join(root, path), "utf8"))

/** The documents whose examples are run. */
export const examples: ReadonlyArray<Document> = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => `docs/${name}`),
].map(read)

export const documents: ReadonlyArray<Document> = [...examples, read("CONTRIBUTING.md"), read("CHANGELOG.md")]

export const documentAt = (path: string): Document => {
  const found = documents.find((document) => document.path === path)
  if (found === undefined) throw new Error(`there is no ${path}`)
  return found
}

/** Texts in backticks, and the lines of code blocks. */
export const codeOf = ({ prose, blocks }: Document): ReadonlyArray<string> => [
  ...[...prose.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code),
  ...blocks.flatMap(({ text }) => text.split("\n")),
]
