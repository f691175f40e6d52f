import { type Schema, SchemaAST } from "effect"
import { mapOperations, type Paths } from "./mapOperations.ts"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema?: { readonly description?: string }
  readonly description?: string
}

interface Operation {
  readonly parameters?: ReadonlyArray<Parameter>
}

interface Document {
  readonly paths?: Paths<Operation>
}

/** As much of a group of endpoints as is needed here. */
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

/** By method, path and name. Numbers and checked texts arrive as plain text, of which the document says nothing more. */
const allDescriptions = (groups: Iterable<Group>): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const group of groups) {
    for (const { method, path, params, query, headers } of Object.values(group.endpoints)) {
      const documented = `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`
      for (const [place, schema] of Object.entries({ path: params, query, header: headers })) {
        for (const [name, text] of descriptionsIn(schema)) found.set(`${documented} ${place} ${name}`, text)
      }
    }
  }
  return found
}

/** Says in the OpenAPI document what each parameter is. */
export const describedParameters = (
  { paths = {}, ...document }: Document,
  groups: Iterable<Group>,
): Record<string, unknown> => {
  const descriptions = allDescriptions(groups)
  const described = (operation: Operation, at: string) => ({
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
