import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Api } from "../Api.ts"

type Json = Readonly<Record<string, unknown>>

let built: Json | undefined

/** The contract of the REST API at an address. Built when it is first asked for, because that takes half a second. */
export const openapi = (address: string): Json => {
  built ??= { ...OpenApi.fromApi(Api) }
  const { openapi: format, info, ...rest } = built
  const contact = { name: "Presage", url: `${address}/docs` }
  return {
    openapi: format,
    info: { ...(info as Json), contact },
    servers: [{ url: address, description: "This service" }],
    ...rest,
  }
}
