import { openapi } from "../openapi/document.ts"

type Json = Readonly<Record<string, unknown>>
type Named = Readonly<Record<string, Json>>

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>
  readonly webhooks: Named
  readonly components: Readonly<Record<string, Named>>
}

/** Nothing of a part depends on the address of the service. */
const whole = () => openapi("") as Partial<Document> as Document

const references = (text: string) => text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)

/** The components that something refers to, and those that they refer to. */
const componentsOf = (root: unknown, { components }: Document) => {
  const found: Record<string, Record<string, Json>> = { schemas: {} }
  const add = (value: unknown): void => {
    for (const [, kind = "", name = ""] of references(JSON.stringify(value))) {
      const component = components[kind]?.[name]
      if (component === undefined || found[kind]?.[name] !== undefined) continue
      found[kind] = { ...found[kind], [name]: component }
      add(component)
    }
  }
  add(root)
  return found
}

/** One operation of the contract with what it refers to. The page would take long to load and parse the whole. */
export const operationPart = (id: string) => {
  const document = whole()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation["operationId"] !== id) continue
      return { paths: { [path]: { [method]: operation } }, webhooks: {}, components: componentsOf(operation, document) }
    }
  }
  return undefined
}

/** The deliveries of one event type, likewise. */
export const webhookPart = (name: string) => {
  const document = whole()
  if (!Object.hasOwn(document.webhooks, name)) return undefined
  const webhook = document.webhooks[name]
  return { paths: {}, webhooks: { [name]: webhook }, components: componentsOf(webhook, document) }
}
