import { openapi } from "#http/openapi/document.ts"

/** Any part of the document. */
export type Json = Readonly<Record<string, ReturnType<typeof JSON.parse>>>

export const address = "https://presage.example.org"

export const document: Json = openapi(address)

export interface Operation {
  readonly at: string
  readonly id: string
  readonly operation: Json
}

const methodsOf = (paths: Json, kind: string): ReadonlyArray<Operation> =>
  Object.entries<Json>(paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({
      at: `${kind}${method.toUpperCase()} ${path}`,
      id: String(operation["operationId"]),
      operation,
    })),
  )

export const operations = methodsOf(document["paths"], "")
export const webhooks = methodsOf(document["webhooks"], "webhook ")

/** Follows a reference within the document. */
export const resolved = (part: Json): Json =>
  typeof part["$ref"] === "string"
    ? part["$ref"]
        .split("/")
        .slice(1)
        .reduce<Json>((inner, key) => inner[key], document)
    : part
