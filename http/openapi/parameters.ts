import { Schema, SchemaAST } from "effect"
import { mapOperations, type Paths } from "./transforms.ts"

type JsonSchema = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema?: JsonSchema
  readonly description?: string
}

interface Operation {
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

/** What the contract says about a parameter that the generated document does not. */
interface Known {
  readonly description: string | undefined
  readonly schema: JsonSchema | undefined
}

const withoutUndefined = (ast: SchemaAST.AST): SchemaAST.AST => {
  const members = SchemaAST.isUnion(ast) ? ast.types.filter((each) => !SchemaAST.isUndefined(each)) : []
  return members.length === 1 && members[0] !== undefined ? members[0] : ast
}

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<unknown> =>
  (SchemaAST.isUnion(ast) ? ast.types : [ast]).map((each) => (SchemaAST.isLiteral(each) ? each.literal : undefined))

const declared = (ast: SchemaAST.AST): JsonSchema | undefined =>
  SchemaAST.resolve(ast)?.["documentedAs"] as JsonSchema | undefined

/**
 * In an address everything is text, so the generated document has strings. This is the schema of the value that is
 * meant, where it is a number or a boolean; clients write both as the same text.
 */
const meantSchema = (type: SchemaAST.AST): JsonSchema | undefined => {
  const given = declared(type)
  if (given !== undefined) return given
  const decoded = withoutUndefined(SchemaAST.toType(type))
  if (SchemaAST.isNumber(decoded) || SchemaAST.isBoolean(decoded)) {
    const { description: _, ...schema } = Schema.toJsonSchemaDocument(Schema.make(decoded)).schema
    return schema
  }
  const literals = literalsOf(decoded)
  if (literals.every((each) => each === "true" || each === "false")) return { type: "boolean" }
  if (literals.every((each) => typeof each === "string" && /^\d+$/.test(each)))
    return { type: "integer", enum: literals.map(Number) }
  return undefined
}

const knownIn = (schema: Schema.Top | undefined): ReadonlyArray<readonly [string, Known]> => {
  if (schema === undefined || !SchemaAST.isObjects(schema.ast)) return []
  return schema.ast.propertySignatures.map(({ name, type }) => [
    String(name),
    { description: SchemaAST.resolveDescription(type), schema: meantSchema(type) },
  ])
}

/** By method, path and name. */
const allKnown = (groups: Iterable<Group>): ReadonlyMap<string, Known> => {
  const found = new Map<string, Known>()
  for (const group of groups) {
    for (const { method, path, params, query, headers } of Object.values(group.endpoints)) {
      const documented = `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`
      for (const [location, schema] of Object.entries({ path: params, query, header: headers })) {
        for (const [name, known] of knownIn(schema)) found.set(`${documented} ${location} ${name}`, known)
      }
    }
  }
  return found
}

/** Gives every parameter its description and the type of the value that is meant. */
export const describedParameters = (
  { paths = {}, ...document }: { readonly paths?: Paths<Operation> },
  groups: Iterable<Group>,
): Record<string, unknown> => {
  const known = allKnown(groups)
  const described = (operation: Operation, at: string) => ({
    ...operation,
    parameters: operation.parameters?.map((parameter) => {
      const { description, schema } = known.get(`${at} ${parameter.in} ${parameter.name}`) ?? {}
      const { description: inSchema, ...shown } = schema ?? parameter.schema ?? {}
      return { ...parameter, description: description ?? parameter.description ?? inSchema, schema: shown }
    }),
  })
  return {
    ...document,
    paths: mapOperations(paths, (operation, at) =>
      operation.parameters === undefined ? operation : described(operation, at),
    ),
  }
}
