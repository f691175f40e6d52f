import { mapOperations, type Paths } from "../mapOperations.ts"

interface Operation {
  readonly "x-access"?: { readonly key: string }
  readonly responses?: Readonly<Record<string, unknown>>
}

interface Document {
  readonly paths?: Paths<Operation>
  readonly components?: Readonly<Record<string, unknown>>
}

const schemes = {
  header: { type: "apiKey", in: "header", name: "x-api-key" },
  bearer: { type: "http", scheme: "bearer" },
  query: { type: "apiKey", in: "query", name: "key" },
}

const anyOf = Object.keys(schemes).map((name) => ({ [name]: [] }))

/** An empty one says that it works without, too. */
const securityOf = (operation: Operation) => (operation["x-access"]?.key === "optional" ? [{}, ...anyOf] : anyOf)

/** Says in the OpenAPI document how a key is given, and which operations ask for one: those that can answer 401. */
export const withKeys = ({ paths = {}, components, ...document }: Document): Record<string, unknown> => ({
  ...document,
  paths: mapOperations(paths, (operation) =>
    operation.responses?.["401"] === undefined ? operation : { ...operation, security: securityOf(operation) },
  ),
  components: { ...components, securitySchemes: schemes },
})
