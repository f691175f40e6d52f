import { Context, Effect, Layer } from "effect"
import * as FindMyWay from "effect/unstable/http/FindMyWay"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import { closestName } from "#src/platform/text/spelling.ts"

/** How addresses are matched, shared by the router and the table below. */
export const routerConfig = {
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: true,
  caseSensitive: true,
  // The schema refuses a long parameter with a clear error; the router would answer 404. No address is longer than this.
  maxParamLength: 16_384,
} as const

/** All mounted routes, for answers to requests that match none. */
export class RouteTable extends Context.Service<
  RouteTable,
  {
    readonly add: (method: string, path: HttpRouter.PathInput) => void
    /** Methods that the address supports; none if it is unknown. */
    readonly methods: (url: string) => ReadonlyArray<string>
    readonly closest: (path: string) => string | undefined
  }
>()("presage/http/RouteTable") {
  static readonly layer = Layer.sync(RouteTable, () => {
    const router = FindMyWay.make<true>(routerConfig)
    const known = new Set<string>()
    const paths = new Set<string>()
    return RouteTable.of({
      add: (method, path) => {
        router.on(method, path, true)
        known.add(method)
        paths.add(path)
      },
      methods: (url) => {
        const found = [...known].filter((method) => router.find(method, url) !== undefined)
        return found.includes("GET") ? [...found, "HEAD"] : found
      },
      closest: (path) => closestName(path, paths),
    })
  })
}

/** A router that records every route it mounts. */
export const recordedRouter = Layer.effect(
  HttpRouter.HttpRouter,
  Effect.gen(function* () {
    const table = yield* RouteTable
    const record = (router: HttpRouter.HttpRouter, prefix: string): HttpRouter.HttpRouter => {
      const note = (method: string, path: string) => {
        if (method !== "*") table.add(method, HttpRouter.prefixPath(path, prefix) as HttpRouter.PathInput)
      }
      return HttpRouter.HttpRouter.of({
        ...router,
        prefixed: (added) => record(router.prefixed(added), HttpRouter.prefixPath(added, prefix)),
        add: (method, path, handler, options) => {
          note(method, path)
          return router.add(method, path, handler, options)
        },
        addAll: (routes) => {
          for (const route of routes) note(route.method, route.path)
          return router.addAll(routes)
        },
      })
    }
    return record(yield* HttpRouter.HttpRouter, "")
  }),
)
