import { Effect, Layer } from "effect"
import { HttpServer } from "effect/unstable/http"
import { ApiServer, OpsServer } from "#http/Server.ts"
import { Progress } from "#src/ledger/Progress.ts"
import { Addresses } from "#src/platform/process/Addresses.ts"
import { sourceMetrics } from "#src/status/sourceMetrics.ts"
import { access } from "./Access.ts"
import { apiServices } from "./ApiServices.ts"
import { catalogueCheck } from "./catalogueCheck.ts"
import { figuresCheck } from "./figuresCheck.ts"
import { ledgerCheck } from "./ledgerCheck.ts"
import { reading } from "./Reading.ts"
import { sourcesCheck } from "./sourcesCheck.ts"

/** Adds the server's real address, with the chosen port, to the line that announces readiness. */
const announced = (names: Readonly<Record<string, string>>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const addresses = yield* Addresses
      const { address } = yield* HttpServer.HttpServer
      if (address._tag === "UnixPathAddress") return
      for (const [name, path] of Object.entries(names)) addresses.add(name, `http://localhost:${address.port}${path}`)
    }),
  )

/** What it answers with comes from other processes too: it is ready when they have read it, and while they go on. */
const checks = Layer.mergeAll(Layer.provide(ledgerCheck, Progress.layer), sourcesCheck, catalogueCheck, figuresCheck)

/** The REST API with its documentation. */
export const api = Layer.mergeAll(
  announced({ api: "", explore: "/explore", docs: "/docs" }),
  sourceMetrics,
  checks,
).pipe(Layer.provideMerge(ApiServer), Layer.provideMerge(Layer.mergeAll(reading, access, apiServices)))

/** Health and metrics of a process that serves nothing else over HTTP. */
export const ops = Layer.provideMerge(announced({ ops: "" }), OpsServer)
