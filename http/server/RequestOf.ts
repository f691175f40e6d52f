import type * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"

/** The decoded request of an endpoint of a group. Its endpoint is typed loosely, because the API adds middleware to it. */
export type RequestOf<Group, Name extends string> = Omit<
  HttpApiEndpoint.Request<HttpApiEndpoint.WithIdentifier<HttpApiGroup.Endpoints<Group>, Name>>,
  "endpoint"
> & { readonly endpoint: Pick<HttpApiEndpoint.Top, "annotations" | "path"> }
