import { Record } from "effect"

/** The operations of an OpenAPI document, by path and method. */
export type Paths<Operation> = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** Changes every operation; `at` is its method and path. */
export const mapOperations = <A, B>(paths: Paths<A>, change: (operation: A, at: string) => B): Paths<B> =>
  Record.map(paths, (operations, path) =>
    Record.map(operations, (operation, method) => change(operation, `${method} ${path}`)),
  )

// Keys

interface SecuredOperation {
  readonly "x-access"?: { readonly key: string }
  readonly responses?: Readonly<Record<string, unknown>>
}

interface SecuredDocument {
  readonly paths?: Paths<SecuredOperation>
  readonly components?: Readonly<Record<string, unknown>>
}

const schemes = {
  header: { type: "apiKey", in: "header", name: "x-api-key" },
  bearer: { type: "http", scheme: "bearer" },
  query: { type: "apiKey", in: "query", name: "key" },
}

const anyScheme = Object.keys(schemes).map((name) => ({ [name]: [] }))

/** An empty requirement marks the key as optional. */
const securityOf = (operation: SecuredOperation) =>
  operation["x-access"]?.key === "optional" ? [{}, ...anyScheme] : anyScheme

/** Documents how a key is sent, on the operations that can answer 401. */
export const withKeys = ({ paths = {}, components, ...document }: SecuredDocument): Record<string, unknown> => ({
  ...document,
  paths: mapOperations(paths, (operation) =>
    operation.responses?.["401"] === undefined ? operation : { ...operation, security: securityOf(operation) },
  ),
  components: { ...components, securitySchemes: schemes },
})

// Caching

interface CachedOperation {
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>
}

const text = (description: string) => ({ description, schema: { type: "string" } })
const integer = (description: string) => ({ description, schema: { type: "integer" } })

const cacheHeaders = {
  etag: text("For If-None-Match; different for every encoding"),
  age: integer("Seconds since the answer was loaded"),
  "x-cache": text("hit, miss, or stale while no newer answer can be loaded"),
  "x-data-age-ms": integer("Age of the newest data in the answer, in milliseconds"),
}

/** Documents the headers and statuses that every cached endpoint adds. */
export const withCaching = ({ responses = {}, ...operation }: CachedOperation): Record<string, unknown> => ({
  ...operation,
  responses: {
    ...responses,
    "200": { ...responses["200"], headers: cacheHeaders },
    "304": { description: "The answer still matches If-None-Match" },
    "406": { description: "Accept-Encoding allows none of the available encodings" },
  },
})
