import { openapi } from "../openapi/document.ts"

/** The parts of the contract that the documentation shows. */
export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: { readonly type?: string; readonly enum?: ReadonlyArray<unknown>; readonly $ref?: string }
  readonly example?: unknown
}

interface Media {
  readonly content?: Readonly<
    Record<string, { readonly example?: unknown; readonly schema?: { readonly $ref?: string } }>
  >
}

export interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Media
  readonly responses: Readonly<Record<string, Media>>
}

export interface Described extends Operation {
  readonly method: string
  readonly path: string
}

interface Contract {
  readonly info: { readonly description: string; readonly version: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>
}

export const contractAt = (address: string) => openapi(address) as Partial<Contract> as Contract

export const operationsOf = ({ paths }: Contract): ReadonlyArray<Described> =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
