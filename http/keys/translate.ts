import { Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type { Caller } from "#src/domain/Account.ts"
import { type IssuedKey, issuedBody, type KeyRecord, type NoSuchKey } from "#src/keys/model.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { Conflict, NotFound, type Unavailable, unavailable } from "../server/errors.ts"

export const shown = (record: KeyRecord, caller: Caller) => ({
  id: record.id,
  name: record.name,
  key: record.shown,
  created_at: record.createdAt.toISOString(),
  revoked_at: record.revokedAt?.toISOString() ?? null,
  last_used_at: record.lastUsedAt?.toISOString() ?? null,
  is_this: record.id === caller.key,
})

const notFound = () =>
  new NotFound({ error: "The key does not exist.", hint: "GET /v1/keys lists the keys of the account." })
export const conflict = ({ message }: Error) => new Conflict({ error: `Not possible: ${message}.` })
export const storeFailed = unavailable("keys")
export const notDone = (error: NoSuchKey | TxError): Effect.Effect<never, NotFound | Unavailable> =>
  error._tag === "NoSuchKey" ? Effect.fail(notFound()) : storeFailed(error)

/** A key must not be cached on the way. */
export const issued = (key: IssuedKey) =>
  HttpServerResponse.jsonUnsafe(issuedBody(key), { status: 201, headers: { "cache-control": "no-store" } })
