/** The parts of the documents that the page shows. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Schema
  readonly prefixItems?: ReadonlyArray<Schema>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly oneOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
  readonly additionalProperties?: Schema | boolean
}

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
  readonly example?: unknown
}

export interface Body {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
}

export interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}

export interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export interface Message {
  readonly name: string
  readonly summary: string
  readonly payload: Schema
  readonly examples: ReadonlyArray<{ readonly payload: unknown }>
}

export interface Streams {
  readonly info: { readonly description: string }
  readonly components: { readonly messages: Readonly<Record<string, Message>> }
  readonly channels: Readonly<
    Record<
      string,
      { readonly title: string; readonly description: string; readonly messages: Readonly<Record<string, unknown>> }
    >
  >
}

export interface Index {
  readonly version: string
  readonly guides: ReadonlyArray<{
    readonly name: string
    readonly title: string
    readonly about: string
    readonly headings: ReadonlyArray<readonly [text: string, anchor: string]>
  }>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly operations: ReadonlyArray<{
    readonly id: string
    readonly method: string
    readonly path: string
    readonly summary: string
    readonly tag: string
  }>
  readonly webhooks: ReadonlyArray<{ readonly name: string; readonly summary: string }>
  readonly messages: ReadonlyArray<string>
}

export interface Located {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export const operationIn = ({ paths }: Contract, id: string): Located | undefined => {
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods))
      if (operation.operationId === id) return { method: method.toUpperCase(), path, operation }
  return undefined
}

export const jsonOf = (body: Body | undefined) => body?.content?.["application/json"]

/** The description has an example for a shell; the page has its own, in three languages. */
export const withoutShell = (text: string): string => text.replaceAll(/\n*```sh\n[\s\S]*?\n```/g, "")
