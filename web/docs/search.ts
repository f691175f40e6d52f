import type { Index } from "./contract.ts"

export interface Hit {
  readonly path: string
  readonly title: string
  readonly detail: string
}

interface Entry extends Hit {
  readonly text: string
  /** What comes first among equal hits. */
  readonly weight: number
}

const entry = (weight: number, path: string, title: string, detail: string): Entry => ({
  path,
  title,
  detail,
  text: `${title} ${detail}`.toLowerCase(),
  weight,
})

/** Everything that can be found: operations, guides and their headings, event types, messages. */
export const entriesOf = (index: Index): ReadonlyArray<Entry> => [
  ...index.operations.map(({ id, method, path, summary, tag }) =>
    entry(3, `/docs/reference/${id}`, summary, `${method} ${path} · ${tag} · ${id}`),
  ),
  ...index.guides.flatMap(({ name, title, headings }) => [
    entry(2, `/docs/guides/${name}`, title, "Guide"),
    ...headings.map(([text, anchor]) => entry(1, `/docs/guides/${name}#${anchor}`, text, `Guide · ${title}`)),
  ]),
  ...index.webhooks.map(({ name, summary }) => entry(2, `/docs/webhooks/${name}`, name, `Webhook · ${summary}`)),
  ...index.messages.map((name) => entry(2, `/docs/streams/${name}`, name, "Message of a stream")),
]

const mostHits = 12

/** Entries that contain every word; those whose title begins with the query come first. */
export const search = (entries: ReadonlyArray<Entry>, query: string): ReadonlyArray<Hit> => {
  const wanted = query.trim().toLowerCase()
  if (wanted === "") return []
  const words = wanted.split(/\s+/)
  const score = ({ title, text, weight }: Entry) =>
    (title.toLowerCase().startsWith(wanted) ? 20 : 0) + (text.includes(wanted) ? 10 : 0) + weight
  return entries
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .sort((a, b) => score(b) - score(a))
    .slice(0, mostHits)
}
