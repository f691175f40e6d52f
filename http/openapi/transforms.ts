import { Record, type Schema, SchemaAST } from "effect"

/** The operations of an OpenAPI document, by path and method. */
type Paths<Operation> = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** Changes every operation; `at` is its method and path. */
const mapOperations = <A, B>(paths: Paths<A>, change: (operation: A, at: string) => B): Paths<B> =>
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

// Parameters

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema?: { readonly description?: string }
  readonly description?: string
}

interface ParameterizedOperation {
  readonly parameters?: ReadonlyArray<Parameter>
}

/** The parts of an endpoint group that have parameters. */
export interface Group {
  readonly endpoints: Readonly<
    Record<
      string,
      {
        readonly method: string
        readonly path: string
        readonly params: Schema.Top | undefined
        readonly query: Schema.Top | undefined
        readonly headers: Schema.Top | undefined
      }
    >
  >
}

const descriptionsIn = (schema: Schema.Top | undefined): ReadonlyMap<string, string> => {
  if (schema === undefined || !SchemaAST.isObjects(schema.ast)) return new Map()
  return new Map(
    schema.ast.propertySignatures.flatMap(({ name, type }) => {
      const text = SchemaAST.resolveDescription(type)
      return text === undefined ? [] : [[String(name), text] as const]
    }),
  )
}

/** By method, path and name. The generated document loses the descriptions of numbers and checked strings. */
const allDescriptions = (groups: Iterable<Group>): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const group of groups) {
    for (const { method, path, params, query, headers } of Object.values(group.endpoints)) {
      const documented = `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`
      for (const [location, schema] of Object.entries({ path: params, query, header: headers })) {
        for (const [name, text] of descriptionsIn(schema)) found.set(`${documented} ${location} ${name}`, text)
      }
    }
  }
  return found
}

/** Adds the description of each parameter to the document. */
export const describedParameters = (
  { paths = {}, ...document }: { readonly paths?: Paths<ParameterizedOperation> },
  groups: Iterable<Group>,
): Record<string, unknown> => {
  const descriptions = allDescriptions(groups)
  const described = (operation: ParameterizedOperation, at: string) => ({
    ...operation,
    parameters: operation.parameters?.map((parameter) => {
      const text = descriptions.get(`${at} ${parameter.in} ${parameter.name}`)
      return text === undefined ? parameter : { description: text, ...parameter }
    }),
  })
  return {
    ...document,
    paths: mapOperations(paths, (operation, at) =>
      operation.parameters === undefined ? operation : described(operation, at),
    ),
  }
}

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
