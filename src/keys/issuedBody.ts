import { Redacted } from "effect"
import { type IssuedKey, limitsOf } from "./model.ts"

/** The body of `POST /v1/keys`, which the command line prints as well. The only place where a key is written out. */
export const issuedBody = ({ key, record, account }: IssuedKey) => ({
  api_key: Redacted.value(key),
  name: record.name,
  rate_limit_per_minute: limitsOf(account).standardPerMinute,
  message: "Keep this key safe: it is shown only now and cannot be shown again.",
})
