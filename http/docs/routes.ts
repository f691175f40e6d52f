import { Effect, Layer } from "effect"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { LRUCache } from "lru-cache"
import type { Answer } from "#src/caching/Answer.ts"
import { version } from "#src/platform/process/version.ts"
import { asyncapi } from "#src/streams/asyncapi.ts"
import { openapi } from "../openapi/document.ts"
import { apiAddress } from "../server/apiAddress.ts"
import { errorResponse } from "../server/errors.ts"
import { gatewayAddress } from "../server/gatewayAddress.ts"
import { fileAnswer, sendFile } from "../web/sendFile.ts"
import { operationPart, webhookPart } from "./contractPart.ts"
import { guideNames, guides } from "./guides.ts"
import { docsIndex } from "./index.ts"
import { llmsText, wholeDocs } from "./markdown.ts"

const json = "application/json"
const markdown = "text/markdown; charset=utf-8"

/** Clients choose the host of a request, so that only a few are kept. */
const mostAddresses = 4

/** No address that a client requests contains it. */
const placeholder = "http://address-of-this-service.invalid"

/** Makes a text once for all addresses: a client that varies the host of its requests must not cost a rendering each. */
const template = (make: (address: string) => string) => {
  let text: string | undefined
  return (address: string) => {
    text ??= make(placeholder)
    return text.replaceAll(placeholder, () => address)
  }
}

/** A document that names an address. It is made when it is first asked for, and kept with its compressed variants. */
const document = <R>(
  path: `/${string}`,
  contentType: string,
  addressOf: Effect.Effect<Effect.Effect<string, never, HttpServerRequest>, never, R>,
  make: (address: string) => string,
) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const address = yield* addressOf
      const made = new LRUCache<string, Answer>({
        max: mostAddresses,
        memoMethod: (given) => fileAnswer(Buffer.from(make(given))),
      })
      const answer = Effect.gen(function* () {
        return yield* sendFile(yield* HttpServerRequest, made.memo(yield* address), contentType, "no-cache")
      })
      yield* router.add("GET", path, answer)
    }),
  )

/** More than there are operations. */
const mostParts = 500

/** A part of the contract by its name, which is the last segment of the path. */
const parts = (path: `/${string}`, partOf: (name: string) => object | undefined) =>
  HttpRouter.use((router) => {
    const made = new LRUCache<string, Answer>({ max: mostParts })
    const answerFor = (name: string): Answer | undefined => {
      const known = made.get(name)
      if (known !== undefined) return known
      const part = partOf(name)
      if (part === undefined) return undefined
      const answer = fileAnswer(Buffer.from(JSON.stringify(part)))
      made.set(name, answer)
      return answer
    }
    return router.add(
      "GET",
      `${path}/:name`,
      Effect.gen(function* () {
        const { name = "" } = yield* HttpRouter.params
        const answer = answerFor(name)
        return answer === undefined ? noPart : yield* sendFile(yield* HttpServerRequest, answer, json, "no-cache")
      }),
    )
  })

const noPart = errorResponse(404, {
  error: "The contract has no such part.",
  hint: "GET /docs/index.json lists its operations and webhooks.",
})

const ofGateway = Effect.map(gatewayAddress, (address) => Effect.map(address, ({ href }) => href))

const guide = (name: string) =>
  document(
    `/docs/${name}.md`,
    markdown,
    Effect.succeed(Effect.succeed("")),
    () => guides().find((each) => each.name === name)?.text ?? "",
  )

/** The documentation for programs and agents; the page `/docs` is part of the web app. */
export const docsRoutes = Layer.mergeAll(
  document(
    "/openapi.json",
    json,
    apiAddress,
    template((address) => JSON.stringify(openapi(address))),
  ),
  document("/asyncapi.json", json, ofGateway, (gateway) => JSON.stringify(asyncapi(new URL(gateway), version))),
  document(
    "/docs/index.json",
    json,
    apiAddress,
    template((address) => JSON.stringify(docsIndex(address))),
  ),
  parts("/docs/contract/operations", operationPart),
  parts("/docs/contract/webhooks", webhookPart),
  document("/docs.md", markdown, apiAddress, template(wholeDocs)),
  document("/llms.txt", "text/plain; charset=utf-8", apiAddress, template(llmsText)),
  ...guideNames.map(guide),
)
