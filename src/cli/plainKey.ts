import type { KeyRecord } from "#src/keys/model.ts"

/** A key as JSON for machines, in the words of the API. */
export const plainKey = (key: KeyRecord) => ({
  id: key.id,
  account_id: key.account,
  name: key.name,
  key: key.shown,
  created_at: key.createdAt.toISOString(),
  revoked_at: key.revokedAt?.toISOString() ?? null,
})
