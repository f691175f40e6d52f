import { Layer, ManagedRuntime } from "effect"
import { ApiServer } from "#http/Server.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { serving } from "#test/http/support/serving.ts"
import type { ApiSubject } from "../support/api.ts"
import { expose } from "../support/expose.ts"
import { monitorSelf } from "../support/monitorSelf.ts"
import { configuration } from "./foundation.ts"
import { listenWithKey } from "./listenWithKey.ts"

/** The production server, with the full path of a request with a key. */
const runtime = ManagedRuntime.make(
  ApiServer.pipe(Layer.provideMerge(serving), Layer.provideMerge(foundation), Layer.provideMerge(configuration())),
)

expose<ApiSubject>({ listen: () => runtime.runPromise(listenWithKey), ...monitorSelf() })
