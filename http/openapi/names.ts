import { mapOperations, type Paths } from "./transforms.ts"

type Json = Readonly<Record<string, unknown>>

/** An error class is named after its decoded form; the contract only has the other one. */
const plainName = (name: string): string => name.replace(/Encoded$/, "")

const tidied = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidied)
  if (typeof value !== "object" || value === null) return value
  const parts: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value))
    parts[key] = key === "$ref" && typeof inner === "string" ? plainName(inner) : tidied(inner)
  // Generators expect the schema of the items, even if they can be anything.
  if (parts["type"] === "array") parts["items"] ??= {}
  return parts
}

interface Tag {
  readonly name: string
  readonly description?: string
}

/** Groups of endpoints that share a name are one tag. */
const mergedTags = (tags: ReadonlyArray<Tag>): ReadonlyArray<Tag> =>
  Object.entries(Object.groupBy(tags, ({ name }) => name)).map(([name, same = []]) => ({
    name,
    description: same.map(({ description }) => description).join(" "),
  }))

interface Document {
  readonly tags?: ReadonlyArray<Tag>
  readonly paths?: Paths<Operation>
  readonly components?: { readonly schemas?: Json } & Json
}

/** Names every schema as the code does, and every tag once. */
export const withPlainNames = (document: Document): Json => {
  const { components, tags = [], ...rest } = tidied(document) as Document
  const schemas = Object.entries(components?.schemas ?? {}).map(([name, schema]) => [plainName(name), schema])
  return { ...rest, tags: mergedTags(tags), components: { ...components, schemas: Object.fromEntries(schemas) } }
}

interface Response {
  readonly description?: string
  readonly content?: Json
}

interface Operation {
  readonly summary?: string
  readonly responses?: Readonly<Record<string, Response>>
}

const responseNames: Readonly<Record<string, string>> = {
  "304": "NotModified",
  "400": "BadRequest",
  "401": "Unauthorized",
  "402": "PaymentRequired",
  "403": "Forbidden",
  "404": "NotFound",
  "406": "NotAcceptable",
  "409": "Conflict",
  "421": "Misdirected",
  "429": "TooManyRequests",
  "503": "Unavailable",
}

/** The most frequent answer of each status with a name. */
const commonResponses = (paths: Paths<Operation>): ReadonlyMap<string, string> => {
  const counts = new Map<string, Map<string, number>>()
  mapOperations(paths, ({ responses = {} }) => {
    for (const [status, response] of Object.entries(responses)) {
      if (responseNames[status] === undefined) continue
      const ofStatus = counts.get(status) ?? new Map<string, number>()
      const text = JSON.stringify(response)
      counts.set(status, ofStatus.set(text, (ofStatus.get(text) ?? 0) + 1))
    }
  })
  return new Map(
    Array.from(counts, ([status, texts]) => [status, Array.from(texts).toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? ""]),
  )
}

const isNameOnly = (description: string | undefined) => description === undefined || /^(Success|\w+)$/.test(description)

/** Errors that most operations share are written once; answers are described by what the operation does. */
export const withSharedResponses = ({ paths = {}, components, ...document }: Document): Json => {
  const common = commonResponses(paths)
  const shown = (status: string, response: Response, summary: string | undefined) => {
    if (common.get(status) === JSON.stringify(response))
      return { $ref: `#/components/responses/${responseNames[status]}` }
    return isNameOnly(response.description) ? { ...response, description: summary ?? response.description } : response
  }
  return {
    ...document,
    paths: mapOperations(paths, ({ responses = {}, ...operation }) => ({
      ...operation,
      responses: Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [status, shown(status, response, operation.summary)]),
      ),
    })),
    components: {
      ...components,
      responses: Object.fromEntries(
        Array.from(common, ([status, text]) => [responseNames[status], JSON.parse(text)] as const),
      ),
    },
  }
}
