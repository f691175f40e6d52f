import { type Schema, SchemaAST } from "effect"
import type { ParsedSearchParams } from "effect/unstable/http/HttpServerRequest"

type Query = ParsedSearchParams["Service"]

const isText = (ast: SchemaAST.AST): ast is SchemaAST.Literal & { readonly literal: string } =>
  SchemaAST.isLiteral(ast) && typeof ast.literal === "string"

/** The texts of an enumeration by their lower case; undefined for any other schema. */
const choicesOf = (ast: SchemaAST.AST): ReadonlyMap<string, string> | undefined => {
  const members = SchemaAST.isUnion(ast) ? ast.types.filter((each) => !SchemaAST.isUndefined(each)) : [ast]
  return members.length > 0 && members.every(isText)
    ? new Map(members.map(({ literal }) => [literal.toLowerCase(), literal]))
    : undefined
}

/** Accepts the enumerations of a query in any case: they reach the schema as it spells them. */
export const inAnyCase = (query: Schema.Constraint | undefined): ((given: Query) => Query) => {
  const ast = query && SchemaAST.toEncoded(query.ast)
  const enumerations = (ast && SchemaAST.isObjects(ast) ? ast.propertySignatures : []).flatMap(({ name, type }) => {
    const choices = choicesOf(type)
    return choices === undefined ? [] : [[String(name), choices] as const]
  })
  return (given) => {
    let changed: Record<string, Query[string]> | undefined
    for (const [name, choices] of enumerations) {
      const text = given[name]
      const meant = typeof text === "string" ? choices.get(text.toLowerCase()) : undefined
      if (meant === undefined || meant === text) continue
      changed ??= { ...given }
      changed[name] = meant
    }
    return changed ?? given
  }
}

/** The name that the text spells in any case, if any. */
export const nameIn = <Name extends string>(names: Iterable<Name>, text: string): Name | undefined => {
  const wanted = text.toLowerCase()
  for (const name of names) if (name.toLowerCase() === wanted) return name
  return undefined
}
