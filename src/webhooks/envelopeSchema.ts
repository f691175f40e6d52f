import { Schema } from "effect"
import { eventTypeInfos } from "./eventTypes.ts"
import type { WebhookEventType } from "./model.ts"
import { dataSchemas } from "./payloads/schemas.ts"

const about = (description: string) => Schema.String.annotate({ description })

/** All that is sent of an event of a type. */
const envelopeSchema = (type: WebhookEventType) =>
  Schema.Struct({
    id: about("evt_ and a UUID: the same at every attempt, so that what comes twice can be told"),
    type: Schema.Literal(type),
    created_at: about("ISO 8601 with fractional seconds and offset: when it was noticed"),
    data: dataSchemas[type],
  }).annotate({ title: type, description: eventTypeInfos[type].description })

/** The same as JSON Schema of 2020-12; none of these schemas refers to another. */
export const envelopeJsonSchema = (type: WebhookEventType): Readonly<Record<string, unknown>> =>
  Schema.toJsonSchemaDocument(envelopeSchema(type)).schema
