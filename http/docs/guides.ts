import { readFileSync } from "node:fs"

const folder = new URL("../../docs/", import.meta.url)

/** The guides in the order of the navigation; each is `docs/<name>.md`. */
const names = [
  "api",
  "units",
  "streams",
  "webhooks",
  "files",
  "glossary",
  "operations",
  "simulator",
  "real-venue",
  "security",
  "architecture",
  "decisions",
] as const

export interface Guide {
  readonly name: string
  readonly title: string
  /** The first sentence. */
  readonly about: string
  readonly text: string
}

const withoutCode = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, "")

/** Links lose their targets: the text is shown elsewhere. */
const plain = (text: string) => text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/\s+/g, " ")

const firstSentence = (text: string) => /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, ".") ?? text

const guideOf = (name: string): Guide => {
  const text = readFileSync(new URL(`${name}.md`, folder), "utf8")
  const [heading = "", ...paragraphs] = withoutCode(text).split(/\n\n+/)
  const prose = paragraphs.find((paragraph) => /^[A-Z`*]/.test(paragraph)) ?? ""
  return { name, title: heading.replace(/^# /, "").trim(), about: firstSentence(plain(prose)), text }
}

let read: ReadonlyArray<Guide> | undefined

/** Read when they are first asked for. */
export const guides = (): ReadonlyArray<Guide> => {
  read ??= names.map(guideOf)
  return read
}

export const guideNames: ReadonlyArray<string> = names

export interface Heading {
  readonly text: string
  readonly level: number
  /** As the anchors of the page and of code hosts: lower case, spaces as hyphens. */
  readonly anchor: string
}

const anchorOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

export const headingsOf = ({ text }: Guide): ReadonlyArray<Heading> =>
  Array.from(withoutCode(text).matchAll(/^(#{2,3}) (.+)$/gm), ([, marks = "", title = ""]) => {
    const words = plain(title).replaceAll("`", "").trim()
    return { text: words, level: marks.length, anchor: anchorOf(words) }
  })
