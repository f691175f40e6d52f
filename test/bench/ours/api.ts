import { Layer, ManagedRuntime } from "effect"
import { ApiServer } from "#http/Server.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { serving } from "#test/http/support/serving.ts"
import { answerAs } from "../support/answerAs.ts"
import type { ApiSubject } from "../support/api.ts"
import { watchSelf } from "../support/watchSelf.ts"
import { configuration } from "./foundation.ts"
import { listenWithKey } from "./listenWithKey.ts"

/** The server of production, with everything that a request with a key passes. */
const runtime = ManagedRuntime.make(
  ApiServer.pipe(Layer.provideMerge(serving), Layer.provideMerge(foundation), Layer.provideMerge(configuration())),
)

answerAs<ApiSubject>({ listen: () => runtime.runPromise(listenWithKey), ...watchSelf() })
