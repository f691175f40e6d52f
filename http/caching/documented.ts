interface Response {
  readonly description?: string
}

interface Operation {
  readonly responses?: Readonly<Record<string, Response>>
}

const text = (description: string) => ({ description, schema: { type: "string" } })
const whole = (description: string) => ({ description, schema: { type: "integer" } })

const headers = {
  etag: text("For If-None-Match; another one for every encoding"),
  age: whole("Seconds since the answer was made"),
  "x-cache": text("hit, miss, or stale while a newer one cannot be made"),
  "x-data-age-ms": whole("How old the newest data in the answer are"),
}

/** What every cached endpoint answers beside what its schemas say, for the OpenAPI document. */
export const withCaching = ({ responses = {}, ...operation }: Operation): Record<string, unknown> => ({
  ...operation,
  responses: {
    ...responses,
    "200": { ...responses["200"], headers },
    "304": { description: "If-None-Match names the answer that there is" },
    "406": { description: "Accept-Encoding leaves nothing that can be sent" },
  },
})
